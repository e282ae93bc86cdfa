/* Bytes of the controller protocol (docs/wire.md): putting messages together and taking them apart. */

#ifndef SB_WIRE_H
#define SB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the protocol is little-endian, and so must be the machine"
#endif

/* ---------------------------------------------------------------------- told */

/* Bytes in a frame; nothing is at their end. */
typedef struct {
  const char *data;
  uint32_t size;
} Slice;

/* Where reading goes on. After too little was there it stands at the end and has failed. */
typedef struct {
  const uint8_t *at, *end;
  bool failed;
} Reader;

/* Items in a frame, to be read one by one; of an optional message there is one or none. */
typedef struct {
  uint32_t count;
  Reader items;
} List;

typedef struct {
  bool is;
  uint32_t value;
} Maybe;

/* A value whose type is told with it. */
typedef struct {
  enum { VALUE_NONE, VALUE_BOOL, VALUE_WHOLE, VALUE_REAL, VALUE_REALS, VALUE_TEXT } kind;
  int64_t whole;
  double reals[16];
  uint32_t count;
  Slice text;
} Value;

typedef struct Layout Layout;

/* A field of a struct: `item` is the size of a list's items, or their code. */
typedef struct {
  char code, item;
  const Layout *part;
  uint16_t offset;
} FieldLayout;

struct Layout {
  uint16_t number;
  uint16_t count;
  uint32_t size;
  const FieldLayout *fields;
};

extern const Layout *const all_layouts[];
extern const int layout_count;

/* Returns the layout of a message; NULL for a number that is none. */
const Layout *layout_of(uint16_t number);

/* Reads the fields of a message into its struct; returns whether they were there. */
bool read_fields(Reader *r, const Layout *layout, void *out);

uint16_t read_number(Reader *r);
Slice read_slice(Reader *r);
double read_double(Reader *r);
int32_t read_int(Reader *r);
void read_doubles(Reader *r, double *out, uint32_t count);

/* Returns a text of its own, to be freed. */
char *text_of(Slice slice);

/* ---------------------------------------------------------------------- said */

/* A frame that grows; its first bytes are kept for what is known at the end. */
typedef struct {
  uint8_t *data;
  size_t size, room;
  uint32_t count; /* messages */
} Buffer;

/* Makes room for more bytes, and returns where they go. */
uint8_t *more(Buffer *b, size_t size);

/* Says why a number cannot be sent; returns whether it can. */
bool is_sendable(double value, bool finite, const char *what);

void put_text(Buffer *b, const char *text, size_t most);
void put_bytes(Buffer *b, const void *data, size_t size, size_t most);
void put_value(Buffer *b, const Value *value);

#define PUT(type)                                         \
  static inline void put_##type(Buffer *b, type value) {  \
    memcpy(more(b, sizeof value), &value, sizeof value);  \
  }
PUT(bool)
PUT(uint8_t)
PUT(uint16_t)
PUT(uint32_t)
PUT(int32_t)
PUT(int64_t)
PUT(double)
#undef PUT

static inline void put_doubles(Buffer *b, const double *values, size_t count) {
  memcpy(more(b, 8 * count), values, 8 * count);
}

static inline void put_list(Buffer *b, const void *items, uint32_t count, size_t size) {
  put_uint32_t(b, count);
  if (count) memcpy(more(b, size * count), items, size * count);
}

static inline void put_maybe_int32_t(Buffer *b, const int32_t *value) {
  put_bool(b, value != NULL);
  if (value) put_int32_t(b, *value);
}

static inline void put_maybe_path(Buffer *b, const char *path, size_t most) {
  put_bool(b, path != NULL);
  if (path) put_bytes(b, path, strlen(path), most);
}

static inline void begin_message(Buffer *b, uint16_t number) {
  put_uint16_t(b, number);
  b->count++;
}

#endif
