/* Altimeters. */

#ifndef WEBOTS_ALTIMETER_HPP
#define WEBOTS_ALTIMETER_HPP

#include "../../c/webots/altimeter.h"
#include "Device.hpp"

namespace webots {

class Altimeter : public Device {
public:
  explicit Altimeter(const std::string &name) : Device(name) {}
  explicit Altimeter(WbDeviceTag tag) : Device(tag) {}
  virtual ~Altimeter() {}

  virtual void enable(int samplingPeriod) { wb_altimeter_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_altimeter_disable(getTag()); }
  int getSamplingPeriod() const { return wb_altimeter_get_sampling_period(getTag()); }
  double getValue() const { return wb_altimeter_get_value(getTag()); }
};

}  // namespace webots

#endif
