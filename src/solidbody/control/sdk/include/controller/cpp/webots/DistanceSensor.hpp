/* Distance sensors. */

#ifndef WEBOTS_DISTANCESENSOR_HPP
#define WEBOTS_DISTANCESENSOR_HPP

#include "../../c/webots/distance_sensor.h"
#include "Device.hpp"

namespace webots {

class DistanceSensor : public Device {
public:
  typedef enum { GENERIC = 0, INFRA_RED, SONAR, LASER } Type;
  explicit DistanceSensor(const std::string &name) : Device(name) {}
  explicit DistanceSensor(WbDeviceTag tag) : Device(tag) {}
  virtual ~DistanceSensor() {}

  virtual void enable(int samplingPeriod) { wb_distance_sensor_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_distance_sensor_disable(getTag()); }
  int getSamplingPeriod() const { return wb_distance_sensor_get_sampling_period(getTag()); }
  double getValue() const { return wb_distance_sensor_get_value(getTag()); }
  double getMinValue() const { return wb_distance_sensor_get_min_value(getTag()); }
  double getMaxValue() const { return wb_distance_sensor_get_max_value(getTag()); }
  double getAperture() const { return wb_distance_sensor_get_aperture(getTag()); }
  Type getType() const { return static_cast<Type>(wb_distance_sensor_get_type(getTag())); }
  int getLookupTableSize() const { return wb_distance_sensor_get_lookup_table_size(getTag()); }
  const double *getLookupTable() const { return wb_distance_sensor_get_lookup_table(getTag()); }
};

}  // namespace webots

#endif
