// Everything that moves positions: kinematic bodies, the integrator, damping.
#include <string.h>

#include "base/sb_work.h"

// ODE's limit on angular speed as Webots sets it [rad/s].
#define SB_MAX_ANGULAR_SPEED 10000.0

// Pose of a body in its parent from the positions of its joint: turns about (or moves along) the
// axes as they stood at the start, the last axis first, since each is carried by those before it.
// Returns whether it is another one than before.
static int place_kinematic(const SbStep* s, const SbKinematic* k, const SbPlace* at) {
  double pos[3], quat[4], turn[4], old[4], arm[3];
  memcpy(pos, at->pos, sizeof(pos));
  memcpy(quat, at->quat, sizeof(quat));
  for (int i = k->axes - 1; i >= 0; i--) {
    double moved = s->state.motors[k->axis + i].position - k->start[i];
    if (k->slides) {
      for (int n = 0; n < 3; n++) pos[n] += moved * k->direction[i][n];
      continue;
    }
    mju_axisAngle2Quat(turn, k->direction[i], moved);
    memcpy(old, quat, sizeof(old));
    mju_mulQuat(quat, turn, old);
    for (int n = 0; n < 3; n++) arm[n] = pos[n] - k->anchor[n];
    mju_rotVecQuat(pos, arm, turn);
    for (int n = 0; n < 3; n++) pos[n] += k->anchor[n];
  }
  int mocap = s->m->body_mocapid[k->body];
  if (mocap < 0 && !s->state.body_pos) return 0;
  double* to = mocap < 0 ? s->state.body_pos + 3 * k->body : s->d->mocap_pos + 3 * mocap;
  double* turned = mocap < 0 ? s->state.body_quat + 4 * k->body : s->d->mocap_quat + 4 * mocap;
  int moved = memcmp(to, pos, sizeof(pos)) || memcmp(turned, quat, sizeof(quat));
  memcpy(to, pos, sizeof(pos));
  memcpy(turned, quat, sizeof(quat));
  return moved;
}

static int has_velocity(const SbMover* mover) {
  return mover->linear[0] != 0 || mover->linear[1] != 0 || mover->linear[2] != 0 ||
         mover->angular[0] != 0 || mover->angular[1] != 0 || mover->angular[2] != 0;
}

// A part of another body has its pose in that body's frame: velocities are turned into it.
static void move_by_velocity(SbStep* s, const SbMover* mover, double h) {
  double *pos = s->d->mocap_pos + 3 * mover->mocap, *quat = s->d->mocap_quat + 4 * mover->mocap;
  double linear[3], axis[3], turn[4], old[4];
  memcpy(linear, mover->linear, sizeof(linear));
  memcpy(axis, mover->angular, sizeof(axis));
  if (mover->mocap < 0) {
    double back[4];
    if (!s->state.body_pos) return;
    pos = s->state.body_pos + 3 * mover->body;
    quat = s->state.body_quat + 4 * mover->body;
    mju_negQuat(back, s->d->xquat + 4 * s->m->body_parentid[mover->body]);
    mju_rotVecQuat(linear, mover->linear, back);
    mju_rotVecQuat(axis, mover->angular, back);
  }
  for (int i = 0; i < 3; i++) pos[i] += h * linear[i];
  double speed = mju_normalize3(axis);
  if (speed > 0) {
    memcpy(old, quat, sizeof(old));
    mju_axisAngle2Quat(turn, axis, speed * h);
    mju_mulQuat(quat, turn, old);
    mju_normalize4(quat);
  }
}

int sb_move_kinematic(SbStep* s) {
  double h = s->m->opt.timestep;
  int carried = 0, moved = 0;
  const SbMover* movers = s->state.movers;
  for (int k = 0; k < s->world->kinematics; k++) {
    moved |= place_kinematic(s, s->tables.kinematics + k, s->state.kinematics + k);
  }
  for (int k = 0; k < s->state.flags->movers; k++) {
    carried |= movers[k].mocap < 0 && has_velocity(movers + k);
  }
  // frames of carrying bodies must be those of now, not of the last time somebody looked
  if (carried) mj_kinematics(s->m, s->d);
  for (int k = 0; k < s->state.flags->movers; k++) {
    if (!has_velocity(movers + k)) continue;
    move_by_velocity(s, movers + k, h);
    moved = 1;
  }
  return moved;
}

// q <- normalise(q + h/2 q (0, w)), w in body axes: ODE's orientation update, a turn of
// 2 atan(h|w|/2) instead of h|w|.
static void rotate_as_ode(double* q, const double* w, double h) {
  double k = 0.5 * h, o[4];
  o[0] = q[0] + k * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  o[1] = q[1] + k * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  o[2] = q[2] + k * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]);
  o[3] = q[3] + k * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
  double scale = 1 / sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3]);
  for (int i = 0; i < 4; i++) q[i] = scale * o[i];
}

static void limit_angular_speed(double* w) {
  double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  if (square > SB_MAX_ANGULAR_SPEED * SB_MAX_ANGULAR_SPEED) {
    double scale = SB_MAX_ANGULAR_SPEED / sqrt(square);
    for (int i = 0; i < 3; i++) w[i] *= scale;
  }
}

static void advance_as_ode(SbStep* s, double h) {
  const mjModel* m = s->m;
  for (int j = 0; j < m->njnt; j++) {
    double* q = s->d->qpos + m->jnt_qposadr[j];
    const double* v = s->d->qvel + m->jnt_dofadr[j];
    switch (m->jnt_type[j]) {
      case mjJNT_FREE:
        for (int i = 0; i < 3; i++) q[i] += h * v[i];
        rotate_as_ode(q + 3, v + 3, h);
        break;
      case mjJNT_BALL:
        rotate_as_ode(q, v, h);
        break;
      case mjJNT_HINGE:
        q[0] += 2 * atan(0.5 * h * v[0]);
        break;
      default:
        q[0] += h * v[0];
    }
  }
}

// Bodies lose a share of their momentum per step. For a single free body that scales its
// velocity; in a tree the lost momenta J'(m k v, I k w) act through the joints.
static void damp(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int nv = (int)m->nv, any = 0;
  memset(s->x, 0, nv * sizeof(double));
  for (int k = 0; k < s->world->dampers; k++) {
    const SbDamper* damper = s->tables.dampers + k;
    if (damper->free_dof >= 0) {
      double* v = d->qvel + damper->free_dof;
      for (int i = 0; i < 3; i++) {
        v[i] *= 1 - damper->linear;
        v[3 + i] *= 1 - damper->angular;
      }
      continue;
    }
    any = 1;
    int body = damper->body;
    double *jp = s->jacobian, *jr = s->jacobian + 3 * nv, v[3], w[3], local[3], moment[3];
    mj_jacBodyCom(m, d, jp, jr, body);
    mju_mulMatVec(v, jp, d->qvel, 3, nv);
    mju_mulMatVec(w, jr, d->qvel, 3, nv);
    // angular momentum I w through the principal axes
    mju_mulMatTVec3(local, d->ximat + 9 * body, w);
    for (int i = 0; i < 3; i++) local[i] *= damper->angular * m->body_inertia[3 * body + i];
    mju_mulMatVec3(moment, d->ximat + 9 * body, local);
    for (int j = 0; j < nv; j++) {
      for (int i = 0; i < 3; i++) {
        s->x[j] -= jp[i * nv + j] * damper->linear * m->body_mass[body] * v[i];
        s->x[j] -= jr[i * nv + j] * moment[i];
      }
    }
  }
  if (any) {
    mj_solveM(m, d, s->w, s->x, 1);
    for (int j = 0; j < nv; j++) d->qvel[j] += s->w[j];
  }
}

// Velocities by acceleration, then positions by the new velocities.
static void integrate_euler(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double h = m->opt.timestep;
  for (int i = 0; i < m->nv; i++) d->qvel[i] += h * d->qacc[i];
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == mjJNT_FREE) limit_angular_speed(d->qvel + m->jnt_dofadr[j] + 3);
  }
  if (s->world->ode_rotation) {
    advance_as_ode(s, h);
  } else {
    mj_integratePos(m, d->qpos, d->qvel, h);
  }
}

int sb_integrate(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double sum = 0;
  for (int tree = 0; d->ntree_awake < m->ntree && tree < m->ntree; tree++) {
    // sleepers have no velocity, and what MuJoCo left in their acceleration is old
    if (d->tree_asleep[tree] < 0) continue;
    memset(d->qacc + m->tree_dofadr[tree], 0, m->tree_dofnum[tree] * sizeof(double));
  }
  int floating = s->world->middle_coriolis ? sb_find_floating(s) : 0;
  if (floating) memcpy(s->before, d->qvel, m->nv * sizeof(double));
  if (s->world->runge_kutta) {
    sb_integrate_rk4(s);
  } else {
    integrate_euler(s);
  }
  if (s->world->dampers) damp(s);
  if (floating || s->any_turns_far) sb_carry_momenta(s, floating);
  d->time += m->opt.timestep;

  // one non-finite number makes the sum non-finite
  for (int i = 0; i < m->nq; i++) sum += d->qpos[i] * 0;
  for (int i = 0; i < m->nv; i++) sum += d->qvel[i] * 0;
  return sum == 0 ? SB_OK : SB_NOT_FINITE;
}
