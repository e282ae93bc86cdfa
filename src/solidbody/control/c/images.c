/* Cameras, range finders and lidars. Their images stay where the simulator has put them, in shared memory. */

#include <fcntl.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"

#define IMAGE (d->facts.camera) /* what all images have is at the same place in their facts */

/* ---------------------------------------------------------------------- memory */

static void unmap(Picture *picture) {
  if (picture->memory.data) munmap(picture->memory.data, picture->memory.size);
  *picture = (Picture){0};
}

/* Returns the memory of a picture; NULL if it cannot be reached. */
static void *mapped(Picture *picture, Slice path) {
  if (picture->memory.data && picture->path == path.data) return picture->memory.data;
  if (picture->memory.data) munmap(picture->memory.data, picture->memory.size);
  picture->memory = (Memory){0};
  int file = open(path.data, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (file >= 0 && !fstat(file, &facts) && facts.st_size > 0) {
    void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (data != MAP_FAILED) picture->memory = (Memory){data, (size_t)facts.st_size};
    picture->path = path.data;
  }
  if (file >= 0) close(file);
  return picture->memory.data;
}

static void free_objects(Device *d) {
  for (int k = 0; k < d->object_count; k++) {
    free(d->objects[k].colors);
    free(d->objects[k].model);
  }
  free(d->objects);
  d->objects = NULL;
  d->object_count = 0;
}

void images_reset(Device *d) {
  d->since = d->period ? -1.0 : INFINITY;
  unmap(&d->image);
  unmap(&d->segments);
  unmap(&d->points);
  free(d->black);
  d->black = NULL;
  free_objects(d);
  d->objects_told = d->objects_read = 0;
}

/* ---------------------------------------------------------------------- images */

/* A program that has read two images in a row gets the next ones without asking. */
void image_told(Device *d, uint32_t number) {
  d->is_here = d->wants;
  bool was_read = d->image.told && d->image.read == d->image.told;
  d->image.told = number;
  d->reads = was_read ? d->reads + 1 : 0;
  if (d->wants != (d->reads > 1)) {
    d->wants = !d->wants;
    ORDER(ImageWant, d->tag, d->wants);
  }
}

/* Whether there is an image to read, if only a black one: from the step after enabling on. */
static bool has_image(const Device *d, const char *word, const char *function) {
  return is_on(d, word, function) && (d->image.told || robot.time > d->since);
}

/* Returns zeros, with the last byte of every four being `fourth`, before the first image is taken. */
static const void *black(Device *d, int fourth) {
  if (!d->black) {
    size_t size = ((size_t)IMAGE.width * IMAGE.height + 1) * sizeof(WbLidarPoint); /* no pixel has more */
    d->black = calloc(size, 1);
    for (size_t k = 3; fourth && d->black && k < size; k += 4) ((uint8_t *)d->black)[k] = (uint8_t)fourth;
  }
  return d->black;
}

static size_t pixels(const Device *d) { return (size_t)IMAGE.width * IMAGE.height; }

static const void *fetch_image(Device *d, const char *function) {
  if (d->image.read != d->image.told && !robot.is_pending) {
    if (!d->is_here && !bool_of(ASK_FOR(function, ImageFetch, d->tag))) return NULL;
    d->image.read = d->image.told;
  }
  return d->image.read ? mapped(&d->image, IMAGE.memory) : NULL;
}

static const void *get_image(Device *d, const char *word, const char *function) {
  if (!has_image(d, word, function)) return NULL;
  if (!d->image.told) return black(d, d->type == WB_NODE_CAMERA ? 255 : 0);
  return fetch_image(d, function);
}

static void fetch_segments(Device *d, const char *function) {
  if (d->segments.read != d->segments.told && !robot.is_pending && bool_of(ASK_FOR(function, SegmentsFetch, d->tag)))
    d->segments.read = d->segments.told;
}

static void fetch_points(Device *d, const char *function) {
  if (d->points.read != d->image.told && !robot.is_pending && bool_of(ASK_FOR(function, PointsFetch, d->tag)))
    d->points.read = d->image.told;
}

static void fetch_objects(Device *d, const char *function) {
  if (d->objects_read == d->objects_told || robot.is_pending) return;
  Reply reply = ASK_FOR(function, CameraObjects, d->tag);
  RecognisedObjects found;
  if (!reply_is(reply, &layout_RecognisedObjects, &found)) return;
  d->objects_read = d->objects_told;
  free_objects(d);
  d->objects = calloc(found.value.count + 1, sizeof *d->objects);
  for (uint32_t k = 0; k < found.value.count; k++) {
    RecognisedObject one;
    if (!read_fields(&found.value.items, &layout_RecognisedObject, &one)) return;
    WbCameraRecognitionObject *to = &d->objects[d->object_count++];
    to->id = one.number;
    memcpy(to->position, one.position, sizeof to->position);
    memcpy(to->orientation, one.orientation, sizeof to->orientation);
    memcpy(to->size, one.size, sizeof to->size);
    to->position_on_image[0] = one.x;
    to->position_on_image[1] = one.y;
    to->size_on_image[0] = one.width;
    to->size_on_image[1] = one.height;
    to->number_of_colors = (int)one.colors.count / 3;
    to->colors = calloc(one.colors.count + 1, sizeof(double));
    read_doubles(&one.colors.items, to->colors, one.colors.count);
    to->model = text_of(one.model);
  }
}

/* Reads everything that was told of, before the simulator is busy. */
void images_read_all(Device *d) {
  if (d->period && d->image.told) {
    fetch_image(d, __func__);
    if (d->has_cloud) fetch_points(d, __func__);
  }
  if (d->recognition_period && d->objects_told) fetch_objects(d, __func__);
  if (d->recognition_period && d->is_segmenting && d->segments.told) fetch_segments(d, __func__);
}

/* Returns a path that does not depend on the working folder, to be freed. */
char *absolute(const char *path) {
  char folder[4096], *out = NULL;
  if (*path == '/' || !getcwd(folder, sizeof folder)) return strdup(path);
  size_t size = strlen(folder) + strlen(path) + 2;
  out = malloc(size);
  snprintf(out, size, "%s/%s", folder, path);
  return out;
}

/* Tells what is wrong with a file that could not be written; returns 0, or -1. */
static int saved(Reply reply, const char *function) {
  char *problem = reply_text(reply);
  if (problem && *problem) complain("Error: %s(): %s", function, problem);
  int status = problem && !*problem ? 0 : -1;
  free(problem);
  return status;
}

static bool is_file_name(const char *filename, int quality, const char *function) {
  if (!filename || !*filename) {
    complain("Error: %s() called with NULL or empty 'filename' argument.", function);
    return false;
  }
  const char *end = strrchr(filename, '.');
  bool is_jpeg = end && (!strcasecmp(end, ".jpg") || !strcasecmp(end, ".jpeg"));
  if (is_jpeg && (quality < 1 || quality > 100)) {
    complain("Error: %s() called with invalid 'quality' argument.", function);
    return false;
  }
  return true;
}

static int save_image(Device *d, const char *word, const char *filename, int quality, const char *function) {
  if (!d || !is_file_name(filename, quality, function) || !is_on(d, word, function)) return -1;
  char *path = absolute(filename);
  int status = saved(ASK_FOR(function, ImageSave, d->tag, path, quality), function);
  free(path);
  return status;
}

/* ---------------------------------------------------------------------- cameras */

/* Until release 8.4 range finders and lidars were cameras, and programs of that time call these for them. */
static Device *camera_of(WbDeviceTag tag, const char *function) {
  WbNodeType type = tag >= 1 && tag <= robot.count ? robot.devices[tag]->type : WB_NODE_NO_NODE;
  bool is_range = type == WB_NODE_RANGE_FINDER || type == WB_NODE_LIDAR;
  return device_of(tag, is_range ? type : WB_NODE_CAMERA, function);
}

#define ANY_CAMERA \
  LOCK;            \
  Device *d = camera_of(tag, __func__)

void wb_camera_enable(WbDeviceTag tag, int sampling_period) {
  ANY_CAMERA;
  if (d) enable(d, sampling_period, __func__);
}

void wb_camera_disable(WbDeviceTag tag) {
  ANY_CAMERA;
  if (d) enable(d, 0, __func__);
}

int wb_camera_get_sampling_period(WbDeviceTag tag) {
  ANY_CAMERA;
  return d ? d->period : 0;
}

int wb_camera_get_width(WbDeviceTag tag) {
  ANY_CAMERA;
  return d ? (int)IMAGE.width : -1;
}

int wb_camera_get_height(WbDeviceTag tag) {
  ANY_CAMERA;
  return d ? (int)IMAGE.height : -1;
}

double wb_camera_get_fov(WbDeviceTag tag) {
  ANY_CAMERA;
  return d ? IMAGE.fov : NAN;
}

const float *wb_camera_get_range_image(WbDeviceTag tag) {
  ANY_CAMERA;
  return d && d->type != WB_NODE_CAMERA ? get_image(d, "camera", __func__) : NULL;
}

double wb_camera_get_max_range(WbDeviceTag tag) {
  ANY_CAMERA;
  if (!d || d->type == WB_NODE_CAMERA) return NAN;
  return d->type == WB_NODE_LIDAR ? d->facts.lidar.max_range : d->facts.rangeFinder.max_range;
}

GET(double, wb_camera_get_min_fov, CAMERA, IMAGE.min_fov, NAN)
GET(double, wb_camera_get_max_fov, CAMERA, IMAGE.max_fov, NAN)
GET(double, wb_camera_get_exposure, CAMERA, IMAGE.exposure, NAN)
GET(double, wb_camera_get_focal_length, CAMERA, IMAGE.focal_length, NAN)
GET(double, wb_camera_get_focal_distance, CAMERA, IMAGE.focal_distance, NAN)
GET(double, wb_camera_get_min_focal_distance, CAMERA, IMAGE.min_focal_distance, NAN)
GET(double, wb_camera_get_max_focal_distance, CAMERA, IMAGE.max_focal_distance, NAN)
GET(double, wb_camera_get_near, CAMERA, IMAGE.near, NAN)
GET(Bool, wb_camera_has_recognition, CAMERA, IMAGE.has_recognition, 0)
GET(Bool, wb_camera_recognition_has_segmentation, CAMERA, IMAGE.has_segmentation, 0)
GET(Bool, wb_camera_recognition_is_segmentation_enabled, CAMERA, d->is_segmenting, 0)

const unsigned char *wb_camera_get_image(WbDeviceTag tag) {
  DEVICE(CAMERA);
  return d ? get_image(d, "camera", __func__) : NULL;
}

int wb_camera_save_image(WbDeviceTag tag, const char *filename, int quality) {
  DEVICE(CAMERA);
  return save_image(d, "camera", filename, quality, __func__);
}

void wb_camera_set_fov(WbDeviceTag tag, double fov) {
  DEVICE(CAMERA);
  if (!d) return;
  if (!IMAGE.has_zoom) {
    complain("Error: %s() called on a Camera without Zoom node.", __func__);
  } else if (!(fov >= IMAGE.min_fov && fov <= IMAGE.max_fov)) {
    complain("Error: %s() out of zoom range [%f, %f].", __func__, IMAGE.min_fov, IMAGE.max_fov);
  } else {
    IMAGE.fov = fov;
    ORDER(CameraFov, d->tag, fov);
  }
}

void wb_camera_set_exposure(WbDeviceTag tag, double exposure) {
  DEVICE(CAMERA);
  if (!d) return;
  if (!(exposure >= 0.0)) {
    complain("Error: %s() called with negative 'exposure' argument.", __func__);
    return;
  }
  IMAGE.exposure = exposure;
  ORDER(CameraExposure, d->tag, exposure);
}

void wb_camera_set_focal_distance(WbDeviceTag tag, double focal_distance) {
  DEVICE(CAMERA);
  if (!d) return;
  if (!IMAGE.has_focus) {
    complain("Error: %s() called on a Camera without Focus node.", __func__);
  } else if (!(focal_distance >= IMAGE.min_focal_distance && focal_distance <= IMAGE.max_focal_distance)) {
    complain("Error: %s() out of focus range [%f, %f].", __func__, IMAGE.min_focal_distance, IMAGE.max_focal_distance);
  } else {
    IMAGE.focal_distance = focal_distance;
    ORDER(CameraFocalDistance, d->tag, focal_distance);
  }
}

/* ---------------------------------------------------------------------- recognition */

static bool has_recognition(const Device *d, const char *function) {
  if (!IMAGE.has_recognition) complain("Error: %s() called on a Camera without Recognition node.", function);
  return IMAGE.has_recognition;
}

static void recognise(Device *d, int period, const char *function) {
  if (!d || !has_recognition(d, function)) return;
  if (period < 0) {
    complain("Error: %s() called with negative sampling period.", function);
    return;
  }
  d->recognition_period = period;
  if (!period) {
    d->objects_told = d->objects_read = 0;
    free_objects(d);
  }
  ORDER(CameraRecognition, d->tag, period);
}

void wb_camera_recognition_enable(WbDeviceTag tag, int sampling_period) {
  DEVICE(CAMERA);
  recognise(d, sampling_period, __func__);
}

void wb_camera_recognition_disable(WbDeviceTag tag) {
  DEVICE(CAMERA);
  recognise(d, 0, __func__);
}

int wb_camera_recognition_get_sampling_period(WbDeviceTag tag) {
  DEVICE(CAMERA);
  return d && has_recognition(d, __func__) ? d->recognition_period : 0;
}

/* Brings the objects up to date; returns whether there can be any. */
static bool recognised(Device *d, const char *function) {
  if (!d || !has_recognition(d, function)) return false;
  if (!d->recognition_period)
    complain("Error: %s() called for a disabled device! Please use: wb_camera_recognition_enable().", function);
  else if (d->objects_told) fetch_objects(d, function);
  return true;
}

int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag) {
  DEVICE(CAMERA);
  return recognised(d, __func__) ? d->object_count : 0;
}

const WbCameraRecognitionObject *wb_camera_recognition_get_objects(WbDeviceTag tag) {
  DEVICE(CAMERA);
  return recognised(d, __func__) ? d->objects : NULL;
}

const WbCameraRecognitionObject *wb_camera_recognition_get_object(WbDeviceTag tag, int index) {
  DEVICE(CAMERA);
  return recognised(d, __func__) && index >= 0 && index < d->object_count ? &d->objects[index] : NULL;
}

static void segment(Device *d, bool wanted, const char *function) {
  if (!d || !has_recognition(d, function)) return;
  if (!IMAGE.has_segmentation) {
    complain("Error: %s(): segmentation is disabled in Recognition node.", function);
    return;
  }
  d->is_segmenting = wanted;
  ORDER(CameraSegmentation, d->tag, wanted);
}

void wb_camera_recognition_enable_segmentation(WbDeviceTag tag) {
  DEVICE(CAMERA);
  segment(d, true, __func__);
}

void wb_camera_recognition_disable_segmentation(WbDeviceTag tag) {
  DEVICE(CAMERA);
  segment(d, false, __func__);
}

static bool is_segmenting(const Device *d, const char *function) {
  if (!d || !has_recognition(d, function)) return false;
  if (d->is_segmenting && d->recognition_period) return true;
  complain("Error: %s() called for a disabled device! Please use: wb_camera_recognition_enable() and "
           "wb_camera_recognition_enable_segmentation().", function);
  return false;
}

const unsigned char *wb_camera_recognition_get_segmentation_image(WbDeviceTag tag) {
  DEVICE(CAMERA);
  if (!is_segmenting(d, __func__) || !d->segments.told) return NULL;
  fetch_segments(d, __func__);
  return d->segments.read ? mapped(&d->segments, IMAGE.segments_memory) : NULL;
}

int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char *filename, int quality) {
  DEVICE(CAMERA);
  if (!is_segmenting(d, __func__) || !is_file_name(filename, quality, __func__)) return -1;
  char *path = absolute(filename);
  int status = saved(ASK(SegmentsSave, d->tag, path, quality), __func__);
  free(path);
  return status;
}

/* ---------------------------------------------------------------------- range finders */

SENSOR(range_finder, RANGE_FINDER)
GET(int, wb_range_finder_get_width, RANGE_FINDER, (int)IMAGE.width, -1)
GET(int, wb_range_finder_get_height, RANGE_FINDER, (int)IMAGE.height, -1)
GET(double, wb_range_finder_get_fov, RANGE_FINDER, IMAGE.fov, NAN)
GET(double, wb_range_finder_get_min_range, RANGE_FINDER, d->facts.rangeFinder.min_range, NAN)
GET(double, wb_range_finder_get_max_range, RANGE_FINDER, d->facts.rangeFinder.max_range, NAN)

const float *wb_range_finder_get_range_image(WbDeviceTag tag) {
  DEVICE(RANGE_FINDER);
  return d ? get_image(d, "range_finder", __func__) : NULL;
}

int wb_range_finder_save_image(WbDeviceTag tag, const char *filename, int quality) {
  DEVICE(RANGE_FINDER);
  return save_image(d, "range_finder", filename, quality, __func__);
}

/* ---------------------------------------------------------------------- lidars */

SENSOR(lidar, LIDAR)
#define SCAN (d->facts.lidar)
GET(int, wb_lidar_get_horizontal_resolution, LIDAR, (int)IMAGE.width, -1)
GET(int, wb_lidar_get_number_of_layers, LIDAR, (int)IMAGE.height, -1)
GET(double, wb_lidar_get_fov, LIDAR, IMAGE.fov, NAN)
GET(double, wb_lidar_get_vertical_fov, LIDAR, SCAN.vertical_fov, NAN)
GET(double, wb_lidar_get_min_range, LIDAR, SCAN.min_range, NAN)
GET(double, wb_lidar_get_max_range, LIDAR, SCAN.max_range, NAN)
GET(double, wb_lidar_get_frequency, LIDAR, SCAN.frequency, NAN)
GET(double, wb_lidar_get_min_frequency, LIDAR, SCAN.min_frequency, NAN)
GET(double, wb_lidar_get_max_frequency, LIDAR, SCAN.max_frequency, NAN)
GET(Bool, wb_lidar_is_point_cloud_enabled, LIDAR, d->has_cloud, 0)
GET(int, wb_lidar_get_number_of_points, LIDAR, (int)pixels(d), 0)

void wb_lidar_enable_point_cloud(WbDeviceTag tag) {
  DEVICE(LIDAR);
  if (d) d->has_cloud = true;
}

void wb_lidar_disable_point_cloud(WbDeviceTag tag) {
  DEVICE(LIDAR);
  if (d) d->has_cloud = false;
}

void wb_lidar_set_frequency(WbDeviceTag tag, double frequency) {
  DEVICE(LIDAR);
  if (!d) return;
  if (!(frequency >= SCAN.min_frequency && frequency <= SCAN.max_frequency)) {
    complain("Error: %s() out of frequency range [%f, %f].", __func__, SCAN.min_frequency, SCAN.max_frequency);
    return;
  }
  SCAN.frequency = frequency;
  ORDER(LidarFrequency, d->tag, frequency);
}

static bool is_layer(const Device *d, int layer, const char *function) {
  if (layer >= 0 && layer < (int)IMAGE.height) return true;
  if (layer < 0) complain("Error: %s() called with a negative 'layer' argument.", function);
  else complain("Error: %s() called with a 'layer' argument (%d) bigger than the number of layers of this lidar (%d).",
                function, layer, (int)IMAGE.height);
  return false;
}

const float *wb_lidar_get_range_image(WbDeviceTag tag) {
  DEVICE(LIDAR);
  return d ? get_image(d, "lidar", __func__) : NULL;
}

const float *wb_lidar_get_layer_range_image(WbDeviceTag tag, int layer) {
  DEVICE(LIDAR);
  const float *image = d && is_layer(d, layer, __func__) ? get_image(d, "lidar", __func__) : NULL;
  return image ? image + (size_t)layer * IMAGE.width : NULL;
}

static const WbLidarPoint *get_points(Device *d, const char *function) {
  if (!d || !has_image(d, "lidar", function)) return NULL;
  if (!d->has_cloud) {
    complain("Error: %s() called for a lidar with point cloud disabled! Please use: wb_lidar_enable_point_cloud().", function);
    return NULL;
  }
  if (!d->image.told) return black(d, 0);
  fetch_points(d, function);
  return d->points.read ? mapped(&d->points, SCAN.points_memory) : NULL;
}

const WbLidarPoint *wb_lidar_get_point_cloud(WbDeviceTag tag) {
  DEVICE(LIDAR);
  return get_points(d, __func__);
}

const WbLidarPoint *wb_lidar_get_layer_point_cloud(WbDeviceTag tag, int layer) {
  DEVICE(LIDAR);
  const WbLidarPoint *points = d && is_layer(d, layer, __func__) ? get_points(d, __func__) : NULL;
  return points ? points + (size_t)layer * IMAGE.width : NULL;
}

const WbLidarPoint *wb_lidar_get_point(WbDeviceTag tag, int index) {
  DEVICE(LIDAR);
  const WbLidarPoint *points = get_points(d, __func__);
  return points && index >= 0 && (size_t)index < pixels(d) ? points + index : NULL;
}
