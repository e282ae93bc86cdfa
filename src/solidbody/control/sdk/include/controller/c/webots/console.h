/* The console. */

#ifndef WB_CONSOLE_H
#define WB_CONSOLE_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WB_STDOUT 0
#define WB_STDERR 1

void wb_console_print(const char *text, int stream);

#ifdef __cplusplus
}
#endif

#endif
