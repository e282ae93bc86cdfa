// Runge and Kutta's rule, as Choreonoid's AIST simulator applies it.
//
//     v' = v + h/6 (a1 + 2 a2 + 2 a3 + a4)        q' = q + h/6 (v2 + 2 v3 + 3 v4)
//
// a1 is the acceleration that the step has found, with its constraints. Their forces and those of motors are
// kept, as forces on the axes; only gravity and forces quadratic in the velocity are found anew in the
// other three stages. The positions' sum is that of the original, which adds each velocity up after the
// stage has moved it (textbooks: v1 + 2 v2 + 2 v3 + v4), so that they are of first order: under a constant
// acceleration a step moves by h v + 3/4 h^2 a. Axes with a given velocity keep it. Free roots move with the
// velocity of the start of the step.
#include <string.h>

#include "base/sb_work.h"

#define SB_STAGES 4

// Scratch of one step.
typedef struct Rk4 {
  double *position, *velocity;  // of the start
  double *force;                // kept through the stages
  double *rate, *acceleration;  // of the stage
  double *rates, *accelerations;  // weighted sums
  char* given;                  // axes whose velocity is given
} Rk4;

static Rk4 new_rk4(SbStep* s) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  size_t nv = m->nv;
  double* first = s->rk4 + m->nq;
  Rk4 r = {s->rk4,       first,          first + nv,     first + 2 * nv,
             first + 3 * nv, first + 4 * nv, first + 5 * nv, s->rk4_given};
  memcpy(r.position, d->qpos, m->nq * sizeof(double));
  memcpy(r.velocity, d->qvel, nv * sizeof(double));
  memset(r.rates, 0, nv * sizeof(double));
  memset(r.accelerations, 0, nv * sizeof(double));
  memset(r.given, 0, nv);
  for (int k = 0; k < s->world->axes; k++) {
    int mode = s->state.commands[k].mode, dof = s->tables.axes[k].dof;
    if (dof >= 0 && (mode == SB_MOTOR_VELOCITY || mode == SB_MOTOR_POSITION)) r.given[dof] = 1;
  }
  return r;
}

// What the pose and the velocity of the data make of the inertia and of the forces.
static void look(SbStep* s) {
  mj_fwdKinematics(s->m, s->d);
  mj_makeM(s->m, s->d);
  mj_factorM(s->m, s->d);
  mj_comVel(s->m, s->d);
  mj_rne(s->m, s->d, 0, s->d->qfrc_bias);
}

// Put the data where the start leads in a time, with these rates and accelerations.
static void set_out(SbStep* s, const Rk4* r, const double* rate, const double* acceleration,
                    double time) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = r->velocity[i] + time * acceleration[i];
    s->x[i] = r->given[i] ? d->qvel[i] : rate[i];
  }
  for (int j = 0; j < m->njnt; j++) {
    int dof = m->jnt_dofadr[j];
    if (m->jnt_type[j] == mjJNT_FREE) memcpy(s->x + dof, r->velocity + dof, 6 * sizeof(double));
  }
  memcpy(d->qpos, r->position, m->nq * sizeof(double));
  mj_integratePos(m, d->qpos, s->x, time);
}

void sb_integrate_rk4(SbStep* s) {
  static const double SHARE[SB_STAGES] = {0, 0.5, 0.5, 1}, WEIGHT[SB_STAGES] = {1, 2, 2, 1},
                      RATE_WEIGHT[SB_STAGES] = {0, 1, 2, 3};
  const mjModel* m = s->m;
  mjData* d = s->d;
  double h = m->opt.timestep;
  int nv = (int)m->nv;
  Rk4 r = new_rk4(s);
  mj_mulM(m, d, r.force, d->qacc);
  mj_rne(m, d, 0, s->w);
  mju_addTo(r.force, s->w, nv);
  memcpy(r.rate, d->qvel, nv * sizeof(double));
  memcpy(r.acceleration, d->qacc, nv * sizeof(double));
  mju_addToScl(r.accelerations, r.acceleration, WEIGHT[0] / 6, nv);
  for (int stage = 1; stage < SB_STAGES; stage++) {
    set_out(s, &r, r.rate, r.acceleration, SHARE[stage] * h);
    look(s);
    memcpy(r.rate, d->qvel, nv * sizeof(double));
    mju_sub(s->w, r.force, d->qfrc_bias, nv);
    mj_solveM(m, d, r.acceleration, s->w, 1);
    for (int i = 0; i < nv; i++) {
      if (r.given[i]) r.acceleration[i] = d->qacc[i];
    }
    mju_addToScl(r.rates, r.rate, RATE_WEIGHT[stage] / 6, nv);
    mju_addToScl(r.accelerations, r.acceleration, WEIGHT[stage] / 6, nv);
  }
  // what is read after a step belongs to its start, as with the other rule
  memcpy(d->qpos, r.position, m->nq * sizeof(double));
  memcpy(d->qvel, r.velocity, nv * sizeof(double));
  look(s);
  set_out(s, &r, r.rates, r.accelerations, h);
}
