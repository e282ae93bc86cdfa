/* GPS receivers. */

#ifndef WEBOTS_GPS_HPP
#define WEBOTS_GPS_HPP

#include "../../c/webots/gps.h"
#include "Device.hpp"

namespace webots {

class GPS : public Device {
public:
  typedef enum { LOCAL = 0, WGS84 } CoordinateSystem;
  explicit GPS(const std::string &name) : Device(name) {}
  explicit GPS(WbDeviceTag tag) : Device(tag) {}
  virtual ~GPS() {}

  virtual void enable(int samplingPeriod) { wb_gps_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_gps_disable(getTag()); }
  int getSamplingPeriod() const { return wb_gps_get_sampling_period(getTag()); }
  const double *getValues() const { return wb_gps_get_values(getTag()); }
  double getSpeed() const { return wb_gps_get_speed(getTag()); }
  const double *getSpeedVector() const { return wb_gps_get_speed_vector(getTag()); }
  CoordinateSystem getCoordinateSystem() const {
    return static_cast<CoordinateSystem>(wb_gps_get_coordinate_system(getTag()));
  }
  static std::string convertToDegreesMinutesSeconds(double decimalDegree) {
    return sb::text(wb_gps_convert_to_degrees_minutes_seconds(decimalDegree));
  }
};

}  // namespace webots

#endif
