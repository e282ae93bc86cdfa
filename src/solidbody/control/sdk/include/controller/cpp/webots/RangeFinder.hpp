/* Range finders. */

#ifndef WEBOTS_RANGEFINDER_HPP
#define WEBOTS_RANGEFINDER_HPP

#include "../../c/webots/range_finder.h"
#include "Device.hpp"

namespace webots {

class RangeFinder : public Device {
public:
  explicit RangeFinder(const std::string &name) : Device(name) {}
  explicit RangeFinder(WbDeviceTag tag) : Device(tag) {}
  virtual ~RangeFinder() {}

  virtual void enable(int samplingPeriod) { wb_range_finder_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_range_finder_disable(getTag()); }
  int getSamplingPeriod() const { return wb_range_finder_get_sampling_period(getTag()); }
  const float *getRangeImage() const { return wb_range_finder_get_range_image(getTag()); }
  int getWidth() const { return wb_range_finder_get_width(getTag()); }
  int getHeight() const { return wb_range_finder_get_height(getTag()); }
  double getFov() const { return wb_range_finder_get_fov(getTag()); }
  double getMinRange() const { return wb_range_finder_get_min_range(getTag()); }
  double getMaxRange() const { return wb_range_finder_get_max_range(getTag()); }
  int saveImage(const std::string &filename, int quality) const {
    return wb_range_finder_save_image(getTag(), filename.c_str(), quality);
  }
  static float rangeImageGetDepth(const float *image, int width, int x, int y) {
    return image[y * width + x];
  }
};

}  // namespace webots

#endif
