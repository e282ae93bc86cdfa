// What touches what at the end of a step, for bumpers: contacts of the present poses, beside the state, as
// sim/look_ahead.py finds them. Each thread has one second state for all copies that it works on.
#include <stdlib.h>

#include "batch/sb_batch_sensors.h"

struct SbLookAhead {
  mjData* d;
  SbStep* s;
};

void sb_free_touching(SbBatch* b) {
  for (int k = 0; b->look_ahead && k < b->threads; k++) {
    sb_free(b->look_ahead[k].s);
    if (b->look_ahead[k].d) mj_deleteData(b->look_ahead[k].d);
  }
  free(b->look_ahead);
  b->look_ahead = NULL;
}

int sb_batch_make_look_ahead(SbBatch* b) {
  if (b->look_ahead) return 1;
  b->look_ahead = calloc(b->threads, sizeof(SbLookAhead));
  return b->look_ahead != NULL;
}

int sb_batch_touching(SbBatch* b, int copy, int worker, const mjData** touching) {
  SbStep* s = b->steps[copy];
  SbLookAhead* ahead = b->look_ahead + worker;
  SbState state = s->state;
  state.body_pos = state.body_quat = NULL;
  if (!ahead->d && !(ahead->d = mj_makeData(s->m))) return SB_NO_MEMORY;
  if (!ahead->s) {
    ahead->s = sb_new(s->m, ahead->d, &s->tables, &state);
    if (!ahead->s || sb_set_collision(ahead->s, &b->collision)) return SB_NO_MEMORY;
  }
  sb_adopt(ahead->s, s->m, &s->tables, &state);
  mj_copyData(ahead->d, s->m, s->d);
  *touching = ahead->d;
  return sb_find_contacts(ahead->s);
}
