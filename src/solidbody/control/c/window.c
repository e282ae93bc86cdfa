/* The robot's window, the window of robots that have none, and plugins of robots of metal. */

#include <stdarg.h>

#include "client.h"

/* ---------------------------------------------------------------------- text from and to the window */

static char **texts;
static int text_count;
static char *received; /* what was given to the program last */

void window_told(Slice text) {
  texts = realloc(texts, (size_t)(text_count + 1) * sizeof *texts);
  texts[text_count++] = text_of(text);
}

void forget_window(void) {
  for (int k = 0; k < text_count; k++) free(texts[k]);
  free(texts);
  free(received);
  texts = NULL;
  received = NULL;
  text_count = 0;
}

void wb_robot_wwi_send(const char *data, int size) {
  LOCK;
  if (!data || size <= 0) return;
  char *text = text_of((Slice){data, (uint32_t)size});
  ORDER(RobotWindowText, text);
  free(text);
}

const char *wb_robot_wwi_receive(int *size) {
  LOCK;
  free(received);
  received = text_count ? texts[0] : NULL;
  if (size) *size = received ? (int)strlen(received) + 1 : 0;
  if (received) memmove(texts, texts + 1, (size_t)--text_count * sizeof *texts);
  return received;
}

const char *wb_robot_wwi_receive_text(void) { return wb_robot_wwi_receive(NULL); }

void *wb_robot_window_custom_function(void *argument) {
  (void)argument;
  complain("Error: wbw_robot_window_custom_function is not defined");
  return NULL;
}

/* ---------------------------------------------------------------------- the window of robots that have none */

static Buffer json;
static bool is_shown, is_configured;

static void write_json(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memcpy(more(&json, (size_t)size), text, (size_t)size);
}

static void write_string(const char *text) {
  write_json("\"");
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') write_json("\\%c", *text);
    else if ((unsigned char)*text < 0x20) write_json("\\u%04x", *text);
    else write_json("%c", *text);
  }
  write_json("\"");
}

static void write_number(double value) {
  if (isfinite(value)) write_json("%.17g", value);
  else write_json("null");
}

static void send_json(void) {
  write_json("%c", 0);
  wb_robot_wwi_send((const char *)json.data, (int)json.size);
  json.size = 0;
}

/* Tells the window what the robot has. */
void wbu_default_robot_window_configure(void) {
  LOCK;
  json.size = 0;
  write_json("configure {\"type\":\"Robot\",\"name\":");
  write_string(wb_robot_get_name());
  write_json(",\"model\":");
  write_string(wb_robot_get_model());
  write_json(",\"basicTimeStep\":%g,\"devices\":[", robot.facts.basic_time_step);
  for (int tag = 1; tag <= robot.count; tag++) {
    const Device *d = robot.devices[tag];
    write_json("%s{\"type\":", tag > 1 ? "," : "");
    write_string(wb_node_get_name(d->node_type));
    write_json(",\"name\":");
    write_string(d->facts.plain.name.data);
    write_json(",\"model\":");
    write_string(d->facts.plain.model.data);
    if (d->type == WB_NODE_ROTATIONAL_MOTOR) {
      write_json(",\"minPosition\":");
      write_number(d->facts.motor.min_position);
      write_json(",\"maxPosition\":");
      write_number(d->facts.motor.max_position);
    }
    write_json("}");
  }
  write_json("]}");
  send_json();
  is_configured = true;
}

/* Tells the window what sensors that are on have measured, and where motors are to go. */
void wbu_default_robot_window_update(void) {
  LOCK;
  json.size = 0;
  write_json("update {\"time\":%g,\"devices\":{", robot.time);
  bool is_first = true;
  for (int tag = 1; tag <= robot.count; tag++) {
    const Device *d = robot.devices[tag];
    bool is_motor = d->type == WB_NODE_ROTATIONAL_MOTOR;
    if (!is_motor && (!d->period || isnan(d->values[0]))) continue;
    write_json("%s", is_first ? "" : ",");
    is_first = false;
    write_string(d->facts.plain.name.data);
    write_json(":{\"update\":[{\"time\":%g,\"value\":", robot.time);
    int count = 1;
    while (!is_motor && count < 8 && !isnan(d->values[count])) count++;
    if (count > 1) write_json("[");
    for (int k = 0; k < count; k++) {
      write_json("%s", k ? "," : "");
      write_number(is_motor ? d->target : d->values[k]);
    }
    if (count > 1) write_json("]");
    write_json("}]}");
  }
  write_json("}}");
  send_json();
}

/* Images do not go to this window. */
void wbu_default_robot_window_set_images_max_size(int max_width, int max_height) {
  (void)max_width;
  (void)max_height;
}

/* Obeys "NAME:enable", "NAME:disable" or, for a motor, "NAME:position=NUMBER". */
void wbu_generic_robot_window_parse_device_command(char *token, char *tokens) {
  LOCK;
  (void)tokens;
  char *rest = token, *name = wbu_string_strsep(&rest, ":");
  for (int tag = 1; name && rest && tag <= robot.count; tag++) {
    Device *d = robot.devices[tag];
    if (strcmp(d->facts.plain.name.data, name)) continue;
    if (d->type == WB_NODE_ROTATIONAL_MOTOR) {
      const char *value = strchr(rest, '=');
      if (value && !strncmp(rest, "position", 8)) wb_motor_set_position((WbDeviceTag)tag, atof(value + 1));
    } else if (!strncmp(rest, "enable", 6)) {
      enable(d, (int)robot.facts.basic_time_step, __func__);
    } else if (!strncmp(rest, "disable", 7)) {
      enable(d, 0, __func__);
    }
    return;
  }
}

Bool wbu_generic_robot_window_parse_device_control_command(char *first_token, char *tokens) {
  if (!first_token || !strchr(first_token, ':')) return 0;
  wbu_generic_robot_window_parse_device_command(first_token, tokens);
  return 1;
}

/* Takes a message of the window; returns whether it was one of those that all windows send. */
Bool wbu_generic_robot_window_handle_messages(const char *message) {
  LOCK;
  if (!message) return 0;
  if (!strncmp(message, "configure", 9)) {
    is_shown = true;
    wbu_default_robot_window_configure();
    return 1;
  }
  if (!strcmp(message, "shown") || !strcmp(message, "hidden")) {
    is_shown = *message == 's';
    return 1;
  }
  char *copy = strdup(message);
  Bool is_command = wbu_generic_robot_window_parse_device_control_command(copy, NULL);
  free(copy);
  return is_command;
}

void wbu_generic_robot_window_init(void) { is_shown = is_configured = false; }
Bool wbu_generic_robot_window_is_hidden(void) { return !is_shown; }
double wbu_generic_robot_window_refresh_rate(void) { return 0.064; }
Bool wbu_generic_robot_window_needs_update(void) { return is_shown && is_configured; }

void wbu_generic_robot_window_update(void) {
  static double last = -1.0;
  if (!wbu_generic_robot_window_needs_update() || (robot.time >= last && robot.time < last + 0.064)) return;
  last = robot.time;
  wbu_default_robot_window_update();
}

/* ---------------------------------------------------------------------- robots of metal */

void *wb_remote_control_custom_function(void *argument) {
  (void)argument;
  complain("Error: wbr_custom_function is not defined");
  return NULL;
}

#define TOLD(function, node, first, count)                                            \
  void function(WbDeviceTag tag, const double *values) {                              \
    DEVICE(node);                                                                     \
    if (d && values) memcpy(d->values + (first), values, (count) * sizeof(double));   \
  }
#define TOLD_ONE(function, node, member)          \
  void function(WbDeviceTag tag, double value) {  \
    DEVICE(node);                                 \
    if (d) d->member = value;                     \
  }
TOLD(wbr_accelerometer_set_values, ACCELEROMETER, 0, 3)
TOLD(wbr_compass_set_values, COMPASS, 0, 3)
TOLD(wbr_gps_set_values, GPS, 0, 3)
TOLD(wbr_gps_set_velocity_vector, GPS, 4, 3)
TOLD(wbr_gyro_set_values, GYRO, 0, 3)
TOLD(wbr_inertial_unit_set_values, INERTIAL_UNIT, 0, 4)
TOLD(wbr_touch_sensor_set_values, TOUCH_SENSOR, 0, 3)
TOLD_ONE(wbr_distance_sensor_set_value, DISTANCE_SENSOR, values[0])
TOLD_ONE(wbr_gps_set_speed, GPS, values[3])
TOLD_ONE(wbr_inertial_unit_set_value, INERTIAL_UNIT, values[0])
TOLD_ONE(wbr_light_sensor_set_value, LIGHT_SENSOR, values[0])
TOLD_ONE(wbr_motor_set_position_feedback, ROTATIONAL_MOTOR, target)
TOLD_ONE(wbr_motor_set_force_feedback, ROTATIONAL_MOTOR, feedback)
TOLD_ONE(wbr_motor_set_torque_feedback, ROTATIONAL_MOTOR, feedback)
TOLD_ONE(wbr_position_sensor_set_value, POSITION_SENSOR, values[0])
TOLD_ONE(wbr_touch_sensor_set_value, TOUCH_SENSOR, values[0])

void wbr_robot_battery_sensor_set_value(double value) {
  LOCK;
  if (value < 0.0) complain("Error: %s() received negative value, new value ignored.", __func__);
  else robot.battery = value;
}

/* Images and the like come from the simulator alone: these say so. */
static void ignore(WbDeviceTag tag, WbNodeType type, const char *function) {
  LOCK;
  if (device_of(tag, type, function)) complain("Error: %s(): only the simulation is supported.", function);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define IGNORED(node, result, function, value, ...)   \
  result function(WbDeviceTag tag, ##__VA_ARGS__) {   \
    ignore(tag, WB_NODE_##node, __func__);            \
    return value;                                     \
  }
IGNORED(CAMERA, void, wbr_camera_recognition_set_object, , const WbCameraRecognitionObject *objects, int object_number)
IGNORED(CAMERA, void, wbr_camera_set_image, , const unsigned char *image)
IGNORED(CAMERA, unsigned char *, wbr_camera_get_image_buffer, NULL)
IGNORED(DISPLAY, void, wbr_display_save_image, , int id, int width, int height, unsigned char *image)
IGNORED(LIDAR, void, wbr_lidar_set_image, , const float *image)
IGNORED(MICROPHONE, void, wbr_microphone_set_buffer, , const unsigned char *buffer, int size)
IGNORED(RADAR, void, wbr_radar_set_targets, , const WbRadarTarget *targets, int target_number)
IGNORED(RANGE_FINDER, void, wbr_range_finder_set_image, , const float *image)
#pragma GCC diagnostic pop
