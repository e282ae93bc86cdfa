// MuJoCo's state of a step that has no object of Python around it: copies in a batch, of which most are never
// looked at one by one. (MuJoCo's Python package makes 4000 objects for the statistics of its solver in each
// mjData: 0.28 MB, whatever the model.)
#include <string.h>

#include "base/sb_work.h"

mjData* sb_make_data(const mjModel* m) {
  char text[SB_ERROR_TEXT];
  SbGuard guard;
  mjData* volatile made = NULL;
  sb_guard_begin(&guard, NULL, text);
  if (SB_GUARDED(guard)) made = mj_makeData(m);
  sb_guard_end(&guard);
  return made;
}

// Drop what the step was given by sb_keep_data.
void sb_drop_data(SbStep* s) {
  if (s->own_data) mj_deleteData(s->own_data);
  s->own_data = NULL;
}

void sb_keep_data(SbStep* s, mjData* d) { s->own_data = d; }

void sb_move_data(SbStep* s, mjData* to) {
  mj_copyData(to, s->m, s->d);
  s->d = to;
  sb_drop_data(s);
}

void sb_reset_data(SbStep* s, const double* qvel) {
  mj_resetData(s->m, s->d);
  if (s->m->nv) memcpy(s->d->qvel, qvel, s->m->nv * sizeof(double));
}

const double* sb_qpos(const SbStep* s) { return s->d->qpos; }
double* sb_qvel(SbStep* s) { return s->d->qvel; }
double* sb_qacc(SbStep* s) { return s->d->qacc; }
