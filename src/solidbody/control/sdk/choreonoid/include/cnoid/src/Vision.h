/* Cameras and range sensors. Their pictures come from the project's vision simulator. */

#pragma once

#include <memory>
#include <vector>

#include "Image.h"
#include "SwitchedDevices.h"

namespace cnoid {

/* State: whether it is on, and the number of its picture. */
class VisionSensor : public SwitchedDevice {
 public:
  double frameRate() const { return frame_rate_; }
  void setFrameRate(double rate) { frame_rate_ = rate; }
  double delay() const { return delay_; }
  void setDelay(double delay) { delay_ = delay; }
  int stateSize() const override { return 2; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;
  /* Number of the picture; 0 = there was none yet. */
  int frame() const { return frame_; }
  /* What the simulator has written into the file that both map: taken over as a picture. */
  virtual void takePicture(const unsigned char*, std::size_t) {}

 private:
  double frame_rate_ = 30.0, delay_ = 0.0;
  int frame_ = 0;
};

class Camera : public VisionSensor {
 public:
  enum ImageType { NO_IMAGE, COLOR_IMAGE, GRAYSCALE_IMAGE };
  enum LensType { NORMAL_LENS, FISHEYE_LENS, DUAL_FISHEYE_LENS };
  const char* typeName() const override { return "Camera"; }
  ImageType imageType() const { return image_type_; }
  void setImageType(ImageType type) { image_type_ = type; }
  LensType lensType() const { return lens_type_; }
  void setLensType(LensType type) { lens_type_ = type; }
  double nearClipDistance() const { return near_; }
  void setNearClipDistance(double distance) { near_ = distance; }
  double farClipDistance() const { return far_; }
  void setFarClipDistance(double distance) { far_ = distance; }
  double nearDistance() const { return near_; }
  double farDistance() const { return far_; }
  double fieldOfView() const { return field_of_view_; }
  void setFieldOfView(double angle) { field_of_view_ = angle; }
  double horizontalFieldOfView() const;
  int resolutionX() const { return width_; }
  int resolutionY() const { return height_; }
  void setResolution(int x, int y) { width_ = x, height_ = y; }
  const Image& image() const { return *image_; }
  const Image& constImage() const { return *image_; }
  Image& image() { return *image_; }
  Image& newImage();
  std::shared_ptr<const Image> sharedImage() const { return image_; }
  void clearImage() { newImage(); }
  void clearState() override { clearImage(); }
  void copyStateFrom(const DeviceState& other) override;
  void takePicture(const unsigned char* bytes, std::size_t size) override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new Camera(*this); }

 private:
  ImageType image_type_ = COLOR_IMAGE;
  LensType lens_type_ = NORMAL_LENS;
  int width_ = 640, height_ = 480;
  double near_ = 0.04, far_ = 200.0, field_of_view_ = 0.785398;
  std::shared_ptr<Image> image_ = std::make_shared<Image>();
};
using CameraPtr = ref_ptr<Camera>;

class RangeCamera : public Camera {
 public:
  using PointData = std::vector<Vector3f>;
  const char* typeName() const override { return "RangeCamera"; }
  int numPoints() const { return static_cast<int>(points_->size()); }
  const PointData& points() const { return *points_; }
  const PointData& constPoints() const { return *points_; }
  PointData& points() { return *points_; }
  PointData& newPoints();
  std::shared_ptr<const PointData> sharedPoints() const { return points_; }
  double minDistance() const { return min_; }
  void setMinDistance(double distance) { min_ = distance; }
  double maxDistance() const { return max_; }
  void setMaxDistance(double distance) { max_ = distance; }
  bool isOrganized() const { return organized_; }
  void setOrganized(bool organized) { organized_ = organized; }
  bool isDense() const { return dense_; }
  void setDense(bool dense) { dense_ = dense; }
  void clearPoints() { newPoints(); }
  void copyStateFrom(const DeviceState& other) override;
  void takePicture(const unsigned char* bytes, std::size_t size) override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new RangeCamera(*this); }

 private:
  std::shared_ptr<PointData> points_ = std::make_shared<PointData>();
  double min_ = 0.1, max_ = 10.0;
  bool organized_ = false, dense_ = true;
};
using RangeCameraPtr = ref_ptr<RangeCamera>;

class RangeSensor : public VisionSensor {
 public:
  using RangeData = std::vector<double>;
  const char* typeName() const override { return "RangeSensor"; }
  double yawRange() const { return yaw_range_; }
  double minYawAngle() const { return -0.5 * yaw_range_; }
  double maxYawAngle() const { return 0.5 * yaw_range_; }
  double yawStep() const { return yaw_count_ > 1 ? yaw_range_ / (yaw_count_ - 1) : yaw_range_; }
  int numYawSamples() const { return yaw_count_; }
  double pitchRange() const { return pitch_range_; }
  double minPitchAngle() const { return -0.5 * pitch_range_; }
  double maxPitchAngle() const { return 0.5 * pitch_range_; }
  double pitchStep() const { return pitch_count_ > 1 ? pitch_range_ / (pitch_count_ - 1) : 0.0; }
  int numPitchSamples() const { return pitch_count_; }
  int yawResolution() const { return yaw_count_; }
  int pitchResolution() const { return pitch_count_; }
  double minDistance() const { return min_; }
  void setMinDistance(double distance) { min_ = distance; }
  double maxDistance() const { return max_; }
  void setMaxDistance(double distance) { max_ = distance; }
  double scanRate() const { return frameRate(); }
  void setScanRate(double rate) { setFrameRate(rate); }
  const RangeData& rangeData() const { return *data_; }
  const RangeData& constRangeData() const { return *data_; }
  RangeData& rangeData() { return *data_; }
  RangeData& newRangeData();
  std::shared_ptr<RangeData> sharedRangeData() const { return data_; }
  void clearRangeData() { newRangeData(); }
  void copyStateFrom(const DeviceState& other) override;
  void takePicture(const unsigned char* bytes, std::size_t size) override;
  void setSamples(int yaw_count, double yaw_range, int pitch_count, double pitch_range);

 protected:
  Referenced* doClone(CloneMap*) const override { return new RangeSensor(*this); }

 private:
  std::shared_ptr<RangeData> data_ = std::make_shared<RangeData>();
  double yaw_range_ = 2.0, pitch_range_ = 0.0, min_ = 0.1, max_ = 10.0;
  int yaw_count_ = 1, pitch_count_ = 1;
};
using RangeSensorPtr = ref_ptr<RangeSensor>;

}  // namespace cnoid
