/* Gyros. */

#ifndef WEBOTS_GYRO_HPP
#define WEBOTS_GYRO_HPP

#include "../../c/webots/gyro.h"
#include "Device.hpp"

namespace webots {

class Gyro : public Device {
public:
  explicit Gyro(const std::string &name) : Device(name) {}
  explicit Gyro(WbDeviceTag tag) : Device(tag) {}
  virtual ~Gyro() {}

  virtual void enable(int samplingPeriod) { wb_gyro_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_gyro_disable(getTag()); }
  int getSamplingPeriod() const { return wb_gyro_get_sampling_period(getTag()); }
  const double *getValues() const { return wb_gyro_get_values(getTag()); }
  int getLookupTableSize() const { return wb_gyro_get_lookup_table_size(getTag()); }
  const double *getLookupTable() const { return wb_gyro_get_lookup_table(getTag()); }
};

}  // namespace webots

#endif
