// What plain sensors read (no noise, no curve, no steps), many of them in one call.
//
//   p = body origin + R b      place of a sensor fixed at b in its body's frame
//   v = v_com + w x (p - com)  its velocity; MuJoCo's cvel is about the centre of mass of the tree
//   q = q_body q_own           its orientation; values are in its own axes
#include <math.h>
#include <string.h>

#include "base/sb_work.h"

// Vector of the world in the axes of the quaternion q.
static void unrotate(double out[3], const double v[3], const double q[4]) {
  double back[4] = {q[0], -q[1], -q[2], -q[3]};
  mju_rotVecQuat(out, v, back);
}

static void acceleration(const mjModel* m, const mjData* d, const SbSense* s, const double p[3],
                         const double q[4], double elapsed, double out[3]) {
  double v[3], change[3];
  sb_velocity_at(m, d, s->body, p, v);
  for (int i = 0; i < 3; i++) {
    change[i] = (v[i] - s->memory[i]) / elapsed - s->extra[i];
    s->memory[i] = v[i];
  }
  unrotate(out, change, q);
}

static void read_one(const mjModel* m, const mjData* d, const SbSense* s, double elapsed) {
  if (s->kind == SB_SENSE_AXIS) {
    s->out[0] = d->qpos[s->body];
    return;
  }
  double p[3], q[4];
  mju_rotVecQuat(p, s->position, d->xquat + 4 * s->body);
  for (int i = 0; i < 3; i++) p[i] += d->xpos[3 * s->body + i];
  mju_mulQuat(q, d->xquat + 4 * s->body, s->rotation);
  switch (s->kind) {
    case SB_SENSE_ACCELERATION: acceleration(m, d, s, p, q, elapsed, s->out); break;
    case SB_SENSE_TURN: unrotate(s->out, d->cvel + 6 * s->body, q); break;
    case SB_SENSE_BOTH:
      acceleration(m, d, s, p, q, elapsed, s->out);
      unrotate(s->out + 3, d->cvel + 6 * s->body, q);
      break;
    case SB_SENSE_ATTITUDE:
      memcpy(s->out, q + 1, 3 * sizeof(double));
      s->out[3] = q[0];
      break;
    case SB_SENSE_DIRECTION: unrotate(s->out, s->extra, q); break;
    case SB_SENSE_PLACE:
      for (int i = 0; i < 3; i++) s->out[i] = p[i] + s->extra[i];
      sb_velocity_at(m, d, s->body, p, s->out + 4);
      s->out[3] = sqrt(mju_dot3(s->out + 4, s->out + 4));
      break;
    case SB_SENSE_HEIGHT: s->out[0] = mju_dot3(p, s->extra) + s->offset; break;
  }
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
