/* Range finders. */

#ifndef WB_RANGE_FINDER_H
#define WB_RANGE_FINDER_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_range_finder_enable(WbDeviceTag tag, int sampling_period);
void wb_range_finder_disable(WbDeviceTag tag);
int wb_range_finder_get_sampling_period(WbDeviceTag tag);
const float *wb_range_finder_get_range_image(WbDeviceTag tag); /* [m], valid until the next step */
int wb_range_finder_get_width(WbDeviceTag tag);
int wb_range_finder_get_height(WbDeviceTag tag);
double wb_range_finder_get_fov(WbDeviceTag tag); /* [rad] */
double wb_range_finder_get_min_range(WbDeviceTag tag);
double wb_range_finder_get_max_range(WbDeviceTag tag);
int wb_range_finder_save_image(WbDeviceTag tag, const char *filename, int quality);

#define wb_range_finder_image_get_depth(image, width, x, y) ((image)[(y) * (width) + (x)])

#ifdef __cplusplus
}
#endif

#endif
