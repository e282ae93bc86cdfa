/* What robot windows are asked. */

#ifndef WB_ROBOT_WINDOW_H
#define WB_ROBOT_WINDOW_H

#ifdef __cplusplus
extern "C" {
#endif

void *wb_robot_window_custom_function(void *argument);

#ifdef __cplusplus
}
#endif

#endif
