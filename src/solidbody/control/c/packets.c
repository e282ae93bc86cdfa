/* Emitters and receivers. */

#include "client.h"

typedef struct Packet_ {
  struct Packet_ *next;
  int size;
  double signal, direction[3];
  _Alignas(16) char data[]; /* programs read numbers in it */
} Held;

struct Packets {
  Held *first, *last;
  int count;
};

/* ---------------------------------------------------------------------- channels */

static void set_channel(Device *d, int32_t *channel, List allowed, int wanted, const char *function) {
  if (wanted < -1) {
    complain("Error: %s() called with an invalid channel=%d. Please use a channel inside the range [-1,inf).", function, wanted);
    return;
  }
  bool is_allowed = !allowed.count;
  for (uint32_t k = 0; k < allowed.count; k++) is_allowed |= read_int(&allowed.items) == wanted;
  if (!is_allowed) {
    complain("Error: %s() called with channel=%d, which is not between allowed channels.", function, wanted);
    return;
  }
  *channel = wanted;
  ORDER(RadioChannel, d->tag, wanted);
}

/* ---------------------------------------------------------------------- emitters */

GET(int, wb_emitter_get_buffer_size, EMITTER, (int)d->facts.emitter.buffer_size, -1)
GET(int, wb_emitter_get_channel, EMITTER, d->facts.emitter.channel, -1)
GET(double, wb_emitter_get_range, EMITTER, d->facts.emitter.range, NAN)

int wb_emitter_send(WbDeviceTag tag, const void *data, int size) {
  DEVICE(EMITTER);
  if (!d) return 0;
  if (!data) {
    complain("Error: %s(): invalid argument: data = NULL.", __func__);
    return 0;
  }
  if (size < 1) {
    complain("Error: %s(): invalid size=%d argument.", __func__, size);
    return 0;
  }
  int64_t room = d->facts.emitter.buffer_size;
  if (room != -1 && d->waiting + size > room) return 0;
  d->waiting += size;
  ORDER(EmitterSend, d->tag, data, (size_t)size);
  return 1;
}

void wb_emitter_set_channel(WbDeviceTag tag, int channel) {
  DEVICE(EMITTER);
  if (d) set_channel(d, &d->facts.emitter.channel, d->facts.emitter.allowed_channels, channel, __func__);
}

void wb_emitter_set_range(WbDeviceTag tag, double range) {
  DEVICE(EMITTER);
  if (!d) return;
  double most = d->facts.emitter.max_range;
  if (isnan(range) || (range < 0.0 && range != -1.0)) {
    complain("Error: %s(): invalid range=%f argument.", __func__, range);
    return;
  }
  if (most != -1.0 && (range == -1.0 || range > most)) range = most;
  d->facts.emitter.range = range;
  ORDER(EmitterRange, d->tag, range);
}

/* ---------------------------------------------------------------------- receivers */

SENSOR(receiver, RECEIVER)
GET(int, wb_receiver_get_channel, RECEIVER, d->facts.receiver.channel, -1)

static void drop(Packets *packets) {
  Held *first = packets->first;
  packets->first = first->next;
  packets->count--;
  if (!packets->first) packets->last = NULL;
  free(first);
}

void packets_clear(Device *d) {
  while (d->packets && d->packets->first) drop(d->packets);
}

void packets_told(Device *d, List packets) {
  if (!d->packets) d->packets = keep(sizeof *d->packets);
  for (uint32_t k = 0; k < packets.count; k++) {
    Packet one;
    if (!read_fields(&packets.items, &layout_Packet, &one)) return;
    Held *held = malloc(sizeof *held + one.data.size + 1);
    held->next = NULL;
    held->size = (int)one.data.size;
    held->signal = one.signal;
    memcpy(held->direction, one.direction, sizeof held->direction);
    memcpy(held->data, one.data.data, one.data.size);
    held->data[one.data.size] = 0;
    if (d->packets->last) d->packets->last->next = held;
    else d->packets->first = held;
    d->packets->last = held;
    d->packets->count++;
  }
}

void wb_receiver_set_channel(WbDeviceTag tag, int channel) {
  DEVICE(RECEIVER);
  if (d) set_channel(d, &d->facts.receiver.channel, d->facts.receiver.allowed_channels, channel, __func__);
}

int wb_receiver_get_queue_length(WbDeviceTag tag) {
  DEVICE(RECEIVER);
  if (!d) return -1;
  is_on(d, "receiver", __func__);
  return d->packets ? d->packets->count : 0;
}

/* Returns the first packet; NULL, with a message, if there is none. */
static const Held *first_packet(const Device *d, const char *function) {
  if (!d || (d->packets && d->packets->first)) return d ? d->packets->first : NULL;
  if (is_on(d, "receiver", function)) complain("Error: %s(): the receiver queue is empty.", function);
  return NULL;
}

void wb_receiver_next_packet(WbDeviceTag tag) {
  DEVICE(RECEIVER);
  if (!d || !d->packets || !d->packets->first) return;
  drop(d->packets);
  ORDER(ReceiverNext, d->tag);
}

int wb_receiver_get_data_size(WbDeviceTag tag) {
  DEVICE(RECEIVER);
  const Held *first = first_packet(d, __func__);
  return first ? first->size : -1;
}

const void *wb_receiver_get_data(WbDeviceTag tag) {
  DEVICE(RECEIVER);
  const Held *first = first_packet(d, __func__);
  return first ? first->data : NULL;
}

double wb_receiver_get_signal_strength(WbDeviceTag tag) {
  DEVICE(RECEIVER);
  const Held *first = first_packet(d, __func__);
  return first ? first->signal : NAN;
}

const double *wb_receiver_get_emitter_direction(WbDeviceTag tag) {
  DEVICE(RECEIVER);
  const Held *first = first_packet(d, __func__);
  return first ? first->direction : NULL;
}
