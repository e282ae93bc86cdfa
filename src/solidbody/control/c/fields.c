/* Fields of nodes: reading, setting, inserting. */

#include "nodes.h"

enum { UNKNOWN = -2 };

struct WbFieldStructPrivate {
  int node, level;
  const char *name, *type_name;
  WbFieldType type;
  int count; /* items of a list, as they were last; another program may have changed it */
  double values[4];
  char *text;
  WbFieldRef next;
};

enum { BUCKETS = 1024 };
static WbFieldRef fields[BUCKETS];

static unsigned bucket(int node, const char *name) {
  unsigned hash = (unsigned)node * 31u;
  while (*name) hash = hash * 33u + (unsigned char)*name++;
  return hash % BUCKETS;
}

WbFieldRef field_of(Reply reply) {
  FieldFacts facts;
  if (!reply_is(reply, &layout_FieldFacts, &facts)) return NULL;
  const char *name = keep_text(facts.name);
  WbFieldRef *place = &fields[bucket(facts.node, name)], field = *place;
  while (field && (field->node != facts.node || field->level != facts.level || strcmp(field->name, name)))
    field = field->next;
  if (field) return field;
  field = keep(sizeof *field);
  field->node = facts.node;
  field->level = facts.level;
  field->name = name;
  field->type = facts.kind;
  field->type_name = keep_text(facts.type_name);
  field->count = UNKNOWN;
  field->next = *place;
  *place = field;
  give(field, FIELD);
  return field;
}

void forget_fields(void) {
  for (int k = 0; k < BUCKETS; k++) {
    for (WbFieldRef field = fields[k]; field; field = field->next) free(field->text);
    fields[k] = NULL;
  }
}

bool is_field(const void *field, const char *function) {
  if (!is_supervisor(function)) return false;
  if (is_given(field, FIELD)) return true;
  if (!robot.is_over) complain("Error: %s() called with NULL 'field' argument.", function);
  return false;
}

#define PLACE field->node, field->level, field->name

/* ---------------------------------------------------------------------- what a field is */

#define FIELD_GET(result, function, value, otherwise) \
  result function(WbFieldRef field) {                 \
    LOCK;                                             \
    return is_field(field, __func__) ? (value) : (otherwise); \
  }
FIELD_GET(const char *, wb_supervisor_field_get_name, field->name, NULL)
FIELD_GET(WbFieldType, wb_supervisor_field_get_type, field->type, WB_NO_FIELD)
FIELD_GET(const char *, wb_supervisor_field_get_type_name, field->type_name, "")
FIELD_GET(WbFieldRef, wb_supervisor_field_get_actual_field, field_of(ASK(FieldActual, PLACE)), NULL)

static int fetch_count(WbFieldRef field, const char *function) {
  return field->count = int_of(ASK_FOR(function, FieldLength, PLACE), UNKNOWN);
}

int wb_supervisor_field_get_count(WbFieldRef field) {
  LOCK;
  if (!is_field(field, __func__)) return -1;
  if (!(field->type & WB_MF)) {
    complain("Error: %s() can only be used with multiple fields (MF).", __func__);
    return -1;
  }
  int count = fetch_count(field, __func__);
  return count < 0 ? -1 : count;
}

void wb_supervisor_field_enable_sf_tracking(WbFieldRef field, int sampling_period) {
  LOCK;
  if (!is_field(field, __func__)) return;
  if (field->type & WB_MF) complain("Error: %s() can only be used with single fields (SF).", __func__);
  else if (sampling_period <= 0) complain("Error: %s() called with negative sampling period.", __func__);
}

void wb_supervisor_field_disable_sf_tracking(WbFieldRef field) {
  LOCK;
  is_field(field, __func__);
}

/* ---------------------------------------------------------------------- checks */

static bool is_typed(WbFieldRef field, WbFieldType type, const char *function) {
  if (!is_field(field, function)) return false;
  if (field->type == type) return true;
  complain("Error: %s() called with wrong field type: %s.", function, field->type_name);
  return false;
}

/* Whether a list has a place of this number, which may count from its end; `extra`: one more can be inserted. */
static bool is_index(WbFieldRef field, int index, int extra, const char *function) {
  int count = field->count;
  for (int tries = 0; tries < 2; tries++) {
    if (count >= 0 && index >= -(count + extra) && index < count + extra) return true;
    if (!tries && (robot.is_pending || (count = fetch_count(field, function)) < 0)) return true; /* the simulator will tell */
  }
  complain("Error: %s() called with an out-of-bound index: %d (should be between %d and %d).", function, index, -(count + extra),
           count + extra - 1);
  return false;
}

static bool are_numbers(const double *values, int count, const char *function) {
  if (!values) complain("Error: %s() called with NULL argument.", function);
  for (int k = 0; values && k < count; k++) {
    if (!isnan(values[k])) continue;
    complain("Error: %s() called with a NaN value.", function);
    return false;
  }
  return values != NULL;
}

/* Whether numbers are a value of such a type. */
static bool is_value(WbFieldType type, const double *values, int count, const char *function) {
  if (!are_numbers(values, count, function)) return false;
  int single = type & ~WB_MF;
  if (single == WB_SF_COLOR) {
    for (int k = 0; k < 3; k++) {
      if (values[k] >= 0.0 && values[k] <= 1.0) continue;
      complain("Error: %s() called with invalid RGB values (outside [0,1] range).", function);
      return false;
    }
  }
  if (single == WB_SF_ROTATION && values[0] == 0.0 && values[1] == 0.0 && values[2] == 0.0) {
    complain("Error: %s() called with invalid values for the [x y z] axis.", function);
    return false;
  }
  return true;
}

/* ---------------------------------------------------------------------- reading */

static Value get(WbFieldRef field, WbFieldType type, const int *index, const char *function) {
  FieldContent content = {0};
  if (!is_typed(field, type, function) || (index && !is_index(field, *index, 0, function))) return content.value;
  Reply reply = ASK_FOR(function, FieldGet, PLACE, index);
  return reply_is(reply, &layout_FieldContent, &content) ? content.value : (Value){0};
}

static const double *get_numbers(WbFieldRef field, WbFieldType type, const int *index, const char *function) {
  Value value = get(field, type, index, function);
  if (value.kind != VALUE_REALS) return NULL;
  memcpy(field->values, value.reals, sizeof field->values);
  return field->values;
}

static const char *get_text(WbFieldRef field, WbFieldType type, const int *index, const char *function) {
  Value value = get(field, type, index, function);
  if (value.kind != VALUE_TEXT) return "";
  char *text = text_of(value.text);
  free(field->text);
  field->text = text;
  return text;
}

#define READ(result, word, TYPE, value)                                       \
  result wb_supervisor_field_get_sf_##word(WbFieldRef field) {                \
    LOCK;                                                                     \
    const int *index = NULL;                                                  \
    const WbFieldType type = WB_SF_##TYPE;                                    \
    return value;                                                             \
  }                                                                           \
  result wb_supervisor_field_get_mf_##word(WbFieldRef field, int index_) {    \
    LOCK;                                                                     \
    const int *index = &index_;                                               \
    const WbFieldType type = WB_MF_##TYPE;                                    \
    return value;                                                             \
  }
#define GOT get(field, type, index, __func__)
READ(Bool, bool, BOOL, GOT.whole != 0)
READ(int, int32, INT32, (int)GOT.whole)
READ(double, float, FLOAT, GOT.reals[0])
READ(const double *, vec2f, VEC2F, get_numbers(field, type, index, __func__))
READ(const double *, vec3f, VEC3F, get_numbers(field, type, index, __func__))
READ(const double *, rotation, ROTATION, get_numbers(field, type, index, __func__))
READ(const double *, color, COLOR, get_numbers(field, type, index, __func__))
READ(const char *, string, STRING, get_text(field, type, index, __func__))
READ(WbNodeRef, node, NODE, node_numbered((int)GOT.whole, __func__))

/* ---------------------------------------------------------------------- setting */

static struct {
  uint32_t turn;
  size_t start, end;
  WbFieldRef field;
  bool has_index;
  int index;
} last_set;

/* Sets a field; of two sets of the same in a row the last counts. */
static void put(WbFieldRef field, const int *index, const Value *value) {
  Buffer *said = orders();
  if (last_set.field == field && last_set.turn == robot.turn && last_set.end == said->size && last_set.has_index == (index != NULL) &&
      (!index || *index == last_set.index)) {
    said->size = last_set.start;
    said->count--;
  }
  last_set.turn = robot.turn;
  last_set.start = said->size;
  say_FieldSet(said, PLACE, index, value);
  last_set.end = said->size;
  last_set.field = field;
  last_set.has_index = index != NULL;
  last_set.index = index ? *index : 0;
}

static void insert(WbFieldRef field, int index, const Value *value) {
  ORDER(FieldInsert, PLACE, index, value);
  if (field->count >= 0) field->count++;
}

/* Setters of fields, of items of lists, and inserters; `fine` looks at the value, `made` is it in a message. */
#define WRITE(argument, word, TYPE, fine, ...)                                                     \
  void wb_supervisor_field_set_sf_##word(WbFieldRef field, argument) {                             \
    LOCK;                                                                                          \
    const WbFieldType type = WB_SF_##TYPE;                                                         \
    if (!is_typed(field, type, __func__) || !(fine)) return;                                       \
    Value made = __VA_ARGS__;                                                                      \
    put(field, NULL, &made);                                                                       \
  }                                                                                                \
  void wb_supervisor_field_set_mf_##word(WbFieldRef field, int index, argument) {                  \
    LOCK;                                                                                          \
    const WbFieldType type = WB_MF_##TYPE;                                                         \
    if (!is_typed(field, type, __func__) || !is_index(field, index, 0, __func__) || !(fine)) return; \
    Value made = __VA_ARGS__;                                                                      \
    put(field, &index, &made);                                                                     \
  }                                                                                                \
  void wb_supervisor_field_insert_mf_##word(WbFieldRef field, int index, argument) {               \
    LOCK;                                                                                          \
    const WbFieldType type = WB_MF_##TYPE;                                                         \
    if (!is_typed(field, type, __func__) || !is_index(field, index, 1, __func__) || !(fine)) return; \
    Value made = __VA_ARGS__;                                                                      \
    insert(field, index, &made);                                                                   \
  }

static bool is_string(const char *text, const char *function) {
  if (!text) complain("Error: %s() called with NULL string argument.", function);
  return text != NULL;
}

#define VECTOR(word, TYPE, size)                                                 \
  WRITE(const double values[size], word, TYPE, is_value(type, values, size, __func__), \
        {.kind = VALUE_REALS, .count = size, .reals = {values[0], values[1], values[size > 2 ? 2 : 0], values[size - 1]}})
WRITE(Bool value, bool, BOOL, type, {.kind = VALUE_BOOL, .whole = value != 0})
WRITE(int value, int32, INT32, type, {.kind = VALUE_WHOLE, .whole = value})
WRITE(double value, float, FLOAT, type && are_numbers(&value, 1, __func__), {.kind = VALUE_REAL, .reals = {value}})
VECTOR(vec2f, VEC2F, 2)
VECTOR(vec3f, VEC3F, 3)
VECTOR(rotation, ROTATION, 4)
VECTOR(color, COLOR, 3)
WRITE(const char *value, string, STRING, type && is_string(value, __func__), {.kind = VALUE_TEXT, .text = {value, 0}})

/* ---------------------------------------------------------------------- nodes in fields */

void wb_supervisor_field_remove_mf(WbFieldRef field, int index) {
  LOCK;
  if (!is_field(field, __func__)) return;
  if (!(field->type & WB_MF)) {
    complain("Error: %s() called with wrong field type: %s.", __func__, field->type_name);
    return;
  }
  if (field->count <= 0 && !fetch_count(field, __func__)) {
    complain("Error: %s() called for an empty field.", __func__);
    return;
  }
  if (!is_index(field, index, 0, __func__)) return;
  ORDER(FieldRemoveItem, PLACE, index);
  if (field->count > 0) field->count--;
}

void wb_supervisor_field_remove_mf_node(WbFieldRef field, int position) { wb_supervisor_field_remove_mf(field, position); }

void wb_supervisor_field_remove_sf(WbFieldRef field) {
  LOCK;
  if (is_typed(field, WB_SF_NODE, __func__)) ORDER(FieldRemoveNode, PLACE);
}

void wb_supervisor_field_import_mf_node_from_string(WbFieldRef field, int position, const char *node_string) {
  LOCK;
  if (!is_typed(field, WB_MF_NODE, __func__) || !is_text(node_string, "node_string", __func__)) return;
  if (!is_index(field, position, 1, __func__)) return;
  ORDER(FieldImportItem, PLACE, position, node_string);
  if (field->count >= 0) field->count++;
}

void wb_supervisor_field_import_sf_node_from_string(WbFieldRef field, const char *node_string) {
  LOCK;
  if (is_typed(field, WB_SF_NODE, __func__) && is_text(node_string, "node_string", __func__))
    ORDER(FieldImportNode, PLACE, node_string);
}

void wb_supervisor_field_import_mf_node(WbFieldRef field, int position, const char *filename) {
  LOCK;
  if (!is_typed(field, WB_MF_NODE, __func__) || !is_text(filename, "filename", __func__)) return;
  ORDER(FieldImportFile, PLACE, &position, filename);
  field->count = UNKNOWN;
}

void wb_supervisor_field_import_sf_node(WbFieldRef field, const char *filename) {
  LOCK;
  if (is_typed(field, WB_SF_NODE, __func__) && is_text(filename, "filename", __func__))
    ORDER(FieldImportFile, PLACE, NULL, filename);
}
