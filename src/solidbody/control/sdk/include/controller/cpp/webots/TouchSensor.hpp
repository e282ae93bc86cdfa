/* Touch sensors. */

#ifndef WEBOTS_TOUCHSENSOR_HPP
#define WEBOTS_TOUCHSENSOR_HPP

#include "../../c/webots/touch_sensor.h"
#include "Device.hpp"

namespace webots {

class TouchSensor : public Device {
public:
  typedef enum { BUMPER = 0, FORCE, FORCE3D } Type;
  explicit TouchSensor(const std::string &name) : Device(name) {}
  explicit TouchSensor(WbDeviceTag tag) : Device(tag) {}
  virtual ~TouchSensor() {}

  virtual void enable(int samplingPeriod) { wb_touch_sensor_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_touch_sensor_disable(getTag()); }
  int getSamplingPeriod() const { return wb_touch_sensor_get_sampling_period(getTag()); }
  double getValue() const { return wb_touch_sensor_get_value(getTag()); }
  const double *getValues() const { return wb_touch_sensor_get_values(getTag()); }
  Type getType() const { return static_cast<Type>(wb_touch_sensor_get_type(getTag())); }
  int getLookupTableSize() const { return wb_touch_sensor_get_lookup_table_size(getTag()); }
  const double *getLookupTable() const { return wb_touch_sensor_get_lookup_table(getTag()); }
};

}  // namespace webots

#endif
