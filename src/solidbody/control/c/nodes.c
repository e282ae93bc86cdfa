#include "nodes.h"

/* ---------------------------------------------------------------------- pointers that programs have */

typedef struct {
  const void *pointer;
  char kind;
} Given;
static Given *given;
static size_t given_room, given_count;

static Given *place_of(const void *pointer) {
  size_t at = ((uintptr_t)pointer >> 4) * 2654435761u % given_room;
  while (given[at].pointer && given[at].pointer != pointer) at = (at + 1) % given_room;
  return &given[at];
}

void give(const void *pointer, char kind) {
  if (2 * (given_count + 1) > given_room) {
    Given *old = given;
    size_t count = given_room;
    given_room = given_room ? 2 * given_room : 256;
    given = calloc(given_room, sizeof *given);
    for (size_t k = 0; k < count; k++)
      if (old[k].pointer) *place_of(old[k].pointer) = old[k];
    free(old);
  }
  *place_of(pointer) = (Given){pointer, kind};
  given_count++;
}

bool is_given(const void *pointer, char kind) {
  return pointer && given_room && place_of(pointer)->pointer == pointer && place_of(pointer)->kind == kind;
}

bool is_supervisor(const char *function) {
  if (robot.facts.supervisor) return true;
  complain("Error: ignoring illegal call to %s() in a 'Robot' controller.", function);
  complain("Error: this function can only be used in a 'Supervisor' controller.");
  return false;
}

bool is_text(const char *text, const char *name, const char *function) {
  if (text && *text) return true;
  complain("Error: %s() called with NULL or empty '%s' argument.", function, name);
  return false;
}

bool is_node(const void *node, const char *name, const char *function) {
  if (!is_supervisor(function)) return false;
  if (is_given(node, NODE)) return true;
  if (!robot.is_over) complain("Error: %s() called with NULL or invalid '%s' argument.", function, name);
  return false;
}

/* ---------------------------------------------------------------------- finding nodes */

enum { BUCKETS = 1024 };
static WbNodeRef nodes[BUCKETS];
static WbProtoRef protos;

/* Returns the text as it was, if it is the same: programs may hold it. */
static const char *renewed(const char *old, Slice now) {
  return old && strlen(old) == now.size && !memcmp(old, now.data, now.size) ? old : keep_text(now);
}

WbNodeRef node_of(Reply reply) {
  NodeFacts facts;
  if (!reply_is(reply, &layout_NodeFacts, &facts)) return NULL;
  WbNodeRef *place = &nodes[(unsigned)facts.number % BUCKETS], node = *place;
  while (node && node->id != facts.number) node = node->next;
  if (!node) {
    node = keep(sizeof *node);
    node->id = facts.number;
    node->next = *place;
    *place = node;
    give(node, NODE);
  }
  node->type = facts.kind;
  node->type_name = renewed(node->type_name, facts.type_name);
  node->base_type = renewed(node->base_type, facts.base_type);
  node->def = renewed(node->def, facts.def_name);
  node->is_proto = facts.is_proto;
  return node;
}

WbNodeRef node_numbered(int id, const char *function) {
  return id ? node_of(ASK_FOR(function, NodeFind, id)) : NULL;
}

void forget_nodes(void) {
  for (int k = 0; k < BUCKETS; k++) {
    for (WbNodeRef node = nodes[k]; node; node = node->next) {
      free(node->points);
      free(node->text);
    }
    nodes[k] = NULL;
  }
  protos = NULL;
  forget_fields();
  free(given);
  given = NULL;
  given_room = given_count = 0;
}

#define NODE_QUESTION(function, message)      \
  WbNodeRef function(void) {                  \
    LOCK;                                     \
    return is_supervisor(__func__) ? node_of(ASK(message)) : NULL; \
  }
NODE_QUESTION(wb_supervisor_node_get_root, NodeRoot)
NODE_QUESTION(wb_supervisor_node_get_self, NodeSelf)
NODE_QUESTION(wb_supervisor_node_get_selected, NodeSelected)

WbNodeRef wb_supervisor_node_get_from_id(int id) {
  LOCK;
  if (!is_supervisor(__func__)) return NULL;
  if (id < 0) {
    complain("Error: %s() called with negative 'id' argument.", __func__);
    return NULL;
  }
  return node_of(ASK(NodeFromId, id));
}

WbNodeRef wb_supervisor_node_get_from_device(WbDeviceTag tag) {
  LOCK;
  if (!is_supervisor(__func__)) return NULL;
  if (tag > robot.count) {
    complain("Error: %s() called with invalid 'tag' argument.", __func__);
    return NULL;
  }
  return node_of(ASK(NodeFromDevice, tag));
}

WbNodeRef wb_supervisor_node_get_from_def(const char *def) {
  LOCK;
  return is_supervisor(__func__) && is_text(def, "def", __func__) ? node_of(ASK(NodeFromDef, def)) : NULL;
}

WbNodeRef wb_supervisor_node_get_from_proto_def(WbNodeRef node, const char *def) {
  LOCK;
  if (!is_node(node, "node", __func__) || !is_text(def, "def", __func__)) return NULL;
  if (!node->is_proto) {
    complain("Error: %s(): 'node' is not a PROTO node.", __func__);
    return NULL;
  }
  return node_of(ASK(NodeFromProtoDef, node->id, def));
}

/* ---------------------------------------------------------------------- what a node is */

#define NODE_GET(result, function, value, otherwise)            \
  result function(WbNodeRef node) {                             \
    LOCK;                                                       \
    return is_node(node, "node", __func__) ? (value) : (otherwise); \
  }
NODE_GET(WbNodeRef, wb_supervisor_node_get_parent_node, node_of(ASK(NodeParent, node->id)), NULL)
NODE_GET(int, wb_supervisor_node_get_id, int_of(ASK(NodePresent, node->id), -1), -1)
NODE_GET(WbNodeType, wb_supervisor_node_get_type, node->type, WB_NODE_NO_NODE)
NODE_GET(const char *, wb_supervisor_node_get_def, node->def, "")
NODE_GET(const char *, wb_supervisor_node_get_type_name, node->type_name, "")
NODE_GET(const char *, wb_supervisor_node_get_base_type_name, node->base_type, "")
NODE_GET(Bool, wb_supervisor_node_is_proto, node->is_proto, 0)
NODE_GET(Bool, wb_supervisor_node_get_static_balance, bool_of(ASK(NodeStaticBalance, node->id)), 0)

const char *wb_supervisor_node_export_string(WbNodeRef node) {
  LOCK;
  if (!is_node(node, "node", __func__)) return "";
  char *text = reply_text(ASK(NodeExport, node->id));
  free(node->text);
  node->text = text;
  return text ? text : "";
}

/* ---------------------------------------------------------------------- where it is, how it moves */

static const double nowhere[16] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

#define NODE_NUMBERS(function, message, member, count) \
  NODE_GET(const double *, function, doubles_of(ASK(message, node->id), node->member, count), nowhere)
NODE_NUMBERS(wb_supervisor_node_get_position, NodePosition, position, 3)
NODE_NUMBERS(wb_supervisor_node_get_orientation, NodeOrientation, orientation, 9)
NODE_NUMBERS(wb_supervisor_node_get_velocity, NodeVelocity, velocity, 6)
NODE_NUMBERS(wb_supervisor_node_get_center_of_mass, NodeCenterOfMass, center, 3)

const double *wb_supervisor_node_get_pose(WbNodeRef node, WbNodeRef from_node) {
  LOCK;
  if (!is_node(node, "node", __func__) || (from_node && !is_node(from_node, "from_node", __func__))) return nowhere;
  return doubles_of(ASK(NodePose, node->id, from_node ? &from_node->id : NULL), node->pose, 16);
}

/* Whether tracking can be turned on; values are those of now, tracked or not. */
static bool is_period(int period, const char *function) {
  if (period <= 0) complain("Error: %s() called with negative sampling period.", function);
  return period > 0;
}

void wb_supervisor_node_enable_pose_tracking(WbNodeRef node, int sampling_period, WbNodeRef from_node) {
  LOCK;
  if (is_node(node, "node", __func__) && (!from_node || is_node(from_node, "from_node", __func__)))
    is_period(sampling_period, __func__);
}

void wb_supervisor_node_disable_pose_tracking(WbNodeRef node, WbNodeRef from_node) {
  LOCK;
  if (is_node(node, "node", __func__) && from_node) is_node(from_node, "from_node", __func__);
}

void wb_supervisor_node_enable_contact_points_tracking(WbNodeRef node, int sampling_period, Bool include_descendants) {
  LOCK;
  (void)include_descendants;
  if (is_node(node, "node", __func__)) is_period(sampling_period, __func__);
}

void wb_supervisor_node_disable_contact_points_tracking(WbNodeRef node) {
  LOCK;
  is_node(node, "node", __func__);
}

void wb_supervisor_node_enable_contact_point_tracking(WbNodeRef node, int sampling_period, Bool include_descendants) {
  wb_supervisor_node_enable_contact_points_tracking(node, sampling_period, include_descendants);
}

void wb_supervisor_node_disable_contact_point_tracking(WbNodeRef node, Bool include_descendants) {
  (void)include_descendants;
  wb_supervisor_node_disable_contact_points_tracking(node);
}

/* ---------------------------------------------------------------------- contact points */

static void fetch_points(WbNodeRef node, bool descendants, const char *function) {
  ContactPoints found;
  Reply reply = ASK_FOR(function, NodeContactPoints, node->id, descendants);
  free(node->points);
  node->points = NULL;
  node->point_count = 0;
  if (!reply_is(reply, &layout_ContactPoints, &found)) return;
  node->points = calloc(found.value.count + 1, sizeof *node->points);
  for (uint32_t k = 0; k < found.value.count; k++) {
    ContactFacts one;
    if (!read_fields(&found.value.items, &layout_ContactFacts, &one)) return;
    node->points[node->point_count++] = (WbContactPoint){{one.x, one.y, one.z}, one.node};
  }
}

WbContactPoint *wb_supervisor_node_get_contact_points(WbNodeRef node, Bool include_descendants, int *size) {
  LOCK;
  if (size) *size = 0;
  if (!is_node(node, "node", __func__)) return NULL;
  fetch_points(node, include_descendants != 0, __func__);
  if (size) *size = node->point_count;
  return node->points;
}

int wb_supervisor_node_get_number_of_contact_points(WbNodeRef node, Bool include_descendants) {
  LOCK;
  if (!is_node(node, "node", __func__)) return -1;
  fetch_points(node, include_descendants != 0, __func__);
  return node->point_count;
}

/* One of the points that were counted last; all that there are, if none were. */
static const WbContactPoint *point_of(WbNodeRef node, int index, const char *function) {
  if (!is_node(node, "node", function)) return NULL;
  if (!node->points) fetch_points(node, true, function);
  return index >= 0 && index < node->point_count ? &node->points[index] : NULL;
}

const double *wb_supervisor_node_get_contact_point(WbNodeRef node, int index) {
  LOCK;
  const WbContactPoint *point = point_of(node, index, __func__);
  return point ? memcpy(node->point, point->point, sizeof node->point) : nowhere;
}

WbNodeRef wb_supervisor_node_get_contact_point_node(WbNodeRef node, int index) {
  LOCK;
  const WbContactPoint *point = point_of(node, index, __func__);
  return point ? node_numbered(point->node_id, __func__) : NULL;
}

/* ---------------------------------------------------------------------- orders */

static bool are_numbers(const double *values, int count, const char *function) {
  if (!values) {
    complain("Error: %s() called with NULL argument.", function);
    return false;
  }
  for (int k = 0; k < count; k++)
    if (isnan(values[k])) {
      complain("Error: %s() called with a NaN value.", function);
      return false;
    }
  return true;
}

void wb_supervisor_node_set_velocity(WbNodeRef node, const double velocity[6]) {
  LOCK;
  if (is_node(node, "node", __func__) && are_numbers(velocity, 6, __func__)) ORDER(NodeSetVelocity, node->id, velocity);
}

void wb_supervisor_node_add_force(WbNodeRef node, const double force[3], Bool relative) {
  LOCK;
  if (is_node(node, "node", __func__) && are_numbers(force, 3, __func__)) ORDER(NodeAddForce, node->id, force, relative != 0);
}

void wb_supervisor_node_add_force_with_offset(WbNodeRef node, const double force[3], const double offset[3], Bool relative) {
  LOCK;
  if (is_node(node, "node", __func__) && are_numbers(force, 3, __func__) && are_numbers(offset, 3, __func__))
    ORDER(NodeAddForceAt, node->id, force, offset, relative != 0);
}

void wb_supervisor_node_add_torque(WbNodeRef node, const double torque[3], Bool relative) {
  LOCK;
  if (is_node(node, "node", __func__) && are_numbers(torque, 3, __func__)) ORDER(NodeAddTorque, node->id, torque, relative != 0);
}

void wb_supervisor_node_set_joint_position(WbNodeRef node, double position, int index) {
  LOCK;
  if (is_node(node, "node", __func__) && are_numbers(&position, 1, __func__)) ORDER(NodeJointPosition, node->id, position, index);
}

void wb_supervisor_node_remove(WbNodeRef node) {
  LOCK;
  if (!is_node(node, "node", __func__)) return;
  if (node->type == WB_NODE_VIEWPOINT || node->type == WB_NODE_WORLD_INFO) {
    complain("Error: %s() called with a Viewpoint or WorldInfo node.", __func__);
    return;
  }
  ORDER(NodeRemove, node->id);
}

#define NODE_ORDER(function, message)                       \
  void function(WbNodeRef node) {                           \
    LOCK;                                                   \
    if (is_node(node, "node", __func__)) ORDER(message, node->id); \
  }
NODE_ORDER(wb_supervisor_node_reset_physics, NodeResetPhysics)
NODE_ORDER(wb_supervisor_node_restart_controller, NodeRestartController)
NODE_ORDER(wb_supervisor_node_move_viewpoint, NodeMoveViewpoint)

void wb_supervisor_node_save_state(WbNodeRef node, const char *state_name) {
  LOCK;
  if (is_node(node, "node", __func__) && is_text(state_name, "state_name", __func__)) ORDER(NodeSaveState, node->id, state_name);
}

void wb_supervisor_node_load_state(WbNodeRef node, const char *state_name) {
  LOCK;
  if (is_node(node, "node", __func__) && is_text(state_name, "state_name", __func__)) ORDER(NodeLoadState, node->id, state_name);
}

void wb_supervisor_node_set_visibility(WbNodeRef node, WbNodeRef from, Bool visible) {
  LOCK;
  if (is_node(node, "node", __func__) && is_node(from, "from", __func__))
    ORDER(NodeSetVisibility, node->id, from->id, visible != 0);
}

/* ---------------------------------------------------------------------- fields of nodes and PROTOs */

static WbFieldRef find_field(int node, int level, const char *name, const char *function) {
  return is_text(name, "field_name", function) ? field_of(ASK_FOR(function, FieldFind, node, level, name)) : NULL;
}

static WbFieldRef field_numbered(int node, int level, int index, const char *function) {
  if (index < 0) {
    complain("Error: %s() called with a negative 'index' argument.", function);
    return NULL;
  }
  return field_of(ASK_FOR(function, FieldByIndex, node, level, index));
}

#define NODE_FIELDS(one, by_index, number, level)                                                            \
  WbFieldRef one(WbNodeRef node, const char *field_name) {                                                   \
    LOCK;                                                                                                    \
    return is_node(node, "node", __func__) ? find_field(node->id, level, field_name, __func__) : NULL;       \
  }                                                                                                          \
  WbFieldRef by_index(WbNodeRef node, int index) {                                                           \
    LOCK;                                                                                                    \
    return is_node(node, "node", __func__) ? field_numbered(node->id, level, index, __func__) : NULL;        \
  }                                                                                                          \
  NODE_GET(int, number, int_of(ASK(FieldNumber, node->id, level), 0), -1)
NODE_FIELDS(wb_supervisor_node_get_field, wb_supervisor_node_get_field_by_index, wb_supervisor_node_get_number_of_fields, OWN_LEVEL)
NODE_FIELDS(wb_supervisor_node_get_base_node_field, wb_supervisor_node_get_base_node_field_by_index,
            wb_supervisor_node_get_number_of_base_node_fields, BASE_LEVEL)
NODE_FIELDS(wb_supervisor_node_get_proto_field, wb_supervisor_node_get_proto_field_by_index,
            wb_supervisor_node_get_proto_number_of_fields, BASE_LEVEL)

WbProtoRef proto_of(Reply reply) {
  ProtoFacts facts;
  if (!reply_is(reply, &layout_ProtoFacts, &facts)) return NULL;
  WbProtoRef proto = protos;
  while (proto && (proto->node != facts.node || proto->level != facts.level)) proto = proto->next;
  if (!proto) {
    proto = keep(sizeof *proto);
    proto->node = facts.node;
    proto->level = facts.level;
    proto->next = protos;
    protos = proto;
    give(proto, PROTO);
  }
  proto->name = renewed(proto->name, facts.name);
  proto->is_derived = facts.is_derived;
  return proto;
}

bool is_proto(const void *proto, const char *function) {
  if (!is_supervisor(function)) return false;
  if (is_given(proto, PROTO)) return true;
  complain("Error: %s() called with a NULL or invalid 'proto' argument.", function);
  return false;
}

#define PROTO_GET(result, function, value, otherwise) \
  result function(WbProtoRef proto) {                 \
    LOCK;                                             \
    return is_proto(proto, __func__) ? (value) : (otherwise); \
  }
NODE_GET(WbProtoRef, wb_supervisor_node_get_proto, proto_of(ASK(NodeProto, node->id, 0)), NULL)
PROTO_GET(const char *, wb_supervisor_proto_get_type_name, proto->name, "")
PROTO_GET(Bool, wb_supervisor_proto_is_derived, proto->is_derived, 0)
PROTO_GET(WbProtoRef, wb_supervisor_proto_get_parent, proto_of(ASK(NodeProto, proto->node, proto->level + 1)), NULL)
PROTO_GET(int, wb_supervisor_proto_get_number_of_fields, int_of(ASK(FieldNumber, proto->node, proto->level), 0), -1)

WbFieldRef wb_supervisor_proto_get_field(WbProtoRef proto, const char *field_name) {
  LOCK;
  return is_proto(proto, __func__) ? find_field(proto->node, proto->level, field_name, __func__) : NULL;
}

WbFieldRef wb_supervisor_proto_get_field_by_index(WbProtoRef proto, int index) {
  LOCK;
  return is_proto(proto, __func__) ? field_numbered(proto->node, proto->level, index, __func__) : NULL;
}
