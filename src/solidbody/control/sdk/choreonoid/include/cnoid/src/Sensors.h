/* Sensors of force and motion; values are in the sensor's frame. */

#pragma once

#include "Device.h"

namespace cnoid {

class ForceSensor : public Device {
 public:
  const char* typeName() const override { return "ForceSensor"; }
  const Vector6& F() const { return F_; }
  Vector6& F() { return F_; }
  const Vector6& wrench() const { return F_; }
  Vector6& wrench() { return F_; }
  auto f() { return F_.head<3>(); }
  auto f() const { return F_.head<3>(); }
  auto force() { return F_.head<3>(); }
  auto force() const { return F_.head<3>(); }
  auto tau() { return F_.tail<3>(); }
  auto tau() const { return F_.tail<3>(); }
  auto torque() { return F_.tail<3>(); }
  auto torque() const { return F_.tail<3>(); }
  const Vector6& F_max() const { return max_; }
  Vector6& F_max() { return max_; }
  const Vector6& maxWrench() const { return max_; }
  void clearState() override { F_.setZero(); }
  int stateSize() const override { return 6; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new ForceSensor(*this); }

 private:
  Vector6 F_ = Vector6::Zero();
  Vector6 max_ = Vector6::Constant(std::numeric_limits<double>::max());
};
using ForceSensorPtr = ref_ptr<ForceSensor>;

class RateGyroSensor : public Device {
 public:
  const char* typeName() const override { return "RateGyroSensor"; }
  const Vector3& w() const { return w_; }
  Vector3& w() { return w_; }
  const Vector3& w_max() const { return max_; }
  Vector3& w_max() { return max_; }
  void clearState() override { w_.setZero(); }
  int stateSize() const override { return 3; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new RateGyroSensor(*this); }

 private:
  Vector3 w_ = Vector3::Zero(), max_ = Vector3::Constant(std::numeric_limits<double>::max());
};
using RateGyroSensorPtr = ref_ptr<RateGyroSensor>;

class AccelerationSensor : public Device {
 public:
  const char* typeName() const override { return "AccelerationSensor"; }
  const Vector3& dv() const { return dv_; }
  Vector3& dv() { return dv_; }
  const Vector3& dv_max() const { return max_; }
  Vector3& dv_max() { return max_; }
  void clearState() override { dv_.setZero(); }
  int stateSize() const override { return 3; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new AccelerationSensor(*this); }

 private:
  Vector3 dv_ = Vector3::Zero(), max_ = Vector3::Constant(std::numeric_limits<double>::max());
};
using AccelerationSensorPtr = ref_ptr<AccelerationSensor>;
using AccelSensor = AccelerationSensor;
using AccelSensorPtr = AccelerationSensorPtr;

/* Acceleration, then angular velocity. */
class Imu : public Device {
 public:
  const char* typeName() const override { return "Imu"; }
  const Vector3& w() const { return w_; }
  Vector3& w() { return w_; }
  const Vector3& dv() const { return dv_; }
  Vector3& dv() { return dv_; }
  const Vector3& w_max() const { return w_max_; }
  const Vector3& dv_max() const { return dv_max_; }
  void clearState() override { w_.setZero(), dv_.setZero(); }
  int stateSize() const override { return 6; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new Imu(*this); }

 private:
  Vector3 w_ = Vector3::Zero(), dv_ = Vector3::Zero();
  Vector3 w_max_ = Vector3::Constant(std::numeric_limits<double>::max()), dv_max_ = w_max_;
};
using ImuPtr = ref_ptr<Imu>;

}  // namespace cnoid
