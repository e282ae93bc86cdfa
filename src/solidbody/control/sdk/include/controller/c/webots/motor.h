/* Motors: [rad], [rad/s], [N*m] for those that turn, [m], [m/s], [N] for those that push. */

#ifndef WB_MOTOR_H
#define WB_MOTOR_H

#define WB_USING_C_API
#include "types.h"
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

void wb_motor_set_position(WbDeviceTag tag, double position); /* INFINITY = turn at the velocity */
void wb_motor_set_velocity(WbDeviceTag tag, double velocity);
void wb_motor_set_acceleration(WbDeviceTag tag, double acceleration); /* -1 = no limit */
void wb_motor_set_force(WbDeviceTag tag, double force);
void wb_motor_set_torque(WbDeviceTag tag, double torque);
void wb_motor_set_available_force(WbDeviceTag tag, double force);
void wb_motor_set_available_torque(WbDeviceTag tag, double torque);
void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d);

void wb_motor_enable_force_feedback(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_force_feedback(WbDeviceTag tag);
int wb_motor_get_force_feedback_sampling_period(WbDeviceTag tag);
double wb_motor_get_force_feedback(WbDeviceTag tag);
void wb_motor_enable_torque_feedback(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_torque_feedback(WbDeviceTag tag);
int wb_motor_get_torque_feedback_sampling_period(WbDeviceTag tag);
double wb_motor_get_torque_feedback(WbDeviceTag tag);

WbJointType wb_motor_get_type(WbDeviceTag tag);
double wb_motor_get_target_position(WbDeviceTag tag);
double wb_motor_get_min_position(WbDeviceTag tag);
double wb_motor_get_max_position(WbDeviceTag tag);
double wb_motor_get_velocity(WbDeviceTag tag);
double wb_motor_get_max_velocity(WbDeviceTag tag);
double wb_motor_get_acceleration(WbDeviceTag tag);
double wb_motor_get_available_force(WbDeviceTag tag);
double wb_motor_get_max_force(WbDeviceTag tag);
double wb_motor_get_available_torque(WbDeviceTag tag);
double wb_motor_get_max_torque(WbDeviceTag tag);
double wb_motor_get_multiplier(WbDeviceTag tag);
WbDeviceTag wb_motor_get_brake(WbDeviceTag tag);
WbDeviceTag wb_motor_get_position_sensor(WbDeviceTag tag);

/* Of older releases: what position sensors and the functions above tell today. */
void wb_motor_enable_position(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_position(WbDeviceTag tag);
int wb_motor_get_position_sampling_period(WbDeviceTag tag);
double wb_motor_get_position(WbDeviceTag tag);
void wb_motor_set_control_p(WbDeviceTag tag, double p);
void wb_motor_set_motor_force(WbDeviceTag tag, double force); /* limits it */
void wb_motor_enable_motor_force_feedback(WbDeviceTag tag, int sampling_period);
void wb_motor_disable_motor_force_feedback(WbDeviceTag tag);
int wb_motor_get_motor_force_feedback_sampling_period(WbDeviceTag tag);
double wb_motor_get_motor_force_feedback(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
