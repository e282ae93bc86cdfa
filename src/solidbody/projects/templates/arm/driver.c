/* Brings the hand from one mark to the next by inverse kinematics, and says when it is there. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

#define JOINTS 3
#define MARKS 3
#define UPPER 0.36 /* length of a link [m] */
#define FORE 0.36
#define SHOULDER 0.3 /* height [m] */
#define CLOSE 0.01   /* of all joints [rad] */

static const double marks[MARKS][3] = {{0.45, 0.2, 0.35}, {0.35, -0.35, 0.6}, {0.2, 0.4, 0.7}};

/* The angles of base, shoulder (from straight up) and elbow that bring the hand to a point. */
static void find_angles(const double *point, double *angle) {
  const double reach = hypot(point[0], point[1]), height = point[2] - SHOULDER;
  const double away = hypot(reach, height);
  if (away <= fabs(UPPER - FORE) || away >= UPPER + FORE) {
    fprintf(stderr, "(%g, %g, %g) is out of reach\n", point[0], point[1], point[2]);
    exit(EXIT_FAILURE);
  }
  angle[0] = atan2(point[1], point[0]);
  angle[1] = atan2(reach, height) - acos((UPPER * UPPER + away * away - FORE * FORE) / (2 * UPPER * away));
  angle[2] = M_PI - acos((UPPER * UPPER + FORE * FORE - away * away) / (2 * UPPER * FORE));
}

int main(void) {
  const char *names[JOINTS] = {"base", "shoulder", "elbow"};
  WbDeviceTag motors[JOINTS], sensors[JOINTS];
  int mark = 0;

  wb_robot_init();
  const int step = (int)wb_robot_get_basic_time_step();
  for (int i = 0; i < JOINTS; i++) {
    char sensor[32];
    snprintf(sensor, sizeof sensor, "%s sensor", names[i]);
    motors[i] = wb_robot_get_device(names[i]);
    sensors[i] = wb_robot_get_device(sensor);
    wb_position_sensor_enable(sensors[i], step);
  }

  while (wb_robot_step(step) != -1) {
    double angle[JOINTS];
    int there = 1;
    find_angles(marks[mark % MARKS], angle);
    for (int i = 0; i < JOINTS; i++) {
      wb_motor_set_position(motors[i], angle[i]);
      if (!(fabs(wb_position_sensor_get_value(sensors[i]) - angle[i]) < CLOSE))
        there = 0;
    }
    if (there) {
      printf("mark %d reached at %.2f s\n", mark % MARKS + 1, wb_robot_get_time());
      fflush(stdout);
      mark++;
    }
  }
  wb_robot_cleanup();
  return 0;
}
