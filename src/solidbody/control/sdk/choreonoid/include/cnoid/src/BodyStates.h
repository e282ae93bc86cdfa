/* Places of links and positions of joints at one time, and sequences of them. */

#pragma once

#include <cmath>
#include <vector>

#include "Body.h"
#include "SE3.h"

namespace cnoid {

/* What a state holds, as a view of its memory. States of devices are not kept: there are none. */
class BodyStateBlock {
 public:
  static constexpr int LinkPositionSize = 7;

  /* x y z and a quaternion, its scalar last */
  class LinkPosition {
   public:
    explicit LinkPosition(double* data) : data_(data) {}
    LinkPosition(const LinkPosition&) = default;
    LinkPosition& operator=(const LinkPosition& other) {
      std::copy(other.data_, other.data_ + LinkPositionSize, data_);
      return *this;
    }
    Eigen::Map<Vector3> translation() { return Eigen::Map<Vector3>(data_); }
    Eigen::Map<const Vector3> translation() const { return Eigen::Map<const Vector3>(data_); }
    Eigen::Map<Quaternion> rotation() { return Eigen::Map<Quaternion>(data_ + 3); }
    Eigen::Map<const Quaternion> rotation() const { return Eigen::Map<const Quaternion>(data_ + 3); }
    Isometry3 position() const { return Translation3(translation()) * Quaternion(rotation()); }
    Isometry3 T() const { return position(); }
    void set(const Isometry3& T) { set(SE3(T)); }
    void set(const SE3& place) { translation() = place.translation(), rotation() = place.rotation(); }
    void get(Isometry3& T) const { T = position(); }
    void get(SE3& place) const { place.set(Vector3(translation()), Quaternion(rotation())); }

   private:
    double* data_;
  };

  BodyStateBlock() = default;
  BodyStateBlock(double* data, int links, int joints) : data_(data), links_(links), joints_(joints) {}
  bool empty() const { return !data_; }
  explicit operator bool() const { return !empty(); }
  int numLinkPositions() const { return links_; }
  bool hasLinkPositions() const { return links_ > 0; }
  int numJointDisplacements() const { return joints_; }
  bool hasJointDisplacements() const { return joints_ > 0; }
  int numDeviceStates() const { return 0; }
  bool hasDeviceStates() const { return false; }
  LinkPosition linkPosition(int index) const { return LinkPosition(data_ + index * LinkPositionSize); }
  LinkPosition rootLinkPosition() const { return linkPosition(0); }
  double* linkPositionData() { return data_; }
  const double* linkPositionData() const { return data_; }
  double* jointDisplacements() { return data_ + links_ * LinkPositionSize; }
  const double* jointDisplacements() const { return data_ + links_ * LinkPositionSize; }
  double& jointDisplacement(int index) { return jointDisplacements()[index]; }
  double jointDisplacement(int index) const { return jointDisplacements()[index]; }

  /* As many links and joints as the state has. */
  void storeStateOfBody(const Body* body);
  /* Joints, then the root and what follows from both, then the links that have places of their own. */
  bool restoreStateToBody(Body* body) const;
  void storePositionOfBody(const Body* body) { storeStateOfBody(body); }
  bool restorePositionToBody(Body* body) const { return restoreStateToBody(body); }

 private:
  double* data_ = nullptr;
  int links_ = 0, joints_ = 0;
};

class BodyState {
 public:
  BodyState() = default;
  explicit BodyState(const Body* body) { storeStateOfBody(body); }
  explicit BodyState(const Body& body) { storeStateOfBody(&body); }
  void clear() { *this = BodyState(); }
  BodyState& allocate(int links, int joints = 0, int = 0) {
    links_ = links, joints_ = joints;
    data_.assign(static_cast<std::size_t>(links) * BodyStateBlock::LinkPositionSize + joints, 0.0);
    for (int k = 0; k < links; ++k) linkPosition(k).rotation().setIdentity();
    return *this;
  }
  BodyStateBlock firstBlock() { return BodyStateBlock(data_.empty() ? nullptr : data_.data(), links_, joints_); }
  const BodyStateBlock firstBlock() const { return const_cast<BodyState*>(this)->firstBlock(); }
  bool empty() const { return data_.empty(); }
  explicit operator bool() const { return !empty(); }
  int numLinkPositions() const { return links_; }
  bool hasLinkPositions() const { return links_ > 0; }
  int numJointDisplacements() const { return joints_; }
  bool hasJointDisplacements() const { return joints_ > 0; }
  int numDeviceStates() const { return 0; }
  bool hasDeviceStates() const { return false; }
  BodyStateBlock::LinkPosition linkPosition(int index) { return firstBlock().linkPosition(index); }
  const BodyStateBlock::LinkPosition linkPosition(int index) const { return firstBlock().linkPosition(index); }
  BodyStateBlock::LinkPosition rootLinkPosition() { return linkPosition(0); }
  const BodyStateBlock::LinkPosition rootLinkPosition() const { return linkPosition(0); }
  double* linkPositionData() { return data_.data(); }
  const double* linkPositionData() const { return data_.data(); }
  double* jointDisplacements() { return firstBlock().jointDisplacements(); }
  const double* jointDisplacements() const { return firstBlock().jointDisplacements(); }
  double& jointDisplacement(int index) { return jointDisplacements()[index]; }
  double jointDisplacement(int index) const { return jointDisplacements()[index]; }

  void storeStateOfBody(const Body* body) {
    allocate(body->numLinks(), body->numAllJoints());
    firstBlock().storeStateOfBody(body);
  }
  bool restoreStateToBody(Body* body) const { return firstBlock().restoreStateToBody(body); }
  void storePositionOfBody(const Body* body) { storeStateOfBody(body); }
  bool restorePositionToBody(Body* body) const { return restoreStateToBody(body); }
  void storePositions(const Body& body) { storeStateOfBody(&body); }
  bool restorePositions(Body& body) const { return restoreStateToBody(&body); }

 private:
  std::vector<double> data_;
  int links_ = 0, joints_ = 0;
};
using BodyPositionSeqFrame = BodyState;
using BodyPositionSeqFrameBlock = BodyStateBlock;

BodyState& operator<<(BodyState& state, const Body& body);
const BodyState& operator>>(const BodyState& state, Body& body);
Body& operator<<(Body& body, const BodyState& state);
const Body& operator>>(const Body& body, BodyState& state);

}  // namespace cnoid
