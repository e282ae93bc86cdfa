/* Connectors, which hold each other. */

#ifndef WEBOTS_CONNECTOR_HPP
#define WEBOTS_CONNECTOR_HPP

#include "../../c/webots/connector.h"
#include "Device.hpp"

namespace webots {

class Connector : public Device {
public:
  explicit Connector(const std::string &name) : Device(name) {}
  explicit Connector(WbDeviceTag tag) : Device(tag) {}
  virtual ~Connector() {}

  virtual void enablePresence(int samplingPeriod) { wb_connector_enable_presence(getTag(), samplingPeriod); }
  virtual void disablePresence() { wb_connector_disable_presence(getTag()); }
  int getPresenceSamplingPeriod() const { return wb_connector_get_presence_sampling_period(getTag()); }
  int getPresence() const { return wb_connector_get_presence(getTag()); }
  virtual void lock() { wb_connector_lock(getTag()); }
  virtual void unlock() { wb_connector_unlock(getTag()); }
  bool isLocked() const { return wb_connector_is_locked(getTag()); }
};

}  // namespace webots

#endif
