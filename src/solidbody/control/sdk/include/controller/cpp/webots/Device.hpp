/* What all devices have. */

#ifndef WEBOTS_DEVICE_HPP
#define WEBOTS_DEVICE_HPP

#include <string>
#include "../../c/webots/device.h"
#include "../../c/webots/robot.h"
#include "text.hpp"

namespace webots {

class Device {
public:
  virtual ~Device() {}
  const std::string &getName() const { return name; }
  std::string getModel() const { return sb::text(wb_device_get_model(tag)); }
  int getNodeType() const { return wb_device_get_node_type(tag); }
  int getTag() const { return tag; }
  static bool hasType(int tag, int type) {
    return wb_device_get_node_type(static_cast<WbDeviceTag>(tag)) == type;
  }

protected:
  explicit Device(const std::string &name) : tag(wb_robot_get_device(name.c_str())), name(name) {}
  explicit Device(WbDeviceTag tag) : tag(tag), name(sb::text(wb_device_get_name(tag))) {}

private:
  WbDeviceTag tag;
  std::string name;
};

}  // namespace webots

#endif
