/* Lidars. */

#ifndef WEBOTS_LIDAR_HPP
#define WEBOTS_LIDAR_HPP

#include "../../c/webots/lidar.h"
#include "Device.hpp"

namespace webots {

typedef WbLidarPoint LidarPoint;

class Lidar : public Device {
public:
  explicit Lidar(const std::string &name) : Device(name) {}
  explicit Lidar(WbDeviceTag tag) : Device(tag) {}
  virtual ~Lidar() {}

  virtual void enable(int samplingPeriod) { wb_lidar_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_lidar_disable(getTag()); }
  int getSamplingPeriod() const { return wb_lidar_get_sampling_period(getTag()); }
  const float *getRangeImage() const { return wb_lidar_get_range_image(getTag()); }
  const float *getLayerRangeImage(int layer) const { return wb_lidar_get_layer_range_image(getTag(), layer); }
  virtual void enablePointCloud() { wb_lidar_enable_point_cloud(getTag()); }
  virtual void disablePointCloud() { wb_lidar_disable_point_cloud(getTag()); }
  bool isPointCloudEnabled() const { return wb_lidar_is_point_cloud_enabled(getTag()); }
  const WbLidarPoint *getPointCloud() const { return wb_lidar_get_point_cloud(getTag()); }
  const WbLidarPoint *getLayerPointCloud(int layer) const {
    return wb_lidar_get_layer_point_cloud(getTag(), layer);
  }
  const WbLidarPoint *getPoint(int index) const { return wb_lidar_get_point(getTag(), index); }
  int getNumberOfPoints() const { return wb_lidar_get_number_of_points(getTag()); }
  int getHorizontalResolution() const { return wb_lidar_get_horizontal_resolution(getTag()); }
  int getNumberOfLayers() const { return wb_lidar_get_number_of_layers(getTag()); }
  double getFrequency() const { return wb_lidar_get_frequency(getTag()); }
  double getMinFrequency() const { return wb_lidar_get_min_frequency(getTag()); }
  double getMaxFrequency() const { return wb_lidar_get_max_frequency(getTag()); }
  virtual void setFrequency(double frequency) { wb_lidar_set_frequency(getTag(), frequency); }
  double getFov() const { return wb_lidar_get_fov(getTag()); }
  double getVerticalFov() const { return wb_lidar_get_vertical_fov(getTag()); }
  double getMinRange() const { return wb_lidar_get_min_range(getTag()); }
  double getMaxRange() const { return wb_lidar_get_max_range(getTag()); }
};

}  // namespace webots

#endif
