#include "client.h"

#include <pthread.h>
#include <stdarg.h>
#include <unistd.h>

Robot robot = {.battery = NAN};

enum { FRAME_HEAD = 10 }; /* length, number of the turn, how many messages */

/* ---------------------------------------------------------------------- the lock, memory, messages */

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_mutex(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &kind);
}

int lock(void) {
  pthread_once(&once, make_mutex);
  pthread_mutex_lock(&mutex);
  return 1;
}

void unlock(const int *held) {
  (void)held;
  pthread_mutex_unlock(&mutex);
}

void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

typedef struct Kept {
  struct Kept *next;
  _Alignas(16) char data[];
} Kept;
static Kept *kept;

void *keep(size_t size) {
  Kept *one = calloc(1, sizeof *one + size);
  if (!one) {
    fputs("Error: there is no memory left\n", stderr);
    exit(EXIT_FAILURE);
  }
  one->next = kept;
  kept = one;
  return one->data;
}

char *keep_text(Slice text) {
  char *out = keep(text.size + 1);
  memcpy(out, text.data, text.size);
  return out;
}

/* ---------------------------------------------------------------------- facts of devices */

static size_t field_size(const FieldLayout *field) {
  switch (field->code) {
    case 'B': return 1;
    case 't': return sizeof(bool);
    case 'H': return 2;
    case 'I':
    case 'i': return 4;
    case 'q':
    case 'd': return 8;
    case 'D': return 8 * (size_t)field->item;
    case 's': return sizeof(Slice);
    default: return sizeof(List);
  }
}

static bool is_same(const FieldLayout *field, const void *a, const void *b) {
  if (field->code == 's') {
    const Slice *x = a, *y = b;
    return x->size == y->size && !memcmp(x->data, y->data, x->size);
  }
  if (field->code == 'L') {
    const List *x = a, *y = b;
    return x->count == y->count && (!x->count || !memcmp(x->items.at, y->items.at, x->count * (size_t)field->item));
  }
  return !memcmp(a, b, field_size(field));
}

/* Lets texts and lists of a struct live on after the frame that they were read from. */
static void own(const Layout *layout, void *facts) {
  for (int k = 0; k < layout->count; k++) {
    void *at = (char *)facts + layout->fields[k].offset;
    if (layout->fields[k].code == 's') {
      Slice *text = at;
      text->data = keep_text(*text);
    } else if (layout->fields[k].code == 'L' && layout->fields[k].item <= 8) {
      List *list = at;
      size_t size = list->count * (size_t)layout->fields[k].item;
      void *copy = keep(size);
      if (size) memcpy(copy, list->items.at, size);
      list->items = (Reader){copy, (uint8_t *)copy + size, false};
    }
  }
}

/* A device is new, or its fields have changed: those that a program has set since are kept. */
static void hear_device(Reader *r) {
  uint16_t number = read_number(r);
  const Layout *layout = layout_of(number);
  AnyFacts facts;
  memset(&facts, 0, sizeof facts);
  if (!layout || layout->size > sizeof facts || !read_fields(r, layout, &facts)) {
    r->failed = true;
    return;
  }
  own(layout, &facts);
  int tag = (int)facts.plain.tag;
  if (tag >= 1 && tag <= robot.count) {
    Device *d = robot.devices[tag];
    for (int k = 0; k < layout->count && layout == d->layout; k++) {
      const FieldLayout *field = &layout->fields[k];
      const char *now = (char *)&facts + field->offset;
      if (!is_same(field, now, (char *)&d->told + field->offset))
        memcpy((char *)&d->facts + field->offset, now, field_size(field));
    }
    d->told = facts;
    return;
  }
  robot.count++;
  robot.devices = realloc(robot.devices, (size_t)(robot.count + 1) * sizeof *robot.devices);
  Device *d = robot.devices[robot.count] = keep(sizeof *d);
  d->tag = facts.plain.tag;
  d->node_type = d->type = facts.plain.type;
  if (d->type == WB_NODE_LINEAR_MOTOR) d->type = WB_NODE_ROTATIONAL_MOTOR;
  d->layout = layout;
  d->facts = d->initial = d->told = facts;
  device_reset(d);
}

Device *device_of(WbDeviceTag tag, WbNodeType type, const char *function) {
  if (tag >= 1 && tag <= robot.count && (robot.devices[tag]->type == type || type == WB_NODE_NO_NODE))
    return robot.devices[tag];
  complain("Error: %s(): invalid device tag.", function);
  return NULL;
}

bool is_on(const Device *d, const char *prefix, const char *function) {
  if (!d->period)
    complain("Error: %s() called for a disabled device! Please use: wb_%s_enable().", function, prefix);
  return d->period != 0;
}

/* ---------------------------------------------------------------------- asking */

static void reset_said(void) {
  robot.said.size = 0;
  robot.said.count = 0;
  robot.turn++;
  more(&robot.said, FRAME_HEAD);
}

static bool send_said(void) {
  uint32_t size = (uint32_t)robot.said.size - 4;
  uint16_t number = M_Turn;
  memcpy(robot.said.data, &size, 4);
  memcpy(robot.said.data + 4, &number, 2);
  memcpy(robot.said.data + 6, &robot.said.count, 4);
  bool sent = link_send(robot.said.data, robot.said.size);
  reset_said();
  if (!sent) robot.is_over = true;
  return sent;
}

Buffer *orders(void) {
  if (!robot.said.size) reset_said();
  if (robot.said.count >= MOST_SAID - 64 || robot.said.size > FRAME_LIMIT / 4) { /* too much for one turn */
    if (robot.is_pending) reset_said();
    else send_said();
  }
  return &robot.said;
}

static void show_displays(void) {
  if (!robot.has_drawn) return;
  robot.has_drawn = false;
  for (int tag = 1; tag <= robot.count; tag++) {
    Device *d = robot.devices[tag];
    if (d->is_drawn) ORDER(DisplayShow, d->tag);
    d->is_drawn = false;
  }
}

bool begin_ask(const char *function) {
  if (!robot.is_ready || !link_is_open()) return false;
  if (robot.is_pending) {
    complain("Warning: %s(): functions with immediate requests to Webots cannot be implemented in-between "
             "wb_robot_step_begin() and wb_robot_step_end()!", function);
    return false;
  }
  show_displays();
  robot.mark = orders()->count;
  return true;
}

static void hear_notes(List notes) {
  for (uint32_t k = 0; k < notes.count; k++) {
    Slice note = read_slice(&notes.items);
    fprintf(stderr, "%.*s\n", (int)note.size, note.data);
  }
}

static void lose(Reader *answer, uint16_t number) {
  Refusal refusal;
  if (number == M_Refusal && read_fields(answer, &layout_Refusal, &refusal))
    complain("Error: the simulator has sent this program away: %.*s", (int)refusal.text.size, refusal.text.data);
  link_close();
  robot.is_over = true;
}

Reply finish_ask(void) {
  Reply none = {0};
  if (robot.said.count == robot.mark || !send_said()) return none;
  Reader answer = link_receive();
  Answer fields;
  uint16_t number = answer.failed ? 0 : read_number(&answer);
  if (number != M_Answer || !read_fields(&answer, &layout_Answer, &fields)) {
    lose(&answer, number);
    return none;
  }
  hear_notes(fields.notes);
  if (fields.problem.size) complain("Error: %.*s", (int)fields.problem.size, fields.problem.data);
  if (!fields.result.count) return none;
  Reply reply = {.fields = fields.result.items};
  reply.number = read_number(&reply.fields);
  return reply;
}

bool reply_is(Reply reply, const Layout *layout, void *out) {
  return reply.number == layout->number && read_fields(&reply.fields, layout, out);
}

bool bool_of(Reply reply) {
  AnswerBool answer;
  return reply_is(reply, &layout_AnswerBool, &answer) && answer.value;
}

int int_of(Reply reply, int otherwise) {
  AnswerInt answer;
  return reply_is(reply, &layout_AnswerInt, &answer) ? answer.value : otherwise;
}

char *reply_text(Reply reply) {
  AnswerText answer;
  return reply_is(reply, &layout_AnswerText, &answer) ? text_of(answer.value) : NULL;
}

const double *doubles_of(Reply reply, double *out, uint32_t count) {
  AnswerNumbers answer;
  for (uint32_t k = 0; k < count; k++) out[k] = NAN;
  if (reply_is(reply, &layout_AnswerNumbers, &answer))
    read_doubles(&answer.value.items, out, answer.value.count < count ? answer.value.count : count);
  return out;
}

/* ---------------------------------------------------------------------- steps */

typedef struct {
  uint32_t width, count;
  Device **devices;
} Block;
static Block *blocks;
static uint32_t block_count;

static void set_block(Reader *r) {
  ReportBlock block;
  if (!read_fields(r, &layout_ReportBlock, &block) || block.block > 1 << 16) return;
  if (block.block >= block_count) {
    blocks = realloc(blocks, (block.block + 1) * sizeof *blocks);
    memset(blocks + block_count, 0, (block.block + 1 - block_count) * sizeof *blocks);
    block_count = block.block + 1;
  }
  Block *to = &blocks[block.block];
  to->devices = realloc(to->devices, (block.tags.count + 1) * sizeof *to->devices);
  to->width = block.width;
  to->count = 0;
  for (uint32_t k = 0; k < block.tags.count; k++) {
    int tag = read_int(&block.tags.items);
    if (tag >= 1 && tag <= robot.count) to->devices[to->count++] = robot.devices[tag];
  }
}

/* Takes the sample of a sensor, or the feedback of a motor. */
static void take_sample(Device *d, Reader *r, uint32_t count) {
  double values[8];
  uint32_t taken = count < 8 ? count : 8;
  read_doubles(r, values, taken);
  r->at += 8 * (size_t)(count - taken);
  if (d->type == WB_NODE_ROTATIONAL_MOTOR) d->feedback = values[0];
  else memcpy(d->values, values, 8 * taken);
}

static void hear_numbers(Reader *r) {
  uint32_t number = (uint32_t)read_int(r), count = (uint32_t)read_int(r);
  Block *block = number < block_count ? &blocks[number] : NULL;
  if (!block || block->width * block->count != count || (size_t)(r->end - r->at) < 8 * (size_t)count) {
    r->failed = true;
    return;
  }
  for (uint32_t k = 0; k < block->count; k++) take_sample(block->devices[k], r, block->width);
}

static void hear_robot(Reader *r) {
  NewsRobot news;
  if (!read_fields(r, &layout_NewsRobot, &news)) return;
  robot.model = keep_text(news.model);
  robot.facts.supervisor = news.supervisor;
}

/* Takes in what a step has told. */
static void hear(uint16_t number, Reader *r) {
  switch (number) {
    case M_ReportNumbers: hear_numbers(r); return;
    case M_ReportBlock: set_block(r); return;
    case M_ReportValue: {
      uint32_t tag = (uint32_t)read_int(r), count = (uint32_t)read_int(r);
      if (tag < 1 || tag > (uint32_t)robot.count || (size_t)(r->end - r->at) < 8 * (size_t)count) r->failed = true;
      else take_sample(robot.devices[tag], r, count);
      return;
    }
    case M_Note: hear_notes((List){1, *r}); read_slice(r); return;
    case M_NewsReset:
      for (int tag = 1; tag <= robot.count; tag++) {
        robot.devices[tag]->facts = robot.devices[tag]->initial;
        device_reset(robot.devices[tag]);
      }
      return;
    case M_NewsRobot: hear_robot(r); return;
    case M_NewsCustomData: robot.custom_data = keep_text(read_slice(r)); return;
    case M_NewsDevice: hear_device(r); return;
    case M_NewsWindowText: window_told(read_slice(r)); return;
    case M_NewsBattery: robot.battery = read_double(r); return;
    case M_NewsEvents: robot.events |= (uint32_t)read_int(r); return;
    case M_NewsKeyboard:
    case M_NewsMouse:
    case M_NewsJoystick: hear_user(number, r); return;
    default: { /* a report of one device */
      Reader peek = *r;
      uint32_t tag = (uint32_t)read_int(&peek);
      if (tag < 1 || tag > (uint32_t)robot.count) r->failed = true;
      else hear_report(robot.devices[tag], number, r);
    }
  }
}

static int hear_step(void) {
  Reader answer = link_receive();
  uint16_t number = answer.failed ? 0 : read_number(&answer);
  StepAnswer fields;
  if (number != M_StepAnswer || !read_fields(&answer, &layout_StepAnswer, &fields)) {
    lose(&answer, number);
    return -1;
  }
  robot.time = fields.time;
  Reader *told = &fields.told.items;
  for (uint32_t k = 0; k < fields.told.count; k++) {
    number = read_number(told);
    hear(number, told);
    if (told->failed) {
      complain("Error: the simulator speaks another version of the protocol (message %d)", number);
      lose(told, 0);
      return -1;
    }
  }
  if (fields.status == -1) robot.is_over = true;
  return fields.status;
}

static bool begin_step(double milliseconds) {
  show_displays();
  say_Step(orders(), milliseconds);
  return send_said();
}

int step(double milliseconds) {
  if (robot.is_over || !link_is_open()) return -1;
  return begin_step(milliseconds) ? hear_step() : -1;
}

/* Once the simulation is over, or the program has cleaned up, a step returns -1; a program that asks for
   another one is ended. */
static bool may_step(const char *function) {
  static bool was_told;
  if (!robot.is_ready && !robot.is_over) {
    complain("Error: %s() called before wb_robot_init().", function);
    return false;
  }
  if (!robot.is_over && link_is_open()) return true;
  if (was_told) exit(EXIT_SUCCESS);
  was_told = true;
  return false;
}

int wb_robot_step(int duration) {
  LOCK;
  if (!may_step(__func__)) return -1;
  if (robot.is_pending) {
    complain("Warning: %s() called multiple times before calling wb_robot_step_end().", "wb_robot_step_begin");
    return -1;
  }
  if (duration > 0) motions_advance(duration);
  int status = step(duration);
  if (status == -1) may_step(__func__);
  return status;
}

int wb_robot_step_begin(int duration) {
  LOCK;
  if (!may_step(__func__)) return -1;
  if (robot.is_pending) {
    complain("Warning: %s() called multiple times before calling wb_robot_step_end().", __func__);
    return -1;
  }
  for (int tag = 1; tag <= robot.count; tag++) images_read_all(robot.devices[tag]); /* nothing is answered until the end */
  if (duration > 0) motions_advance(duration);
  robot.is_pending = true;
  return begin_step(duration) ? 0 : -1;
}

int wb_robot_step_end(void) {
  LOCK;
  if (!robot.is_pending) {
    complain("Warning: %s() called multiple times before calling wb_robot_step_begin().", __func__);
    return -1;
  }
  robot.is_pending = false;
  int status = link_is_open() ? hear_step() : -1;
  if (status == -1) may_step(__func__);
  return status;
}

/* ---------------------------------------------------------------------- beginning and end */

/* Sends what was ordered after the last step. */
static void leave(void) {
  LOCK;
  if (!robot.is_ready || !link_is_open()) return;
  if (!robot.is_pending) {
    show_displays();
    if (robot.said.count) send_said();
  }
  link_close();
}

int wb_robot_init(void) {
  LOCK;
  if (robot.is_ready) return 1;
  setvbuf(stdout, NULL, _IONBF, 0);
  setvbuf(stderr, NULL, _IONBF, 0);
  Reader first = link_open();
  uint16_t number = read_number(&first);
  Refusal refusal;
  if (number == M_Refusal && read_fields(&first, &layout_Refusal, &refusal)) {
    complain("Error: %.*s", (int)refusal.text.size, refusal.text.data);
    exit(EXIT_FAILURE);
  }
  if (number != M_Welcome || !read_fields(&first, &layout_Welcome, &robot.facts)) {
    complain("Error: the simulator speaks another version of the protocol");
    exit(EXIT_FAILURE);
  }
  own(&layout_Welcome, &robot.facts);
  link_use_mailbox(robot.facts.mailbox);
  robot.time = robot.facts.time;
  robot.model = robot.facts.model.data;
  robot.custom_data = robot.facts.custom_data.data;
  for (uint32_t k = 0; k < robot.facts.devices.count && !robot.facts.devices.items.failed; k++)
    hear_device(&robot.facts.devices.items);
  robot.is_ready = true;
  static bool is_registered;
  if (!is_registered) atexit(leave);
  is_registered = true;
  step(0.0);
  return 1;
}

int wb_robot_init_msvc(void) { return wb_robot_init(); }

void wb_robot_cleanup(void) {
  LOCK;
  leave();
  if (!robot.is_ready) return;
  forget_nodes();
  forget_inputs();
  forget_window();
  for (int tag = 1; tag <= robot.count; tag++) device_reset(robot.devices[tag]);
  for (uint32_t k = 0; k < block_count; k++) free(blocks[k].devices);
  free(blocks);
  blocks = NULL;
  block_count = 0;
  free(robot.devices);
  free(robot.said.data);
  robot = (Robot){.battery = NAN, .is_over = true};
  while (kept) {
    Kept *next = kept->next;
    free(kept);
    kept = next;
  }
}
