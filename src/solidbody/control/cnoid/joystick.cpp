/* Joysticks read what the simulator has told for this step. */

#include "joystick.h"

#include <algorithm>

#include "cnoid/src/Joystick.h"

namespace cnoid {

JoystickState& joystick_state() {
  static JoystickState state;
  return state;
}

Joystick::Joystick() {
  std::fill(std::begin(enabled_), std::end(enabled_), true);
  std::fill(std::begin(axes_), std::end(axes_), 0.0);
  std::fill(std::begin(buttons_), std::end(buttons_), false);
  std::fill(std::begin(before_), std::end(before_), false);
  std::fill(std::begin(pressed_at_), std::end(pressed_at_), 0.0);
  makeReady();
}
Joystick::Joystick(const char*) : Joystick() {}

bool Joystick::makeReady() { return ready_ = joystick_state().is_there; }

bool Joystick::readCurrentState() {
  const JoystickState& state = joystick_state();
  ready_ = state.is_there;
  std::copy(std::begin(buttons_), std::end(buttons_), before_);
  for (int k = 0; k < NUM_STD_AXES; ++k) {
    const double now = ready_ && enabled_[k] ? state.axes[k] : 0.0;
    if (now == axes_[k]) continue;
    axes_[k] = now;
    axis_changed_(k, now);
  }
  for (int k = 0; k < NUM_STD_BUTTONS; ++k) {
    const bool now = ready_ && state.buttons[k] != 0.0;
    if (now && !buttons_[k]) pressed_at_[k] = state.time;
    if (now == buttons_[k]) continue;
    buttons_[k] = now;
    button_changed_(k, now);
  }
  return ready_;
}

double Joystick::getPosition(int axis) const { return axis >= 0 && axis < NUM_STD_AXES ? axes_[axis] : 0.0; }

static bool is_button(int button) { return button >= 0 && button < Joystick::NUM_STD_BUTTONS; }

bool Joystick::getButtonState(int button) const { return is_button(button) && buttons_[button]; }
bool Joystick::getButtonDown(int button) const { return is_button(button) && buttons_[button] && !before_[button]; }
bool Joystick::getButtonUp(int button) const { return is_button(button) && !buttons_[button] && before_[button]; }
bool Joystick::getButtonHold(int button, int milliseconds) const {
  return getButtonState(button) && joystick_state().time - pressed_at_[button] >= 1e-3 * milliseconds;
}
bool Joystick::getButtonHoldOn(int button, int milliseconds) const { return getButtonHold(button, milliseconds); }

void Joystick::setAxisEnabled(int axis, bool on) {
  if (axis >= 0 && axis < NUM_STD_AXES) enabled_[axis] = on;
}

bool Joystick::isActive() const {
  return std::any_of(std::begin(axes_), std::end(axes_), [](double x) { return x != 0.0; }) ||
         std::any_of(std::begin(buttons_), std::end(buttons_), [](bool x) { return x; });
}

bool SharedJoystick::getModeButtonState() {
  joystick_->readCurrentState();
  return joystick_->getButtonState(MODE_BUTTON1) || joystick_->getButtonState(MODE_BUTTON2);
}

void SharedJoystick::updateState(int mode) {
  if (mode != 0) return;
  const bool is_pressed = getModeButtonState();
  if (is_pressed && !was_pressed_ && ++mode_ >= modes_) mode_ = 0;
  was_pressed_ = is_pressed;
}

}  // namespace cnoid
