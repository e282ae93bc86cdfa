/* The same on all systems. */

#ifndef WBU_SYSTEM_H
#define WBU_SYSTEM_H

#include "../types.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *wbu_system_getenv(const char *variable);
const char *wbu_system_short_path(const char *path);
const char *wbu_system_tmpdir();
const char *wbu_system_webots_instance_path(bool refresh);
const char *wbu_system_webots_tmp_path(bool refresh); /* its name until R2022a */

#ifdef __cplusplus
}
#endif

#endif
