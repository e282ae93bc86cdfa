/* Joysticks of who watches the simulation. */

#ifndef WEBOTS_JOYSTICK_HPP
#define WEBOTS_JOYSTICK_HPP

#include <string>
#include "../../c/webots/joystick.h"
#include "text.hpp"

namespace webots {

class Joystick {
public:
  Joystick() {}
  virtual ~Joystick() {}

  virtual void enable(int samplingPeriod) { wb_joystick_enable(samplingPeriod); }
  virtual void disable() { wb_joystick_disable(); }
  int getSamplingPeriod() const { return wb_joystick_get_sampling_period(); }
  bool isConnected() const { return wb_joystick_is_connected(); }
  std::string getModel() const { return sb::text(wb_joystick_get_model()); }
  int getNumberOfAxes() const { return wb_joystick_get_number_of_axes(); }
  int getAxisValue(int axis) const { return wb_joystick_get_axis_value(axis); }
  int getNumberOfPovs() const { return wb_joystick_get_number_of_povs(); }
  int getPovValue(int pov) const { return wb_joystick_get_pov_value(pov); }
  int getPressedButton() const { return wb_joystick_get_pressed_button(); }
  virtual void setConstantForce(int level) { wb_joystick_set_constant_force(level); }
  virtual void setConstantForceDuration(double duration) {
    wb_joystick_set_constant_force_duration(duration);
  }
  virtual void setAutoCenteringGain(double gain) { wb_joystick_set_auto_centering_gain(gain); }
  virtual void setResistanceGain(double gain) { wb_joystick_set_resistance_gain(gain); }
  virtual void setForceAxis(int axis) { wb_joystick_set_force_axis(axis); }
};

}  // namespace webots

#endif
