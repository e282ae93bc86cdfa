/* Chains of links and joints between two links, and inverse kinematics along them. */

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "Body.h"

namespace cnoid {

class InverseKinematics {
 public:
  virtual ~InverseKinematics() = default;
  virtual bool calcInverseKinematics(const Isometry3& T) = 0;
  virtual bool calcRemainingPartForwardKinematicsForInverseKinematics() { return true; }
};

/* Links from a base to an end, both included: up to their common ancestor, then down. */
class LinkPath {
 public:
  LinkPath() = default;
  LinkPath(Link* base, Link* end) { setPath(base, end); }
  explicit LinkPath(Link* end) { setPath(nullptr, end); }
  bool setPath(Link* base, Link* end);
  bool empty() const { return links_.empty(); }
  int numLinks() const { return static_cast<int>(links_.size()); }
  int size() const { return numLinks(); }
  Link* link(int index) const { return links_[index]; }
  Link* operator[](int index) const { return links_[index]; }
  Link* baseLink() const { return links_.empty() ? nullptr : links_.front(); }
  Link* endLink() const { return links_.empty() ? nullptr : links_.back(); }
  /* Whether the link at this place is the child of the one before it. */
  bool isDownward(int index) const { return index > top_; }
  void calcForwardKinematics(bool velocity = false, bool acceleration = false) const;

 private:
  std::vector<Link*> links_;
  int top_ = 0;
};

class JointPath : public InverseKinematics {
 public:
  static std::shared_ptr<JointPath> getCustomPath(Link* base, Link* end) {
    return std::make_shared<JointPath>(base, end);
  }
  static std::shared_ptr<JointPath> getCustomPath(Body*, Link* base, Link* end) { return getCustomPath(base, end); }

  JointPath() = default;
  JointPath(Link* base, Link* end) { setPath(base, end); }
  explicit JointPath(Link* end) { setPath(nullptr, end); }
  JointPath(const JointPath&) = delete;
  JointPath& operator=(const JointPath&) = delete;
  bool setPath(Link* base, Link* end);
  bool empty() const { return joints_.empty(); }
  int numJoints() const { return static_cast<int>(joints_.size()); }
  int size() const { return numJoints(); }
  Link* joint(int index) const { return joints_[index]; }
  Link* operator[](int index) const { return joints_[index]; }
  const std::vector<LinkPtr>& joints() const { return joints_; }
  std::vector<LinkPtr>::const_iterator begin() const { return joints_.begin(); }
  std::vector<LinkPtr>::const_iterator end() const { return joints_.end(); }
  Link* baseLink() const { return path_.baseLink(); }
  Link* endLink() const { return path_.endLink(); }
  bool isJointDownward(int index) const { return downward_[index]; }
  LinkPath& linkPath() { return path_; }
  const LinkPath& linkPath() const { return path_; }
  int indexOf(const Link* link) const;
  void calcForwardKinematics(bool velocity = false, bool acceleration = false) const {
    path_.calcForwardKinematics(velocity, acceleration);
  }
  /* Rows: velocity of the end, then its angular velocity; a column per joint. */
  void calcJacobian(Eigen::MatrixXd& J) const;

  bool calcInverseKinematics(const Isometry3& T) override;
  bool calcInverseKinematics(const Vector3& p, const Matrix3& R);
  bool calcInverseKinematics() { return calcInverseKinematics(goal_); }
  JointPath& setBaseLinkGoal(const Isometry3& T);
  bool hasCustomIK() const { return false; }
  bool hasAnalyticalIK() const { return false; }
  void setNumericalIKmaxIterations(int count) { most_ = count; }
  void setNumericalIKMaxIterations(int count) { most_ = count; }
  void setNumericalIKmaxIKerror(double error) { tolerance_ = error; }
  void setNumericalIKMaxIKError(double error) { tolerance_ = error; }
  void setNumericalIKdeltaScale(double scale) { scale_ = scale; }
  void setNumericalIKDeltaScale(double scale) { scale_ = scale; }
  void setNumericalIKdampingConstant(double) {}
  void setNumericalIKtruncateRatio(double) {}
  void setBestEffortIKMode(bool on) { best_effort_ = on; }
  bool isBestEffortIKMode() const { return best_effort_; }
  void setJointLimitsEnabled(bool on) { limited_ = on; }
  int numIterations() const { return iterations_; }
  void customizeTarget(int size, std::function<double(VectorXd&)> error, std::function<void(MatrixXd&)> jacobian);
  bool calcNumericalIK() { return calcInverseKinematics(goal_); }
  bool calcNumericalIK(const Isometry3& T) { return calcInverseKinematics(T); }

 private:
  LinkPath path_;
  std::vector<LinkPtr> joints_;
  std::vector<bool> downward_;
  Isometry3 goal_ = Isometry3::Identity();
  int most_ = 50, iterations_ = 0;
  double tolerance_ = 1e-7, scale_ = 0.9;
  bool best_effort_ = false, limited_ = false;
  int custom_size_ = 0;
  std::function<double(VectorXd&)> custom_error_;
  std::function<void(MatrixXd&)> custom_jacobian_;
};
using JointPathPtr = std::shared_ptr<JointPath>;

inline void setJacobian(const JointPath& path, Eigen::MatrixXd& out) { path.calcJacobian(out); }
inline std::shared_ptr<JointPath> getCustomJointPath(Body*, Link* base, Link* end) {
  return JointPath::getCustomPath(base, end);
}

}  // namespace cnoid
