/* Inertial units. */

#ifndef WB_INERTIAL_UNIT_H
#define WB_INERTIAL_UNIT_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_inertial_unit_enable(WbDeviceTag tag, int sampling_period);
void wb_inertial_unit_disable(WbDeviceTag tag);
int wb_inertial_unit_get_sampling_period(WbDeviceTag tag);
const double *wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag); /* [rad] */
const double *wb_inertial_unit_get_quaternion(WbDeviceTag tag);     /* x y z w */
double wb_inertial_unit_get_noise(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
