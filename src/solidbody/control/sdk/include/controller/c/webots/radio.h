/* Radios, an experiment of Webots: no robot of ours has one. */

#ifndef WB_RADIO_H
#define WB_RADIO_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *WbRadioMessage;
typedef void *WbRadioEvent;

WbRadioMessage wb_radio_message_new(int length, const char *body, const char *destination);
void wb_radio_message_delete(WbRadioMessage message);
const char *wb_radio_message_get_destination(WbRadioMessage message);
int wb_radio_message_get_length(WbRadioMessage message);
const char *wb_radio_message_get_body(WbRadioMessage message);

void wb_radio_enable(WbDeviceTag tag, int sampling_period);
void wb_radio_disable(WbDeviceTag tag);
void wb_radio_set_address(WbDeviceTag tag, const char *address);
const char *wb_radio_get_address(WbDeviceTag tag);
void wb_radio_set_frequency(WbDeviceTag tag, double hz);
double wb_radio_get_frequency(WbDeviceTag tag);
void wb_radio_set_channel(WbDeviceTag tag, int channel);
int wb_radio_get_channel(WbDeviceTag tag);
void wb_radio_set_bitrate(WbDeviceTag tag, int bits_per_second);
int wb_radio_get_bitrate(WbDeviceTag tag);
void wb_radio_set_rx_sensitivity(WbDeviceTag tag, double dBm);
double wb_radio_get_rx_sensitivity(WbDeviceTag tag);
void wb_radio_set_tx_power(WbDeviceTag tag, double dBm);
double wb_radio_get_tx_power(WbDeviceTag tag);
void wb_radio_set_callback(WbDeviceTag tag, void (*callback)(const WbRadioEvent));
WbDeviceTag wb_radio_event_get_radio(const WbRadioEvent event);
char *wb_radio_event_get_data(const WbRadioEvent event);
int wb_radio_event_get_data_size(const WbRadioEvent event);
char *wb_radio_event_get_emitter(const WbRadioEvent event);
double wb_radio_event_get_rssi(const WbRadioEvent event);
void wb_radio_send(WbDeviceTag tag, const WbRadioMessage message, double delay);

#ifdef __cplusplus
}
#endif

#endif
