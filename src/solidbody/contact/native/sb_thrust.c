// Forces that are known before the rows are solved: propellers, rotors, implicit gyroscopic torque.
#include <string.h>

#include "sb_work.h"

// Velocity of a point of a body [m/s], world.
static void velocity_at(const SbStep* s, int body, const double* point, double* out) {
  const double *v = s->d->cvel + 6 * body, *com = s->d->subtree_com + 3 * s->m->body_rootid[body];
  double arm[3] = {point[0] - com[0], point[1] - com[1], point[2] - com[2]};
  sb_cross(v, arm, out);
  for (int i = 0; i < 3; i++) out[i] += v[3 + i];
}

// With shaft rate w and advance speed V:  T = t1 |w| w - t2 |w| V,  Q = q1 |w| w - q2 |w| V.
// Webots takes V as the world velocity of the centre of thrust along the shaft axis in the
// propeller's own coordinates, without turning it; so do we.
void sb_apply_thrust(SbStep* s) {
  mjData* d = s->d;
  for (int k = 0; k < s->world->propellers; k++) {
    const SbPropeller* p = s->propellers + k;
    if (!sb_body_awake(s, p->body)) continue;
    const double *pos = d->xpos + 3 * p->body, *mat = d->xmat + 9 * p->body;
    double point[3], axis[3], velocity[3], thrust = p->force, torque = p->moment;
    mju_mulMatVec3(point, mat, p->point);
    mju_mulMatVec3(axis, mat, p->direction);
    for (int i = 0; i < 3; i++) point[i] += pos[i];
    if (p->axis >= 0) {
      double rate = s->motors[p->axis].velocity, size = fabs(rate);
      velocity_at(s, p->body, point, velocity);
      double advance = sb_dot(velocity, p->local);
      thrust = p->thrust[0] * size * rate - p->thrust[1] * size * advance;
      torque = p->torque[0] * size * rate - p->torque[1] * size * advance;
      torque = fmax(-p->max_torque, fmin(p->max_torque, torque));
      s->motors[p->axis].effort = s->motors[p->axis].reaction = fabs(thrust) + fabs(torque);
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

// The explicit torque -w x I w pumps energy into fast spinning bodies. The implicit one is that of
// the end of the step, by one Newton step of  I (w+ - w) + h w+ x I w+ = 0  from w:
//     (I + h ([w] I - [I w])) d = -h w x I w,     torque = I d/h
// in principal axes. MuJoCo's bias holds the explicit one: the difference is added.
void sb_apply_gyro(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double h = m->opt.timestep, none[3] = {0, 0, 0};
  for (int body = 1; body < m->nbody; body++) {
    const double *inertia = m->body_inertia + 3 * body, *mat = d->ximat + 9 * body;
    if (m->body_treeid[body] < 0 || m->body_mass[body] <= 0) continue;
    if (!sb_body_awake(s, body)) continue;
    double w[3], l[3], explicit_torque[3], change[3], torque[3], world[3];
    mju_mulMatTVec3(w, mat, d->cvel + 6 * body);
    for (int i = 0; i < 3; i++) l[i] = inertia[i] * w[i];
    sb_cross(w, l, explicit_torque);
    double a[9] = {inertia[0], h * (l[2] - w[2] * inertia[1]), h * (w[1] * inertia[2] - l[1]),
                   h * (w[2] * inertia[0] - l[2]), inertia[1], h * (l[0] - w[0] * inertia[2]),
                   h * (l[1] - w[1] * inertia[0]), h * (w[0] * inertia[1] - l[0]), inertia[2]};
    double rhs[3] = {-h * explicit_torque[0], -h * explicit_torque[1], -h * explicit_torque[2]};
    solve3(a, rhs, change);
    for (int i = 0; i < 3; i++) torque[i] = inertia[i] * change[i] / h + explicit_torque[i];
    mju_mulMatVec3(world, mat, torque);
    mj_applyFT(m, d, none, world, d->xipos + 3 * body, body, d->qfrc_passive);
  }
}
