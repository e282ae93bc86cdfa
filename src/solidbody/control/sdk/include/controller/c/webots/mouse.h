/* The mouse of who watches the simulation. */

#ifndef WB_MOUSE_H
#define WB_MOUSE_H

#define WB_USING_C_API
#include "mouse_state.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

void wb_mouse_enable(int sampling_period);
void wb_mouse_disable();
int wb_mouse_get_sampling_period();
void wb_mouse_enable_3d_position();
void wb_mouse_disable_3d_position();
bool wb_mouse_is_3d_position_enabled();
WbMouseState wb_mouse_get_state();
WbMouseState *wb_mouse_get_state_pointer();

#ifdef __cplusplus
}
#endif

#endif
