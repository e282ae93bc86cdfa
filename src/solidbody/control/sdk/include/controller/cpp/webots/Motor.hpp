/* Motors. */

#ifndef WEBOTS_MOTOR_HPP
#define WEBOTS_MOTOR_HPP

#include "../../c/webots/motor.h"
#include "Device.hpp"

namespace webots {

class Brake;
class PositionSensor;

class Motor : public Device {
public:
  typedef enum { ROTATIONAL = 0, LINEAR } Type;
  explicit Motor(const std::string &name) : Device(name) {}
  explicit Motor(WbDeviceTag tag) : Device(tag) {}
  virtual ~Motor() {}

  virtual void setPosition(double position) { wb_motor_set_position(getTag(), position); }
  virtual void setVelocity(double velocity) { wb_motor_set_velocity(getTag(), velocity); }
  virtual void setAcceleration(double acceleration) { wb_motor_set_acceleration(getTag(), acceleration); }
  virtual void setForce(double force) { wb_motor_set_force(getTag(), force); }
  virtual void setTorque(double torque) { wb_motor_set_torque(getTag(), torque); }
  virtual void setAvailableForce(double force) { wb_motor_set_available_force(getTag(), force); }
  virtual void setAvailableTorque(double torque) { wb_motor_set_available_torque(getTag(), torque); }
  virtual void setControlPID(double p, double i, double d) { wb_motor_set_control_pid(getTag(), p, i, d); }
  virtual void enableForceFeedback(int samplingPeriod) {
    wb_motor_enable_force_feedback(getTag(), samplingPeriod);
  }
  virtual void disableForceFeedback() { wb_motor_disable_force_feedback(getTag()); }
  int getForceFeedbackSamplingPeriod() const { return wb_motor_get_force_feedback_sampling_period(getTag()); }
  double getForceFeedback() const { return wb_motor_get_force_feedback(getTag()); }
  virtual void enableTorqueFeedback(int samplingPeriod) {
    wb_motor_enable_torque_feedback(getTag(), samplingPeriod);
  }
  virtual void disableTorqueFeedback() { wb_motor_disable_torque_feedback(getTag()); }
  int getTorqueFeedbackSamplingPeriod() const {
    return wb_motor_get_torque_feedback_sampling_period(getTag());
  }
  double getTorqueFeedback() const { return wb_motor_get_torque_feedback(getTag()); }
  Type getType() const { return static_cast<Type>(wb_motor_get_type(getTag())); }
  double getTargetPosition() const { return wb_motor_get_target_position(getTag()); }
  double getMinPosition() const { return wb_motor_get_min_position(getTag()); }
  double getMaxPosition() const { return wb_motor_get_max_position(getTag()); }
  double getVelocity() const { return wb_motor_get_velocity(getTag()); }
  double getMaxVelocity() const { return wb_motor_get_max_velocity(getTag()); }
  double getAcceleration() const { return wb_motor_get_acceleration(getTag()); }
  double getAvailableForce() const { return wb_motor_get_available_force(getTag()); }
  double getMaxForce() const { return wb_motor_get_max_force(getTag()); }
  double getAvailableTorque() const { return wb_motor_get_available_torque(getTag()); }
  double getMaxTorque() const { return wb_motor_get_max_torque(getTag()); }
  double getMultiplier() const { return wb_motor_get_multiplier(getTag()); }
  Brake *getBrake();
  int getBrakeTag() const { return wb_motor_get_brake(getTag()); }
  PositionSensor *getPositionSensor();
  int getPositionSensorTag() const { return wb_motor_get_position_sensor(getTag()); }

  // of older releases, and of servos
  virtual void enablePosition(int samplingPeriod) { wb_motor_enable_position(getTag(), samplingPeriod); }
  virtual void disablePosition() { wb_motor_disable_position(getTag()); }
  int getPositionSamplingPeriod() const { return wb_motor_get_position_sampling_period(getTag()); }
  double getPosition() const { return wb_motor_get_position(getTag()); }
  virtual void setControlP(double p) { wb_motor_set_control_p(getTag(), p); }
  virtual void setMotorForce(double force) { wb_motor_set_motor_force(getTag(), force); }
  virtual void enableMotorForceFeedback(int samplingPeriod) {
    wb_motor_enable_motor_force_feedback(getTag(), samplingPeriod);
  }
  virtual void disableMotorForceFeedback() { wb_motor_disable_motor_force_feedback(getTag()); }
  double getMotorForceFeedback() const { return wb_motor_get_motor_force_feedback(getTag()); }
};

}  // namespace webots

#include "Robot.hpp"

#endif
