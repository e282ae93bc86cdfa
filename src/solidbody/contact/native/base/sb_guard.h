// Errors of MuJoCo, which by itself ends the process: they end the call of ours that led to them.
#ifndef SB_GUARD_H_
#define SB_GUARD_H_

#include <mujoco/mujoco.h>
#include <setjmp.h>

#include "base/sb_layout.h"

// One call from outside that may call MuJoCo. Guards of one thread may be nested.
typedef struct SbGuard {
  jmp_buf jump;
  struct SbGuard* outer;
  mjData* d;
  size_t stack, base;         // MuJoCo's own stack at the begin
  char* text;                 // where the error goes: SB_ERROR_TEXT characters
} SbGuard;

// Use:  SbGuard guard;
//       sb_guard_begin(&guard, d, text);
//       if (SB_GUARDED(guard)) code = work(); else code = sb_guard_catch(&guard);
//       sb_guard_end(&guard);
// Nothing between may hold memory or a lock that is not known elsewhere.
void sb_guard_begin(SbGuard* guard, mjData* d, char* text);
int sb_guard_catch(SbGuard* guard);  // puts MuJoCo's stack back; returns SB_MUJOCO
void sb_guard_end(SbGuard* guard);

// Not the signal mask, which costs a system call where setjmp saves it.
#if defined(__APPLE__)
#define SB_GUARDED(guard) (_setjmp((guard).jump) == 0)
#define SB_JUMP(guard) _longjmp((guard)->jump, 1)
#else
#define SB_GUARDED(guard) (setjmp((guard).jump) == 0)
#define SB_JUMP(guard) longjmp((guard)->jump, 1)
#endif

#endif  // SB_GUARD_H_
