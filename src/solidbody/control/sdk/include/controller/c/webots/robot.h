/* The robot that a program drives. */

#ifndef WB_ROBOT_H
#define WB_ROBOT_H

#define WB_USING_C_API
#include "types.h"
#include "nodes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *WbMutexRef;

typedef enum { WB_MODE_SIMULATION = 0, WB_MODE_CROSS_COMPILATION, WB_MODE_REMOTE_CONTROL } WbRobotMode;

typedef enum {
  WB_EVENT_QUIT = -1,
  WB_EVENT_NO_EVENT = 0,
  WB_EVENT_MOUSE_CLICK = 1,
  WB_EVENT_MOUSE_MOVE = 2,
  WB_EVENT_KEYBOARD = 4,
  WB_EVENT_JOYSTICK_BUTTON = 8,
  WB_EVENT_JOYSTICK_AXIS = 16,
  WB_EVENT_JOYSTICK_POV = 32
} WbUserInputEvent;

int wb_robot_init();
int wb_robot_init_msvc();
void wb_robot_cleanup();

/* Let the simulation advance [ms]: 0, or -1 when it is over. Between begin and end nothing can be asked. */
int wb_robot_step(int duration);
int wb_robot_step_begin(int duration);
int wb_robot_step_end();
WbUserInputEvent wb_robot_wait_for_user_input_event(WbUserInputEvent event_type, int timeout);

double wb_robot_get_time(); /* [s] */
double wb_robot_get_basic_time_step();
const char *wb_robot_get_name();
const char *wb_robot_get_model();
const char *wb_robot_get_urdf(const char *prefix);
const char *wb_robot_get_custom_data();
void wb_robot_set_custom_data(const char *data);
WbRobotMode wb_robot_get_mode();
void wb_robot_set_mode(WbRobotMode mode, const char *arg);
bool wb_robot_get_synchronization();
bool wb_robot_get_supervisor();
const char *wb_robot_get_project_path();
const char *wb_robot_get_world_path();

/* Devices: 0 = there is none. */
WbDeviceTag wb_robot_get_device(const char *name);
int wb_robot_get_number_of_devices();
WbDeviceTag wb_robot_get_device_by_index(int index);

void wb_robot_battery_sensor_enable(int sampling_period);
void wb_robot_battery_sensor_disable();
int wb_robot_battery_sensor_get_sampling_period();
double wb_robot_battery_sensor_get_value(); /* [J] */

/* Threads. */
void wb_robot_task_new(void (*task)(void *), void *param);
WbMutexRef wb_robot_mutex_new();
void wb_robot_mutex_lock(WbMutexRef mutex);
void wb_robot_mutex_unlock(WbMutexRef mutex);
void wb_robot_mutex_delete(WbMutexRef mutex);

void wb_robot_pin_to_static_environment(bool pin);

/* Of older releases. */
WbNodeType wb_robot_get_type();
const char *wb_robot_get_controller_name() WB_DEPRECATED;
const char *wb_robot_get_controller_arguments();
const char *wb_robot_get_data() WB_DEPRECATED;             /* now get_custom_data */
void wb_robot_set_data(const char *data) WB_DEPRECATED; /* now set_custom_data */

/* The keyboard, as until release 8.4. */
enum {
  WB_ROBOT_KEYBOARD_END = 312,
  WB_ROBOT_KEYBOARD_HOME,
  WB_ROBOT_KEYBOARD_LEFT,
  WB_ROBOT_KEYBOARD_UP,
  WB_ROBOT_KEYBOARD_RIGHT,
  WB_ROBOT_KEYBOARD_DOWN,
  WB_ROBOT_KEYBOARD_PAGEUP = 366,
  WB_ROBOT_KEYBOARD_PAGEDOWN,
  WB_ROBOT_KEYBOARD_NUMPAD_HOME = 375,
  WB_ROBOT_KEYBOARD_NUMPAD_LEFT,
  WB_ROBOT_KEYBOARD_NUMPAD_UP,
  WB_ROBOT_KEYBOARD_NUMPAD_RIGHT,
  WB_ROBOT_KEYBOARD_NUMPAD_DOWN,
  WB_ROBOT_KEYBOARD_NUMPAD_END = 382,
  WB_ROBOT_KEYBOARD_KEY = 0x0000ffff,
  WB_ROBOT_KEYBOARD_SHIFT = 0x00010000,
  WB_ROBOT_KEYBOARD_CONTROL = 0x00020000,
  WB_ROBOT_KEYBOARD_ALT = 0x00040000
};
void wb_robot_keyboard_enable(int sampling_period);
void wb_robot_keyboard_disable();
int wb_robot_keyboard_get_key(); /* 0 = no more */

#ifdef __cplusplus
}
#endif

#endif
