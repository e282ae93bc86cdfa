/* The robot that a program drives. */

#ifndef WEBOTS_ROBOT_HPP
#define WEBOTS_ROBOT_HPP

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>
#include "../../c/webots/plugins/robot_window/robot_window.h"
#include "../../c/webots/plugins/robot_window/robot_wwi.h"
#include "../../c/webots/robot.h"
#include "Accelerometer.hpp"
#include "Altimeter.hpp"
#include "Brake.hpp"
#include "Camera.hpp"
#include "Compass.hpp"
#include "Connector.hpp"
#include "Display.hpp"
#include "DistanceSensor.hpp"
#include "Emitter.hpp"
#include "GPS.hpp"
#include "Gyro.hpp"
#include "InertialUnit.hpp"
#include "Joystick.hpp"
#include "Keyboard.hpp"
#include "LED.hpp"
#include "Lidar.hpp"
#include "LightSensor.hpp"
#include "Motor.hpp"
#include "Mouse.hpp"
#include "Pen.hpp"
#include "PositionSensor.hpp"
#include "Radar.hpp"
#include "RangeFinder.hpp"
#include "Receiver.hpp"
#include "Skin.hpp"
#include "Speaker.hpp"
#include "TouchSensor.hpp"
#include "VacuumGripper.hpp"

namespace webots {

class Robot {
public:
  typedef enum { MODE_SIMULATION = 0, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL } Mode;
  typedef enum {
    EVENT_QUIT = WB_EVENT_QUIT,
    EVENT_NO_EVENT = WB_EVENT_NO_EVENT,
    EVENT_MOUSE_CLICK = WB_EVENT_MOUSE_CLICK,
    EVENT_MOUSE_MOVE = WB_EVENT_MOUSE_MOVE,
    EVENT_KEYBOARD = WB_EVENT_KEYBOARD,
    EVENT_JOYSTICK_BUTTON = WB_EVENT_JOYSTICK_BUTTON,
    EVENT_JOYSTICK_AXIS = WB_EVENT_JOYSTICK_AXIS,
    EVENT_JOYSTICK_POV = WB_EVENT_JOYSTICK_POV
  } UserInputEvent;

  Robot() {
    if (instance()) {
      std::fprintf(stderr, "Error: only one Robot can be made in a controller\n");
      std::exit(-1);
    }
    wb_robot_init();
    instance() = this;
  }
  virtual ~Robot() {
    instance() = NULL;
    for (std::map<int, Device *>::iterator i = devices.begin(); i != devices.end(); ++i)
      delete i->second;
    wb_robot_cleanup();
  }
  static Robot *internalGetInstance() {
    if (!instance())
      new Robot();
    return instance();
  }

  virtual int step(int duration) { return wb_robot_step(duration); }
  int stepBegin(int duration) { return wb_robot_step_begin(duration); }
  int stepEnd() { return wb_robot_step_end(); }
  UserInputEvent waitForUserInputEvent(UserInputEvent eventType, int timeout) {
    return static_cast<UserInputEvent>(
      wb_robot_wait_for_user_input_event(static_cast<WbUserInputEvent>(eventType), timeout));
  }
  std::string getName() const { return sb::text(wb_robot_get_name()); }
  std::string getUrdf(std::string prefix = "") const { return sb::text(wb_robot_get_urdf(prefix.c_str())); }
  std::string getModel() const { return sb::text(wb_robot_get_model()); }
  std::string getCustomData() const { return sb::text(wb_robot_get_custom_data()); }
  void setCustomData(const std::string &data) { wb_robot_set_custom_data(data.c_str()); }
  double getTime() const { return wb_robot_get_time(); }
  double getBasicTimeStep() const { return wb_robot_get_basic_time_step(); }
  Mode getMode() const { return static_cast<Mode>(wb_robot_get_mode()); }
  void setMode(Mode mode, const char *argument) {
    wb_robot_set_mode(static_cast<WbRobotMode>(mode), argument);
  }
  bool getSupervisor() const { return wb_robot_get_supervisor(); }
  bool getSynchronization() const { return wb_robot_get_synchronization(); }
  std::string getProjectPath() const { return sb::text(wb_robot_get_project_path()); }
  std::string getWorldPath() const { return sb::text(wb_robot_get_world_path()); }
  int getType() const { return wb_robot_get_type(); }

  virtual void batterySensorEnable(int samplingPeriod) { wb_robot_battery_sensor_enable(samplingPeriod); }
  virtual void batterySensorDisable() { wb_robot_battery_sensor_disable(); }
  int batterySensorGetSamplingPeriod() const { return wb_robot_battery_sensor_get_sampling_period(); }
  double batterySensorGetValue() const { return wb_robot_battery_sensor_get_value(); }

  // devices, made when they are first asked for; NULL = there is none of this name and kind
  int getNumberOfDevices() const { return wb_robot_get_number_of_devices(); }
  Device *getDeviceByIndex(int index) { return device(wb_robot_get_device_by_index(index)); }
  Device *getDevice(const std::string &name) { return device(wb_robot_get_device(name.c_str())); }
  Joystick *getJoystick() { return &joystick; }
  Keyboard *getKeyboard() { return &keyboard; }
  Mouse *getMouse() { return &mouse; }
  Accelerometer *getAccelerometer(const std::string &name) { return found<Accelerometer>(name); }
  Altimeter *getAltimeter(const std::string &name) { return found<Altimeter>(name); }
  Brake *getBrake(const std::string &name) { return found<Brake>(name); }
  Camera *getCamera(const std::string &name) { return found<Camera>(name); }
  Compass *getCompass(const std::string &name) { return found<Compass>(name); }
  Connector *getConnector(const std::string &name) { return found<Connector>(name); }
  Display *getDisplay(const std::string &name) { return found<Display>(name); }
  DistanceSensor *getDistanceSensor(const std::string &name) { return found<DistanceSensor>(name); }
  Emitter *getEmitter(const std::string &name) { return found<Emitter>(name); }
  GPS *getGPS(const std::string &name) { return found<GPS>(name); }
  Gyro *getGyro(const std::string &name) { return found<Gyro>(name); }
  InertialUnit *getInertialUnit(const std::string &name) { return found<InertialUnit>(name); }
  LED *getLED(const std::string &name) { return found<LED>(name); }
  Lidar *getLidar(const std::string &name) { return found<Lidar>(name); }
  LightSensor *getLightSensor(const std::string &name) { return found<LightSensor>(name); }
  Motor *getMotor(const std::string &name) { return found<Motor>(name); }
  Pen *getPen(const std::string &name) { return found<Pen>(name); }
  PositionSensor *getPositionSensor(const std::string &name) { return found<PositionSensor>(name); }
  Radar *getRadar(const std::string &name) { return found<Radar>(name); }
  RangeFinder *getRangeFinder(const std::string &name) { return found<RangeFinder>(name); }
  Receiver *getReceiver(const std::string &name) { return found<Receiver>(name); }
  Skin *getSkin(const std::string &name) { return found<Skin>(name); }
  Speaker *getSpeaker(const std::string &name) { return found<Speaker>(name); }
  TouchSensor *getTouchSensor(const std::string &name) { return found<TouchSensor>(name); }
  VacuumGripper *getVacuumGripper(const std::string &name) { return found<VacuumGripper>(name); }

  void *windowCustomFunction(void *argument) { return wb_robot_window_custom_function(argument); }
  void wwiSend(const char *data, int size) { wb_robot_wwi_send(data, size); }
  void wwiSendText(const std::string &text) {
    wb_robot_wwi_send(text.c_str(), static_cast<int>(text.length()) + 1);
  }
  const char *wwiReceive(int *size) { return wb_robot_wwi_receive(size); }
  std::string wwiReceiveText() { return sb::text(wb_robot_wwi_receive_text()); }

  // of older releases
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  std::string getControllerName() const {
    return sb::text(wb_robot_get_controller_name());
  }
#pragma GCC diagnostic pop
  std::string getControllerArguments() const { return sb::text(wb_robot_get_controller_arguments()); }
  std::string getData() const { return getCustomData(); }
  void setData(const std::string &data) { setCustomData(data); }
  enum {
    KEYBOARD_END = WB_ROBOT_KEYBOARD_END,
    KEYBOARD_HOME = WB_ROBOT_KEYBOARD_HOME,
    KEYBOARD_LEFT = WB_ROBOT_KEYBOARD_LEFT,
    KEYBOARD_UP = WB_ROBOT_KEYBOARD_UP,
    KEYBOARD_RIGHT = WB_ROBOT_KEYBOARD_RIGHT,
    KEYBOARD_DOWN = WB_ROBOT_KEYBOARD_DOWN,
    KEYBOARD_PAGEUP = WB_ROBOT_KEYBOARD_PAGEUP,
    KEYBOARD_PAGEDOWN = WB_ROBOT_KEYBOARD_PAGEDOWN,
    KEYBOARD_NUMPAD_HOME = WB_ROBOT_KEYBOARD_NUMPAD_HOME,
    KEYBOARD_NUMPAD_LEFT = WB_ROBOT_KEYBOARD_NUMPAD_LEFT,
    KEYBOARD_NUMPAD_UP = WB_ROBOT_KEYBOARD_NUMPAD_UP,
    KEYBOARD_NUMPAD_RIGHT = WB_ROBOT_KEYBOARD_NUMPAD_RIGHT,
    KEYBOARD_NUMPAD_DOWN = WB_ROBOT_KEYBOARD_NUMPAD_DOWN,
    KEYBOARD_NUMPAD_END = WB_ROBOT_KEYBOARD_NUMPAD_END,
    KEYBOARD_KEY = WB_ROBOT_KEYBOARD_KEY,
    KEYBOARD_SHIFT = WB_ROBOT_KEYBOARD_SHIFT,
    KEYBOARD_CONTROL = WB_ROBOT_KEYBOARD_CONTROL,
    KEYBOARD_ALT = WB_ROBOT_KEYBOARD_ALT
  };
  virtual void keyboardEnable(int samplingPeriod) { wb_robot_keyboard_enable(samplingPeriod); }
  virtual void keyboardDisable() { wb_robot_keyboard_disable(); }
  int keyboardGetKey() const { return wb_robot_keyboard_get_key(); }
  Motor *getServo(const std::string &name) { return getMotor(name); }
  static Device *getDevice(int tag) { return getDeviceFromTag(tag); }

  static Device *getDeviceFromTag(int tag) { return instance() ? instance()->device(tag) : NULL; }
  static int getDeviceTypeFromTag(int tag) { return wb_device_get_node_type(static_cast<WbDeviceTag>(tag)); }
  static std::string getDeviceNameFromTag(int tag) {
    return sb::text(wb_device_get_name(static_cast<WbDeviceTag>(tag)));
  }
  static int getDeviceTagFromIndex(int index) { return wb_robot_get_device_by_index(index); }
  static int getDeviceTagFromName(const std::string &name) { return wb_robot_get_device(name.c_str()); }

protected:
  // Programs may make devices of classes of their own, which they override by tag, or by name as until R2023a.
#define WEBOTS_CREATE(Kind)                                                             \
  virtual Kind *create##Kind(const std::string &name) const { return new Kind(name); }  \
  virtual Kind *create##Kind(WbDeviceTag tag) const { return create##Kind(getDeviceNameFromTag(tag)); }
  WEBOTS_CREATE(Accelerometer)
  WEBOTS_CREATE(Altimeter)
  WEBOTS_CREATE(Brake)
  WEBOTS_CREATE(Camera)
  WEBOTS_CREATE(Compass)
  WEBOTS_CREATE(Connector)
  WEBOTS_CREATE(Display)
  WEBOTS_CREATE(DistanceSensor)
  WEBOTS_CREATE(Emitter)
  WEBOTS_CREATE(GPS)
  WEBOTS_CREATE(Gyro)
  WEBOTS_CREATE(InertialUnit)
  WEBOTS_CREATE(LED)
  WEBOTS_CREATE(Lidar)
  WEBOTS_CREATE(LightSensor)
  WEBOTS_CREATE(Motor)
  WEBOTS_CREATE(Pen)
  WEBOTS_CREATE(PositionSensor)
  WEBOTS_CREATE(Radar)
  WEBOTS_CREATE(RangeFinder)
  WEBOTS_CREATE(Receiver)
  WEBOTS_CREATE(Skin)
  WEBOTS_CREATE(Speaker)
  WEBOTS_CREATE(TouchSensor)
  WEBOTS_CREATE(VacuumGripper)
#undef WEBOTS_CREATE

  static Robot *&instance() {
    static Robot *only = NULL;
    return only;
  }

private:
  template <class Kind> Kind *found(const std::string &name) {
    return dynamic_cast<Kind *>(getDevice(name));
  }
  Device *device(int tag) {
    if (!tag)
      return NULL;
    Device *&made = devices[tag];
    if (!made)
      made = create(static_cast<WbDeviceTag>(tag));
    return made;
  }
  Device *create(WbDeviceTag tag) const {
    switch (wb_device_get_node_type(tag)) {
    case WB_NODE_ACCELEROMETER:
      return createAccelerometer(tag);
    case WB_NODE_ALTIMETER:
      return createAltimeter(tag);
    case WB_NODE_BRAKE:
      return createBrake(tag);
    case WB_NODE_CAMERA:
      return createCamera(tag);
    case WB_NODE_COMPASS:
      return createCompass(tag);
    case WB_NODE_CONNECTOR:
      return createConnector(tag);
    case WB_NODE_DISPLAY:
      return createDisplay(tag);
    case WB_NODE_DISTANCE_SENSOR:
      return createDistanceSensor(tag);
    case WB_NODE_EMITTER:
      return createEmitter(tag);
    case WB_NODE_GPS:
      return createGPS(tag);
    case WB_NODE_GYRO:
      return createGyro(tag);
    case WB_NODE_INERTIAL_UNIT:
      return createInertialUnit(tag);
    case WB_NODE_LED:
      return createLED(tag);
    case WB_NODE_LIDAR:
      return createLidar(tag);
    case WB_NODE_LIGHT_SENSOR:
      return createLightSensor(tag);
    case WB_NODE_LINEAR_MOTOR:
    case WB_NODE_ROTATIONAL_MOTOR:
      return createMotor(tag);
    case WB_NODE_PEN:
      return createPen(tag);
    case WB_NODE_POSITION_SENSOR:
      return createPositionSensor(tag);
    case WB_NODE_RADAR:
      return createRadar(tag);
    case WB_NODE_RANGE_FINDER:
      return createRangeFinder(tag);
    case WB_NODE_RECEIVER:
      return createReceiver(tag);
    case WB_NODE_SKIN:
      return createSkin(tag);
    case WB_NODE_SPEAKER:
      return createSpeaker(tag);
    case WB_NODE_TOUCH_SENSOR:
      return createTouchSensor(tag);
    case WB_NODE_VACUUM_GRIPPER:
      return createVacuumGripper(tag);
    default:
      return NULL;
    }
  }

  Robot(const Robot &);
  Robot &operator=(const Robot &);
  std::map<int, Device *> devices;
  Joystick joystick;
  Keyboard keyboard;
  Mouse mouse;
};

inline Motor *Brake::getMotor() {
  return dynamic_cast<Motor *>(Robot::getDeviceFromTag(getMotorTag()));
}
inline PositionSensor *Brake::getPositionSensor() {
  return dynamic_cast<PositionSensor *>(Robot::getDeviceFromTag(getPositionSensorTag()));
}
inline Brake *Motor::getBrake() {
  return dynamic_cast<Brake *>(Robot::getDeviceFromTag(getBrakeTag()));
}
inline PositionSensor *Motor::getPositionSensor() {
  return dynamic_cast<PositionSensor *>(Robot::getDeviceFromTag(getPositionSensorTag()));
}
inline Brake *PositionSensor::getBrake() {
  return dynamic_cast<Brake *>(Robot::getDeviceFromTag(getBrakeTag()));
}
inline Motor *PositionSensor::getMotor() {
  return dynamic_cast<Motor *>(Robot::getDeviceFromTag(getMotorTag()));
}

}  // namespace webots

#endif
