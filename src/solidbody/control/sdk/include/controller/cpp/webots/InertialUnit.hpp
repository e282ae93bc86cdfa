/* Inertial units. */

#ifndef WEBOTS_INERTIALUNIT_HPP
#define WEBOTS_INERTIALUNIT_HPP

#include "../../c/webots/inertial_unit.h"
#include "Device.hpp"

namespace webots {

class InertialUnit : public Device {
public:
  explicit InertialUnit(const std::string &name) : Device(name) {}
  explicit InertialUnit(WbDeviceTag tag) : Device(tag) {}
  virtual ~InertialUnit() {}

  virtual void enable(int samplingPeriod) { wb_inertial_unit_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_inertial_unit_disable(getTag()); }
  int getSamplingPeriod() const { return wb_inertial_unit_get_sampling_period(getTag()); }
  const double *getRollPitchYaw() const { return wb_inertial_unit_get_roll_pitch_yaw(getTag()); }
  const double *getQuaternion() const { return wb_inertial_unit_get_quaternion(getTag()); }
  double getNoise() const { return wb_inertial_unit_get_noise(getTag()); }
};

}  // namespace webots

#endif
