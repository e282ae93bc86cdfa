/* Takes off and flies from one place in the air to the next, by GPS, attitude and rates. */

#include <math.h>
#include <webots/gps.h>
#include <webots/gyro.h>
#include <webots/inertial_unit.h>
#include <webots/motor.h>
#include <webots/robot.h>

#define MASS 1.0
#define GRAVITY 9.81
#define THRUST 2e-4 /* [N s2], of the propellers in the world file */
#define ARM 0.16    /* of each propeller, along x and y [m] */
#define TORQUE 4e-6 /* [N m s2] */
#define PLACES 4
#define PAUSE 5.0 /* at each place [s] */
#define TILT 0.35 /* the greatest [rad] */

typedef struct {
  const char *motor;
  int x, y, sense; /* side along x and y, sense of its torque */
  WbDeviceTag tag;
} Propeller;

static const double places[PLACES][3] = {{0, 0, 1}, {1, 0, 1.2}, {1, 1, 1.5}, {0, 0, 1}};

static double clamp(double value, double bound) {
  return fmax(-bound, fmin(bound, value));
}

int main(void) {
  Propeller propellers[4] = {{"front left motor", 1, 1, -1, 0},
                             {"front right motor", 1, -1, 1, 0},
                             {"rear left motor", -1, 1, 1, 0},
                             {"rear right motor", -1, -1, -1, 0}};
  wb_robot_init();
  const int step = (int)wb_robot_get_basic_time_step();
  const WbDeviceTag gps = wb_robot_get_device("gps"), gyro = wb_robot_get_device("gyro");
  const WbDeviceTag attitude = wb_robot_get_device("attitude");
  wb_gps_enable(gps, step);
  wb_inertial_unit_enable(attitude, step);
  wb_gyro_enable(gyro, step);
  for (int i = 0; i < 4; i++) {
    propellers[i].tag = wb_robot_get_device(propellers[i].motor);
    wb_motor_set_position(propellers[i].tag, INFINITY);
    wb_motor_set_velocity(propellers[i].tag, 0.0);
  }

  while (wb_robot_step(step) != -1) {
    const double *place = wb_gps_get_values(gps), *velocity = wb_gps_get_speed_vector(gps);
    const double *angle = wb_inertial_unit_get_roll_pitch_yaw(attitude), *rate = wb_gyro_get_values(gyro);
    if (isnan(place[0]) || isnan(velocity[0]) || isnan(angle[0]) || isnan(rate[0]))
      continue; /* nothing was measured yet */
    const int stage = (int)(wb_robot_get_time() / PAUSE);
    const double *goal = places[stage < PLACES ? stage : PLACES - 1];
    const double roll = angle[0], pitch = angle[1], yaw = angle[2];

    /* accelerations that lead to the goal, then the tilt that gives them (the drone looks along x) */
    double wanted[3];
    for (int i = 0; i < 3; i++)
      wanted[i] = clamp(1.2 * (goal[i] - place[i]) - 1.6 * velocity[i], 3.0);
    const double ahead = cos(yaw) * wanted[0] + sin(yaw) * wanted[1];
    const double left = -sin(yaw) * wanted[0] + cos(yaw) * wanted[1];

    const double lift = MASS * (GRAVITY + wanted[2]) / (cos(roll) * cos(pitch));
    const double turn_x = 1.5 * (clamp(-left / GRAVITY, TILT) - roll) - 0.25 * rate[0];
    const double turn_y = 1.5 * (clamp(ahead / GRAVITY, TILT) - pitch) - 0.25 * rate[1];
    const double turn_z = 0.05 * clamp(-yaw, 1.0) - 0.05 * rate[2];
    for (int i = 0; i < 4; i++) {
      const Propeller *p = &propellers[i];
      const double push = lift / 4 + p->y * turn_x / (4 * ARM) - p->x * turn_y / (4 * ARM) +
                          p->sense * turn_z * THRUST / (4 * TORQUE);
      wb_motor_set_velocity(p->tag, sqrt(fmax(push, 0.0) / THRUST));
    }
  }
  wb_robot_cleanup();
  return 0;
}
