// Coriolis and centrifugal forces of jointed trees at the middle of the step.
//
// In joint coordinates the mass matrix changes with the pose, and forces quadratic in the velocity
// taken at the start of the step lose energy: a double pendulum loses half of it in 20 s at 2 ms, four
// times what ODE's single bodies lose. Taken at the velocity of the middle of the step,
//
//     v_mid = v + h/2 a        a: acceleration of the last step, constraints included
//
// it loses a few percent. Trees that nothing drives get a better one, of which a share is the
// acceleration that these forces give. Where something touches the tree or the velocity has just
// jumped, the last step says nothing about this one, and the start of the step is used. Single free
// bodies have a constant mass matrix; their gyroscopic torque has a rule of its own.
//
// Whether the middle or the start is taken is the world's choice (middle_coriolis). Trees that turn far
// in a step get neither, in any world (sb_momentum.c): without that, arms of Choreonoid's files that
// swing freely gain speed until they are no longer finite.
#include <string.h>

#include "base/sb_work.h"

// Greatest change of speed in a step, as a share of the speed, for which v_mid is used: a rebound
// with restitution e changes it by (1 + e)/e > 2 of what is left. Swinging at 32 ms needs as much as
// that: below 1 a double pendulum gains energy there, at 0.25 without bound.
#define SB_SMOOTH_CHANGE 2.0

// Share of the acceleration of this step in that of the middle. Measured on double pendulums of 14
// starts over 60 s, without the rule below: with 0 the greatest error of energy is up to 1.6 times ODE's at
// 32 ms, with 0.4 at most 1.04 times at 16 and 32 ms and half of it at 8 ms; from 0.7 on it explodes.
#define SB_CORRECTION 0.4

// Turn of a joint or a root in one step [rad] above which links carry their momenta (sb_momentum.c).
// Measured on the same pendulums: with 0.3 the error of energy is at most 0.96 times ODE's at 8, 16 and
// 32 ms, with 0.15 1.06 times; without the rule a tumbling chain of four links explodes at 32 ms.
#define SB_FAR_TURN 0.3

// The same [rad] for wheels about their own axes. The mass matrix does not depend on their angle, only
// gyroscopic torques on their speed, which are far from unstable at this one (30 rad/s at 32 ms).
#define SB_FAR_WHEEL_TURN 1.0
// How exactly a wheel must be round: offset of its centre [m], and of its moments as a share.
#define SB_ROUND 1e-6

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

// What a tree is to the rule.
enum { TOUCHED = 1, DRIVEN = 2, CENTERED = 4 };

static void mark(SbStep* s, int body, int what) {
  int tree = body < 0 ? -1 : s->m->body_treeid[body];
  if (tree >= 0) s->worker.blocks.node[tree] |= what;
}

// Motors, springs and loops push by rows that are solved later: of trees that have any, only the last
// step knows the acceleration.
static int drives(const SbAxis* axis, const SbCommand* command) {
  return command->mode != SB_MOTOR_NONE || axis->static_friction > 0 || axis->spring > 0 ||
         axis->damping > 0 || command->brake > 0;
}

static void mark_trees(SbStep* s) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  memset(s->worker.blocks.node, 0, m->ntree * sizeof(int));
  for (int k = 0; k < d->ncon; k++) {
    for (int i = 0; i < 2 && !d->contact[k].exclude; i++) {
      int geom = d->contact[k].geom[i];
      mark(s, geom < 0 ? -1 : m->geom_bodyid[geom], TOUCHED);
    }
  }
  for (int k = 0; k < s->world->axes; k++) {
    int dof = s->tables.axes[k].dof;
    if (dof >= 0 && drives(s->tables.axes + k, s->state.commands + k)) mark(s, m->dof_bodyid[dof], DRIVEN);
  }
  for (int k = 0; k < s->world->loops; k++) {
    const SbLoop* loop = sb_loop(s, k);
    for (int i = 0; i < 2 && loop->kind != SB_LOOP_NONE; i++) mark(s, loop->body[i], DRIVEN);
  }
}

// Forces at qvel, which is then put back.
static void take_bias(SbStep* s) {
  mj_comVel(s->m, s->d);
  mj_rne(s->m, s->d, 0, s->d->qfrc_bias);
  memcpy(s->d->qvel, s->x, s->m->nv * sizeof(double));
}

// Whether a joint turns a single link with its centre on the axis and the same moment of inertia
// about all directions across:  I = k a a' + q (1 - a a').
static int is_wheel(const mjModel* m, int joint) {
  int body = m->jnt_bodyid[joint];
  if (m->jnt_type[joint] != mjJNT_HINGE || m->body_jntnum[body] != 1 ||
      m->body_subtreemass[body] != m->body_mass[body]) {
    return 0;
  }
  const double *axis = m->jnt_axis + 3 * joint, *moment = m->body_inertia + 3 * body;
  double arm[3], across[3], back[4], a[3], k = 0;
  mju_sub3(arm, m->body_ipos + 3 * body, m->jnt_pos + 3 * joint);
  sb_cross(arm, axis, across);
  if (mju_norm3(across) > SB_ROUND) return 0;
  mju_negQuat(back, m->body_iquat + 4 * body);
  mju_rotVecQuat(a, axis, back);
  for (int i = 0; i < 3; i++) k += moment[i] * a[i] * a[i];
  double sum = moment[0] + moment[1] + moment[2], q = 0.5 * (sum - k);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double wanted = (k - q) * a[i] * a[j] + (i == j ? q : 0);
      if (fabs((i == j ? moment[i] : 0) - wanted) > SB_ROUND * sum) return 0;
    }
  }
  return 1;
}

static int turns_far(const SbStep* s, int tree) {
  const mjModel* m = s->m;
  int first = m->tree_dofadr[tree];
  for (int i = first; i < first + m->tree_dofnum[tree]; i++) {
    int joint = m->dof_jntid[i], type = m->jnt_type[joint];
    int turns = type == mjJNT_FREE ? i - m->jnt_dofadr[joint] > 2 : type != mjJNT_SLIDE;
    double turn = turns ? m->opt.timestep * fabs(s->d->qvel[i]) : 0;
    if (turn > SB_FAR_WHEEL_TURN || (turn > SB_FAR_TURN && !is_wheel(m, joint))) return 1;
  }
  return 0;
}

void sb_center_coriolis(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int *trees = s->worker.blocks.node, any = 0, free = 0;
  double half = 0.5 * m->opt.timestep;
  if (s->world->middle_coriolis) mark_trees(s);
  s->any_turns_far = 0;
  memcpy(s->x, d->qvel, m->nv * sizeof(double));
  for (int tree = 0; tree < m->ntree; tree++) {
    int first = m->tree_dofadr[tree], end = first + m->tree_dofnum[tree];
    s->turns_far[tree] = 0;
    if (d->tree_asleep[tree] >= 0 || is_single_free_body(m, tree)) continue;
    if (turns_far(s, tree)) {
      s->turns_far[tree] = s->any_turns_far = any = 1;
      for (int i = first; i < end; i++) d->qvel[i] = 0;
      continue;
    }
    if (!s->world->middle_coriolis) continue;
    if (trees[tree] & TOUCHED || !is_smooth(s, tree)) continue;
    any = 1;
    free |= !(trees[tree] & DRIVEN);
    trees[tree] |= CENTERED;
    for (int i = first; i < end; i++) d->qvel[i] += half * d->qacc[i];
  }
  if (!any) return;
  take_bias(s);
  if (free) {
    mju_sub(s->w, d->qfrc_passive, d->qfrc_bias, (int)m->nv);
    mj_solveM(m, d, s->w, s->w, 1);
    for (int tree = 0; tree < m->ntree; tree++) {
      int first = m->tree_dofadr[tree], end = first + m->tree_dofnum[tree];
      double share = trees[tree] & DRIVEN ? 0 : SB_CORRECTION;
      for (int i = first; i < end && trees[tree] & CENTERED; i++) {
        d->qvel[i] += half * ((1 - share) * d->qacc[i] + share * s->w[i]);
      }
      for (int i = first; i < end && s->turns_far[tree]; i++) d->qvel[i] = 0;
    }
    take_bias(s);
  }
  mj_comVel(m, d);
}
