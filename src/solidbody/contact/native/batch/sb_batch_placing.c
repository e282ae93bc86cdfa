// Puts joints and free links of copies elsewhere, as sim/moving.py does for one simulation.
#include <string.h>

#include "batch/sb_batch.h"

typedef struct Placing {
  const SbPlacing* what;
  const int32_t* list;
  const double* values;       // by copy
  int width;
} Placing;

static void stop(SbStep* s, const SbPlacing* what, const int32_t* list) {
  for (int k = 0; k < what->dofs; k++) s->d->qvel[list[k]] = 0;
  list += what->dofs;
  for (int k = 0; k < what->bodies; k++) memset(s->d->xfrc_applied + 6 * list[k], 0, 6 * sizeof(double));
  list += what->bodies;
  for (int k = 0; k < what->axes; k++) s->state.motors[list[k]].velocity = 0;
}

// Velocity of the origin of a free link that is turned by `quat`.
static void set_free_velocity(SbStep* s, const SbLink* link, const double quat[4], const double twist[6]) {
  double *v = s->d->qvel + s->m->body_dofadr[link->body], back[3], arm[3], sweep[3], inverse[4];
  for (int i = 0; i < 3; i++) back[i] = -link->offset[i];
  mju_rotVecQuat(arm, back, quat);
  sb_cross(twist + 3, arm, sweep);
  for (int i = 0; i < 3; i++) v[i] = twist[i] + sweep[i];
  mju_negQuat(inverse, quat);
  mju_rotVecQuat(v + 3, twist + 3, inverse);
}

static int place(SbBatch* b, int copy, int worker, void* given) {
  const Placing* order = given;
  const SbPlacing* what = order->what;
  const double* value = order->values + (int64_t)copy * order->width;
  SbStep* s = b->steps[copy];
  (void)worker;
  if (what->kind <= SB_PLACE_VELOCITY) {
    const SbAxis* axis = s->tables.axes + what->row;
    if (what->kind == SB_PLACE_VELOCITY) {
      s->d->qvel[axis->dof] = value[0];
    } else {
      s->d->qpos[axis->qpos] = value[0];
      stop(s, what, order->list);
    }
  } else {
    const SbLink* link = sb_tables_of(b, copy)->links + what->row;
    if (what->kind == SB_PLACE_POSE) {
      double twist[6], origin[3], *q = s->d->qpos + s->m->jnt_qposadr[s->m->body_jntadr[link->body]];
      sb_batch_refresh(b, copy, 1);
      sb_batch_twist(b, copy, what->row, twist);
      mju_rotVecQuat(origin, link->offset, value + 3);
      for (int i = 0; i < 3; i++) q[i] = value[i] - origin[i];
      memcpy(q + 3, value + 3, 4 * sizeof(double));
      set_free_velocity(s, link, value + 3, twist);
    } else {
      sb_batch_refresh(b, copy, 0);
      set_free_velocity(s, link, s->d->xquat + 4 * link->body, value);
    }
  }
  b->at.clock[2 * copy + 1] = 0;
  if (what->tree >= 0) sb_wake_tree(s, what->tree);
  return SB_OK;
}

void sb_batch_place(SbBatch* b, const int64_t* ids, int64_t count, const SbPlacing* what, const int32_t* list,
                    const double* values, int width) {
  Placing order = {what, list, values, width};
  sb_batch_all(b, ids, count, place, &order);
}
