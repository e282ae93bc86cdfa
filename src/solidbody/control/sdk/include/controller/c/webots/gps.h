/* GPS. */

#ifndef WB_GPS_H
#define WB_GPS_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WB_GPS_LOCAL_COORDINATE = 0, WB_GPS_WGS84_COORDINATE } WbGpsCoordinateSystem;

void wb_gps_enable(WbDeviceTag tag, int sampling_period);
void wb_gps_disable(WbDeviceTag tag);
int wb_gps_get_sampling_period(WbDeviceTag tag);
const double *wb_gps_get_values(WbDeviceTag tag);
double wb_gps_get_speed(WbDeviceTag tag);                 /* [m/s] */
const double *wb_gps_get_speed_vector(WbDeviceTag tag); /* [m/s] */
WbGpsCoordinateSystem wb_gps_get_coordinate_system(WbDeviceTag tag);
const char *wb_gps_convert_to_degrees_minutes_seconds(double decimal_degrees); /* to be freed */

#ifdef __cplusplus
}
#endif

#endif
