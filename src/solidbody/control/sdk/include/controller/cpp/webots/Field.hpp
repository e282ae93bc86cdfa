/* Fields of nodes. */

#ifndef WEBOTS_FIELD_HPP
#define WEBOTS_FIELD_HPP

#include <map>
#include <string>
#include "Node.hpp"

namespace webots {

class Field {
public:
  typedef enum {
    NO_FIELD = WB_NO_FIELD,
    SF_BOOL = WB_SF_BOOL,
    SF_INT32 = WB_SF_INT32,
    SF_FLOAT = WB_SF_FLOAT,
    SF_VEC2F = WB_SF_VEC2F,
    SF_VEC3F = WB_SF_VEC3F,
    SF_ROTATION = WB_SF_ROTATION,
    SF_COLOR = WB_SF_COLOR,
    SF_STRING = WB_SF_STRING,
    SF_NODE = WB_SF_NODE,
    MF = WB_MF,
    MF_BOOL = WB_MF_BOOL,
    MF_INT32 = WB_MF_INT32,
    MF_FLOAT = WB_MF_FLOAT,
    MF_VEC2F = WB_MF_VEC2F,
    MF_VEC3F = WB_MF_VEC3F,
    MF_ROTATION = WB_MF_ROTATION,
    MF_COLOR = WB_MF_COLOR,
    MF_STRING = WB_MF_STRING,
    MF_NODE = WB_MF_NODE
  } Type;

  std::string getName() const { return sb::text(wb_supervisor_field_get_name(ref)); }
  Type getType() const { return static_cast<Type>(wb_supervisor_field_get_type(ref)); }
  std::string getTypeName() const { return sb::text(wb_supervisor_field_get_type_name(ref)); }
  int getCount() const { return wb_supervisor_field_get_count(ref); }
  Field *getActualField() const { return findField(wb_supervisor_field_get_actual_field(ref)); }
  void enableSFTracking(int samplingPeriod) { wb_supervisor_field_enable_sf_tracking(ref, samplingPeriod); }
  void disableSFTracking() { wb_supervisor_field_disable_sf_tracking(ref); }

  bool getSFBool() const { return wb_supervisor_field_get_sf_bool(ref); }
  int getSFInt32() const { return wb_supervisor_field_get_sf_int32(ref); }
  double getSFFloat() const { return wb_supervisor_field_get_sf_float(ref); }
  const double *getSFVec2f() const { return wb_supervisor_field_get_sf_vec2f(ref); }
  const double *getSFVec3f() const { return wb_supervisor_field_get_sf_vec3f(ref); }
  const double *getSFRotation() const { return wb_supervisor_field_get_sf_rotation(ref); }
  const double *getSFColor() const { return wb_supervisor_field_get_sf_color(ref); }
  std::string getSFString() const { return sb::text(wb_supervisor_field_get_sf_string(ref)); }
  Node *getSFNode() const { return Node::findNode(wb_supervisor_field_get_sf_node(ref)); }
  bool getMFBool(int index) const { return wb_supervisor_field_get_mf_bool(ref, index); }
  int getMFInt32(int index) const { return wb_supervisor_field_get_mf_int32(ref, index); }
  double getMFFloat(int index) const { return wb_supervisor_field_get_mf_float(ref, index); }
  const double *getMFVec2f(int index) const { return wb_supervisor_field_get_mf_vec2f(ref, index); }
  const double *getMFVec3f(int index) const { return wb_supervisor_field_get_mf_vec3f(ref, index); }
  const double *getMFRotation(int index) const { return wb_supervisor_field_get_mf_rotation(ref, index); }
  const double *getMFColor(int index) const { return wb_supervisor_field_get_mf_color(ref, index); }
  std::string getMFString(int index) const { return sb::text(wb_supervisor_field_get_mf_string(ref, index)); }
  Node *getMFNode(int index) const { return Node::findNode(wb_supervisor_field_get_mf_node(ref, index)); }
  void setSFBool(bool value) { wb_supervisor_field_set_sf_bool(ref, value); }
  void setSFInt32(int value) { wb_supervisor_field_set_sf_int32(ref, value); }
  void setSFFloat(double value) { wb_supervisor_field_set_sf_float(ref, value); }
  void setSFVec2f(const double values[2]) { wb_supervisor_field_set_sf_vec2f(ref, values); }
  void setSFVec3f(const double values[3]) { wb_supervisor_field_set_sf_vec3f(ref, values); }
  void setSFRotation(const double values[4]) { wb_supervisor_field_set_sf_rotation(ref, values); }
  void setSFColor(const double values[3]) { wb_supervisor_field_set_sf_color(ref, values); }
  void setSFString(const std::string &value) { wb_supervisor_field_set_sf_string(ref, value.c_str()); }
  void setMFBool(int index, bool value) { wb_supervisor_field_set_mf_bool(ref, index, value); }
  void setMFInt32(int index, int value) { wb_supervisor_field_set_mf_int32(ref, index, value); }
  void setMFFloat(int index, double value) { wb_supervisor_field_set_mf_float(ref, index, value); }
  void setMFVec2f(int index, const double values[2]) { wb_supervisor_field_set_mf_vec2f(ref, index, values); }
  void setMFVec3f(int index, const double values[3]) { wb_supervisor_field_set_mf_vec3f(ref, index, values); }
  void setMFRotation(int index, const double values[4]) {
    wb_supervisor_field_set_mf_rotation(ref, index, values);
  }
  void setMFColor(int index, const double values[3]) { wb_supervisor_field_set_mf_color(ref, index, values); }
  void setMFString(int index, const std::string &value) {
    wb_supervisor_field_set_mf_string(ref, index, value.c_str());
  }
  void insertMFBool(int index, bool value) { wb_supervisor_field_insert_mf_bool(ref, index, value); }
  void insertMFInt32(int index, int value) { wb_supervisor_field_insert_mf_int32(ref, index, value); }
  void insertMFFloat(int index, double value) { wb_supervisor_field_insert_mf_float(ref, index, value); }
  void insertMFVec2f(int index, const double values[2]) {
    wb_supervisor_field_insert_mf_vec2f(ref, index, values);
  }
  void insertMFVec3f(int index, const double values[3]) {
    wb_supervisor_field_insert_mf_vec3f(ref, index, values);
  }
  void insertMFRotation(int index, const double values[4]) {
    wb_supervisor_field_insert_mf_rotation(ref, index, values);
  }
  void insertMFColor(int index, const double values[3]) {
    wb_supervisor_field_insert_mf_color(ref, index, values);
  }
  void insertMFString(int index, const std::string &value) {
    wb_supervisor_field_insert_mf_string(ref, index, value.c_str());
  }
  void removeMF(int index) { wb_supervisor_field_remove_mf(ref, index); }
  void removeSF() { wb_supervisor_field_remove_sf(ref); }
  void importMFNode(int position, const std::string &filename) {
    wb_supervisor_field_import_mf_node(ref, position, filename.c_str());
  }
  void importSFNode(const std::string &filename) {
    wb_supervisor_field_import_sf_node(ref, filename.c_str());
  }
  void importMFNodeFromString(int position, const std::string &nodeString) {
    wb_supervisor_field_import_mf_node_from_string(ref, position, nodeString.c_str());
  }
  void importSFNodeFromString(const std::string &nodeString) {
    wb_supervisor_field_import_sf_node_from_string(ref, nodeString.c_str());
  }
  void removeMFNode(int position) { removeMF(position); }

  // the same field is always the same object
  static Field *findField(WbFieldRef ref) {
    if (!ref)
      return NULL;
    Field *&found = all()[ref];
    if (!found)
      found = new Field(ref);
    return found;
  }
  static void cleanup() {
    for (std::map<WbFieldRef, Field *>::iterator i = all().begin(); i != all().end(); ++i)
      delete i->second;
    all().clear();
  }

private:
  explicit Field(WbFieldRef ref) : ref(ref) {}
  ~Field() {}
  static std::map<WbFieldRef, Field *> &all() {
    static std::map<WbFieldRef, Field *> fields;
    return fields;
  }

  WbFieldRef ref;
};

inline Field *Node::getField(const std::string &fieldName) const {
  return Field::findField(wb_supervisor_node_get_field(ref, fieldName.c_str()));
}
inline Field *Node::getFieldByIndex(int index) const {
  return Field::findField(wb_supervisor_node_get_field_by_index(ref, index));
}
inline Field *Node::getBaseNodeField(const std::string &fieldName) const {
  return Field::findField(wb_supervisor_node_get_base_node_field(ref, fieldName.c_str()));
}
inline Field *Node::getBaseNodeFieldByIndex(int index) const {
  return Field::findField(wb_supervisor_node_get_base_node_field_by_index(ref, index));
}

}  // namespace webots

#include "Proto.hpp"

#endif
