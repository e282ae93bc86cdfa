/* Lamps. */

#ifndef WB_LED_H
#define WB_LED_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_led_set(WbDeviceTag tag, int value);
int wb_led_get(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif
