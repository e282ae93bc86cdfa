// What plain sensors read (no noise, no curve, no steps), many of them in one call.
//
//   p = body origin + R b      place of a sensor fixed at b in its body's frame
//   v = v_com + w x (p - com)  its velocity; MuJoCo's cvel is about the centre of mass of the tree
//   q = q_body q_own           its orientation; values are in its own axes
#include <math.h>
#include <string.h>

#include "base/sb_sense.h"

// Vector of the world in the axes of the quaternion q.
static void unrotate(double out[3], const double v[3], const double q[4]) {
  double back[4] = {q[0], -q[1], -q[2], -q[3]};
  mju_rotVecQuat(out, v, back);
}

static void acceleration(const SbSense* s, const SbSensePlace* at, double elapsed, double out[3]) {
  double change[3];
  for (int i = 0; i < 3; i++) {
    change[i] = (at->v[i] - s->memory[i]) / elapsed - s->extra[i];
    s->memory[i] = at->v[i];
  }
  unrotate(out, change, at->q);
}

void sb_sense_place(const mjData* d, const SbSense* s, SbSensePlace* at) {
  mju_rotVecQuat(at->p, s->position, d->xquat + 4 * s->body);
  for (int i = 0; i < 3; i++) at->p[i] += d->xpos[3 * s->body + i];
  mju_mulQuat(at->q, d->xquat + 4 * s->body, s->rotation);
}

void sb_sense_value(const SbSense* s, const SbSensePlace* at, double elapsed) {
  switch (s->kind) {
    case SB_SENSE_ACCELERATION: acceleration(s, at, elapsed, s->out); break;
    case SB_SENSE_TURN: unrotate(s->out, at->w, at->q); break;
    case SB_SENSE_BOTH:
      acceleration(s, at, elapsed, s->out);
      unrotate(s->out + 3, at->w, at->q);
      break;
    case SB_SENSE_ATTITUDE:
      memcpy(s->out, at->q + 1, 3 * sizeof(double));
      s->out[3] = at->q[0];
      break;
    case SB_SENSE_DIRECTION: unrotate(s->out, s->extra, at->q); break;
    case SB_SENSE_PLACE:
      for (int i = 0; i < 3; i++) {
        s->out[i] = at->p[i] + s->extra[i];
        s->out[4 + i] = at->v[i];
      }
      s->out[3] = sqrt(mju_dot3(s->out + 4, s->out + 4));
      break;
    case SB_SENSE_HEIGHT: s->out[0] = mju_dot3(at->p, s->extra) + s->offset; break;
  }
}

static void read_one(const mjModel* m, const mjData* d, const SbSense* s, double elapsed) {
  if (s->kind == SB_SENSE_AXIS) {
    s->out[0] = d->qpos[s->body];
    return;
  }
  SbSensePlace at;
  sb_sense_place(d, s, &at);
  sb_velocity_at(m, d, s->body, at.p, at.v);
  memcpy(at.w, d->cvel + 6 * s->body, sizeof(at.w));
  sb_sense_value(s, &at, elapsed);
}

static int bring_up_to_date(const mjModel* m, mjData* d, int poses_are_fresh) {
  if (!poses_are_fresh) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
  }
  mj_comVel(m, d);
  return SB_OK;
}

int sb_sense(const mjModel* m, mjData* d, const SbSense* senses, const int32_t* rows, int count,
             const double* elapsed, int poses_are_fresh, char* error) {
  SbGuard guard;
  int code;
  sb_guard_begin(&guard, d, error);
  if (SB_GUARDED(guard)) {
    code = bring_up_to_date(m, d, poses_are_fresh);
  } else {
    code = sb_guard_catch(&guard);
  }
  sb_guard_end(&guard);
  for (int i = 0; i < count && code == SB_OK; i++) read_one(m, d, senses + rows[i], elapsed[i]);
  return code;
}
