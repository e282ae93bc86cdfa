/* Nodes, fields and PROTOs that a supervisor has asked for. */

#ifndef SB_NODES_H
#define SB_NODES_H

#include "client.h"

enum { OWN_LEVEL = -1, BASE_LEVEL = -2 }; /* fields of a node itself, and of what a PROTO has become */

struct WbNodeStructPrivate {
  int id;
  WbNodeType type;
  const char *type_name, *base_type, *def;
  bool is_proto;
  WbNodeRef next;
  double position[3], orientation[9], pose[16], velocity[6], center[3], point[3];
  WbContactPoint *points;
  int point_count;
  char *text;
};

struct WbProtoInfoStructPrivate {
  int node, level;
  const char *name;
  bool is_derived;
  WbProtoRef next;
};

/* Whether a pointer is one that programs were given; says so if it is not. */
bool is_node(const void *node, const char *name, const char *function);
bool is_field(const void *field, const char *function);
bool is_proto(const void *proto, const char *function);

/* The node that the simulator has described, always the same pointer; NULL = none. */
WbNodeRef node_of(Reply reply);
WbNodeRef node_numbered(int id, const char *function);
WbProtoRef proto_of(Reply reply);
WbFieldRef field_of(Reply reply);

/* Remembers a pointer that programs are given. */
enum { NODE = 'n', FIELD = 'f', PROTO = 'p' };
void give(const void *pointer, char kind);
bool is_given(const void *pointer, char kind);
void forget_fields(void);

/* Whether a text was given; says so if it was not. */
bool is_text(const char *text, const char *name, const char *function);

#endif
