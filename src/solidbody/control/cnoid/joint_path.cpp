/* Paths between links, and inverse kinematics along them. */

#include "cnoid/src/JointPath.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace cnoid {

/* ------------------------------------------------------------------ links */

bool LinkPath::setPath(Link* base, Link* end) {
  links_.clear();
  top_ = 0;
  std::vector<Link*> up, down;
  for (Link* link = end; link; link = link->parent()) down.push_back(link);
  if (!base) base = down.empty() ? nullptr : down.back();
  for (Link* link = base; link; link = link->parent()) up.push_back(link);
  if (up.empty() || down.empty() || up.back() != down.back()) return false;
  while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
    up.pop_back();
    down.pop_back();
  }
  links_ = up;
  top_ = static_cast<int>(up.size()) - 1;
  links_.insert(links_.end(), down.rbegin() + 1, down.rend());
  return true;
}

/* A link above the base follows from the one below it: its own joint's motion, turned back. */
static void follow_from_below(Link& link, const Link& child, bool velocity) {
  Isometry3 step = child.Tb();
  if (child.isRevoluteJoint()) step.linear() = step.linear() * AngleAxis(child.q(), child.a()).toRotationMatrix();
  if (child.isPrismaticJoint()) step.translation() += step.linear() * (child.a() * child.q());
  link.T() = child.T() * step.inverse(Eigen::Isometry);
  if (!velocity) return;
  const Vector3 s = child.R() * child.a(), r = link.p() - child.p();
  link.w() = child.w();
  link.v() = child.v();
  if (child.isRevoluteJoint()) link.w() -= s * child.dq();
  if (child.isPrismaticJoint()) link.v() -= s * child.dq();
  link.v() += link.w().cross(r);
}

void LinkPath::calcForwardKinematics(bool velocity, bool acceleration) const {
  for (int k = 1; k < numLinks(); ++k) {
    if (k <= top_) follow_from_below(*links_[k], *links_[k - 1], velocity);
    else links_[k]->calcForwardKinematics(velocity, acceleration);
  }
}

/* ------------------------------------------------------------------ joints */

bool JointPath::setPath(Link* base, Link* end) {
  joints_.clear();
  downward_.clear();
  if (!path_.setPath(base, end)) return false;
  for (int k = 0; k < path_.numLinks(); ++k) {
    Link* link = path_.link(k);
    const bool is_down = path_.isDownward(k);
    /* on the way up the joint of a link leads to its parent, which is on the path */
    const bool is_on = is_down || (k + 1 < path_.numLinks() && link->parent() == path_.link(k + 1));
    if (!is_on || !link->hasActualJoint()) continue;
    joints_.push_back(link);
    downward_.push_back(is_down);
  }
  return true;
}

int JointPath::indexOf(const Link* link) const {
  for (int k = 0; k < numJoints(); ++k)
    if (joints_[k] == link) return k;
  return -1;
}

void JointPath::calcJacobian(Eigen::MatrixXd& J) const {
  J.setZero(6, numJoints());
  if (path_.empty()) return;
  const Vector3 end = endLink()->p();
  for (int k = 0; k < numJoints(); ++k) {
    const Link& link = *joints_[k];
    const Vector3 s = (downward_[k] ? 1.0 : -1.0) * (link.R() * link.a());
    if (link.isRevoluteJoint()) J.col(k) << s.cross(end - link.p()), s;
    else J.col(k).head<3>() = s;
  }
}

JointPath& JointPath::setBaseLinkGoal(const Isometry3& T) {
  if (!path_.empty()) baseLink()->T() = T;
  return *this;
}

void JointPath::customizeTarget(int size, std::function<double(VectorXd&)> error,
                                std::function<void(MatrixXd&)> jacobian) {
  custom_size_ = size;
  custom_error_ = std::move(error);
  custom_jacobian_ = std::move(jacobian);
}

bool JointPath::calcInverseKinematics(const Vector3& p, const Matrix3& R) {
  Isometry3 T = Isometry3::Identity();
  T.translation() = p;
  T.linear() = R;
  return calcInverseKinematics(T);
}

/*
 * Damped least squares. With the error e = [p_goal - p; R omega(R^T R_goal)] and the Jacobian J
 *
 *   q += 0.9 J^T (J J^T + 1e-12 I)^-1 e     until e.e < 1e-14
 *
 * It is given up after three rounds in which e.e hardly gets smaller.
 */
bool JointPath::calcInverseKinematics(const Isometry3& T) {
  constexpr double DAMPING = 1e-12, PROGRESS = 1e-14;
  constexpr int PATIENCE = 3;
  goal_ = T;
  iterations_ = 0;
  if (joints_.empty()) return !path_.empty() && baseLink() == endLink() && T.isApprox(endLink()->T(), 1e-7);
  const int rows = custom_error_ ? custom_size_ : 6;
  std::vector<double> q0;
  for (auto& joint : joints_) q0.push_back(joint->q());
  const Isometry3 start = endLink()->T();
  MatrixXd J(rows, numJoints());
  VectorXd e(rows);
  double before = std::numeric_limits<double>::max();
  int in_vain = 0;
  bool is_solved = false;
  calcForwardKinematics();
  for (iterations_ = 0; iterations_ <= most_; ++iterations_) {
    double size;
    if (custom_error_) {
      size = custom_error_(e);
    } else {
      e.head<3>() = T.translation() - endLink()->p();
      e.tail<3>() = endLink()->R() * omegaFromRot(endLink()->R().transpose() * T.linear());
      size = e.squaredNorm();
    }
    if (size < tolerance_ * tolerance_) {
      is_solved = true;
      break;
    }
    if (!std::isfinite(size) || iterations_ == most_) break;
    in_vain = before - size < PROGRESS ? in_vain + 1 : 0;
    if (in_vain >= PATIENCE) break;
    before = size;
    if (custom_jacobian_) custom_jacobian_(J);
    else calcJacobian(J);
    const MatrixXd JJ = J * J.transpose() + DAMPING * MatrixXd::Identity(rows, rows);
    const VectorXd step = scale_ * (J.transpose() * JJ.ldlt().solve(e));
    for (int k = 0; k < numJoints(); ++k) {
      Link& joint = *joints_[k];
      joint.q() += step[k];
      if (limited_) joint.q() = std::clamp(joint.q(), joint.q_lower(), joint.q_upper());
    }
    calcForwardKinematics();
  }
  for (int k = 0; k < numJoints(); ++k) {
    Link& joint = *joints_[k];
    if (!is_solved && !best_effort_) joint.q() = q0[k];
    else if (joint.isRevoluteJoint()) joint.q() -= 2.0 * PI * std::round((joint.q() - q0[k]) / (2.0 * PI));
  }
  calcForwardKinematics();
  if (!is_solved && !best_effort_) endLink()->T() = start;
  return is_solved;
}

}  // namespace cnoid
