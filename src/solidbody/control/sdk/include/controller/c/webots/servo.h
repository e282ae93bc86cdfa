/* Servos of before Webots 8: a motor and the position sensor of its joint. */

#ifndef WB_SERVO_H
#define WB_SERVO_H

#define WB_USING_C_API
#include "types.h"
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WB_SERVO_INFINITY INFINITY
#define WB_SERVO_ROTATIONAL WB_ROTATIONAL
#define WB_SERVO_LINEAR WB_LINEAR

void wb_servo_set_position(WbDeviceTag tag, double position);
void wb_servo_set_velocity(WbDeviceTag tag, double velocity);
void wb_servo_set_acceleration(WbDeviceTag tag, double acceleration);
void wb_servo_set_motor_force(WbDeviceTag tag, double force); /* limits it */
void wb_servo_set_force(WbDeviceTag tag, double force);
void wb_servo_set_control_p(WbDeviceTag tag, double p);
void wb_servo_enable_position(WbDeviceTag tag, int sampling_period);
void wb_servo_disable_position(WbDeviceTag tag);
int wb_servo_get_position_sampling_period(WbDeviceTag tag);
double wb_servo_get_position(WbDeviceTag tag);
void wb_servo_enable_motor_force_feedback(WbDeviceTag tag, int sampling_period);
void wb_servo_disable_motor_force_feedback(WbDeviceTag tag);
int wb_servo_get_motor_force_feedback_sampling_period(WbDeviceTag tag);
double wb_servo_get_motor_force_feedback(WbDeviceTag tag);
WbJointType wb_servo_get_type(WbDeviceTag tag);
double wb_servo_get_target_position(WbDeviceTag tag);
double wb_servo_get_min_position(WbDeviceTag tag);
double wb_servo_get_max_position(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
