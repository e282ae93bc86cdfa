/* What programs that were written on Windows use of its header most: found where there is no other one. */

#ifndef SOLIDBODY_WINDOWS_H
#define SOLIDBODY_WINDOWS_H

#include <stdint.h>
#include <time.h>

typedef int BOOL;
typedef uint8_t BYTE;
typedef uint16_t WORD;
typedef uint32_t DWORD;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif

static inline void Sleep(DWORD milliseconds) {
  struct timespec left = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000L};
  while (nanosleep(&left, &left)) {
  }
}

#endif
