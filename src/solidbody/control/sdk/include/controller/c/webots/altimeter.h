/* Altimeters. */

#ifndef WB_ALTIMETER_H
#define WB_ALTIMETER_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_altimeter_enable(WbDeviceTag tag, int sampling_period);
void wb_altimeter_disable(WbDeviceTag tag);
int wb_altimeter_get_sampling_period(WbDeviceTag tag);
double wb_altimeter_get_value(WbDeviceTag tag); /* [m] */

#ifdef __cplusplus
}
#endif

#endif
