#include "wire.h"

#include <math.h>

/* ---------------------------------------------------------------------- told */

const Layout *layout_of(uint16_t number) {
  static const Layout *known[512];
  if (number >= 512) return NULL;
  if (!known[0]) { /* no message has this number: it marks the table as made */
    for (int k = 0; k < layout_count; k++) known[all_layouts[k]->number] = all_layouts[k];
    known[0] = all_layouts[0];
  }
  return number ? known[number] : NULL;
}

static const uint8_t *take(Reader *r, size_t size) {
  static const uint8_t nothing[128];
  if ((size_t)(r->end - r->at) < size) {
    r->at = r->end;
    r->failed = true;
    return size <= sizeof nothing ? nothing : NULL;
  }
  const uint8_t *at = r->at;
  r->at += size;
  return at;
}

#define READ(name, type)                    \
  static type name(Reader *r) {             \
    type value;                             \
    memcpy(&value, take(r, sizeof value), sizeof value); \
    return value;                           \
  }
READ(read_u8, uint8_t)
READ(read_u16, uint16_t)
READ(read_u32, uint32_t)
READ(read_i64, int64_t)
READ(read_f64, double)

uint16_t read_number(Reader *r) { return read_u16(r); }
double read_double(Reader *r) { return read_f64(r); }
int32_t read_int(Reader *r) { return (int32_t)read_u32(r); }

void read_doubles(Reader *r, double *out, uint32_t count) {
  const uint8_t *from = take(r, 8 * (size_t)count);
  if (from && count) memcpy(out, from, 8 * (size_t)count);
}

Slice read_slice(Reader *r) {
  uint32_t size = read_u32(r);
  const uint8_t *data = take(r, size);
  return r->failed ? (Slice){"", 0} : (Slice){(const char *)data, size};
}

static void skip_member(Reader *r) {
  _Alignas(16) char scratch[1024];
  const Layout *layout = layout_of(read_u16(r));
  if (!layout || layout->size > sizeof scratch) {
    r->failed = true;
    return;
  }
  read_fields(r, layout, scratch);
}

static List read_list(Reader *r, const FieldLayout *field, bool is_last) {
  uint32_t count = read_u32(r);
  List list = {count, *r};
  if (is_last && field->item == '@') {
    r->at = r->end; /* all else in the frame is of the list; whoever reads it looks at each item */
    return list;
  }
  if (field->item <= 8) {
    take(r, (size_t)count * (size_t)field->item);
  } else {
    for (uint32_t k = 0; k < count && !r->failed; k++) {
      _Alignas(16) char scratch[512];
      if (field->item == 's') read_slice(r);
      else if (field->item == '@') skip_member(r);
      else read_fields(r, field->part, scratch);
    }
  }
  if (r->failed) list.count = 0;
  return list;
}

static Value read_value(Reader *r) {
  Value value = {.kind = read_u8(r)};
  switch (value.kind) {
    case VALUE_BOOL: value.whole = read_u8(r); break;
    case VALUE_WHOLE: value.whole = read_i64(r); break;
    case VALUE_REAL: value.reals[0] = read_f64(r); break;
    case VALUE_REALS:
      value.count = read_u32(r);
      if (value.count > 16) r->failed = true;
      else read_doubles(r, value.reals, value.count);
      break;
    case VALUE_TEXT: value.text = read_slice(r); break;
    default: r->failed = true;
  }
  return value;
}

bool read_fields(Reader *r, const Layout *layout, void *out) {
  for (int k = 0; k < layout->count; k++) {
    const FieldLayout *field = &layout->fields[k];
    void *to = (char *)out + field->offset;
    switch (field->code) {
      case 'B': *(uint8_t *)to = read_u8(r); break;
      case 't': *(bool *)to = read_u8(r) != 0; break;
      case 'H': *(uint16_t *)to = read_u16(r); break;
      case 'I':
      case 'i': *(uint32_t *)to = read_u32(r); break;
      case 'q': *(int64_t *)to = read_i64(r); break;
      case 'd': *(double *)to = read_f64(r); break;
      case 'D': read_doubles(r, to, (uint32_t)field->item); break;
      case 's': *(Slice *)to = read_slice(r); break;
      case 'v': *(Value *)to = read_value(r); break;
      case 'o': {
        Maybe *maybe = to;
        maybe->is = read_u8(r) != 0;
        maybe->value = maybe->is ? read_u32(r) : 0;
        break;
      }
      case '@': {
        List *list = to;
        *list = (List){0, *r};
        if (read_u16(r)) {
          *r = list->items;
          skip_member(r);
          list->count = !r->failed;
        }
        break;
      }
      default: *(List *)to = read_list(r, field, k == layout->count - 1);
    }
  }
  return !r->failed;
}

char *text_of(Slice slice) {
  char *text = malloc(slice.size + 1);
  memcpy(text, slice.data, slice.size);
  text[slice.size] = 0;
  return text;
}

/* ---------------------------------------------------------------------- said */

uint8_t *more(Buffer *b, size_t size) {
  if (b->size + size > b->room) {
    b->room = 2 * (b->size + size) + 256;
    b->data = realloc(b->data, b->room);
    if (!b->data) {
      fputs("Error: there is no memory left for what the robot says\n", stderr);
      exit(EXIT_FAILURE);
    }
  }
  uint8_t *at = b->data + b->size;
  b->size += size;
  return at;
}

bool is_sendable(double value, bool finite, const char *what) {
  if (!isnan(value) && !(finite && isinf(value))) return true;
  fprintf(stderr, "Error: %s: %g does not fit: it is not %s; nothing is sent\n", what, value,
          finite ? "finite" : "a number");
  return false;
}

void put_bytes(Buffer *b, const void *data, size_t size, size_t most) {
  if (size > most) {
    fprintf(stderr, "Error: %zu bytes are more than the %zu allowed; the rest is left out\n", size, most);
    size = most;
  }
  put_uint32_t(b, (uint32_t)size);
  if (size) memcpy(more(b, size), data, size);
}

/* Returns how many bytes a character of UTF-8 has; 0 if there is none. */
static size_t character(const unsigned char *text) {
  size_t size = *text < 0x80 ? 1 : *text >= 0xc2 && *text < 0xe0 ? 2 : (*text & 0xf0) == 0xe0 ? 3 : *text >= 0xf0 && *text < 0xf5 ? 4 : 0;
  for (size_t k = 1; k < size; k++)
    if ((text[k] & 0xc0) != 0x80) return 0;
  if (size == 3 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0))) return 0;
  if (size == 4 && ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))) return 0;
  return size;
}

void put_text(Buffer *b, const char *text, size_t most) {
  size_t start = b->size;
  put_bytes(b, text ? text : "", text ? strlen(text) : 0, most);
  unsigned char *at = b->data + start + 4, *end = b->data + b->size;
  more(b, 4); /* so that a character that is cut off can be looked at */
  memset(end, 0, 4);
  b->size -= 4;
  while (at < end) { /* other bytes, of Latin-1 perhaps, would be refused */
    size_t size = character(at);
    if (!size) *at = '?';
    at += size ? size : 1;
  }
}

void put_value(Buffer *b, const Value *value) {
  put_uint8_t(b, (uint8_t)value->kind);
  switch (value->kind) {
    case VALUE_BOOL: put_bool(b, value->whole != 0); break;
    case VALUE_WHOLE: put_int64_t(b, value->whole); break;
    case VALUE_REAL: put_double(b, value->reals[0]); break;
    case VALUE_REALS: put_list(b, value->reals, value->count, 8); break;
    default: put_text(b, value->text.data, 32u << 20);
  }
}
