/* PROTOs that nodes were made of. */

#ifndef WEBOTS_PROTO_HPP
#define WEBOTS_PROTO_HPP

#include <map>
#include <string>
#include "Field.hpp"

namespace webots {

class Proto {
public:
  std::string getTypeName() const { return sb::text(wb_supervisor_proto_get_type_name(ref)); }
  bool isDerived() const { return wb_supervisor_proto_is_derived(ref); }
  Proto *getParent() const { return findProto(wb_supervisor_proto_get_parent(ref)); }
  Field *getField(const std::string &fieldName) const {
    return Field::findField(wb_supervisor_proto_get_field(ref, fieldName.c_str()));
  }
  Field *getFieldByIndex(int index) const {
    return Field::findField(wb_supervisor_proto_get_field_by_index(ref, index));
  }
  int getNumberOfFields() const { return wb_supervisor_proto_get_number_of_fields(ref); }

  static Proto *findProto(WbProtoRef ref) {
    if (!ref)
      return NULL;
    Proto *&found = all()[ref];
    if (!found)
      found = new Proto(ref);
    return found;
  }
  static void cleanup() {
    for (std::map<WbProtoRef, Proto *>::iterator i = all().begin(); i != all().end(); ++i)
      delete i->second;
    all().clear();
  }

private:
  explicit Proto(WbProtoRef ref) : ref(ref) {}
  ~Proto() {}
  static std::map<WbProtoRef, Proto *> &all() {
    static std::map<WbProtoRef, Proto *> protos;
    return protos;
  }

  WbProtoRef ref;
};

inline Proto *Node::getProto() const {
  return Proto::findProto(wb_supervisor_node_get_proto(ref));
}

}  // namespace webots

#endif
