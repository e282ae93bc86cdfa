/* Compasses. */

#ifndef WB_COMPASS_H
#define WB_COMPASS_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_compass_enable(WbDeviceTag tag, int sampling_period);
void wb_compass_disable(WbDeviceTag tag);
int wb_compass_get_sampling_period(WbDeviceTag tag);
/* Direction of north; NaN before the first sample. */
const double *wb_compass_get_values(WbDeviceTag tag);

/* Rows of the lookup table, three numbers each: input, output, noise. */
int wb_compass_get_lookup_table_size(WbDeviceTag tag);
const double *wb_compass_get_lookup_table(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
