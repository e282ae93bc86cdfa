/* Cameras, and what they recognise. */

#ifndef WB_CAMERA_H
#define WB_CAMERA_H

#define WB_USING_C_API
#include "camera_recognition_object.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_camera_enable(WbDeviceTag tag, int sampling_period);
void wb_camera_disable(WbDeviceTag tag);
int wb_camera_get_sampling_period(WbDeviceTag tag);

/* Blue, green, red and alpha of each pixel, row by row; valid until the next step. */
const unsigned char *wb_camera_get_image(WbDeviceTag tag);
int wb_camera_get_width(WbDeviceTag tag);
int wb_camera_get_height(WbDeviceTag tag);
int wb_camera_save_image(WbDeviceTag tag, const char *filename, int quality);

/* Lens: angles [rad], distances [m]. */
double wb_camera_get_fov(WbDeviceTag tag);
double wb_camera_get_min_fov(WbDeviceTag tag);
double wb_camera_get_max_fov(WbDeviceTag tag);
void wb_camera_set_fov(WbDeviceTag tag, double fov);
double wb_camera_get_exposure(WbDeviceTag tag);
void wb_camera_set_exposure(WbDeviceTag tag, double exposure);
double wb_camera_get_focal_length(WbDeviceTag tag);
double wb_camera_get_focal_distance(WbDeviceTag tag);
double wb_camera_get_min_focal_distance(WbDeviceTag tag);
double wb_camera_get_max_focal_distance(WbDeviceTag tag);
void wb_camera_set_focal_distance(WbDeviceTag tag, double focal_distance);
double wb_camera_get_near(WbDeviceTag tag);

/* Of releases before 8.4, in which range finders and lidars were cameras: the functions for these take them still. */
const float *wb_camera_get_range_image(WbDeviceTag tag);
double wb_camera_get_max_range(WbDeviceTag tag);
#define wb_camera_range_image_get_depth(image, width, x, y) ((image)[(y) * (width) + (x)])

/* Recognition. */
bool wb_camera_has_recognition(WbDeviceTag tag);
void wb_camera_recognition_enable(WbDeviceTag tag, int sampling_period);
void wb_camera_recognition_disable(WbDeviceTag tag);
int wb_camera_recognition_get_sampling_period(WbDeviceTag tag);
int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag);
const WbCameraRecognitionObject *wb_camera_recognition_get_objects(WbDeviceTag tag);
const WbCameraRecognitionObject *wb_camera_recognition_get_object(WbDeviceTag tag, int index);
bool wb_camera_recognition_has_segmentation(WbDeviceTag tag);
void wb_camera_recognition_enable_segmentation(WbDeviceTag tag);
void wb_camera_recognition_disable_segmentation(WbDeviceTag tag);
bool wb_camera_recognition_is_segmentation_enabled(WbDeviceTag tag);
const unsigned char *wb_camera_recognition_get_segmentation_image(WbDeviceTag tag);
int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char *filename, int quality);

/* Parts of a pixel, 0 to 255. */
#define wb_camera_image_get_blue(image, width, x, y) ((image)[4 * ((y) * (width) + (x))])
#define wb_camera_image_get_green(image, width, x, y) ((image)[4 * ((y) * (width) + (x)) + 1])
#define wb_camera_image_get_red(image, width, x, y) ((image)[4 * ((y) * (width) + (x)) + 2])
#define wb_camera_image_get_gray(image, width, x, y) \
  ((wb_camera_image_get_blue(image, width, x, y) + wb_camera_image_get_green(image, width, x, y) + \
    wb_camera_image_get_red(image, width, x, y)) / 3)
#define wb_camera_image_get_grey(image, width, x, y) wb_camera_image_get_gray(image, width, x, y)

#ifdef __cplusplus
}
#endif

#endif
