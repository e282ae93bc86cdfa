/* Emitters of messages. */

#ifndef WEBOTS_EMITTER_HPP
#define WEBOTS_EMITTER_HPP

#include "../../c/webots/emitter.h"
#include "Device.hpp"

namespace webots {

class Emitter : public Device {
public:
  enum { CHANNEL_BROADCAST = -1 };
  explicit Emitter(const std::string &name) : Device(name) {}
  explicit Emitter(WbDeviceTag tag) : Device(tag) {}
  virtual ~Emitter() {}

  virtual int send(const void *data, int size) { return wb_emitter_send(getTag(), data, size); }
  int getBufferSize() const { return wb_emitter_get_buffer_size(getTag()); }
  virtual void setChannel(int channel) { wb_emitter_set_channel(getTag(), channel); }
  int getChannel() const { return wb_emitter_get_channel(getTag()); }
  double getRange() const { return wb_emitter_get_range(getTag()); }
  virtual void setRange(double range) { wb_emitter_set_range(getTag(), range); }
};

}  // namespace webots

#endif
