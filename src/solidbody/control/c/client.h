/* What all parts of the library share: the robot, its devices, and how the simulator is asked. */

#ifndef SB_CLIENT_H
#define SB_CLIENT_H

/* Programs see `bool` as a char, which may hold any number: so these functions take and return `Bool`. */
#pragma GCC visibility push(default)
#include <webots/accelerometer.h>
#include <webots/altimeter.h>
#include <webots/brake.h>
#include <webots/camera.h>
#include <webots/compass.h>
#include <webots/connector.h>
#include <webots/console.h>
#include <webots/device.h>
#include <webots/differential_wheels.h>
#include <webots/display.h>
#include <webots/distance_sensor.h>
#include <webots/emitter.h>
#include <webots/gps.h>
#include <webots/gyro.h>
#include <webots/inertial_unit.h>
#include <webots/joystick.h>
#include <webots/keyboard.h>
#include <webots/led.h>
#include <webots/lidar.h>
#include <webots/light_sensor.h>
#include <webots/microphone.h>
#include <webots/motor.h>
#include <webots/mouse.h>
#include <webots/pen.h>
#include <webots/plugins/robot_window/default.h>
#include <webots/plugins/robot_window/generic_robot_window/generic.h>
#include <webots/plugins/robot_window/robot_window.h>
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/position_sensor.h>
#include <webots/radar.h>
#include <webots/radio.h>
#include <webots/range_finder.h>
#include <webots/receiver.h>
#include <webots/remote_control.h>
#include <webots/robot.h>
#include <webots/servo.h>
#include <webots/skin.h>
#include <webots/speaker.h>
#include <webots/supervisor.h>
#include <webots/touch_sensor.h>
#include <webots/utils/motion.h>
#include <webots/utils/string.h>
#include <webots/utils/system.h>
#include <webots/vacuum_gripper.h>
#pragma GCC visibility pop
#undef bool
#undef true
#undef false
#undef wb_supervisor_node_get_number_of_contact_points
typedef char Bool;

#include <math.h>

#include "link.h"
#include "wire_messages.h"

/* ---------------------------------------------------------------------- devices */

typedef struct {
  void *data;
  size_t size;
} Memory;

/* An image or the like that the simulator has made: the number of the last one, and of the one that was read. */
typedef struct {
  uint32_t told, read;
  Memory memory;
  const char *path; /* of the file */
} Picture;

typedef struct Packets Packets;

typedef struct {
  uint32_t tag;
  WbNodeType type; /* of motors, that of rotational ones */
  WbNodeType node_type;
  const Layout *layout;
  AnyFacts facts, initial, told; /* texts and lists are of the library */
  int period;                    /* [ms] 0 = off */
  double values[8];              /* last sample */
  int value_count;
  double angles[3];
  /* motors */
  int feedback_period;
  double feedback, target, velocity, acceleration, available;
  /* images */
  Picture image, segments, points;
  void *black;
  double since; /* [s] when it was turned on first */
  int reads;    /* images in a row that were read */
  bool wants, is_here;
  int recognition_period;
  uint32_t objects_told, objects_read;
  WbCameraRecognitionObject *objects;
  int object_count;
  bool is_segmenting, has_cloud;
  /* radio */
  Packets *packets;
  int64_t waiting;
  /* the rest */
  WbRadarTarget *targets;
  int target_count;
  int presence_period, presence;
  bool is_on; /* locked, or holding */
  int led;
  bool is_drawn, has_camera; /* displays */
  int last_image;
  char **sounds;
  int sound_count;
  bool speaks;
  const char *engine, *language;
} Device;

/* ---------------------------------------------------------------------- the robot */

typedef struct {
  bool is_ready;   /* it has been introduced */
  bool is_pending; /* between step_begin and step_end */
  bool is_over;    /* the simulation has ended, or the connection is lost */
  Buffer said;     /* orders since the last exchange */
  uint32_t mark;   /* messages before a request */
  uint32_t turn;   /* exchanges so far */
  bool has_drawn;
  Welcome facts;
  const char *model, *custom_data;
  double time;
  Device **devices; /* by tag, from 1 on */
  int count;
  double battery;
  int battery_period;
  uint32_t events;
} Robot;

extern Robot robot;

/* All functions that programs call hold one lock; it is given back where the scope ends. */
int lock(void);
void unlock(const int *held);
#define LOCK __attribute__((cleanup(unlock), unused)) int held_ = lock()

/* Writes a line for the user; nothing once the simulation is over. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory that lives until wb_robot_cleanup. */
void *keep(size_t size);
char *keep_text(Slice text);

/* Returns a device; NULL, with a message, if the tag is none of such a device. */
Device *device_of(WbDeviceTag tag, WbNodeType type, const char *function);
#define DEVICE(node) \
  LOCK;              \
  Device *d = device_of(tag, WB_NODE_##node, __func__)

/* Getters and setters of one line. */
#define GET(result, function, node, value, otherwise) \
  result function(WbDeviceTag tag) {                  \
    DEVICE(node);                                     \
    return d ? (value) : (otherwise);                 \
  }

/* Whether a device samples; says so if it does not. `prefix`: of its functions. */
bool is_on(const Device *d, const char *prefix, const char *function);

/* Enables a sensor, unless the period is negative. */
void enable(Device *d, int period, const char *function);

/* enable, disable and get_sampling_period of a sensor. */
#define SENSOR(word, node)                                             \
  void wb_##word##_enable(WbDeviceTag tag, int sampling_period) {      \
    DEVICE(node);                                                      \
    if (d) enable(d, sampling_period, __func__);                       \
  }                                                                    \
  void wb_##word##_disable(WbDeviceTag tag) {                          \
    DEVICE(node);                                                      \
    if (d) enable(d, 0, __func__);                                     \
  }                                                                    \
  GET(int, wb_##word##_get_sampling_period, node, d->period, 0)

/* ---------------------------------------------------------------------- asking */

/* Where orders go; they are carried out with the next request. */
Buffer *orders(void);
#define ORDER(message, ...) say_##message(orders(), __VA_ARGS__)

/* The answer to a request; number 0 = there is none. Its bytes are valid until the next exchange. */
typedef struct {
  uint16_t number;
  Reader fields;
} Reply;

bool begin_ask(const char *function);
Reply finish_ask(void);
#define ASK_FOR(function, message, ...) \
  (begin_ask(function) ? (say_##message(&robot.said, ##__VA_ARGS__), finish_ask()) : (Reply){0})
#define ASK(message, ...) ASK_FOR(__func__, message, ##__VA_ARGS__)

bool reply_is(Reply reply, const Layout *layout, void *out);
bool bool_of(Reply reply);
int int_of(Reply reply, int otherwise);
/* A text to be freed; NULL = no answer. */
char *reply_text(Reply reply);
/* Fills in NaN where there is no answer. */
const double *doubles_of(Reply reply, double *out, uint32_t count);

/* Lets the simulation advance; returns what wb_robot_step does. */
int step(double milliseconds);

/* ---------------------------------------------------------------------- parts that hear news */

void device_reset(Device *d);
void hear_report(Device *d, uint16_t number, Reader *r);
void hear_user(uint16_t number, Reader *r);
void images_reset(Device *d);
void images_read_all(Device *d);
void image_told(Device *d, uint32_t number);
void packets_told(Device *d, List packets);
void packets_clear(Device *d);
void sounds_told(Device *d, List sounds, bool speaks);
void echoes_told(Device *d, List echoes);
void window_told(Slice text);
void motions_advance(int step);
void forget_nodes(void);
void forget_inputs(void);
void forget_window(void);
bool is_supervisor(const char *function);
/* A path that does not depend on the working folder, to be freed. */
char *absolute(const char *path);
double limited(double value, double low, double high);

#endif
