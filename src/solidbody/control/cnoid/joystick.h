/* How the joystick stands in this step, for all joysticks of the program. */

#pragma once

namespace cnoid {

struct JoystickState {
  bool is_there = false;
  double time = 0.0;
  double axes[8] = {};
  double buttons[11] = {};
};

JoystickState& joystick_state();

}  // namespace cnoid
