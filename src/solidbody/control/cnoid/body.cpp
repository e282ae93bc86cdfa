/* Links, bodies and the states of their devices. */

#include "cnoid/src/Body.h"

#include <algorithm>

#include "cnoid/src/Sensors.h"
#include "cnoid/src/SwitchedDevices.h"

namespace cnoid {

/* ------------------------------------------------------------------ links */

Link::Link(const Link& other) : ClonableReferenced(other) {
  *this = other;
  body_ = nullptr;
  parent_ = nullptr;
  children_.clear();
}

Link* Link::sibling() const {
  if (!parent_) return nullptr;
  auto& all = parent_->children_;
  auto here = std::find(all.begin(), all.end(), this);
  return here == all.end() || here + 1 == all.end() ? nullptr : *(here + 1);
}

bool Link::isStatic() const { return isFixedToRoot() && body_ && body_->isFixedRootModel(); }

bool Link::isFixedToRoot() const {
  for (const Link* link = this; link->parent_; link = link->parent_)
    if (!link->isFixedJoint()) return false;
  return true;
}

const char* Link::jointTypeLabel() const {
  static const char* const labels[] = {"Revolute", "Prismatic", "Free", "Fixed", "Pseudo Continuous Track"};
  return labels[type_];
}
const char* Link::jointTypeSymbol() const {
  static const char* const symbols[] = {"revolute", "prismatic", "free", "fixed", "pseudo_continuous_track"};
  return symbols[type_];
}

std::string Link::getStateModeString(short mode) {
  static const std::pair<int, const char*> names[] = {
      {JointEffort, "JointEffort"},         {JointDisplacement, "JointDisplacement"},
      {JointVelocity, "JointVelocity"},     {JointAcceleration, "JointAcceleration"},
      {LinkPosition, "LinkPosition"},       {LinkTwist, "LinkTwist"},
      {LinkAcceleration, "LinkAcceleration"}, {LinkExtWrench, "LinkExtWrench"},
      {LinkContactState, "LinkContactState"}};
  std::string out;
  for (auto& [flag, name] : names)
    if (mode & flag) out += (out.empty() ? "" : " + ") + std::string(name);
  return out.empty() ? "None" : out;
}

template <class Owner>
static Mapping* info_of(Owner& info) {
  if (!info) info = new Mapping;
  return info;
}
Mapping* Link::info() const { return info_of(info_); }
Mapping* Device::info() const { return info_of(info_); }
Mapping* Body::info() const { return info_of(info_); }

void Link::appendChild(Link* link) {
  link->parent_ = this;
  children_.push_back(link);
}

void Link::initializeState() {
  dq_ = ddq_ = u_ = dq_target_ = 0.0;
  q_target_ = q_;
  for (auto* vector : {&v_, &w_, &dv_, &dw_}) vector->setZero();
  F_.setZero();
  contacts_.clear();
}

/*
 * With the parent at T_p, moving by v_p, w_p, dv_p, dw_p, and r from its origin to the link's:
 *
 *   revolute   T = T_p Tb exp(a q)         w = w_p + s dq    s = R a
 *   prismatic  T = T_p Tb + R a q          v = v_p + w_p x r + s dq
 */
void Link::calcForwardKinematics(bool velocity, bool acceleration) {
  if (!parent_) return;
  const Isometry3& P = parent_->T_;
  Isometry3 T = P * Tb_;
  if (type_ == RevoluteJoint) T.linear() = T.linear() * AngleAxis(q_, axis_).toRotationMatrix();
  if (type_ == PrismaticJoint) T.translation() += T.linear() * (axis_ * q_);
  T_ = T;
  if (!velocity && !acceleration) return;
  const Vector3 r = T_.translation() - P.translation(), s = T_.linear() * axis_;
  const Vector3& wp = parent_->w_;
  w_ = wp;
  v_ = parent_->v_ + wp.cross(r);
  if (type_ == RevoluteJoint) w_ += s * dq_;
  if (type_ == PrismaticJoint) v_ += s * dq_;
  if (!acceleration) return;
  dw_ = parent_->dw_;
  dv_ = parent_->dv_ + wp.cross(wp.cross(r)) + parent_->dw_.cross(r);
  if (type_ == RevoluteJoint) dw_ += dq_ * wp.cross(s) + ddq_ * s;
  if (type_ == PrismaticJoint) dv_ += 2.0 * dq_ * wp.cross(s) + ddq_ * s;
}

/* ------------------------------------------------------------------ bodies */

void LinkTraverse::find(Link* root, bool, bool) {
  links_.clear();
  if (root) links_.push_back(root);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    /* depth first: children come right after their parent */
    std::size_t at = k + 1;
    for (Link* child = links_[k]->child(); child; child = child->sibling())
      links_.insert(links_.begin() + at++, LinkPtr(child));
  }
}

void LinkTraverse::calcForwardKinematics(bool velocity, bool acceleration) const {
  for (auto& link : links_) link->calcForwardKinematics(velocity, acceleration);
}

Body::Body() { setRootLink(new Link); }
Body::Body(const std::string& name) : Body() { name_ = name; }
Body::~Body() {
  for (auto& link : traverse_.links_) link->body_ = nullptr;
}

void Body::setRootLink(Link* link) {
  root_ = link;
  updateLinkTree();
}

void Body::updateLinkTree() {
  traverse_.find(root_);
  names_.clear();
  joints_.clear();
  numbered_ = 0;
  std::vector<LinkPtr> others;
  for (int k = 0; k < numLinks(); ++k) {
    Link* link = traverse_.link(k);
    link->index_ = k;
    link->body_ = this;
    names_.emplace(link->name_, link);
    const int id = link->joint_id_;
    if (id >= 0) {
      if (id >= numbered_) joints_.resize(numbered_ = id + 1);
      if (!joints_[id]) joints_[id] = link;
    } else if (link->parent_ && link->hasActualJoint()) {
      others.push_back(link);
    }
  }
  for (auto& joint : joints_)
    if (!joint) { /* a number that no joint has */
      joint = new Link;
      joint->body_ = this;
    }
  joints_.insert(joints_.end(), others.begin(), others.end());
}

Link* Body::link(const std::string& name) const {
  auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

Link* Body::joint(const std::string& name) const {
  for (auto& joint : joints_)
    if (joint->isValid() && joint->jointName() == name) return joint;
  return nullptr;
}

bool Body::isStaticModel() const {
  return std::all_of(links().begin(), links().end(), [](auto& link) { return link->isFixedJoint(); });
}

Device* Body::findDevice(const std::string& name) const {
  for (auto& device : devices_)
    if (device->name() == name) return device;
  return nullptr;
}

RateGyroSensor* Body::findRateGyroSensor(const std::string& name) const { return findDevice<RateGyroSensor>(name); }

bool Body::addDevice(Device* device, Link* link) {
  device->setIndex(numDevices());
  device->setLink(link);
  devices_.push_back(device);
  return true;
}

double Body::mass() const {
  double sum = 0.0;
  for (auto& link : links()) sum += link->m();
  return sum;
}

const Vector3& Body::calcCenterOfMass() {
  Vector3 sum = Vector3::Zero();
  for (auto& link : links()) {
    link->wc() = link->T() * link->c();
    sum += link->m() * link->wc();
  }
  const double total = mass();
  return com_ = total > 0.0 ? Vector3(sum / total) : Vector3(Vector3::Zero());
}

void Body::calcTotalMomentum(Vector3& P, Vector3& L) {
  calcCenterOfMass();
  P.setZero();
  L.setZero();
  for (auto& link : links()) {
    const Vector3 arm = link->wc() - link->p();
    const Vector3 momentum = link->m() * (link->v() + link->w().cross(arm));
    P += momentum;
    L += link->wc().cross(momentum) + link->R() * link->I() * link->R().transpose() * link->w();
  }
}

void Body::clearExternalForces() {
  for (auto& link : links()) link->F_ext().setZero();
}

void Body::initializeState() {
  for (auto& link : links()) link->initializeState();
  for (auto& device : devices_) device->clearState();
}

void Body::initializePosition() {
  root_->T() = root_->Tb();
  for (auto& link : links()) link->q() = link->q_initial();
  calcForwardKinematics();
}

Referenced* Body::doClone(CloneMap*) const {
  auto* made = new Body(name_);
  made->model_name_ = model_name_;
  made->info_ = info_;
  made->time_ = time_;
  std::vector<Link*> copies;
  for (auto& link : links()) {
    copies.push_back(link->clone());
    if (link->parent()) copies[link->parent()->index()]->appendChild(copies.back());
  }
  made->setRootLink(copies.front());
  for (auto& device : devices_) made->addDevice(device->clone(), copies[device->link()->index()]);
  return made;
}

/* ------------------------------------------------------------------ states of devices */

void Device::copyStateFrom(const DeviceState& other) {
  std::vector<double> state(other.stateSize());
  other.writeState(state.data());
  readState(state.data(), static_cast<int>(state.size()));
}

template <class Vector>
static const double* take(const double* from, Vector& out) {
  for (int k = 0; k < out.size(); ++k) out[k] = static_cast<typename Vector::Scalar>(from[k]);
  return from + out.size();
}
template <class Vector>
static double* give(double* to, const Vector& values) {
  for (int k = 0; k < values.size(); ++k) to[k] = values[k];
  return to + values.size();
}

const double* ForceSensor::readState(const double* from, int) { return take(from, F_); }
double* ForceSensor::writeState(double* to) const { return give(to, F_); }
const double* RateGyroSensor::readState(const double* from, int) { return take(from, w_); }
double* RateGyroSensor::writeState(double* to) const { return give(to, w_); }
const double* AccelerationSensor::readState(const double* from, int) { return take(from, dv_); }
double* AccelerationSensor::writeState(double* to) const { return give(to, dv_); }
const double* Imu::readState(const double* from, int) { return take(take(from, dv_), w_); }
double* Imu::writeState(double* to) const { return give(give(to, dv_), w_); }

const double* Light::readState(const double* from, int size) {
  from = take(SwitchedDevice::readState(from, size), color_);
  intensity_ = static_cast<float>(*from);
  return from + 1;
}
double* Light::writeState(double* to) const {
  to = give(SwitchedDevice::writeState(to), color_);
  *to = intensity_;
  return to + 1;
}
const double* SpotLight::readState(const double* from, int size) {
  from = Light::readState(from, size);
  beam_width_ = static_cast<float>(from[0]);
  cut_off_ = static_cast<float>(from[1]);
  return from + 2;
}
double* SpotLight::writeState(double* to) const {
  to = Light::writeState(to);
  to[0] = beam_width_;
  to[1] = cut_off_;
  return to + 2;
}

}  // namespace cnoid
