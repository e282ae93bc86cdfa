/* Lamps, pens, connectors, grippers, speakers, and devices of which there are none. */

#include "client.h"

/* ---------------------------------------------------------------------- lamps and pens */

GET(int, wb_led_get, LED, d->led, 0)

void wb_led_set(WbDeviceTag tag, int value) {
  DEVICE(LED);
  if (!d) return;
  d->led = value;
  ORDER(LedSet, d->tag, value);
}

void wb_pen_write(WbDeviceTag tag, Bool write) {
  DEVICE(PEN);
  if (d) ORDER(PenWrite, d->tag, write != 0);
}

void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density) {
  DEVICE(PEN);
  if (!d) return;
  if (color < 0 || color > 0xffffff) complain("Error: %s(): 'color' argument out of bounds.", __func__);
  else if (!(density >= 0.0 && density <= 1.0)) complain("Error: %s(): 'density' argument out of bounds.", __func__);
  else ORDER(PenInk, d->tag, color, density);
}

/* ---------------------------------------------------------------------- connectors and grippers */

static void enable_presence(Device *d, int period, const char *function) {
  if (!d) return;
  if (period < 0) {
    complain("Error: %s() called with negative sampling period.", function);
    return;
  }
  d->presence_period = period;
  ORDER(PresenceEnable, d->tag, period);
}

#define PRESENCE(result, word, node, value)                                    \
  void wb_##word##_enable_presence(WbDeviceTag tag, int sampling_period) {     \
    DEVICE(node);                                                              \
    enable_presence(d, sampling_period, __func__);                             \
  }                                                                            \
  void wb_##word##_disable_presence(WbDeviceTag tag) {                         \
    DEVICE(node);                                                              \
    enable_presence(d, 0, __func__);                                           \
  }                                                                            \
  GET(int, wb_##word##_get_presence_sampling_period, node, d->presence_period, 0) \
  result wb_##word##_get_presence(WbDeviceTag tag) {                           \
    DEVICE(node);                                                              \
    if (d && !d->presence_period)                                              \
      complain("Error: %s() called for a disabled device! Please use: wb_" #word "_enable_presence().", __func__); \
    return d ? (value) : 0;                                                    \
  }
PRESENCE(int, connector, CONNECTOR, d->presence)
PRESENCE(Bool, vacuum_gripper, VACUUM_GRIPPER, d->presence != 0)
GET(Bool, wb_connector_is_locked, CONNECTOR, d->is_on, 0)
GET(Bool, wb_vacuum_gripper_is_on, VACUUM_GRIPPER, d->is_on, 0)

void wb_connector_lock(WbDeviceTag tag) {
  DEVICE(CONNECTOR);
  if (!d) return;
  if (d->facts.connector.kind == 2) { /* symmetric, active, passive */
    complain("Error: %s(): a passive connector cannot lock.", __func__);
    return;
  }
  d->is_on = true;
  ORDER(ConnectorLock, d->tag);
}

void wb_connector_unlock(WbDeviceTag tag) {
  DEVICE(CONNECTOR);
  if (!d) return;
  d->is_on = false;
  ORDER(ConnectorUnlock, d->tag);
}

void wb_vacuum_gripper_turn_on(WbDeviceTag tag) {
  DEVICE(VACUUM_GRIPPER);
  if (!d) return;
  d->is_on = true;
  ORDER(GripperOn, d->tag);
}

void wb_vacuum_gripper_turn_off(WbDeviceTag tag) {
  DEVICE(VACUUM_GRIPPER);
  if (!d) return;
  d->is_on = false;
  ORDER(GripperOff, d->tag);
}

/* ---------------------------------------------------------------------- speakers */

static const char *const engines[] = {"pico", "microsoft", NULL};
static const char *const languages[] = {"en-US", "en-UK", "de-DE", "es-ES", "fr-FR", "it-IT", NULL};

GET(const char *, wb_speaker_get_engine, SPEAKER, d->engine, "")
GET(const char *, wb_speaker_get_language, SPEAKER, d->language, "")
GET(Bool, wb_speaker_is_speaking, SPEAKER, d->speaks, 0)

static void forget_sounds(Device *d) {
  for (int k = 0; k < d->sound_count; k++) free(d->sounds[k]);
  d->sound_count = 0;
}

static void add_sound(Device *d, char *sound) {
  d->sounds = realloc(d->sounds, (size_t)(d->sound_count + 1) * sizeof *d->sounds);
  d->sounds[d->sound_count++] = sound;
}

void sounds_told(Device *d, List sounds, bool speaks) {
  forget_sounds(d);
  for (uint32_t k = 0; k < sounds.count; k++) add_sound(d, text_of(read_slice(&sounds.items)));
  if (!d->sound_count) {
    free(d->sounds);
    d->sounds = NULL;
  }
  d->speaks = speaks;
}

static bool plays(const Device *d, const char *sound) {
  for (int k = 0; k < d->sound_count; k++)
    if (!strcmp(d->sounds[k], sound)) return true;
  return false;
}

/* Returns a value within its range, after a word about one that is not; `a`: the article, where there is one. */
static double in_range(double value, double low, double high, const char *a, const char *name, const char *function) {
  if (value < low && low == 0.0)
    complain("Warning: %s() called with %snegative %s value: %g. Setting %s to 0.", function, a, name, value, name);
  else if (value < low || value > high)
    complain("Warning: %s() called with %s%s value %s than %g: %g. Setting %s to %g.", function, a, name,
             value < low ? "less" : "greater", value < low ? low : high, value, name, value < low ? low : high);
  return limited(value, low, high);
}

void wb_speaker_play_sound(WbDeviceTag left, WbDeviceTag right, const char *sound, double volume, double pitch,
                           double balance, Bool loop) {
  LOCK;
  const WbDeviceTag tags[2] = {left, right};
  Device *sides[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    if (tags[k] >= 1 && tags[k] <= robot.count && robot.devices[tags[k]]->type == WB_NODE_SPEAKER) {
      sides[k] = robot.devices[tags[k]];
    } else if (tags[k]) { /* 0 = nothing plays on this side */
      complain("Error: %s(): invalid '%s' device tag.", __func__, k ? "right" : "left");
      return;
    }
  }
  if (!sound || !*sound) {
    complain("Error: %s() called with NULL or empty 'sound' argument.", __func__);
    return;
  }
  volume = in_range(volume, 0.0, 1.0, "a ", "volume", __func__);
  pitch = in_range(pitch, 0.0, INFINITY, "a ", "pitch", __func__);
  balance = in_range(balance, -1.0, 1.0, "a ", "balance", __func__);
  if (!sides[0] && !sides[1]) return;
  for (int k = 0; k < 2; k++)
    if (!sides[k]) {
      sides[k] = sides[1 - k];
      volume *= fmin(1.0, k ? 1.0 - balance : 1.0 + balance);
      balance = 0.0;
    }
  if (volume <= 0.0) return;
  for (int k = 0; k < 2; k++)
    if (!plays(sides[k], sound)) add_sound(sides[k], strdup(sound));
  ORDER(SpeakerPlay, sides[0]->tag, sides[1]->tag, sound, volume, pitch, balance, loop != 0);
}

void wb_speaker_stop(WbDeviceTag tag, const char *sound) {
  DEVICE(SPEAKER);
  if (!d) return;
  if (!sound || !*sound) {
    forget_sounds(d);
    d->speaks = false;
  }
  for (int k = 0; k < d->sound_count; k++) {
    if (strcmp(d->sounds[k], sound)) continue;
    free(d->sounds[k]);
    d->sounds[k--] = d->sounds[--d->sound_count];
  }
  ORDER(SpeakerStop, d->tag, sound ? sound : "");
}

Bool wb_speaker_is_sound_playing(WbDeviceTag tag, const char *sound) {
  DEVICE(SPEAKER);
  if (!d) return 0;
  return sound && *sound ? plays(d, sound) : d->sound_count > 0 || d->speaks;
}

/* Returns one of some texts; NULL, with a message, if it is none of them. */
static const char *one_of(const char *const *known, const char *text, const char *name, const char *function) {
  for (; text && *known; known++)
    if (!strcmp(*known, text)) return *known;
  complain("Error: %s() called with an invalid '%s' argument: \"%s\".", function, name, text ? text : "");
  return NULL;
}

Bool wb_speaker_set_engine(WbDeviceTag tag, const char *engine) {
  DEVICE(SPEAKER);
  const char *found = d ? one_of(engines, engine, "engine", __func__) : NULL;
  if (found) d->engine = found;
  return found != NULL;
}

Bool wb_speaker_set_language(WbDeviceTag tag, const char *language) {
  DEVICE(SPEAKER);
  const char *found = d ? one_of(languages, language, "language", __func__) : NULL;
  if (found) d->language = found;
  return found != NULL;
}

void wb_speaker_speak(WbDeviceTag tag, const char *text, double volume) {
  DEVICE(SPEAKER);
  if (!d || !text) return;
  d->speaks = true;
  ORDER(SpeakerSpeak, d->tag, text, in_range(volume, 0.0, 1.0, "", "volume", __func__), d->language);
}

/* ---------------------------------------------------------------------- skins, which are not drawn */

static bool has_no_bones(const Device *d, const char *function) {
  if (d) complain("Error: %s(): solidbody does not animate skins.", function);
  return true;
}

static const double no_numbers[4] = {NAN, NAN, NAN, NAN};

#define SKIN(result, function, value, ...)            \
  result function(WbDeviceTag tag, ##__VA_ARGS__) {   \
    DEVICE(SKIN);                                     \
    has_no_bones(d, __func__);                        \
    return value;                                     \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SKIN(int, wb_skin_get_bone_count, 0)
SKIN(const char *, wb_skin_get_bone_name, "", int index)
SKIN(const double *, wb_skin_get_bone_orientation, no_numbers, int index, Bool absolute)
SKIN(const double *, wb_skin_get_bone_position, no_numbers, int index, Bool absolute)
SKIN(void, wb_skin_set_bone_orientation, , int index, const double orientation[4], Bool absolute)
SKIN(void, wb_skin_set_bone_position, , int index, const double position[3], Bool absolute)

/* ---------------------------------------------------------------------- microphones and radios: there are none */

/* Those of a world are devices of no type. */
static void is_none(WbDeviceTag tag, const char *kind, const char *function) {
  LOCK;
  const Device *d = device_of(tag, WB_NODE_NO_NODE, function);
  if (d && d->type == WB_NODE_NO_NODE) complain("Error: %s(): solidbody simulates no %s.", function, kind);
  else if (d) complain("Error: %s(): invalid device tag.", function);
}

#define NONE(kind, result, function, value, ...)      \
  result function(WbDeviceTag tag, ##__VA_ARGS__) {   \
    is_none(tag, kind, __func__);                     \
    return value;                                     \
  }
NONE("microphones", void, wb_microphone_enable, , int sampling_period)
NONE("microphones", void, wb_microphone_disable, )
NONE("microphones", int, wb_microphone_get_sampling_period, 0)
NONE("microphones", const void *, wb_microphone_get_sample_data, NULL)
NONE("microphones", int, wb_microphone_get_sample_size, 0)
NONE("radios", void, wb_radio_enable, , int sampling_period)
NONE("radios", void, wb_radio_disable, )
NONE("radios", void, wb_radio_set_address, , const char *address)
NONE("radios", const char *, wb_radio_get_address, NULL)
NONE("radios", void, wb_radio_set_frequency, , double hz)
NONE("radios", double, wb_radio_get_frequency, NAN)
NONE("radios", void, wb_radio_set_channel, , int channel)
NONE("radios", int, wb_radio_get_channel, -1)
NONE("radios", void, wb_radio_set_bitrate, , int bits_per_second)
NONE("radios", int, wb_radio_get_bitrate, -1)
NONE("radios", void, wb_radio_set_rx_sensitivity, , double dBm)
NONE("radios", double, wb_radio_get_rx_sensitivity, NAN)
NONE("radios", void, wb_radio_set_tx_power, , double dBm)
NONE("radios", double, wb_radio_get_tx_power, NAN)
NONE("radios", void, wb_radio_set_callback, , void (*callback)(const WbRadioEvent))
NONE("radios", void, wb_radio_send, , const WbRadioMessage message, double delay)
WbDeviceTag wb_radio_event_get_radio(const WbRadioEvent event) { return 0; }
char *wb_radio_event_get_data(const WbRadioEvent event) { return NULL; }
int wb_radio_event_get_data_size(const WbRadioEvent event) { return 0; }
char *wb_radio_event_get_emitter(const WbRadioEvent event) { return NULL; }
double wb_radio_event_get_rssi(const WbRadioEvent event) { return NAN; }
#pragma GCC diagnostic pop

typedef struct {
  int length;
  char *body, *destination;
} RadioMessage;

WbRadioMessage wb_radio_message_new(int length, const char *body, const char *destination) {
  RadioMessage *message = calloc(1, sizeof *message);
  message->length = length > 0 ? length : 0;
  message->body = calloc((size_t)message->length + 1, 1);
  if (body) memcpy(message->body, body, (size_t)message->length);
  message->destination = destination ? strdup(destination) : NULL;
  return message;
}

void wb_radio_message_delete(WbRadioMessage message) {
  RadioMessage *old = message;
  if (!old) return;
  free(old->body);
  free(old->destination);
  free(old);
}

const char *wb_radio_message_get_destination(WbRadioMessage message) { return ((RadioMessage *)message)->destination; }
int wb_radio_message_get_length(WbRadioMessage message) { return ((RadioMessage *)message)->length; }
const char *wb_radio_message_get_body(WbRadioMessage message) { return ((RadioMessage *)message)->body; }
