/* A link of a body and the joint that moves it against its parent. */

#pragma once

#include <limits>
#include <string>
#include <vector>

#include "Eigen.h"
#include "References.h"
#include "Values.h"

namespace cnoid {

class Body;
class Link;
using LinkPtr = ref_ptr<Link>;

class Link : public ClonableReferenced {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  enum JointType {
    RevoluteJoint = 0,
    PrismaticJoint = 1,
    FreeJoint = 2,
    FixedJoint = 3,
    PseudoContinuousTrackJoint = 4,
    REVOLUTE_JOINT = RevoluteJoint,
    ROTATIONAL_JOINT = RevoluteJoint,
    PRISMATIC_JOINT = PrismaticJoint,
    SLIDE_JOINT = PrismaticJoint,
    FREE_JOINT = FreeJoint,
    FIXED_JOINT = FixedJoint,
    PSEUDO_CONTINUOUS_TRACK = PseudoContinuousTrackJoint
  };
  static constexpr int PseudoContinousTrack = PseudoContinuousTrackJoint;

  /* Quantities of a link, as bits; also what drives it (its actuation mode). */
  enum StateFlag {
    StateNone = 0,
    JointDisplacement = 1,
    JointAngle = JointDisplacement,
    JointVelocity = 2,
    JointAcceleration = 4,
    JointEffort = 8,
    JointForce = JointEffort,
    JointTorque = JointEffort,
    LinkPosition = 16,
    LinkTwist = 32,
    LinkAcceleration = 64,
    LinkExtWrench = 128,
    LinkContactState = 256,
    HighGainActuation = 512,
    DeprecatedJointSurfaceVelocity = 1024,
    MaxStateTypeBit = 10,
    NumStateTypes = 11,
    NO_ACTUATION = StateNone,
    JOINT_TORQUE = JointTorque,
    JOINT_FORCE = JointForce,
    JOINT_EFFORT = JointEffort,
    JOINT_ANGLE = JointAngle,
    JOINT_DISPLACEMENT = JointDisplacement,
    JOINT_VELOCITY = JointVelocity,
    LINK_POSITION = LinkPosition
  };
  using ActuationMode = StateFlag;
  static constexpr int JOINT_SURFACE_VELOCITY = DeprecatedJointSurfaceVelocity;
  static constexpr short AllStateHighGainActuationMode =
      LinkPosition | LinkTwist | LinkExtWrench | JointDisplacement | JointVelocity | JointEffort | HighGainActuation;

  Link() = default;
  Link(const Link& other);
  Link& operator=(const Link&) = default;
  Link* clone() const { return new Link(*this); }

  /* ---------------------------------------------------------------- what it is */

  const std::string& name() const { return name_; }
  int index() const { return index_; }
  bool isValid() const { return index_ >= 0; }
  bool isRoot() const { return !parent_; }
  bool isEndLink() const { return children_.empty(); }
  bool isStatic() const;
  bool isFixedToRoot() const;
  Body* body() { return body_; }
  const Body* body() const { return body_; }
  Link* parent() const { return parent_; }
  Link* child() const { return children_.empty() ? nullptr : children_.front(); }
  Link* sibling() const;

  int jointId() const { return joint_id_; }
  const std::string& jointName() const { return joint_name_.empty() ? name_ : joint_name_; }
  const std::string& jointSpecificName() const { return joint_name_; }
  JointType jointType() const { return type_; }
  const char* jointTypeLabel() const;
  const char* jointTypeSymbol() const;
  const char* jointTypeString(bool = false) const { return jointTypeSymbol(); }
  bool isRevoluteJoint() const { return type_ == RevoluteJoint; }
  bool isPrismaticJoint() const { return type_ == PrismaticJoint; }
  bool isRotationalJoint() const { return isRevoluteJoint(); }
  bool isSlideJoint() const { return isPrismaticJoint(); }
  bool isFreeJoint() const { return type_ == FreeJoint; }
  bool isFixedJoint() const { return type_ >= FixedJoint; }
  bool hasActualJoint() const { return type_ <= PrismaticJoint; }
  bool hasJoint() const { return hasActualJoint(); }
  /* Axis of the joint in the link's own frame. */
  const Vector3& a() const { return axis_; }
  const Vector3& jointAxis() const { return axis_; }
  const Vector3& d() const { return axis_; }
  double Jm2() const { return rotor_; }

  const Vector3& c() const { return com_; }
  const Vector3& centerOfMass() const { return com_; }
  const Vector3& wc() const { return com_global_; }
  Vector3& wc() { return com_global_; }
  const Vector3& centerOfMassGlobal() const { return com_global_; }
  double m() const { return mass_; }
  double mass() const { return mass_; }
  const Matrix3& I() const { return inertia_; }
  std::string materialName() const { return material_; }
  Mapping* info() const;
  template <class T>
  T info(const std::string& key) const {
    return info()->get(key, T());
  }
  template <class T>
  T info(const std::string& key, const T& otherwise) const {
    return info()->get(key, otherwise);
  }

  /* ---------------------------------------------------------------- where it is, in the world */

  Isometry3& T() { return T_; }
  const Isometry3& T() const { return T_; }
  Isometry3& position() { return T_; }
  const Isometry3& position() const { return T_; }
  Isometry3::TranslationPart p() { return T_.translation(); }
  Isometry3::ConstTranslationPart p() const { return T_.translation(); }
  Isometry3::TranslationPart translation() { return T_.translation(); }
  Isometry3::ConstTranslationPart translation() const { return T_.translation(); }
  Isometry3::LinearPart R() { return T_.linear(); }
  Isometry3::ConstLinearPart R() const { return T_.linear(); }
  Isometry3::LinearPart rotation() { return T_.linear(); }
  Isometry3::ConstLinearPart rotation() const { return T_.linear(); }
  Matrix3 attitude() const { return T_.linear(); }
  template <class Scalar, int Mode, int Options>
  void setPosition(const Eigen::Transform<Scalar, 3, Mode, Options>& T) {
    T_ = T.template cast<double>();
  }
  template <class A, class B>
  void setPosition(const Eigen::MatrixBase<A>& rotation, const Eigen::MatrixBase<B>& translation) {
    T_.linear() = rotation;
    T_.translation() = translation;
  }
  template <class A>
  void setTranslation(const Eigen::MatrixBase<A>& p) {
    T_.translation() = p.template cast<double>();
  }
  template <class A>
  void setRotation(const Eigen::MatrixBase<A>& R) {
    T_.linear() = R.template cast<double>();
  }
  template <class S>
  void setRotation(const Eigen::AngleAxis<S>& a) {
    T_.linear() = a.template cast<double>().toRotationMatrix();
  }
  template <class A>
  void setRotation(const Eigen::QuaternionBase<A>& q) {
    T_.linear() = q.template cast<double>().toRotationMatrix();
  }
  Matrix3 calcRfromAttitude(const Matrix3& R) const { return R; }

  /* Place in the parent's frame at joint position 0. */
  const Isometry3& Tb() const { return Tb_; }
  const Isometry3& offsetPosition() const { return Tb_; }
  Isometry3::ConstTranslationPart b() const { return Tb_.translation(); }
  Isometry3::ConstTranslationPart offsetTranslation() const { return Tb_.translation(); }
  Isometry3::ConstLinearPart Rb() const { return Tb_.linear(); }
  Isometry3::ConstLinearPart offsetRotation() const { return Tb_.linear(); }
  Matrix3 Rs() const { return Matrix3::Identity(); }
  void setOffsetPosition(const Isometry3& T) { Tb_ = T; }
  template <class A>
  void setOffsetTranslation(const Eigen::MatrixBase<A>& p) {
    Tb_.translation() = p.template cast<double>();
  }
  template <class A>
  void setOffsetRotation(const Eigen::MatrixBase<A>& R) {
    Tb_.linear() = R.template cast<double>();
  }
  template <class S>
  void setOffsetRotation(const Eigen::AngleAxis<S>& a) {
    Tb_.linear() = a.template cast<double>().toRotationMatrix();
  }

  /* ---------------------------------------------------------------- joint state and commands */

  double q() const { return q_; }
  double& q() { return q_; }
  double dq() const { return dq_; }
  double& dq() { return dq_; }
  double ddq() const { return ddq_; }
  double& ddq() { return ddq_; }
  double u() const { return u_; }
  double& u() { return u_; }
  double q_target() const { return q_target_; }
  double& q_target() { return q_target_; }
  double dq_target() const { return dq_target_; }
  double& dq_target() { return dq_target_; }
  double q_initial() const { return q_initial_; }
  double q_upper() const { return q_upper_; }
  double q_lower() const { return q_lower_; }
  double dq_upper() const { return dq_upper_; }
  double dq_lower() const { return -dq_upper_; }
  double u_upper() const { return u_upper_; }
  double u_lower() const { return -u_upper_; }
  static bool isUnlimitedRangeValue(double value) { return std::abs(value) >= std::numeric_limits<double>::max(); }
  bool hasJointDisplacementLimits() const {
    return !isUnlimitedRangeValue(q_upper_) || !isUnlimitedRangeValue(q_lower_);
  }
  bool hasJointVelocityLimits() const { return !isUnlimitedRangeValue(dq_upper_); }
  bool hasJointEffortLimits() const { return !isUnlimitedRangeValue(u_upper_); }

  short actuationMode() const { return mode_; }
  void setActuationMode(short mode) { mode_ = mode; }
  short sensingMode() const { return sensing_; }
  void setSensingMode(short mode) { sensing_ = mode; }
  void mergeSensingMode(short mode) { sensing_ |= mode; }
  static std::string getStateModeString(short mode);

  /* ---------------------------------------------------------------- motion and forces, world axes */

  const Vector3& v() const { return v_; }
  Vector3& v() { return v_; }
  const Vector3& w() const { return w_; }
  Vector3& w() { return w_; }
  const Vector3& dv() const { return dv_; }
  Vector3& dv() { return dv_; }
  const Vector3& dw() const { return dw_; }
  Vector3& dw() { return dw_; }
  const Vector6& F_ext() const { return F_; }
  Vector6& F_ext() { return F_; }
  const Vector6& externalWrench() const { return F_; }
  Vector6& externalWrench() { return F_; }
  auto f_ext() { return F_.head<3>(); }
  auto f_ext() const { return F_.head<3>(); }
  auto tau_ext() { return F_.tail<3>(); }
  auto tau_ext() const { return F_.tail<3>(); }
  auto externalForce() { return F_.head<3>(); }
  auto externalForce() const { return F_.head<3>(); }
  auto externalTorque() { return F_.tail<3>(); }
  auto externalTorque() const { return F_.tail<3>(); }
  void addExternalForceAtLocalPosition(const Vector3& force, const Vector3& local) {
    addExternalForceAtGlobalPosition(force, T_ * local);
  }
  void addExternalForceAtGlobalPosition(const Vector3& force, const Vector3& point) {
    F_.head<3>() += force;
    F_.tail<3>() += point.cross(force);
  }
  void addExternalForce(const Vector3& force, const Vector3& local) { addExternalForceAtLocalPosition(force, local); }

  class ContactPoint {
   public:
    ContactPoint(const Vector3& position, const Vector3& normal, const Vector3& force, const Vector3& velocity,
                 double depth)
        : position_(position), normal_(normal), force_(force), velocity_(velocity), depth_(depth) {}
    const Vector3& position() const { return position_; }
    const Vector3& normal() const { return normal_; }
    const Vector3& force() const { return force_; }
    const Vector3& velocity() const { return velocity_; }
    double depth() const { return depth_; }

   private:
    Vector3 position_, normal_, force_, velocity_;
    double depth_;
  };
  std::vector<ContactPoint>& contactPoints() { return contacts_; }
  const std::vector<ContactPoint>& contactPoints() const { return contacts_; }

  /* Place at joint position q, and motion, from those of the parent. */
  void calcForwardKinematics(bool velocity, bool acceleration);

  /* ---------------------------------------------------------------- for who builds bodies */

  void setName(const std::string& name) { name_ = name; }
  void setJointName(const std::string& name) { joint_name_ = name; }
  void setJointType(JointType type) { type_ = type; }
  void setJointId(int id) { joint_id_ = id; }
  void setJointAxis(const Vector3& axis) { axis_ = axis; }
  void setJointRange(double lower, double upper) { q_lower_ = lower, q_upper_ = upper; }
  void setJointVelocityRange(double, double upper) { dq_upper_ = upper; }
  void setJointEffortRange(double, double upper) { u_upper_ = upper; }
  void setInitialJointDisplacement(double q) { q_initial_ = q; }
  void setMass(double mass) { mass_ = mass; }
  void setCenterOfMass(const Vector3& com) { com_ = com; }
  void setInertia(const Matrix3& inertia) { inertia_ = inertia; }
  void setEquivalentRotorInertia(double rotor) { rotor_ = rotor; }
  void setMaterial(const std::string& name) { material_ = name; }
  void setInfo(Mapping* info) { info_ = info; }
  void appendChild(Link* link);
  void initializeState();

 private:
  friend class Body;
  std::string name_, joint_name_, material_;
  int index_ = -1, joint_id_ = -1;
  Body* body_ = nullptr;
  Link* parent_ = nullptr;
  std::vector<Link*> children_;
  JointType type_ = FixedJoint;
  short mode_ = StateNone, sensing_ = StateNone;
  Isometry3 T_ = Isometry3::Identity(), Tb_ = Isometry3::Identity();
  Vector3 axis_ = Vector3::UnitZ(), com_ = Vector3::Zero(), com_global_ = Vector3::Zero();
  Vector3 v_ = Vector3::Zero(), w_ = Vector3::Zero(), dv_ = Vector3::Zero(), dw_ = Vector3::Zero();
  Matrix3 inertia_ = Matrix3::Identity();
  Vector6 F_ = Vector6::Zero();
  double q_ = 0, dq_ = 0, ddq_ = 0, u_ = 0, q_target_ = 0, dq_target_ = 0, q_initial_ = 0, mass_ = 0, rotor_ = 0;
  double q_upper_ = std::numeric_limits<double>::max(), q_lower_ = -std::numeric_limits<double>::max();
  double dq_upper_ = std::numeric_limits<double>::max(), u_upper_ = std::numeric_limits<double>::max();
  std::vector<ContactPoint> contacts_;
  mutable MappingPtr info_;
};

}  // namespace cnoid
