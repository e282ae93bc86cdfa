/* Radars. */

#ifndef WEBOTS_RADAR_HPP
#define WEBOTS_RADAR_HPP

#include "../../c/webots/radar.h"
#include "Device.hpp"

namespace webots {

typedef WbRadarTarget RadarTarget;

class Radar : public Device {
public:
  explicit Radar(const std::string &name) : Device(name) {}
  explicit Radar(WbDeviceTag tag) : Device(tag) {}
  virtual ~Radar() {}

  virtual void enable(int samplingPeriod) { wb_radar_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_radar_disable(getTag()); }
  int getSamplingPeriod() const { return wb_radar_get_sampling_period(getTag()); }
  int getNumberOfTargets() const { return wb_radar_get_number_of_targets(getTag()); }
  const WbRadarTarget *getTargets() const { return wb_radar_get_targets(getTag()); }
  const WbRadarTarget *getTarget(int index) const { return wb_radar_get_target(getTag(), index); }
  double getMinRange() const { return wb_radar_get_min_range(getTag()); }
  double getMaxRange() const { return wb_radar_get_max_range(getTag()); }
  double getHorizontalFov() const { return wb_radar_get_horizontal_fov(getTag()); }
  double getVerticalFov() const { return wb_radar_get_vertical_fov(getTag()); }
};

}  // namespace webots

#endif
