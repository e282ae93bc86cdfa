/* What all devices have. */

#ifndef WB_DEVICE_H
#define WB_DEVICE_H

#define WB_USING_C_API
#include "nodes.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *wb_device_get_name(WbDeviceTag tag);
const char *wb_device_get_model(WbDeviceTag tag);
WbNodeType wb_device_get_node_type(WbDeviceTag tag);
WbNodeType wb_device_get_type(WbDeviceTag tag) WB_DEPRECATED; /* now get_node_type */

#ifdef __cplusplus
}
#endif

#endif
