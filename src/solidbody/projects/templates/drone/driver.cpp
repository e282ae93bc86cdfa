// Takes off and flies from one place in the air to the next, by GPS, attitude and rates.

#include <algorithm>
#include <cmath>
#include <webots/GPS.hpp>
#include <webots/Gyro.hpp>
#include <webots/InertialUnit.hpp>
#include <webots/Motor.hpp>
#include <webots/Robot.hpp>

static const double MASS = 1.0, GRAVITY = 9.81;
static const double THRUST = 2e-4;  // [N s2], of the propellers in the world file
static const double ARM = 0.16;     // of each propeller, along x and y [m]
static const double TORQUE = 4e-6;  // [N m s2]
static const double PLACES[4][3] = {{0, 0, 1}, {1, 0, 1.2}, {1, 1, 1.5}, {0, 0, 1}};
static const double PAUSE = 5.0;  // at each place [s]
static const double TILT = 0.35;  // the greatest [rad]

struct Propeller {
  const char *name;
  int x, y, sense;  // side along x and y, sense of its torque
  webots::Motor *motor;
};

static double clamp(double value, double bound) {
  return std::max(-bound, std::min(bound, value));
}

int main() {
  webots::Robot robot;
  const int step = static_cast<int>(robot.getBasicTimeStep());
  webots::GPS *gps = robot.getGPS("gps");
  webots::InertialUnit *attitude = robot.getInertialUnit("attitude");
  webots::Gyro *gyro = robot.getGyro("gyro");
  gps->enable(step);
  attitude->enable(step);
  gyro->enable(step);
  Propeller propellers[] = {{"front left motor", 1, 1, -1, nullptr},
                            {"front right motor", 1, -1, 1, nullptr},
                            {"rear left motor", -1, 1, 1, nullptr},
                            {"rear right motor", -1, -1, -1, nullptr}};
  for (Propeller &propeller : propellers) {
    propeller.motor = robot.getMotor(propeller.name);
    propeller.motor->setPosition(INFINITY);
    propeller.motor->setVelocity(0.0);
  }

  while (robot.step(step) != -1) {
    const double *place = gps->getValues(), *velocity = gps->getSpeedVector();
    const double *angle = attitude->getRollPitchYaw(), *rate = gyro->getValues();
    if (std::isnan(place[0]) || std::isnan(velocity[0]) || std::isnan(angle[0]) || std::isnan(rate[0]))
      continue;  // nothing was measured yet
    const double *goal = PLACES[std::min(static_cast<int>(robot.getTime() / PAUSE), 3)];
    const double roll = angle[0], pitch = angle[1], yaw = angle[2];

    // accelerations that lead to the goal, then the tilt that gives them (the drone looks along x)
    double wanted[3];
    for (int i = 0; i < 3; i++)
      wanted[i] = clamp(1.2 * (goal[i] - place[i]) - 1.6 * velocity[i], 3.0);
    const double ahead = std::cos(yaw) * wanted[0] + std::sin(yaw) * wanted[1];
    const double left = -std::sin(yaw) * wanted[0] + std::cos(yaw) * wanted[1];

    const double lift = MASS * (GRAVITY + wanted[2]) / (std::cos(roll) * std::cos(pitch));
    const double turnX = 1.5 * (clamp(-left / GRAVITY, TILT) - roll) - 0.25 * rate[0];
    const double turnY = 1.5 * (clamp(ahead / GRAVITY, TILT) - pitch) - 0.25 * rate[1];
    const double turnZ = 0.05 * clamp(-yaw, 1.0) - 0.05 * rate[2];
    for (const Propeller &p : propellers) {
      const double push = lift / 4 + p.y * turnX / (4 * ARM) - p.x * turnY / (4 * ARM) +
                          p.sense * turnZ * THRUST / (4 * TORQUE);
      p.motor->setVelocity(std::sqrt(std::max(push, 0.0) / THRUST));
    }
  }
  return 0;
}
