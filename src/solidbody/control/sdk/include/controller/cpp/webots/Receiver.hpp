/* Receivers of messages. */

#ifndef WEBOTS_RECEIVER_HPP
#define WEBOTS_RECEIVER_HPP

#include "../../c/webots/receiver.h"
#include "Device.hpp"

namespace webots {

class Receiver : public Device {
public:
  enum { CHANNEL_BROADCAST = -1 };
  explicit Receiver(const std::string &name) : Device(name) {}
  explicit Receiver(WbDeviceTag tag) : Device(tag) {}
  virtual ~Receiver() {}

  virtual void enable(int samplingPeriod) { wb_receiver_enable(getTag(), samplingPeriod); }
  virtual void disable() { wb_receiver_disable(getTag()); }
  int getSamplingPeriod() const { return wb_receiver_get_sampling_period(getTag()); }
  virtual void setChannel(int channel) { wb_receiver_set_channel(getTag(), channel); }
  int getChannel() const { return wb_receiver_get_channel(getTag()); }
  int getQueueLength() const { return wb_receiver_get_queue_length(getTag()); }
  virtual void nextPacket() { wb_receiver_next_packet(getTag()); }
  int getDataSize() const { return wb_receiver_get_data_size(getTag()); }
  const void *getData() const { return wb_receiver_get_data(getTag()); }
  double getSignalStrength() const { return wb_receiver_get_signal_strength(getTag()); }
  const double *getEmitterDirection() const { return wb_receiver_get_emitter_direction(getTag()); }
};

}  // namespace webots

#endif
