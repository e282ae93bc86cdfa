/* A body: a tree of links with devices. */

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "Device.h"
#include "Link.h"
#include "References.h"
#include "Values.h"

namespace cnoid {

class Body;
class RateGyroSensor;
using BodyPtr = ref_ptr<Body>;

/* Links from a root to the ends, parents before their children. */
class LinkTraverse {
 public:
  using iterator = std::vector<LinkPtr>::iterator;
  using const_iterator = std::vector<LinkPtr>::const_iterator;
  LinkTraverse() = default;
  explicit LinkTraverse(Link* root) { find(root); }
  void find(Link* root, bool = false, bool = false);
  bool empty() const { return links_.empty(); }
  int numLinks() const { return static_cast<int>(links_.size()); }
  int size() const { return numLinks(); }
  Link* rootLink() const { return links_.empty() ? nullptr : links_.front().get(); }
  Link* link(int index) const { return links_[index]; }
  Link* operator[](int index) const { return links_[index]; }
  const std::vector<LinkPtr>& links() const { return links_; }
  iterator begin() { return links_.begin(); }
  iterator end() { return links_.end(); }
  const_iterator begin() const { return links_.begin(); }
  const_iterator end() const { return links_.end(); }
  void calcForwardKinematics(bool velocity = false, bool acceleration = false) const;

 private:
  friend class Body;
  std::vector<LinkPtr> links_;
};

class Body : public ClonableReferenced {
 public:
  Body();
  explicit Body(const std::string& name);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() override;
  Body* clone() const { return static_cast<Body*>(doClone(nullptr)); }

  const std::string& name() const { return name_; }
  void setName(const std::string& name) { name_ = name; }
  const std::string& modelName() const { return model_name_; }
  void setModelName(const std::string& name) { model_name_ = name; }
  Mapping* info() const;
  template <class T>
  T info(const std::string& key) const {
    return info()->get(key, T());
  }
  template <class T>
  T info(const std::string& key, const T& otherwise) const {
    return info()->get(key, otherwise);
  }

  /* ---------------------------------------------------------------- links and joints */

  int numLinks() const { return traverse_.numLinks(); }
  Link* link(int index) const { return traverse_.link(index); }
  Link* link(const std::string& name) const;
  const std::vector<LinkPtr>& links() const { return traverse_.links(); }
  const LinkTraverse& linkTraverse() const { return traverse_; }
  Link* rootLink() const { return root_; }
  bool isFixedRootModel() const { return root_->isFixedJoint(); }
  bool isStaticModel() const;

  int numJoints() const { return numbered_; }
  int numVirtualJoints() const { return numAllJoints() - numbered_; }
  int numAllJoints() const { return static_cast<int>(joints_.size()); }
  Link* joint(int id) const { return joints_[id]; }
  Link* joint(const std::string& name) const;
  const std::vector<LinkPtr>& allJoints() const { return joints_; }

  class Joints {
   public:
    using iterator = std::vector<LinkPtr>::iterator;
    Joints(iterator begin, iterator end) : begin_(begin), end_(end) {}
    iterator begin() const { return begin_; }
    iterator end() const { return end_; }
    std::size_t size() const { return end_ - begin_; }
    Link* operator[](int index) const { return begin_[index]; }

   private:
    iterator begin_, end_;
  };
  Joints joints() { return Joints(joints_.begin(), joints_.begin() + numbered_); }

  /* ---------------------------------------------------------------- devices */

  int numDevices() const { return static_cast<int>(devices_.size()); }
  Device* device(int index) const { return devices_[index]; }
  const DeviceList<>& devices() const { return devices_; }
  template <class T>
  DeviceList<T> devices() const {
    return devices_;
  }
  Device* findDevice(const std::string& name) const;
  template <class T>
  T* findDevice(const std::string& name) const {
    return dynamic_cast<T*>(findDevice(name));
  }
  template <class T>
  T* findDevice(const char* name) const {
    return dynamic_cast<T*>(findDevice(std::string(name)));
  }
  template <class T>
  T* findDevice(std::function<bool(T*)> fits = nullptr) const {
    for (auto& one : devices_) {
      auto* found = dynamic_cast<T*>(one.get());
      if (found && (!fits || fits(found))) return found;
    }
    return nullptr;
  }
  template <class T>
  DeviceList<T> findDevices(std::function<bool(T*)> fits = nullptr) const {
    DeviceList<T> out;
    for (auto& one : devices_) {
      auto* found = dynamic_cast<T*>(one.get());
      if (found && (!fits || fits(found))) out.push_back(found);
    }
    return out;
  }
  RateGyroSensor* findRateGyroSensor(const std::string& name) const;

  /* ---------------------------------------------------------------- state */

  double mass() const;
  const Vector3& calcCenterOfMass();
  const Vector3& centerOfMass() const { return com_; }
  void calcTotalMomentum(Vector3& P, Vector3& L);
  void calcForwardKinematics(bool velocity = false, bool acceleration = false) {
    traverse_.calcForwardKinematics(velocity, acceleration);
  }
  /* The time of the simulation [s]; what clones say too. */
  double currentTime() const { return time_ ? time_() : 0.0; }
  void setCurrentTimeFunction(std::function<double()> time) { time_ = std::move(time); }
  void clearExternalForces();
  void initializeState();
  void initializePosition();

  /* ---------------------------------------------------------------- objects that are kept with it */

  template <class T>
  T* findCache(const std::string& name) const {
    auto found = cache_.find(name);
    return found == cache_.end() ? nullptr : dynamic_cast<T*>(found->second.get());
  }
  template <class T>
  T* getOrCreateCache(const std::string& name) {
    if (auto* found = findCache<T>(name)) return found;
    T* made = new T;
    cache_[name] = made;
    return made;
  }
  void setCache(const std::string& name, Referenced* object) { cache_[name] = object; }
  void insertCache(const std::string& name, Referenced* object) { cache_[name] = object; }
  void removeCache(const std::string& name) { cache_.erase(name); }

  /* ---------------------------------------------------------------- for who builds bodies */

  void setRootLink(Link* link);
  void updateLinkTree();
  bool addDevice(Device* device, Link* link);
  void setInfo(Mapping* info) { info_ = info; }

 protected:
  Referenced* doClone(CloneMap* map) const override;

 private:
  std::string name_, model_name_;
  LinkPtr root_;
  LinkTraverse traverse_;
  std::vector<LinkPtr> joints_;
  int numbered_ = 0;
  std::map<std::string, Link*> names_;
  DeviceList<> devices_;
  Vector3 com_ = Vector3::Zero();
  std::map<std::string, ReferencedPtr> cache_;
  mutable MappingPtr info_;
  std::function<double()> time_;
};

}  // namespace cnoid
