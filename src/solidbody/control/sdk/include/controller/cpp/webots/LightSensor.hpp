/* Light sensors. */

#ifndef WEBOTS_LIGHTSENSOR_HPP
#define WEBOTS_LIGHTSENSOR_HPP

#include "../../c/webots/light_sensor.h"
#include "Device.hpp"

namespace webots {

class LightSensor : public Device {
public:
  explicit LightSensor(const std::string &name) : Device(name) {}
  explicit LightSensor(WbDeviceTag tag) : Device(tag) {}
  virtual ~LightSensor() {}

  virtual void enable(int samplingPeriod) { wb_light_sensor_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_light_sensor_disable(getTag()); }
  int getSamplingPeriod() const { return wb_light_sensor_get_sampling_period(getTag()); }
  double getValue() const { return wb_light_sensor_get_value(getTag()); }
  int getLookupTableSize() const { return wb_light_sensor_get_lookup_table_size(getTag()); }
  const double *getLookupTable() const { return wb_light_sensor_get_lookup_table(getTag()); }
};

}  // namespace webots

#endif
