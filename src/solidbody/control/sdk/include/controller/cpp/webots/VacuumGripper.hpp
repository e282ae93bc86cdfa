/* Vacuum grippers. */

#ifndef WEBOTS_VACUUMGRIPPER_HPP
#define WEBOTS_VACUUMGRIPPER_HPP

#include "../../c/webots/vacuum_gripper.h"
#include "Device.hpp"

namespace webots {

class VacuumGripper : public Device {
public:
  explicit VacuumGripper(const std::string &name) : Device(name) {}
  explicit VacuumGripper(WbDeviceTag tag) : Device(tag) {}
  virtual ~VacuumGripper() {}

  virtual void enablePresence(int samplingPeriod) {
    wb_vacuum_gripper_enable_presence(getTag(), samplingPeriod);
  }
  virtual void disablePresence() { wb_vacuum_gripper_disable_presence(getTag()); }
  int getPresenceSamplingPeriod() const { return wb_vacuum_gripper_get_presence_sampling_period(getTag()); }
  bool getPresence() const { return wb_vacuum_gripper_get_presence(getTag()); }
  virtual void turnOn() { wb_vacuum_gripper_turn_on(getTag()); }
  virtual void turnOff() { wb_vacuum_gripper_turn_off(getTag()); }
  bool isOn() const { return wb_vacuum_gripper_is_on(getTag()); }
};

}  // namespace webots

#endif
