#include "hosted_body.h"

#include "cnoid/src/Sensors.h"
#include "cnoid/src/SwitchedDevices.h"
#include "cnoid/src/Vision.h"

using namespace cnoid;

static std::string text_in(const Slice& slice) { return std::string(slice.data, slice.size); }

template <class Facts>
static Facts next(Reader& reader, const ::Layout& layout) {
  Facts facts{};
  read_fields(&reader, &layout, &facts);
  return facts;
}

/* x y z qw qx qy qz */
static Isometry3 pose_of(const double* from) {
  Isometry3 T = Isometry3::Identity();
  T.translation() = Vector3(from[0], from[1], from[2]);
  T.linear() = Quaternion(from[3], from[4], from[5], from[6]).toRotationMatrix();
  return T;
}

static void put_pose(const Isometry3& T, double* to) {
  const Quaternion q(Matrix3(T.linear()));
  const double values[] = {T.translation().x(), T.translation().y(), T.translation().z(), q.w(), q.x(), q.y(), q.z()};
  std::copy(std::begin(values), std::end(values), to);
}

static Link* make_link(const LinkFacts& facts) {
  auto* link = new Link;
  link->setName(text_in(facts.name));
  link->setJointName(text_in(facts.joint_name));
  link->setMaterial(text_in(facts.material));
  link->setJointType(static_cast<Link::JointType>(facts.joint_type));
  link->setJointId(facts.joint_id);
  link->setOffsetPosition(pose_of(facts.offset));
  link->T() = pose_of(facts.pose);
  link->setJointAxis(Vector3(facts.axis[0], facts.axis[1], facts.axis[2]));
  link->q() = facts.q;
  link->setInitialJointDisplacement(facts.q);
  constexpr double MOST = std::numeric_limits<double>::max();
  link->setJointRange(std::max(facts.q_lower, -MOST), std::min(facts.q_upper, MOST));
  link->setJointVelocityRange(-MOST, std::min(facts.dq_upper, MOST));
  link->setJointEffortRange(-MOST, std::min(facts.u_upper, MOST));
  link->setEquivalentRotorInertia(facts.rotor);
  link->setMass(facts.mass);
  link->setCenterOfMass(Vector3(facts.com[0], facts.com[1], facts.com[2]));
  link->setInertia(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(facts.inertia));
  return link;
}

/* What each class of device knows of itself comes as numbers, in an order of its own. */
static Device* make_device(const std::string& kind, const std::vector<double>& x) {
  if (kind == "ForceSensor") return new ForceSensor;
  if (kind == "RateGyroSensor") return new RateGyroSensor;
  if (kind == "AccelerationSensor") return new AccelerationSensor;
  if (kind == "Imu") return new Imu;
  if (kind == "SpotLight") return new SpotLight;
  if (kind == "PointLight") return new PointLight;
  if (kind == "DirectionalLight") return new DirectionalLight;
  if (kind == "MarkerDevice") return new MarkerDevice;
  if (kind == "HolderDevice") return new HolderDevice;
  if (kind == "AttachmentDevice") return new AttachmentDevice;
  if (kind == "ConveyorDevice") return new ConveyorDevice;
  if (kind == "FireDevice") return new FireDevice;
  if (kind == "FountainDevice") return new FountainDevice;
  if (kind == "SmokeDevice") return new SmokeDevice;
  if ((kind == "Camera" || kind == "RangeCamera") && x.size() >= 8) {
    auto* camera = kind == "Camera" ? new Camera : new RangeCamera;
    camera->setResolution(static_cast<int>(x[0]), static_cast<int>(x[1]));
    camera->setFieldOfView(x[2]);
    camera->setNearClipDistance(x[3]);
    camera->setFarClipDistance(x[4]);
    camera->setFrameRate(x[5]);
    camera->setLensType(static_cast<Camera::LensType>(x[6]));
    camera->setImageType(x[7] != 0.0 ? Camera::COLOR_IMAGE : Camera::NO_IMAGE);
    if (auto* range = dynamic_cast<RangeCamera*>(camera); range && x.size() >= 10) {
      range->setMinDistance(x[8]);
      range->setMaxDistance(x[9]);
    }
    return camera;
  }
  if (kind == "RangeSensor" && x.size() >= 7) {
    auto* sensor = new RangeSensor;
    sensor->setSamples(static_cast<int>(x[0]), x[1], static_cast<int>(x[2]), x[3]);
    sensor->setMinDistance(x[4]);
    sensor->setMaxDistance(x[5]);
    sensor->setFrameRate(x[6]);
    return sensor;
  }
  return new UnknownDevice(kind);
}

static std::vector<double> numbers_of(List list) {
  std::vector<double> out(list.count);
  read_doubles(&list.items, out.data(), list.count);
  return out;
}

BodyPtr make_body(const BodyWelcome& welcome) {
  BodyPtr body = new Body(text_in(welcome.name));
  body->setModelName(text_in(welcome.model));
  std::vector<Link*> links;
  Reader reader = welcome.links.items;
  for (std::uint32_t k = 0; k < welcome.links.count; ++k) {
    const auto facts = next<LinkFacts>(reader, layout_LinkFacts);
    links.push_back(make_link(facts));
    if (facts.parent >= 0 && facts.parent < static_cast<int>(k)) links[facts.parent]->appendChild(links.back());
  }
  if (!links.empty()) body->setRootLink(links.front());
  reader = welcome.devices.items;
  for (std::uint32_t k = 0; k < welcome.devices.count; ++k) {
    const auto facts = next<BodyDeviceFacts>(reader, layout_BodyDeviceFacts);
    Device* device = make_device(text_in(facts.kind), numbers_of(facts.numbers));
    device->setName(text_in(facts.name));
    device->setId(facts.id);
    device->T_local() = pose_of(facts.pose);
    auto state = numbers_of(facts.state);
    state.resize(DEVICE_WIDTH);
    device->readState(state.data(), DEVICE_WIDTH);
    body->addDevice(device, links.at(facts.link));
  }
  for (auto& link : body->links()) {
    link->q_target() = link->q();
  }
  return body;
}

/* ------------------------------------------------------------------ copies */

HostedBody::HostedBody(Body* body, Block& block, const BodyWelcome& welcome) : body_(body), block_(block) {
  Reader reader = welcome.links.items;
  for (std::uint32_t k = 0; k < welcome.links.count; ++k)
    joints_.push_back(next<LinkFacts>(reader, layout_LinkFacts).joint);
  reader = welcome.devices.items;
  for (std::uint32_t k = 0; k < welcome.devices.count; ++k)
    pictures_.push_back(
        std::make_unique<Picture>(text_in(next<BodyDeviceFacts>(reader, layout_BodyDeviceFacts).pictures)));
  enabled_.inputs.resize(body->numLinks());
  enabled_.outputs.resize(body->numLinks());
  enabled_.senses.resize(body->numDevices());
  heard_.assign(block.at(SECTION_device_changes), block.at(SECTION_device_changes) + body->numDevices());
  told_.resize(body->numDevices());
}

void HostedBody::set_modes(const List& modes) {
  Reader reader = modes.items;
  for (int k = 0; k < std::min<int>(modes.count, body_->numLinks()); ++k)
    body_->link(k)->setActuationMode(static_cast<short>(read_int(&reader)));
}

std::vector<std::int32_t> HostedBody::modes() const {
  std::vector<std::int32_t> out;
  for (auto& link : body_->links()) out.push_back(link->actuationMode());
  return out;
}

std::vector<std::int32_t> HostedBody::output_modes() const {
  auto out = modes();
  for (std::size_t k = 0; k < out.size(); ++k)
    if (!enabled_.outputs[k]) out[k] = 0;
  return out;
}

void HostedBody::copy_input() {
  const double *q = block_.at(SECTION_q), *dq = block_.at(SECTION_dq), *ddq = block_.at(SECTION_ddq),
               *u = block_.at(SECTION_u);
  bool wants_contacts = false;
  for (int k = 0; k < body_->numLinks(); ++k) {
    const int flags = enabled_.inputs[k], joint = joints_[k];
    if (!flags) continue;
    Link& link = *body_->link(k);
    if (joint >= 0) {
      if (flags & Link::JointDisplacement) link.q() = q[joint];
      if (flags & Link::JointVelocity) link.dq() = dq[joint];
      if (flags & Link::JointAcceleration) link.ddq() = ddq[joint];
      if (flags & Link::JointEffort) link.u() = u[joint];
    }
    if (flags & Link::LinkPosition) link.T() = pose_of(block_.at(SECTION_pose) + 7 * k);
    if (flags & Link::LinkTwist) {
      link.v() = Eigen::Map<const Vector3>(block_.at(SECTION_twist) + 6 * k);
      link.w() = Eigen::Map<const Vector3>(block_.at(SECTION_twist) + 6 * k + 3);
    }
    if (flags & Link::LinkAcceleration) {
      link.dv() = Eigen::Map<const Vector3>(block_.at(SECTION_acceleration) + 6 * k);
      link.dw() = Eigen::Map<const Vector3>(block_.at(SECTION_acceleration) + 6 * k + 3);
    }
    if (flags & Link::LinkExtWrench) link.F_ext() = Eigen::Map<const Vector6>(block_.at(SECTION_wrench) + 6 * k);
    if (flags & Link::LinkContactState) {
      link.contactPoints().clear();
      wants_contacts = true;
    }
  }
  if (wants_contacts) copy_contacts(block_.at(SECTION_contacts));
  const double* changes = block_.at(SECTION_device_changes);
  for (int k = 0; k < body_->numDevices(); ++k) {
    if (!enabled_.senses[k] || changes[k] == heard_[k]) continue;
    heard_[k] = changes[k];
    Device& device = *body_->device(k);
    device.readState(block_.at(SECTION_device_state) + DEVICE_WIDTH * k, DEVICE_WIDTH);
    if (auto* sensor = dynamic_cast<VisionSensor*>(&device); sensor && sensor->frame() && pictures_[k]->data())
      sensor->takePicture(pictures_[k]->data(), pictures_[k]->size());
    const unsigned before = device.changes();
    device.notifyStateChange();
    told_[k] += device.changes() - before; /* that was not the program's doing */
  }
}

void HostedBody::copy_contacts(double* from) {
  const int count = std::min(static_cast<int>(from[0]), MOST_CONTACTS);
  for (int k = 0; k < count; ++k) {
    const double* x = from + 1 + CONTACT_WIDTH * k;
    const int row = static_cast<int>(x[0]);
    if (row < 0 || row >= body_->numLinks() || !(enabled_.inputs[row] & Link::LinkContactState)) continue;
    body_->link(row)->contactPoints().emplace_back(Vector3(x[1], x[2], x[3]), Vector3(x[4], x[5], x[6]),
                                                   Vector3(x[7], x[8], x[9]), Vector3(x[10], x[11], x[12]), x[13]);
  }
}

void HostedBody::copy_output(bool old_targets) {
  for (int k = 0; k < body_->numLinks(); ++k) {
    if (!enabled_.outputs[k]) continue;
    const Link& link = *body_->link(k);
    if (const int joint = joints_[k]; joint >= 0) {
      block_.at(SECTION_q_target)[joint] = old_targets ? link.q() : link.q_target();
      block_.at(SECTION_dq_target)[joint] = old_targets ? link.dq() : link.dq_target();
      block_.at(SECTION_ddq_out)[joint] = link.ddq();
      block_.at(SECTION_u_out)[joint] = link.u();
    }
    const int mode = link.actuationMode();
    if (mode & Link::LinkPosition) put_pose(link.T(), block_.at(SECTION_pose_out) + 7 * k);
    if (mode & Link::LinkTwist) {
      Eigen::Map<Vector3>(block_.at(SECTION_twist_out) + 6 * k) = link.v();
      Eigen::Map<Vector3>(block_.at(SECTION_twist_out) + 6 * k + 3) = link.w();
    }
    if (mode & Link::LinkExtWrench) Eigen::Map<Vector6>(block_.at(SECTION_wrench_out) + 6 * k) = link.F_ext();
  }
  for (int k = 0; k < body_->numDevices(); ++k) {
    const Device& device = *body_->device(k);
    if (device.changes() == told_[k]) continue;
    told_[k] = device.changes();
    device.writeState(block_.at(SECTION_device_state_out) + DEVICE_WIDTH * k);
    block_.at(SECTION_device_changes_out)[k] += 1.0;
  }
}
