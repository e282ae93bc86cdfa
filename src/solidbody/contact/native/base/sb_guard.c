// Errors of MuJoCo (see sb_guard.h).
//
// MuJoCo calls one handler for the whole process, on the thread that met the error, and does not go on
// after it. Ours jumps back to the guard of that thread; MuJoCo's frames in between are plain C that holds
// nothing but its own stack in mjData, which is put back. Where no guard stands (calls that are not ours,
// helper threads of the solver, which never call into MuJoCo's engine), the handler before ours decides.
#include "base/sb_guard.h"

#include <pthread.h>
#include <string.h>

#include "base/sb_step.h"

static _Thread_local SbGuard* innermost;
static mjfLogHandler earlier;
static pthread_once_t installed = PTHREAD_ONCE_INIT;

// The error as one line.
static void take_text(char* out, const char* subject, const char* body) {
  const char* part[2] = {subject, body ? body : ""};
  int at = 0;
  for (int k = 0; k < 2; k++) {
    for (const char* c = part[k]; *c && at < SB_ERROR_TEXT - 1; c++) {
      int is_space = *c == '\n' || *c == '\t' || *c == ' ';
      if (is_space && (at == 0 || out[at - 1] == ' ')) continue;
      out[at++] = is_space ? ' ' : *c;
    }
  }
  while (at > 0 && out[at - 1] == ' ') at--;
  out[at] = 0;
  if (!at) strcpy(out, "an error without a text");
}

static void handle(const mjLogMessage* message) {
  SbGuard* guard = innermost;
  if (guard && message->level == mjLOG_ERROR) {
    take_text(guard->text, message->subject, message->body);
    SB_JUMP(guard);
  }
  // warnings are counted in mjData, and the step reports them: no line on the console for each, no log file
  if (guard && message->level == mjLOG_WARNING) return;
  if (earlier) earlier(message);
}

// Once: two copies of this library that took turns would end up calling each other.
static void install(void) { earlier = mju_setLogHandler(handle); }

void sb_guard_begin(SbGuard* guard, mjData* d, char* text) {
  pthread_once(&installed, install);
  guard->outer = innermost;
  guard->d = d;
  guard->stack = d ? d->pstack : 0;
  guard->base = d ? d->pbase : 0;
  guard->text = text;
  text[0] = 0;
  innermost = guard;
}

// Contacts and rows of a step that was left half way are nobody's.
static void forget_rows(mjData* d) {
  d->ncon = d->nefc = d->ne = d->nf = d->nl = d->nJ = d->nA = 0;
  d->nisland = d->nidof = 0;
  d->parena = 0;
}

int sb_guard_catch(SbGuard* guard) {
  guard->d->pstack = guard->stack;
  guard->d->pbase = guard->base;
  forget_rows(guard->d);
  return SB_MUJOCO;
}

void sb_guard_end(SbGuard* guard) { innermost = guard->outer; }
