/* Accelerometers. */

#ifndef WB_ACCELEROMETER_H
#define WB_ACCELEROMETER_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_accelerometer_enable(WbDeviceTag tag, int sampling_period);
void wb_accelerometer_disable(WbDeviceTag tag);
int wb_accelerometer_get_sampling_period(WbDeviceTag tag);
/* Three numbers [m/s^2]; NaN before the first sample. */
const double *wb_accelerometer_get_values(WbDeviceTag tag);

/* Rows of the lookup table, three numbers each: input, output, noise. */
int wb_accelerometer_get_lookup_table_size(WbDeviceTag tag);
const double *wb_accelerometer_get_lookup_table(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
