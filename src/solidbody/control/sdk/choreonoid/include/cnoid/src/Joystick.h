/* The joystick: a script of events, or the one of the page. */

#pragma once

#include <cmath>
#include <string>

#include "References.h"
#include "Signals.h"

namespace cnoid {

class JoystickInterface {
 public:
  virtual ~JoystickInterface() = default;
  virtual int numAxes() const = 0;
  virtual int numButtons() const = 0;
  virtual bool readCurrentState() = 0;
  virtual double getPosition(int axis) const = 0;
  virtual bool getButtonState(int button) const = 0;
};

class Joystick : public JoystickInterface {
 public:
  enum AxisID {
    L_STICK_H_AXIS, L_STICK_V_AXIS, R_STICK_H_AXIS, R_STICK_V_AXIS, DIRECTIONAL_PAD_H_AXIS,
    DIRECTIONAL_PAD_V_AXIS, L_TRIGGER_AXIS, R_TRIGGER_AXIS, NUM_STD_AXES
  };
  enum ButtonID {
    A_BUTTON, B_BUTTON, X_BUTTON, Y_BUTTON, L_BUTTON, R_BUTTON, SELECT_BUTTON, START_BUTTON, L_STICK_BUTTON,
    R_STICK_BUTTON, LOGO_BUTTON, NUM_STD_BUTTONS
  };

  Joystick();
  explicit Joystick(const char* device);
  std::string device() const { return "solidbody"; }
  int fileDescriptor() const { return -1; }
  bool makeReady();
  bool isReady() const { return ready_; }
  const char* errorMessage() const { return ""; }
  int numAxes() const override { return ready_ ? int(NUM_STD_AXES) : 0; }
  int numButtons() const override { return ready_ ? int(NUM_STD_BUTTONS) : 0; }
  bool readCurrentState() override;
  double getPosition(int axis) const override;
  bool getButtonState(int button) const override;
  bool getButtonDown(int button) const;
  bool getButtonUp(int button) const;
  bool getButtonHold(int button, int milliseconds) const;
  bool getButtonHoldOn(int button, int milliseconds) const;
  void setAxisEnabled(int axis, bool on);
  bool isActive() const;
  SignalProxy<void(int, bool)> sigButton() { return button_changed_; }
  SignalProxy<void(int, double)> sigAxis() { return axis_changed_; }

 private:
  bool ready_ = false;
  bool enabled_[NUM_STD_AXES];
  double axes_[NUM_STD_AXES];
  bool buttons_[NUM_STD_BUTTONS], before_[NUM_STD_BUTTONS];
  double pressed_at_[NUM_STD_BUTTONS];
  Signal<void(int, bool)> button_changed_;
  Signal<void(int, double)> axis_changed_;
};

/* One joystick that several programs of a robot take turns with: a mode for each. */
class SharedJoystick : public Referenced {
 public:
  static const Joystick::ButtonID MODE_BUTTON1 = Joystick::LOGO_BUTTON;
  static const Joystick::ButtonID MODE_BUTTON2 = Joystick::SELECT_BUTTON;

  void setJoystick(JoystickInterface* joystick) { joystick_ = joystick; }
  int addMode() { return modes_++; }
  bool getModeButtonState();
  /* Reads the joystick, for mode 0 only: the others see the same. */
  void updateState(int mode);
  int mode() const { return mode_; }
  bool isMode(int mode) const { return mode_ == mode; }
  void setMode(int mode) { mode_ = mode; }
  double getPosition(int axis, double threshold = 0.0) const {
    const double position = joystick_->getPosition(axis);
    return std::fabs(position) >= threshold ? position : 0.0;
  }
  double getPosition(int mode, int axis, double threshold = 0.0) const {
    return isMode(mode) ? getPosition(axis, threshold) : 0.0;
  }
  bool getButtonState(int button) const { return joystick_->getButtonState(button); }
  bool getButtonState(int mode, int button) const { return isMode(mode) && getButtonState(button); }

 private:
  Joystick own_;
  JoystickInterface* joystick_ = &own_;
  int mode_ = 0, modes_ = 0;
  bool was_pressed_ = false;
};
using SharedJoystickPtr = ref_ptr<SharedJoystick>;

}  // namespace cnoid
