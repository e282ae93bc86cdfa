/* Brakes of joints. */

#ifndef WEBOTS_BRAKE_HPP
#define WEBOTS_BRAKE_HPP

#include "../../c/webots/brake.h"
#include "Device.hpp"

namespace webots {

class Motor;
class PositionSensor;

class Brake : public Device {
public:
  typedef enum { ROTATIONAL = 0, LINEAR } Type;
  enum { ANGULAR = 0 };  // until R2018b
  explicit Brake(const std::string &name) : Device(name) {}
  explicit Brake(WbDeviceTag tag) : Device(tag) {}
  virtual ~Brake() {}

  void setDampingConstant(double dampingConstant) const {
    wb_brake_set_damping_constant(getTag(), dampingConstant);
  }
  Type getType() const { return static_cast<Type>(wb_brake_get_type(getTag())); }
  Motor *getMotor();
  int getMotorTag() const { return wb_brake_get_motor(getTag()); }
  PositionSensor *getPositionSensor();
  int getPositionSensorTag() const { return wb_brake_get_position_sensor(getTag()); }
};

}  // namespace webots

#include "Robot.hpp"

#endif
