/* Emitters of packets. */

#ifndef WB_EMITTER_H
#define WB_EMITTER_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef WB_CHANNEL_BROADCAST
#define WB_CHANNEL_BROADCAST -1
#endif

int wb_emitter_send(WbDeviceTag tag, const void *data, int size); /* 1 = sent, 0 = the buffer is full */
int wb_emitter_get_buffer_size(WbDeviceTag tag);
void wb_emitter_set_channel(WbDeviceTag tag, int channel);
int wb_emitter_get_channel(WbDeviceTag tag);
double wb_emitter_get_range(WbDeviceTag tag); /* [m], -1 = everywhere */
void wb_emitter_set_range(WbDeviceTag tag, double range);

#ifdef __cplusplus
}
#endif

#endif
