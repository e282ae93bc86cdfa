/* The robot itself, its battery, its user, and threads. */

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

/* ---------------------------------------------------------------------- facts */

#define FACT(result, function, value) \
  result function(void) {             \
    LOCK;                             \
    return value;                     \
  }
#define TEXT(text) ((text) ? (text) : "")
FACT(double, wb_robot_get_time, robot.time)
FACT(double, wb_robot_get_basic_time_step, robot.facts.basic_time_step)
FACT(const char *, wb_robot_get_name, TEXT(robot.facts.name.data))
FACT(const char *, wb_robot_get_model, TEXT(robot.model))
FACT(const char *, wb_robot_get_custom_data, TEXT(robot.custom_data))
FACT(const char *, wb_robot_get_project_path, TEXT(robot.facts.project_path.data))
FACT(const char *, wb_robot_get_world_path, TEXT(robot.facts.world_path.data))
FACT(const char *, wb_robot_get_controller_name, TEXT(robot.facts.controller.data))
FACT(Bool, wb_robot_get_supervisor, robot.facts.supervisor)
FACT(Bool, wb_robot_get_synchronization, robot.facts.synchronization)
FACT(WbRobotMode, wb_robot_get_mode, WB_MODE_SIMULATION)
FACT(int, wb_robot_get_number_of_devices, robot.count)
const char *wb_robot_get_data(void) { return wb_robot_get_custom_data(); }

void wb_robot_set_custom_data(const char *data) {
  LOCK;
  robot.custom_data = keep_text((Slice){TEXT(data), (uint32_t)strlen(TEXT(data))});
  ORDER(RobotCustomData, robot.custom_data);
}

void wb_robot_set_data(const char *data) { wb_robot_set_custom_data(data); }

void wb_robot_set_mode(WbRobotMode mode, const char *arg) {
  (void)arg;
  if (mode != WB_MODE_SIMULATION) complain("Error: Cannot set mode to %d.", mode);
}

const char *wb_robot_get_urdf(const char *prefix) {
  LOCK;
  static char *urdf;
  free(urdf);
  urdf = reply_text(ASK(RobotUrdf, TEXT(prefix)));
  return TEXT(urdf);
}

WbNodeType wb_robot_get_type(void) {
  LOCK;
  for (int tag = 1; tag <= robot.count && robot.facts.is_old; tag++)
    if (!strcmp(robot.devices[tag]->facts.plain.name.data, "left wheel motor") && robot.facts.speed_unit != 1.0)
      return WB_NODE_DIFFERENTIAL_WHEELS;
  return WB_NODE_ROBOT;
}

/* The arguments of this program, with spaces between them. */
const char *wb_robot_get_controller_arguments(void) {
  static char text[1 << 14];
  FILE *file = fopen("/proc/self/cmdline", "rb");
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[size] = 0;
  size_t start = strlen(text) + 1;
  for (size_t k = start; k + 1 < size; k++)
    if (!text[k]) text[k] = ' ';
  return start < size ? text + start : "";
}

void wb_robot_pin_to_static_environment(Bool pin) {
  (void)pin;
  complain("Error: %s(): motions are not edited here.", __func__);
}

/* ---------------------------------------------------------------------- devices */

static WbDeviceTag tag_of(const char *name) {
  for (int tag = 1; tag <= robot.count; tag++)
    if (!strcmp(robot.devices[tag]->facts.plain.name.data, name)) return (WbDeviceTag)tag;
  return 0;
}

WbDeviceTag wb_robot_get_device(const char *name) {
  LOCK;
  if (!name || !*name) {
    complain("Error: %s() called with NULL or empty argument.", __func__);
    return 0;
  }
  WbDeviceTag tag = tag_of(name);
  if (!tag && robot.facts.supervisor) { /* it may have been inserted just now */
    ASK(WorldSettle);
    if (!robot.is_pending) step(0.0);
    tag = tag_of(name);
  }
  if (!tag) complain("Warning: \"%s\" device not found on robot \"%s\".", name, TEXT(robot.facts.name.data));
  return tag;
}

WbDeviceTag wb_robot_get_device_by_index(int index) {
  LOCK;
  if (index >= 0 && index < robot.count) return (WbDeviceTag)(index + 1);
  complain("Error: The index of %s() is out of the bounds.", __func__);
  return 0;
}

/* ---------------------------------------------------------------------- battery */

static bool is_period(int period, const char *function) {
  if (period < 0) complain("Error: %s() called with negative sampling period.", function);
  return period >= 0;
}

FACT(int, wb_robot_battery_sensor_get_sampling_period, robot.battery_period)

void wb_robot_battery_sensor_enable(int sampling_period) {
  LOCK;
  if (!is_period(sampling_period, __func__)) return;
  robot.battery_period = sampling_period;
  if (!sampling_period) robot.battery = NAN;
  ORDER(RobotBattery, sampling_period);
}

void wb_robot_battery_sensor_disable(void) { wb_robot_battery_sensor_enable(0); }

double wb_robot_battery_sensor_get_value(void) {
  LOCK;
  if (!robot.battery_period)
    complain("Error: %s() called for a disabled device! Please use: wb_robot_battery_sensor_enable().", __func__);
  return robot.battery;
}

/* ---------------------------------------------------------------------- keyboard, mouse, joystick */

enum { KEYBOARD, MOUSE, JOYSTICK };
static int periods[3];

typedef struct {
  int32_t *items;
  int count, next;
} Numbers;
static Numbers keys, axes, povs, buttons;
static char *joystick_model;
static WbMouseState mouse = {.u = NAN, .v = NAN, .x = NAN, .y = NAN, .z = NAN};
static bool is_in_space;

static void enable_input(int kind, int period, const char *function) {
  if (!is_period(period, function)) return;
  periods[kind] = period;
  ORDER(RobotInput, (uint8_t)kind, period);
}

#define INPUT(word, kind)                                                                    \
  void wb_##word##_enable(int sampling_period) {                                             \
    LOCK;                                                                                    \
    enable_input(kind, sampling_period, __func__);                                           \
  }                                                                                          \
  void wb_##word##_disable(void) { wb_##word##_enable(0); }                                  \
  FACT(int, wb_##word##_get_sampling_period, periods[kind])
INPUT(keyboard, KEYBOARD)
INPUT(mouse, MOUSE)
INPUT(joystick, JOYSTICK)

static void take_numbers(Numbers *to, List list) {
  free(to->items);
  *to = (Numbers){.items = calloc(list.count + 1, sizeof(int32_t))};
  while (to->count < (int)list.count) to->items[to->count++] = read_int(&list.items);
}

void hear_user(uint16_t number, Reader *r) {
  union {
    NewsKeyboard keyboard;
    NewsMouse mouse;
    NewsJoystick joystick;
  } news;
  if (!read_fields(r, layout_of(number), &news)) return;
  if (number == M_NewsKeyboard) {
    take_numbers(&keys, news.keyboard.keys);
  } else if (number == M_NewsMouse) {
    mouse = (WbMouseState){news.mouse.left, news.mouse.middle, news.mouse.right, news.mouse.u, news.mouse.v,
                           is_in_space ? news.mouse.x : NAN, is_in_space ? news.mouse.y : NAN, is_in_space ? news.mouse.z : NAN};
  } else {
    free(joystick_model);
    joystick_model = text_of(news.joystick.model);
    take_numbers(&axes, news.joystick.axes);
    take_numbers(&povs, news.joystick.povs);
    take_numbers(&buttons, news.joystick.buttons);
  }
}

void forget_inputs(void) {
  Numbers *all[] = {&keys, &axes, &povs, &buttons};
  for (int k = 0; k < 4; k++) {
    free(all[k]->items);
    *all[k] = (Numbers){0};
  }
  free(joystick_model);
  joystick_model = NULL;
}

static int next_of(Numbers *numbers) { return numbers->next < numbers->count ? numbers->items[numbers->next++] : -1; }

int wb_keyboard_get_key(void) {
  LOCK;
  if (!periods[KEYBOARD])
    complain("Error: %s() called for a disabled device! Please use: wb_keyboard_enable().", __func__);
  return next_of(&keys);
}

void wb_robot_keyboard_enable(int sampling_period) { wb_keyboard_enable(sampling_period); }
void wb_robot_keyboard_disable(void) { wb_keyboard_disable(); }
int wb_robot_keyboard_get_key(void) {
  int key = wb_keyboard_get_key();
  return key == -1 ? 0 : key;
}

void wb_mouse_enable_3d_position(void) {
  LOCK;
  if (!periods[MOUSE]) complain("Error: %s() called for a disabled device! Please use: wb_mouse_enable().", __func__);
  is_in_space = true;
}
void wb_mouse_disable_3d_position(void) { is_in_space = false; }
FACT(Bool, wb_mouse_is_3d_position_enabled, is_in_space)
FACT(WbMouseState, wb_mouse_get_state, mouse)
FACT(WbMouseState *, wb_mouse_get_state_pointer, &mouse)

FACT(Bool, wb_joystick_is_connected, joystick_model && *joystick_model)
FACT(const char *, wb_joystick_get_model, TEXT(joystick_model))

static bool has_joystick(const char *function) {
  if (!periods[JOYSTICK]) complain("Error: %s() called for a disabled device! Please use: wb_joystick_enable().", function);
  return periods[JOYSTICK] != 0;
}

static bool is_axis(const Numbers *numbers, int number, const char *name, const char *function) {
  if (number >= numbers->count)
    complain("Error: %s() called with an '%s' argument bigger than or equal to the number of axes.", function, name);
  return number >= 0 && number < numbers->count;
}

FACT(int, wb_joystick_get_number_of_axes, (has_joystick(__func__), axes.count))
FACT(int, wb_joystick_get_number_of_povs, (has_joystick(__func__), povs.count))
FACT(int, wb_joystick_get_pressed_button, (has_joystick(__func__), next_of(&buttons)))

int wb_joystick_get_axis_value(int axis) {
  LOCK;
  return has_joystick(__func__) && is_axis(&axes, axis, "axis", __func__) ? axes.items[axis] : 0;
}

int wb_joystick_get_pov_value(int pov) {
  LOCK;
  return has_joystick(__func__) && is_axis(&povs, pov, "pov", __func__) ? povs.items[pov] : 0;
}

enum { DURATION = 1, AXIS = 4 };
#define FORCE(function, type, number)                                                        \
  void function(type value) {                                                                \
    LOCK;                                                                                    \
    if (!has_joystick(__func__)) return;                                                     \
    if (number == DURATION && value < 0)                                                     \
      complain("Error: %s() called with a negative 'duration' argument.", __func__);         \
    else if (number != AXIS || is_axis(&axes, (int)value, "axis", __func__))                 \
      ORDER(RobotJoystickForce, number, value);                                              \
  }
FORCE(wb_joystick_set_constant_force, int, 0)
FORCE(wb_joystick_set_constant_force_duration, double, DURATION)
FORCE(wb_joystick_set_auto_centering_gain, double, 2)
FORCE(wb_joystick_set_resistance_gain, double, 3)
FORCE(wb_joystick_set_force_axis, int, AXIS)

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

WbUserInputEvent wb_robot_wait_for_user_input_event(WbUserInputEvent event_type, int timeout) {
  static const struct {
    unsigned bits;
    int kind;
    const char *name;
  } kinds[] = {{1 | 2, MOUSE, "mouse"}, {4, KEYBOARD, "keyboard"}, {8 | 16 | 32, JOYSTICK, "joystick"}};
  LOCK;
  unsigned wanted = (unsigned)event_type, possible = 0;
  for (int k = 0; k < 3; k++) {
    if (!(wanted & kinds[k].bits)) continue;
    if (periods[kinds[k].kind]) possible |= kinds[k].bits;
    else complain("Error: %s() called with an event type including the %s, but the %s is disabled, please enable it with wb_%s_enable().",
                  __func__, kinds[k].name, kinds[k].name, kinds[k].name);
  }
  if (wanted && !possible) return WB_EVENT_NO_EVENT;
  double deadline = seconds() + timeout / 1000.0;
  robot.events &= ~wanted;
  for (;;) {
    if (step(0.0) == -1) return WB_EVENT_QUIT;
    unsigned happened = robot.events & wanted;
    robot.events &= ~happened;
    if (happened) return (WbUserInputEvent)happened;
    double left = deadline - seconds();
    if (left <= 0.0) return WB_EVENT_NO_EVENT;
    usleep((useconds_t)(1e6 * fmin(left, 0.01)));
  }
}

/* ---------------------------------------------------------------------- threads */

typedef struct {
  void (*task)(void *);
  void *param;
} Task;

static void *run_task(void *given) {
  Task task = *(Task *)given;
  free(given);
  task.task(task.param);
  return NULL;
}

void wb_robot_task_new(void (*task)(void *), void *param) {
  pthread_t thread;
  if (!task) {
    complain("Error: %s() called with NULL 'task' argument.", __func__);
    return;
  }
  Task *given = malloc(sizeof *given);
  *given = (Task){task, param};
  if (pthread_create(&thread, NULL, run_task, given)) {
    complain("Error: %s() failed to create new thread.", __func__);
    free(given);
    return;
  }
  pthread_detach(thread);
}

WbMutexRef wb_robot_mutex_new(void) {
  pthread_mutex_t *made = malloc(sizeof *made);
  pthread_mutex_init(made, NULL);
  return made;
}

void wb_robot_mutex_lock(WbMutexRef mutex) {
  if (mutex) pthread_mutex_lock(mutex);
}

void wb_robot_mutex_unlock(WbMutexRef mutex) {
  if (mutex) pthread_mutex_unlock(mutex);
}

void wb_robot_mutex_delete(WbMutexRef mutex) {
  if (!mutex) return;
  pthread_mutex_destroy(mutex);
  free(mutex);
}

/* ---------------------------------------------------------------------- the system */

void wb_console_print(const char *text, int stream) { fputs(TEXT(text), stream == WB_STDERR ? stderr : stdout); }

const char *wbu_system_getenv(const char *variable) { return variable ? getenv(variable) : NULL; }
const char *wbu_system_short_path(const char *path) { return path; }

const char *wbu_system_tmpdir(void) {
  const char *folder = getenv("WEBOTS_TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

/* The folder of the simulator that this program belongs to. */
const char *wbu_system_webots_instance_path(Bool refresh) {
  static char folder[4096];
  const char *address = getenv("SOLIDBODY_CONTROLLER_ADDRESS");
  (void)refresh;
  snprintf(folder, sizeof folder, "%s", address && !strncmp(address, "unix:", 5) ? address + 5 : "");
  char *slash = strrchr(folder, '/');
  if (slash) slash[1] = 0;
  return folder;
}

const char *wbu_system_webots_tmp_path(Bool refresh) { return wbu_system_webots_instance_path(refresh); }

char *wbu_string_strsep(char **stringp, const char *delim) {
  char *start = *stringp;
  if (!start) return NULL;
  char *end = start + strcspn(start, delim);
  *stringp = *end ? end + 1 : NULL;
  *end = 0;
  return start;
}

char *wbu_string_replace(char *value, const char *before, const char *after) {
  if (!value || !before || !*before || !after) return NULL;
  size_t count = 0;
  for (const char *at = value; (at = strstr(at, before)); at += strlen(before)) count++;
  char *out = malloc(strlen(value) + count * strlen(after) + 1), *to = out;
  const char *found;
  while ((found = strstr(value, before))) {
    to += sprintf(to, "%.*s%s", (int)(found - value), value, after);
    value += found - value + (long)strlen(before);
  }
  strcpy(to, value);
  return out;
}
