/* A place: translation and rotation. */

#pragma once

#include "Eigen.h"

namespace cnoid {

class SE3 {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
  SE3() : p_(Vector3::Zero()), q_(Quaternion::Identity()) {}
  SE3(const Vector3& p, const Quaternion& q) : p_(p), q_(q) {}
  SE3(const Vector3& p, const Matrix3& R) : p_(p), q_(R) {}
  SE3(const Isometry3& T) : p_(T.translation()), q_(T.linear()) {}
  void set(const Vector3& p, const Quaternion& q) { p_ = p, q_ = q; }
  void set(const Vector3& p, const Matrix3& R) { p_ = p, q_ = R; }
  void set(const Isometry3& T) { *this = SE3(T); }
  Vector3& translation() { return p_; }
  const Vector3& translation() const { return p_; }
  Quaternion& rotation() { return q_; }
  const Quaternion& rotation() const { return q_; }
  Isometry3 T() const { return Translation3(p_) * q_; }

 private:
  Vector3 p_;
  Quaternion q_;
};

}  // namespace cnoid
