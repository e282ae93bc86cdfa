/* Cameras. */

#ifndef WEBOTS_CAMERA_HPP
#define WEBOTS_CAMERA_HPP

#include "../../c/webots/camera.h"
#include "Device.hpp"

namespace webots {

typedef WbCameraRecognitionObject CameraRecognitionObject;

class Camera : public Device {
public:
  explicit Camera(const std::string &name) : Device(name) {}
  explicit Camera(WbDeviceTag tag) : Device(tag) {}
  virtual ~Camera() {}

  virtual void enable(int samplingPeriod) { wb_camera_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_camera_disable(getTag()); }
  int getSamplingPeriod() const { return wb_camera_get_sampling_period(getTag()); }
  const unsigned char *getImage() const { return wb_camera_get_image(getTag()); }
  int getWidth() const { return wb_camera_get_width(getTag()); }
  int getHeight() const { return wb_camera_get_height(getTag()); }
  int saveImage(const std::string &filename, int quality) const {
    return wb_camera_save_image(getTag(), filename.c_str(), quality);
  }
  double getFov() const { return wb_camera_get_fov(getTag()); }
  double getMinFov() const { return wb_camera_get_min_fov(getTag()); }
  double getMaxFov() const { return wb_camera_get_max_fov(getTag()); }
  virtual void setFov(double fov) { wb_camera_set_fov(getTag(), fov); }
  double getExposure() const { return wb_camera_get_exposure(getTag()); }
  virtual void setExposure(double exposure) { wb_camera_set_exposure(getTag(), exposure); }
  double getFocalLength() const { return wb_camera_get_focal_length(getTag()); }
  double getFocalDistance() const { return wb_camera_get_focal_distance(getTag()); }
  double getMinFocalDistance() const { return wb_camera_get_min_focal_distance(getTag()); }
  double getMaxFocalDistance() const { return wb_camera_get_max_focal_distance(getTag()); }
  virtual void setFocalDistance(double focalDistance) {
    wb_camera_set_focal_distance(getTag(), focalDistance);
  }
  double getNear() const { return wb_camera_get_near(getTag()); }
  bool hasRecognition() const { return wb_camera_has_recognition(getTag()); }
  virtual void recognitionEnable(int samplingPeriod) {
    wb_camera_recognition_enable(getTag(), samplingPeriod);
  }
  virtual void recognitionDisable() { wb_camera_recognition_disable(getTag()); }
  int getRecognitionSamplingPeriod() const { return wb_camera_recognition_get_sampling_period(getTag()); }
  int getRecognitionNumberOfObjects() const { return wb_camera_recognition_get_number_of_objects(getTag()); }
  const WbCameraRecognitionObject *getRecognitionObjects() const {
    return wb_camera_recognition_get_objects(getTag());
  }
  const WbCameraRecognitionObject *getRecognitionObject(int index) const {
    return wb_camera_recognition_get_object(getTag(), index);
  }
  bool hasRecognitionSegmentation() const { return wb_camera_recognition_has_segmentation(getTag()); }
  virtual void enableRecognitionSegmentation() { wb_camera_recognition_enable_segmentation(getTag()); }
  virtual void disableRecognitionSegmentation() { wb_camera_recognition_disable_segmentation(getTag()); }
  bool isRecognitionSegmentationEnabled() const {
    return wb_camera_recognition_is_segmentation_enabled(getTag());
  }
  const unsigned char *getRecognitionSegmentationImage() const {
    return wb_camera_recognition_get_segmentation_image(getTag());
  }
  int saveRecognitionSegmentationImage(const std::string &filename, int quality) const {
    return wb_camera_recognition_save_segmentation_image(getTag(), filename.c_str(), quality);
  }
  static unsigned char imageGetRed(const unsigned char *image, int width, int x, int y) {
    return static_cast<unsigned char>(wb_camera_image_get_red(image, width, x, y));
  }
  static unsigned char imageGetGreen(const unsigned char *image, int width, int x, int y) {
    return static_cast<unsigned char>(wb_camera_image_get_green(image, width, x, y));
  }
  static unsigned char imageGetBlue(const unsigned char *image, int width, int x, int y) {
    return static_cast<unsigned char>(wb_camera_image_get_blue(image, width, x, y));
  }
  static unsigned char imageGetGray(const unsigned char *image, int width, int x, int y) {
    return static_cast<unsigned char>(wb_camera_image_get_gray(image, width, x, y));
  }
  static unsigned char imageGetGrey(const unsigned char *image, int width, int x, int y) {
    return static_cast<unsigned char>(wb_camera_image_get_gray(image, width, x, y));
  }
};

}  // namespace webots

#endif
