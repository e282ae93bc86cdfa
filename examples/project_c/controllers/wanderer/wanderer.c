/* Wanders through an arena: turns away from what its distance sensors see. */

#include <stdio.h>
#include <webots/distance_sensor.h>
#include <webots/motor.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

#include "steering.h"

#define TIME_STEP 64
#define DURATION 10.0 /* [s] */
#define FAR_ENOUGH 0.2 /* [m] */

int main(void) {
  wb_robot_init();
  WbDeviceTag sensors[SENSORS], wheels[2];
  for (int i = 0; i < SENSORS; i++) {
    char name[4];
    snprintf(name, sizeof name, "ps%d", i);
    sensors[i] = wb_robot_get_device(name);
    wb_distance_sensor_enable(sensors[i], TIME_STEP);
  }
  wheels[0] = wb_robot_get_device("left wheel motor");
  wheels[1] = wb_robot_get_device("right wheel motor");
  for (int i = 0; i < 2; i++)
    wb_motor_set_position(wheels[i], INFINITY);

  const WbNodeRef self = wb_supervisor_node_get_self();
  double farthest = 0.0;
  while (wb_robot_step(TIME_STEP) != -1 && wb_robot_get_time() < DURATION) {
    double seen[SENSORS], speeds[2];
    for (int i = 0; i < SENSORS; i++)
      seen[i] = wb_distance_sensor_get_value(sensors[i]);
    steer(seen, speeds);
    for (int i = 0; i < 2; i++)
      wb_motor_set_velocity(wheels[i], speeds[i]);
    const double *place = wb_supervisor_node_get_position(self);
    farthest = fmax(farthest, hypot(place[0], place[1]));
  }
  printf("came %.2f m from its start\n", farthest);
  wb_supervisor_simulation_quit(farthest > FAR_ENOUGH ? 0 : 1);
  wb_robot_cleanup();
  return 0;
}
