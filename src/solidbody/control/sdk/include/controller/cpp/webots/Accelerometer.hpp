/* Accelerometers. */

#ifndef WEBOTS_ACCELEROMETER_HPP
#define WEBOTS_ACCELEROMETER_HPP

#include "../../c/webots/accelerometer.h"
#include "Device.hpp"

namespace webots {

class Accelerometer : public Device {
public:
  explicit Accelerometer(const std::string &name) : Device(name) {}
  explicit Accelerometer(WbDeviceTag tag) : Device(tag) {}
  virtual ~Accelerometer() {}

  virtual void enable(int samplingPeriod) { wb_accelerometer_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_accelerometer_disable(getTag()); }
  int getSamplingPeriod() const { return wb_accelerometer_get_sampling_period(getTag()); }
  const double *getValues() const { return wb_accelerometer_get_values(getTag()); }
  int getLookupTableSize() const { return wb_accelerometer_get_lookup_table_size(getTag()); }
  const double *getLookupTable() const { return wb_accelerometer_get_lookup_table(getTag()); }
};

}  // namespace webots

#endif
