/* The console. */

#ifndef WB_CONSOLE_H
#define WB_CONSOLE_H

#define WB_USING_C_API
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WB_STDOUT 1
#define WB_STDERR 2

void wb_console_print(const char *text, int stream);

#ifdef __cplusplus
}
#endif

#endif
