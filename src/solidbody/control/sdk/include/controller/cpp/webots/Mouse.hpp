/* The mouse of who watches the simulation. */

#ifndef WEBOTS_MOUSE_HPP
#define WEBOTS_MOUSE_HPP

#include <string>
#include "../../c/webots/mouse.h"
#include "text.hpp"

namespace webots {

typedef WbMouseState MouseState;

class Mouse {
public:
  Mouse() {}
  virtual ~Mouse() {}

  virtual void enable(int samplingPeriod) { wb_mouse_enable(samplingPeriod); }
  virtual void disable() { wb_mouse_disable(); }
  int getSamplingPeriod() const { return wb_mouse_get_sampling_period(); }
  virtual void enable3dPosition() { wb_mouse_enable_3d_position(); }
  virtual void disable3dPosition() { wb_mouse_disable_3d_position(); }
  bool is3dPositionEnabled() const { return wb_mouse_is_3d_position_enabled(); }
  WbMouseState getState() const { return wb_mouse_get_state(); }
};

}  // namespace webots

#endif
