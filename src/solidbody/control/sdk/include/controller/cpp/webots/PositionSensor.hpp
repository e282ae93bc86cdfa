/* Position sensors of joints. */

#ifndef WEBOTS_POSITIONSENSOR_HPP
#define WEBOTS_POSITIONSENSOR_HPP

#include "../../c/webots/position_sensor.h"
#include "Device.hpp"

namespace webots {

class Brake;
class Motor;

class PositionSensor : public Device {
public:
  typedef enum { ROTATIONAL = 0, LINEAR } Type;
  enum { ANGULAR = 0 };  // until R2018b
  explicit PositionSensor(const std::string &name) : Device(name) {}
  explicit PositionSensor(WbDeviceTag tag) : Device(tag) {}
  virtual ~PositionSensor() {}

  virtual void enable(int samplingPeriod) { wb_position_sensor_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_position_sensor_disable(getTag()); }
  int getSamplingPeriod() const { return wb_position_sensor_get_sampling_period(getTag()); }
  double getValue() const { return wb_position_sensor_get_value(getTag()); }
  Type getType() const { return static_cast<Type>(wb_position_sensor_get_type(getTag())); }
  Brake *getBrake();
  int getBrakeTag() const { return wb_position_sensor_get_brake(getTag()); }
  Motor *getMotor();
  int getMotorTag() const { return wb_position_sensor_get_motor(getTag()); }
};

}  // namespace webots

#include "Robot.hpp"

#endif
