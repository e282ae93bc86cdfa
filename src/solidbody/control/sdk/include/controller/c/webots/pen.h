/* Pens. */

#ifndef WB_PEN_H
#define WB_PEN_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_pen_write(WbDeviceTag tag, bool write);
void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density); /* 0xRRGGBB, 0 to 1 */

#ifdef __cplusplus
}
#endif

#endif
