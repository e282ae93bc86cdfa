// Wanders about: turns away from what the three eyes see.

#include <cmath>
#include <webots/DistanceSensor.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

static const double FAST = 8.0;  // of a wheel [rad/s]
static const double NEAR = 0.3;  // that is too near [m]

int main() {
  webots::Robot robot;
  const int step = static_cast<int>(robot.getBasicTimeStep());

  webots::DistanceSensor *eyes[] = {robot.getDistanceSensor("left eye"), robot.getDistanceSensor("front eye"),
                                    robot.getDistanceSensor("right eye")};
  for (webots::DistanceSensor *eye : eyes)
    eye->enable(step);

  webots::Motor *motors[] = {robot.getMotor("left motor"), robot.getMotor("right motor")};
  for (webots::Motor *motor : motors) {
    motor->setPosition(INFINITY);  // by velocity
    motor->setVelocity(0.0);
  }

  while (robot.step(step) != -1) {
    const double left = eyes[0]->getValue(), front = eyes[1]->getValue(), right = eyes[2]->getValue();
    double speeds[] = {FAST, FAST};
    if (left <= NEAR || front <= NEAR || right <= NEAR) {
      speeds[0] = left > right ? -0.4 * FAST : 0.4 * FAST;  // to the freer side
      speeds[1] = -speeds[0];
    }
    for (int i = 0; i < 2; i++)
      motors[i]->setVelocity(speeds[i]);
  }
  return 0;
}
