/* Robots of two wheels, of releases until R2018. */

#ifndef WEBOTS_DIFFERENTIALWHEELS_HPP
#define WEBOTS_DIFFERENTIALWHEELS_HPP

#include "../../c/webots/differential_wheels.h"
#include "Robot.hpp"

namespace webots {

class DifferentialWheels : public Robot {
public:
  DifferentialWheels() : Robot() {}
  virtual ~DifferentialWheels() {}

  virtual void setSpeed(double left, double right) { wb_differential_wheels_set_speed(left, right); }
  double getLeftSpeed() const { return wb_differential_wheels_get_left_speed(); }
  double getRightSpeed() const { return wb_differential_wheels_get_right_speed(); }
  double getMaxSpeed() const { return wb_differential_wheels_get_max_speed(); }
  double getSpeedUnit() const { return wb_differential_wheels_get_speed_unit(); }
  virtual void enableEncoders(int samplingPeriod) { wb_differential_wheels_enable_encoders(samplingPeriod); }
  virtual void disableEncoders() { wb_differential_wheels_disable_encoders(); }
  int getEncodersSamplingPeriod() const { return wb_differential_wheels_get_encoders_sampling_period(); }
  double getLeftEncoder() const { return wb_differential_wheels_get_left_encoder(); }
  double getRightEncoder() const { return wb_differential_wheels_get_right_encoder(); }
  virtual void setEncoders(double left, double right) { wb_differential_wheels_set_encoders(left, right); }
};

}  // namespace webots

#endif
