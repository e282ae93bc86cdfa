/* Radars. */

#ifndef WB_RADAR_H
#define WB_RADAR_H

#define WB_USING_C_API
#include "radar_target.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_radar_enable(WbDeviceTag tag, int sampling_period);
void wb_radar_disable(WbDeviceTag tag);
int wb_radar_get_sampling_period(WbDeviceTag tag);
int wb_radar_get_number_of_targets(WbDeviceTag tag);
const WbRadarTarget *wb_radar_get_targets(WbDeviceTag tag);
const WbRadarTarget *wb_radar_get_target(WbDeviceTag tag, int index);
double wb_radar_get_min_range(WbDeviceTag tag); /* [m] */
double wb_radar_get_max_range(WbDeviceTag tag);
double wb_radar_get_horizontal_fov(WbDeviceTag tag); /* [rad] */
double wb_radar_get_vertical_fov(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
