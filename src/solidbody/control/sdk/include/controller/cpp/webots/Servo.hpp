/* Servos, as motors were called before Webots 8. */

#ifndef WEBOTS_SERVO_HPP
#define WEBOTS_SERVO_HPP

#include "Motor.hpp"

namespace webots {

typedef Motor Servo;

}  // namespace webots

#endif
