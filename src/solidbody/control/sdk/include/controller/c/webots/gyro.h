/* Gyros. */

#ifndef WB_GYRO_H
#define WB_GYRO_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_gyro_enable(WbDeviceTag tag, int sampling_period);
void wb_gyro_disable(WbDeviceTag tag);
int wb_gyro_get_sampling_period(WbDeviceTag tag);
/* Three numbers [rad/s]; NaN before the first sample. */
const double *wb_gyro_get_values(WbDeviceTag tag);

/* Rows of the lookup table, three numbers each: input, output, noise. */
int wb_gyro_get_lookup_table_size(WbDeviceTag tag);
const double *wb_gyro_get_lookup_table(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
