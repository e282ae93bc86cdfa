/* Text between a robot and its window. */

#ifndef WB_ROBOT_WWI_H
#define WB_ROBOT_WWI_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

void wb_robot_wwi_send(const char *data, int size);
const char *wb_robot_wwi_receive(int *size); /* NULL = no more; valid until the next call */
const char *wb_robot_wwi_receive_text();

#define wb_robot_wwi_send_text(text) wb_robot_wwi_send(text, (int)strlen(text) + 1)

#ifdef __cplusplus
}
#endif

#endif
