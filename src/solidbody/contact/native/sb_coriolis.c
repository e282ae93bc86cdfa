// Coriolis and centrifugal forces of jointed trees at the middle of the step.
//
// In joint coordinates the mass matrix changes with the pose, and forces quadratic in the velocity
// taken at the start of the step lose energy: a double pendulum loses half of it in 20 s at 2 ms, four
// times what ODE's single bodies lose. Taken at the velocity of the middle of the step,
//
//     v_mid = v + h/2 a        a: acceleration of the last step, constraints included
//
// it loses half a percent. Where something touches the tree or the velocity has just jumped, the last
// step says nothing about this one, and the start of the step is used. Single free bodies have a
// constant mass matrix; their gyroscopic torque has a rule of its own.
#include <string.h>

#include "sb_work.h"

// Greatest change of speed in a step, as a share of the speed, for which v_mid is used: a rebound
// with restitution e changes it by (1 + e)/e > 2 of what is left. Swinging at 32 ms needs as much as
// that: below 1 a double pendulum gains energy there, at 0.25 without bound.
#define SB_SMOOTH_CHANGE 2.0

static int is_single_free_body(const mjModel* m, int tree) {
  return m->tree_bodynum[tree] == 1 && m->tree_dofnum[tree] == 6;
}

static int is_smooth(const SbStep* s, int tree) {
  double speed = 0, change = 0, h = s->m->opt.timestep;
  int first = s->m->tree_dofadr[tree];
  for (int i = first; i < first + s->m->tree_dofnum[tree]; i++) {
    speed = fmax(speed, fabs(s->d->qvel[i]));
    change = fmax(change, fabs(h * s->d->qacc[i]));
  }
  return change <= SB_SMOOTH_CHANGE * speed;
}

void sb_center_coriolis(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int *touched = s->blocks.node, any = 0;
  memset(touched, 0, m->ntree * sizeof(int));
  for (int k = 0; k < d->ncon; k++) {
    for (int i = 0; i < 2 && !d->contact[k].exclude; i++) {
      int geom = d->contact[k].geom[i], tree = geom < 0 ? -1 : m->body_treeid[m->geom_bodyid[geom]];
      if (tree >= 0) touched[tree] = 1;
    }
  }
  memcpy(s->x, d->qvel, m->nv * sizeof(double));
  for (int tree = 0; tree < m->ntree; tree++) {
    if (touched[tree] || d->tree_asleep[tree] >= 0 || is_single_free_body(m, tree)) continue;
    if (!is_smooth(s, tree)) continue;
    any = 1;
    int first = m->tree_dofadr[tree];
    for (int i = first; i < first + m->tree_dofnum[tree]; i++) {
      d->qvel[i] += 0.5 * m->opt.timestep * d->qacc[i];
    }
  }
  if (!any) return;
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  memcpy(d->qvel, s->x, m->nv * sizeof(double));
  mj_comVel(m, d);
}
