// Forces that are known before the rows are solved: propellers, rotors, implicit gyroscopic torque.
#include <string.h>

#include "base/sb_work.h"

// With shaft rate w and advance speed V:  T = t1 |w| w - t2 |w| V,  Q = q1 |w| w - q2 |w| V.
// Webots takes V as the world velocity of the centre of thrust along the shaft axis in the
// propeller's own coordinates, without turning it; so do we.
void sb_apply_thrust(SbStep* s) {
  mjData* d = s->d;
  for (int k = 0; k < s->world->propellers; k++) {
    const SbPropeller* p = s->tables.propellers + k;
    const SbThrust* given = s->state.propellers + k;
    if (!sb_body_awake(s, p->body)) continue;
    const double *pos = d->xpos + 3 * p->body, *mat = d->xmat + 9 * p->body;
    double point[3], axis[3], velocity[3], thrust = given->force, torque = given->moment;
    mju_mulMatVec3(point, mat, p->point);
    mju_mulMatVec3(axis, mat, p->direction);
    for (int i = 0; i < 3; i++) point[i] += pos[i];
    if (p->axis >= 0) {
      double rate = s->state.motors[p->axis].velocity, size = fabs(rate);
      sb_velocity_at(s->m, s->d, p->body, point, velocity);
      double advance = sb_dot(velocity, p->local);
      thrust = p->thrust[0] * size * rate - p->thrust[1] * size * advance;
      torque = p->torque[0] * size * rate - p->torque[1] * size * advance;
      torque = fmax(-p->max_torque, fmin(p->max_torque, torque));
      s->state.motors[p->axis].effort = s->state.motors[p->axis].reaction = fabs(thrust) + fabs(torque);
    }
    double force[3], moment[3];
    for (int i = 0; i < 3; i++) {
      force[i] = thrust * axis[i];
      moment[i] = -torque * axis[i];
    }
    mj_applyFT(s->m, d, force, moment, point, p->body, d->qfrc_passive);
  }
}

// Solve A x = b by Cramer's rule.
static void solve3(const double a[9], const double b[3], double x[3]) {
  double c[9];
  sb_cross(a + 3, a + 6, c);
  sb_cross(a + 6, a, c + 3);
  sb_cross(a, a + 3, c + 6);
  double determinant = sb_dot(a, c);
  for (int i = 0; i < 3; i++) {
    x[i] = (b[0] * c[i] + b[1] * c[3 + i] + b[2] * c[6 + i]) / determinant;
  }
}

// Most Newton steps of the implicit torque; three suffice up to half a turn per step.
#define SB_GYRO_ITERATIONS 12
// Change of spin, as a share of it, below which it is found.
#define SB_GYRO_SAME 1e-14

// I + k ([w]x I - [I w]x): how I w + k w x I w changes with w.
static void gyro_matrix(const double inertia[3], const double w[3], double k, double a[9]) {
  double l[3] = {inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
  double full[9] = {inertia[0], k * (l[2] - w[2] * inertia[1]), k * (w[1] * inertia[2] - l[1]),
                    k * (w[2] * inertia[0] - l[2]), inertia[1], k * (l[0] - w[0] * inertia[2]),
                    k * (l[1] - w[1] * inertia[0]), k * (w[0] * inertia[1] - l[0]), inertia[2]};
  memcpy(a, full, sizeof(full));
}

// The explicit torque -w x I w pumps energy into fast spinning bodies. The implicit one is that of the
// middle of the step, in principal axes:
//
//     I (w' - w) + h m x I m = 0,  m = (w + w') / 2
//
// Multiplied by m it says that the energy stays; by I m, that the length of the momentum does. Where
// Newton's method does not find it, the torque of the end of the step is taken, which takes energy away.
static void spin_change(const double inertia[3], const double w[3], double h, double change[3]) {
  double a[9], l[3], torque[3], off[3], step[3], middle[3], first[3], rest = 1;
  for (int i = 0; i < 3; i++) l[i] = inertia[i] * w[i];
  sb_cross(w, l, torque);
  for (int i = 0; i < 3; i++) off[i] = -h * torque[i];
  gyro_matrix(inertia, w, h, a);
  solve3(a, off, first);
  memcpy(change, first, sizeof(first));
  double size = sqrt(sb_dot(w, w));
  for (int k = 0; k < SB_GYRO_ITERATIONS && rest > SB_GYRO_SAME * size; k++) {
    for (int i = 0; i < 3; i++) {
      middle[i] = w[i] + 0.5 * change[i];
      l[i] = inertia[i] * middle[i];
    }
    sb_cross(middle, l, torque);
    for (int i = 0; i < 3; i++) off[i] = inertia[i] * change[i] + h * torque[i];
    gyro_matrix(inertia, middle, 0.5 * h, a);
    solve3(a, off, step);
    for (int i = 0; i < 3; i++) change[i] -= step[i];
    rest = sqrt(sb_dot(step, step));
  }
  if (!(rest <= 1e-9 * size)) memcpy(change, first, sizeof(first));
}

// Share of a body's energy of rotation that the explicit torque may add per second. A rod of 12 diameters that
// spins about its axis at 20 rad/s and 8 ms would have 300,000 times its energy after 5 s, in ODE as well; a
// capsule that falls at 8 rad/s and 32 ms adds 0.8 of it, a brick that tumbles at 3 rad/s and 8 ms 0.002.
#define SB_GYRO_GAIN 1.0  // [1/s]

// Whether the explicit torque t would add too much: h t changes w by h t/I, and the energy by h^2 t.t/I / 2.
static int pumps(const double inertia[3], const double w[3], const double t[3], double h, double most) {
  double gain = 0, energy = 0;
  for (int i = 0; i < 3; i++) {
    gain += h * h * t[i] * t[i] / inertia[i];
    energy += inertia[i] * w[i] * w[i];
  }
  return gain > most * energy;
}

// Adds the difference to the explicit torque, which MuJoCo has in its forces already: for all bodies where the
// world asks for it, and for bodies by themselves that would gain too much energy (those of mechanisms carry
// their momenta when they turn that far, sb_momentum.c).
void sb_apply_gyro(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double h = m->opt.timestep, none[3] = {0, 0, 0}, most = SB_GYRO_GAIN * h;
  for (int body = 1; body < m->nbody; body++) {
    const double *inertia = m->body_inertia + 3 * body, *mat = d->ximat + 9 * body;
    const double* turn = d->cvel + 6 * body;
    int tree = m->body_treeid[body];
    if (tree < 0 || m->body_mass[body] <= 0) continue;
    if (!s->world->implicit_gyro) {
      // the gain is at most twice the square of the turn, since no moment is larger than the others together
      if (2 * h * h * sb_dot(turn, turn) <= most) continue;
      if (m->tree_bodynum[tree] > 1 || m->tree_dofnum[tree] != 6) continue;
    }
    if (!sb_body_awake(s, body) || s->turns_far[tree]) continue;
    double w[3], l[3], explicit_torque[3], change[3], torque[3], world[3];
    mju_mulMatTVec3(w, mat, turn);
    for (int i = 0; i < 3; i++) l[i] = inertia[i] * w[i];
    sb_cross(w, l, explicit_torque);
    if (!s->world->implicit_gyro && !pumps(inertia, w, explicit_torque, h, most)) continue;
    spin_change(inertia, w, h, change);
    for (int i = 0; i < 3; i++) torque[i] = inertia[i] * change[i] / h + explicit_torque[i];
    mju_mulMatVec3(world, mat, torque);
    mj_applyFT(m, d, none, world, d->xipos + 3 * body, body, d->qfrc_passive);
  }
}
