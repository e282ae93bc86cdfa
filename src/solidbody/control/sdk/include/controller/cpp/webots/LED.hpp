/* LEDs. */

#ifndef WEBOTS_LED_HPP
#define WEBOTS_LED_HPP

#include "../../c/webots/led.h"
#include "Device.hpp"

namespace webots {

class LED : public Device {
public:
  explicit LED(const std::string &name) : Device(name) {}
  explicit LED(WbDeviceTag tag) : Device(tag) {}
  virtual ~LED() {}

  virtual void set(int value) { wb_led_set(getTag(), value); }
  int get() const { return wb_led_get(getTag()); }
};

}  // namespace webots

#endif
