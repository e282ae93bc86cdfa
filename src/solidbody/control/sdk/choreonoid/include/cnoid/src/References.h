/* Objects that count who refers to them, and the pointers that do. */

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

namespace cnoid {

/* Base of what `ref_ptr` points to; deleted with the last of these pointers. */
class Referenced {
 public:
  Referenced() = default;
  Referenced(const Referenced&) {}
  Referenced& operator=(const Referenced&) { return *this; }
  virtual ~Referenced() = default;
  void addRef() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void releaseRef() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  int refCount() const { return count_.load(); }

 private:
  mutable std::atomic<int> count_{0};
};

template <class T>
class ref_ptr {
 public:
  using element_type = T;
  ref_ptr() = default;
  ref_ptr(std::nullptr_t) {}
  ref_ptr(T* object) : object_(object) { hold(); }
  ref_ptr(const ref_ptr& other) : object_(other.get()) { hold(); }
  ref_ptr(ref_ptr&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  ref_ptr(const ref_ptr<U>& other) : object_(other.get()) { hold(); }
  ~ref_ptr() {
    if (object_) object_->releaseRef();
  }
  ref_ptr& operator=(ref_ptr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  void reset() { ref_ptr().swap(*this); }
  void reset(T* object) { ref_ptr(object).swap(*this); }
  void set(T* object) { reset(object); }
  void swap(ref_ptr& other) noexcept { std::swap(object_, other.object_); }
  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  operator T*() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  void hold() {
    if (object_) object_->addRef();
  }
  T* object_ = nullptr;
};

template <class T, class U>
ref_ptr<T> static_pointer_cast(const ref_ptr<U>& from) {
  return static_cast<T*>(from.get());
}
template <class T, class U>
ref_ptr<T> dynamic_pointer_cast(const ref_ptr<U>& from) {
  return dynamic_cast<T*>(from.get());
}
template <class T, class U>
ref_ptr<T> const_pointer_cast(const ref_ptr<U>& from) {
  return const_cast<T*>(from.get());
}
using std::dynamic_pointer_cast;
using std::static_pointer_cast;

using ReferencedPtr = ref_ptr<Referenced>;

class CloneMap;

/* An object that can be copied together with others that refer to it. */
class ClonableReferenced : public Referenced {
 public:
  Referenced* clone() const { return doClone(nullptr); }
  Referenced* clone(CloneMap& map) const { return doClone(&map); }

 protected:
  friend class CloneMap;
  virtual Referenced* doClone(CloneMap*) const { return nullptr; }
};

/* Which copy stands for which object. */
class CloneMap {
 public:
  template <class T>
  T* getClone(T* object) {
    if (!object) return nullptr;
    auto& found = copies_[object];
    if (!found) found = object->clone(*this);
    return dynamic_cast<T*>(found.get());
  }
  template <class T>
  T* findClone(const T* object) const {
    auto found = copies_.find(object);
    return found == copies_.end() ? nullptr : dynamic_cast<T*>(found->second.get());
  }
  void setClone(const Referenced* object, Referenced* copy) { copies_[object] = copy; }
  void clear() { copies_.clear(); }

 private:
  std::unordered_map<const Referenced*, ReferencedPtr> copies_;
};

}  // namespace cnoid

namespace std {
template <class T>
struct hash<cnoid::ref_ptr<T>> {
  size_t operator()(const cnoid::ref_ptr<T>& pointer) const { return hash<T*>()(pointer.get()); }
};
}  // namespace std
