/* Cameras and range sensors: pictures that the simulator has rendered. */

#include "cnoid/src/Vision.h"

#include <cstring>

namespace cnoid {

const double* VisionSensor::readState(const double* from, int size) {
  from = SwitchedDevice::readState(from, size);
  frame_ = static_cast<int>(*from);
  return from + 1;
}
double* VisionSensor::writeState(double* to) const {
  to = SwitchedDevice::writeState(to);
  *to = frame_;
  return to + 1;
}

double Camera::horizontalFieldOfView() const {
  const double half = std::tan(0.5 * field_of_view_), ratio = height_ ? double(width_) / height_ : 1.0;
  return ratio >= 1.0 ? 2.0 * std::atan(half * ratio) : field_of_view_;
}

Image& Camera::newImage() {
  image_ = std::make_shared<Image>();
  return *image_;
}

/* Three bytes for each pixel, from the top. */
void Camera::takePicture(const unsigned char* bytes, std::size_t size) {
  const std::size_t needed = std::size_t(3) * width_ * height_;
  if (size < needed || image_type_ == NO_IMAGE) return;
  Image& image = newImage(); /* who still holds the picture before keeps it */
  image.setSize(width_, height_, 3);
  std::memcpy(image.pixels(), bytes, needed);
}

void Camera::copyStateFrom(const DeviceState& other) {
  VisionSensor::copyStateFrom(other);
  if (auto* camera = dynamic_cast<const Camera*>(&other)) image_ = camera->image_;
}

RangeCamera::PointData& RangeCamera::newPoints() {
  points_ = std::make_shared<PointData>();
  return *points_;
}

/* The colours, then three floats for each point, in the camera's frame. */
void RangeCamera::takePicture(const unsigned char* bytes, std::size_t size) {
  const std::size_t pixels = std::size_t(resolutionX()) * resolutionY(), colors = 3 * pixels;
  if (size < colors + 12 * pixels) return;
  Camera::takePicture(bytes, colors);
  PointData& points = newPoints();
  const float* at = reinterpret_cast<const float*>(bytes + colors);
  points.reserve(pixels);
  for (std::size_t k = 0; k < pixels; ++k, at += 3) {
    Vector3f point(at[0], at[1], at[2]);
    if (point.allFinite() || (organized_ && !dense_)) points.push_back(point);
  }
}

void RangeCamera::copyStateFrom(const DeviceState& other) {
  Camera::copyStateFrom(other);
  if (auto* camera = dynamic_cast<const RangeCamera*>(&other)) points_ = camera->points_;
}

RangeSensor::RangeData& RangeSensor::newRangeData() {
  data_ = std::make_shared<RangeData>();
  return *data_;
}

void RangeSensor::setSamples(int yaw_count, double yaw_range, int pitch_count, double pitch_range) {
  yaw_count_ = yaw_count;
  yaw_range_ = yaw_range;
  pitch_count_ = pitch_count;
  pitch_range_ = pitch_range;
}

/* A float for each ray. */
void RangeSensor::takePicture(const unsigned char* bytes, std::size_t size) {
  const float* at = reinterpret_cast<const float*>(bytes);
  const std::size_t count = std::size_t(yaw_count_) * pitch_count_;
  if (size < 4 * count) return;
  newRangeData().assign(at, at + count);
}

void RangeSensor::copyStateFrom(const DeviceState& other) {
  VisionSensor::copyStateFrom(other);
  if (auto* sensor = dynamic_cast<const RangeSensor*>(&other)) data_ = sensor->data_;
}

}  // namespace cnoid
