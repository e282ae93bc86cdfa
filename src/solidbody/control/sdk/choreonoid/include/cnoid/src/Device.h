/* Devices fixed to links, and lists of them. */

#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "Eigen.h"
#include "Link.h"
#include "References.h"
#include "Signals.h"
#include "Values.h"

namespace cnoid {

class DeviceState : public ClonableReferenced {
 public:
  virtual const char* typeName() const = 0;
  virtual void copyStateFrom(const DeviceState& other) = 0;
  /* How many numbers the state is; they are read and written in one order by all sides. */
  virtual int stateSize() const { return 0; }
  virtual const double* readState(const double* from, int) { return from; }
  virtual double* writeState(double* to) const { return to; }
};
using DeviceStatePtr = ref_ptr<DeviceState>;

class Device : public DeviceState {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  Device* clone() const { return static_cast<Device*>(doClone(nullptr)); }
  void copyStateFrom(const DeviceState& other) override;

  int index() const { return index_; }
  int id() const { return id_; }
  const std::string& name() const { return name_; }
  Link* link() { return link_; }
  const Link* link() const { return link_; }
  Body* body() { return link_ ? link_->body() : nullptr; }
  const Body* body() const { return link_ ? link_->body() : nullptr; }
  /* Place in the link's frame. */
  Isometry3& T_local() { return T_; }
  const Isometry3& T_local() const { return T_; }
  Isometry3& localPosition() { return T_; }
  const Isometry3& localPosition() const { return T_; }
  Isometry3::TranslationPart p_local() { return T_.translation(); }
  Isometry3::ConstTranslationPart p_local() const { return T_.translation(); }
  Isometry3::LinearPart R_local() { return T_.linear(); }
  Isometry3::ConstLinearPart R_local() const { return T_.linear(); }
  Isometry3::ConstTranslationPart localTranslation() const { return T_.translation(); }
  Isometry3::ConstLinearPart localRotation() const { return T_.linear(); }
  template <class A>
  void setLocalTranslation(const Eigen::MatrixBase<A>& p) {
    T_.translation() = p.template cast<double>();
  }
  template <class A>
  void setLocalRotation(const Eigen::MatrixBase<A>& R) {
    T_.linear() = R.template cast<double>();
  }
  void setLocalAttitude(const Matrix3& R) { T_.linear() = R; }

  virtual bool on() const { return true; }
  virtual void on(bool) {}
  virtual void clearState() {}
  Mapping* info() const;
  template <class T>
  T info(const std::string& key) const {
    return info()->get(key, T());
  }
  template <class T>
  T info(const std::string& key, const T& otherwise) const {
    return info()->get(key, otherwise);
  }

  SignalProxy<void()> sigInfoChanged() { return info_changed_; }
  void notifyInfoChange() { info_changed_(); }
  SignalProxy<void()> sigStateChanged() { return state_changed_; }
  SignalProxy<void(double)> sigTimeChanged() { return time_changed_; }
  void notifyStateChange() {
    ++changes_;
    state_changed_();
  }
  void notifyTimeChange(double time) { time_changed_(time); }
  /* How often the state was changed. */
  unsigned changes() const { return changes_; }

  void setIndex(int index) { index_ = index; }
  void setId(int id) { id_ = id; }
  void setName(const std::string& name) { name_ = name; }
  void setLink(Link* link) { link_ = link; }
  void setInfo(Mapping* info) { info_ = info; }

 private:
  int index_ = -1, id_ = -1;
  std::string name_;
  Link* link_ = nullptr;
  Isometry3 T_ = Isometry3::Identity();
  Signal<void()> state_changed_, info_changed_;
  Signal<void(double)> time_changed_;
  unsigned changes_ = 0;
  mutable MappingPtr info_;
};
using DevicePtr = ref_ptr<Device>;

template <class DeviceType = Device, class PointerType = ref_ptr<DeviceType>>
class DeviceList {
 public:
  using Container = std::vector<PointerType>;
  using value_type = PointerType;
  using iterator = typename Container::iterator;
  using const_iterator = typename Container::const_iterator;

  DeviceList() = default;
  template <class Other, class OtherPointer>
  DeviceList(const DeviceList<Other, OtherPointer>& others) {
    *this << others;
  }
  /* Takes those that are of this list's type. */
  template <class Other, class OtherPointer>
  DeviceList& operator<<(const DeviceList<Other, OtherPointer>& others) {
    for (auto& one : others)
      if (auto* fits = dynamic_cast<DeviceType*>(static_cast<Device*>(one.get()))) list_.push_back(fits);
    return *this;
  }
  template <class Other, class OtherPointer>
  void extractFrom(const DeviceList<Other, OtherPointer>& others) {
    clear();
    *this << others;
  }
  DeviceType* get(int index) const { return list_[index].get(); }
  template <class T>
  T* get(int index) const {
    return dynamic_cast<T*>(list_[index].get());
  }
  DeviceType* operator[](std::size_t index) const { return list_[index].get(); }
  PointerType& at(std::size_t index) { return list_.at(index); }
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  void clear() { list_.clear(); }
  void resize(std::size_t size) { list_.resize(size); }
  void reserve(std::size_t size) { list_.reserve(size); }
  void push_back(DeviceType* device) { list_.push_back(device); }
  DeviceType* front() const { return list_.front().get(); }
  DeviceType* back() const { return list_.back().get(); }
  iterator begin() { return list_.begin(); }
  iterator end() { return list_.end(); }
  const_iterator begin() const { return list_.begin(); }
  const_iterator end() const { return list_.end(); }
  DeviceList getSortedById() const {
    DeviceList sorted;
    for (auto& one : list_) {
      if (one->id() < 0) continue;
      if (sorted.list_.size() <= static_cast<std::size_t>(one->id())) sorted.list_.resize(one->id() + 1);
      sorted.list_[one->id()] = one;
    }
    return sorted;
  }

 private:
  Container list_;
};

}  // namespace cnoid
