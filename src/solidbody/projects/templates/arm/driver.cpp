// Brings the hand from one mark to the next by inverse kinematics, and says when it is there.

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <webots/Motor.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Robot.hpp>

using Vector = std::array<double, 3>;

static const double UPPER = 0.36, FORE = 0.36;  // lengths of the links [m]
static const double SHOULDER = 0.3;             // height [m]
static const double CLOSE = 0.01;               // of all joints [rad]
static const std::array<Vector, 3> MARKS = {{{0.45, 0.2, 0.35}, {0.35, -0.35, 0.6}, {0.2, 0.4, 0.7}}};

// The angles of base, shoulder (from straight up) and elbow that bring the hand to a point.
static Vector findAngles(const Vector &point) {
  const double reach = std::hypot(point[0], point[1]), height = point[2] - SHOULDER;
  const double away = std::hypot(reach, height);
  if (away <= std::abs(UPPER - FORE) || away >= UPPER + FORE) {
    std::cerr << "a mark is out of reach" << std::endl;
    std::exit(EXIT_FAILURE);
  }
  const double inner = std::acos((UPPER * UPPER + away * away - FORE * FORE) / (2 * UPPER * away));
  const double elbow = std::acos((UPPER * UPPER + FORE * FORE - away * away) / (2 * UPPER * FORE));
  return {std::atan2(point[1], point[0]), std::atan2(reach, height) - inner, M_PI - elbow};
}

int main() {
  webots::Robot robot;
  const int step = static_cast<int>(robot.getBasicTimeStep());
  const std::array<std::string, 3> names = {"base", "shoulder", "elbow"};
  std::array<webots::Motor *, 3> motors;
  std::array<webots::PositionSensor *, 3> sensors;
  for (int i = 0; i < 3; i++) {
    motors[i] = robot.getMotor(names[i]);
    sensors[i] = robot.getPositionSensor(names[i] + " sensor");
    sensors[i]->enable(step);
  }

  int mark = 0;
  while (robot.step(step) != -1) {
    const Vector angles = findAngles(MARKS[mark % MARKS.size()]);
    bool isThere = true;
    for (int i = 0; i < 3; i++) {
      motors[i]->setPosition(angles[i]);
      isThere = isThere && std::abs(sensors[i]->getValue() - angles[i]) < CLOSE;
    }
    if (isThere) {
      std::cout << "mark " << mark % MARKS.size() + 1 << " reached at " << robot.getTime() << " s" << std::endl;
      mark++;
    }
  }
  return 0;
}
