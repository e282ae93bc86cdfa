// Wanders through an arena: turns away from what its distance sensors see.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>
#include <webots/DistanceSensor.hpp>
#include <webots/Motor.hpp>
#include <webots/Supervisor.hpp>

class Wanderer : public webots::Supervisor {
public:
  Wanderer() {
    for (int i = 0; i < 8; ++i) {
      sensors.push_back(getDistanceSensor("ps" + std::to_string(i)));
      sensors.back()->enable(TIME_STEP);
    }
    for (const char *name : {"left wheel motor", "right wheel motor"}) {
      wheels.push_back(getMotor(name));
      wheels.back()->setPosition(INFINITY);
    }
  }

  void run() {
    double farthest = 0.0;
    while (step(TIME_STEP) != -1 && getTime() < DURATION) {
      const bool right = sees({0, 1, 2}), left = sees({5, 6, 7});
      wheels[0]->setVelocity(right ? -CRUISE : CRUISE);
      wheels[1]->setVelocity(left && !right ? -CRUISE : CRUISE);
      const double *place = getSelf()->getPosition();
      farthest = std::max(farthest, std::hypot(place[0], place[1]));
    }
    std::cout << "came " << std::round(100 * farthest) / 100 << " m from its start" << std::endl;
    simulationQuit(farthest > FAR_ENOUGH ? 0 : 1);
  }

private:
  static constexpr int TIME_STEP = 64;
  static constexpr double DURATION = 10.0;    // [s]
  static constexpr double FAR_ENOUGH = 0.2;   // [m]
  static constexpr double CRUISE = 4.0;       // [rad/s]
  static constexpr double NEAR_WALL = 100.0;  // what a sensor says of a wall that is near

  bool sees(const std::vector<int> &numbers) const {
    return std::any_of(numbers.begin(), numbers.end(),
                       [this](int number) { return sensors[number]->getValue() > NEAR_WALL; });
  }

  std::vector<webots::DistanceSensor *> sensors;
  std::vector<webots::Motor *> wheels;
};

int main() {
  Wanderer wanderer;
  wanderer.run();
  return 0;
}
