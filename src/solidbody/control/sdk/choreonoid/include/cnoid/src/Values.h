/* Values of YAML: scalars, lists and mappings. */

#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "Config.h"
#include "Eigen.h"
#include "References.h"

namespace cnoid {

class ScalarNode;
class Mapping;
class Listing;

class ValueNode : public ClonableReferenced {
 public:
  enum TypeBit { INVALID_NODE = 0, SCALAR = 1, MAPPING = 2, LISTING = 4 };

  class Exception : public std::runtime_error {
   public:
    explicit Exception(const std::string& text) : std::runtime_error(text) {}
    std::string message() const { return what(); }
  };
  class KeyNotFoundException : public Exception {
   public:
    explicit KeyNotFoundException(const std::string& key) : Exception("there is no key \"" + key + "\""), key_(key) {}
    const std::string& key() const { return key_; }

   private:
    std::string key_;
  };
  class NotScalarException : public Exception {
    using Exception::Exception;
  };
  class NotMappingException : public Exception {
    using Exception::Exception;
  };
  class NotListingException : public Exception {
    using Exception::Exception;
  };
  class ScalarTypeMismatchException : public Exception {
    using Exception::Exception;
  };

  virtual TypeBit nodeType() const { return INVALID_NODE; }
  bool isValid() const { return nodeType() != INVALID_NODE; }
  explicit operator bool() const { return isValid(); }
  bool isScalar() const { return nodeType() == SCALAR; }
  bool isString() const { return nodeType() == SCALAR; }
  bool isMapping() const { return nodeType() == MAPPING; }
  bool isListing() const { return nodeType() == LISTING; }
  int line() const { return line_; }
  void setLine(int line) { line_ = line; }

  const std::string& toString() const;
  double toDouble() const;
  int toInt() const;
  bool toBool() const;
  float toFloat() const { return static_cast<float>(toDouble()); }
  bool read(std::string& out) const;
  bool read(double& out) const;
  bool read(float& out) const;
  bool read(int& out) const;
  bool read(bool& out) const;
  Mapping* toMapping();
  const Mapping* toMapping() const;
  Listing* toListing();
  const Listing* toListing() const;

 private:
  int line_ = -1;
};
using ValueNodePtr = ref_ptr<ValueNode>;

class ScalarNode : public ValueNode {
 public:
  explicit ScalarNode(std::string text) : text_(std::move(text)) {}
  TypeBit nodeType() const override { return SCALAR; }
  const std::string& stringValue() const { return text_; }

 private:
  std::string text_;
};
using ScalarNodePtr = ref_ptr<ScalarNode>;

class Mapping : public ValueNode {
 public:
  using Container = std::map<std::string, ValueNodePtr>;
  using iterator = Container::iterator;
  using const_iterator = Container::const_iterator;

  TypeBit nodeType() const override { return MAPPING; }
  bool empty() const { return values_.empty(); }
  int size() const { return static_cast<int>(values_.size()); }
  void clear() { values_.clear(); }
  /* Never null: what is not there is an invalid node. */
  ValueNode* find(const std::string& key) const;
  ValueNode* find(std::initializer_list<const char*> keys) const;
  Mapping* findMapping(const std::string& key) const;
  Listing* findListing(const std::string& key) const;
  ValueNode* get(const std::string& key) const;
  ValueNode& operator[](const std::string& key) const { return *get(key); }
  std::string get(const std::string& key, const char* otherwise) const { return get(key, std::string(otherwise)); }
  template <class T, class = std::enable_if_t<!std::is_convertible_v<T, const char*>>>
  T get(const std::string& key, const T& otherwise) const {
    T out(otherwise);
    read(key, out);
    return out;
  }
  template <class T>
  T get(std::initializer_list<const char*> keys, const T& otherwise) const {
    T out(otherwise);
    find(keys)->read(out);
    return out;
  }
  template <class T>
  bool read(const std::string& key, T& out) const {
    return find(key)->read(out);
  }
  template <class T>
  bool read(std::initializer_list<const char*> keys, T& out) const {
    return find(keys)->read(out);
  }
  void insert(const std::string& key, ValueNode* value) { values_[key] = value; }
  void write(const std::string& key, const std::string& value) { insert(key, new ScalarNode(value)); }
  void write(const std::string& key, const char* value) { insert(key, new ScalarNode(value)); }
  void write(const std::string& key, double value);
  void write(const std::string& key, int value) { insert(key, new ScalarNode(std::to_string(value))); }
  void write(const std::string& key, bool value) { insert(key, new ScalarNode(value ? "true" : "false")); }
  bool remove(const std::string& key) { return values_.erase(key) > 0; }
  iterator begin() { return values_.begin(); }
  iterator end() { return values_.end(); }
  const_iterator begin() const { return values_.begin(); }
  const_iterator end() const { return values_.end(); }

 private:
  Container values_;
};
using MappingPtr = ref_ptr<Mapping>;

class Listing : public ValueNode {
 public:
  using Container = std::vector<ValueNodePtr>;
  TypeBit nodeType() const override { return LISTING; }
  bool empty() const { return values_.empty(); }
  int size() const { return static_cast<int>(values_.size()); }
  ValueNode* at(int index) const;
  ValueNode& operator[](int index) const { return *at(index); }
  void append(ValueNode* value) { values_.push_back(value); }
  Container::iterator begin() { return values_.begin(); }
  Container::iterator end() { return values_.end(); }
  Container::const_iterator begin() const { return values_.begin(); }
  Container::const_iterator end() const { return values_.end(); }

 private:
  Container values_;
};
using ListingPtr = ref_ptr<Listing>;

/* Reads a text or file of YAML: what configuration and motion files are written in (no tags). */
class YAMLReader {
 public:
  bool load(const std::string& file);
  bool parse(const std::string& text);
  int numDocuments() const { return document_ ? 1 : 0; }
  ValueNode* document(int index = 0) const;
  Mapping* loadDocument(const std::string& file);
  const std::string& errorMessage() const { return error_; }

 private:
  ValueNodePtr document_;
  std::string error_;
};

template <class Vector>
bool read(const ValueNode* node, Eigen::MatrixBase<Vector>& out) {
  if (!node || !node->isListing() || node->toListing()->size() != out.size()) return false;
  for (int k = 0; k < out.size(); ++k) out[k] = node->toListing()->at(k)->toDouble();
  return true;
}
template <class Vector>
bool read(const Mapping* mapping, const std::string& key, Eigen::MatrixBase<Vector>& out) {
  return mapping && read(mapping->find(key), out);
}
template <class Vector>
bool read(const Mapping& mapping, const std::string& key, Eigen::MatrixBase<Vector>& out) {
  return read(mapping.find(key), out);
}

}  // namespace cnoid
