/* Compasses. */

#ifndef WEBOTS_COMPASS_HPP
#define WEBOTS_COMPASS_HPP

#include "../../c/webots/compass.h"
#include "Device.hpp"

namespace webots {

class Compass : public Device {
public:
  explicit Compass(const std::string &name) : Device(name) {}
  explicit Compass(WbDeviceTag tag) : Device(tag) {}
  virtual ~Compass() {}

  virtual void enable(int samplingPeriod) { wb_compass_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_compass_disable(getTag()); }
  int getSamplingPeriod() const { return wb_compass_get_sampling_period(getTag()); }
  const double *getValues() const { return wb_compass_get_values(getTag()); }
  int getLookupTableSize() const { return wb_compass_get_lookup_table_size(getTag()); }
  const double *getLookupTable() const { return wb_compass_get_lookup_table(getTag()); }
};

}  // namespace webots

#endif
