/* Wanders about: turns away from what the three eyes see. */

#include <math.h>
#include <webots/distance_sensor.h>
#include <webots/motor.h>
#include <webots/robot.h>

#define FAST 8.0 /* of a wheel [rad/s] */
#define NEAR 0.3 /* that is too near [m] */

int main(void) {
  const char *eye_names[3] = {"left eye", "front eye", "right eye"};
  const char *motor_names[2] = {"left motor", "right motor"};
  WbDeviceTag eyes[3], motors[2];

  wb_robot_init();
  const int step = (int)wb_robot_get_basic_time_step();
  for (int i = 0; i < 3; i++) {
    eyes[i] = wb_robot_get_device(eye_names[i]);
    wb_distance_sensor_enable(eyes[i], step);
  }
  for (int i = 0; i < 2; i++) {
    motors[i] = wb_robot_get_device(motor_names[i]);
    wb_motor_set_position(motors[i], INFINITY); /* by velocity */
    wb_motor_set_velocity(motors[i], 0.0);
  }

  while (wb_robot_step(step) != -1) {
    const double left = wb_distance_sensor_get_value(eyes[0]);
    const double front = wb_distance_sensor_get_value(eyes[1]);
    const double right = wb_distance_sensor_get_value(eyes[2]);
    double speeds[2] = {FAST, FAST};
    if (left <= NEAR || front <= NEAR || right <= NEAR) {
      speeds[0] = left > right ? -0.4 * FAST : 0.4 * FAST; /* to the freer side */
      speeds[1] = -speeds[0];
    }
    for (int i = 0; i < 2; i++)
      wb_motor_set_velocity(motors[i], speeds[i]);
  }
  wb_robot_cleanup();
  return 0;
}
