// Momenta of jointed trees when their poses have moved on.
//
// In joint coordinates the momentum of a tree depends on its pose: the same velocities at the next pose
// are another momentum, and forces quadratic in the velocity make up for it to first order only.
//
// Floating trees: a robot in free fall would gain or lose a part in 1e4 per step of 8 ms. So the momenta
// that the forces of the step leave,
//
//     p(q, v) + h F        F: all forces from outside, about the world's origin
//
// are put back after the positions have moved, by a rigid motion of the whole tree, and its centre of mass
// is put where they take it: joint positions and velocities stay. Trees that stand on the ground pass momentum on in every step, and are left alone.
//
// Trees that turn far in a step: no forces quadratic in the velocity are taken at all. Instead each link
// carries its momenta to the next pose, as ODE's bodies do, and the joints take away what they do not let
// through:
//
//     M(q+) v+ = J(q+)' (m v, I w)
//
// The projection takes energy away; what a link would gain by turning is left out, and so is what a
// floating tree would gain by getting its momenta back. So nothing explodes at any step.
#include <string.h>

#include "base/sb_work.h"

static int floats(const SbStep* s, int tree) {
  const mjModel* m = s->m;
  int dof = m->tree_dofadr[tree];
  return m->tree_bodynum[tree] > 1 && s->d->tree_asleep[tree] < 0 &&
         m->jnt_type[m->dof_jntid[dof]] == mjJNT_FREE;
}

int sb_find_floating(SbStep* s) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  int count = 0;
  for (int tree = 0; tree < m->ntree; tree++) s->floating[tree] = floats(s, tree);
  for (int k = 0; k < d->ncon; k++) {
    const int* geom = d->contact[k].geom;
    if (d->contact[k].exclude || geom[0] < 0 || geom[1] < 0) continue;
    int one = m->body_treeid[m->geom_bodyid[geom[0]]], two = m->body_treeid[m->geom_bodyid[geom[1]]];
    if (one < 0 && two >= 0) s->floating[two] = 0;
    if (two < 0 && one >= 0) s->floating[one] = 0;
  }
  for (int tree = 0; tree < m->ntree; tree++) count += s->floating[tree];
  return count;
}

// Inertia times velocity of a link about the centre of mass of its tree, as MuJoCo keeps both: symmetric
// tensor (xx yy zz xy xz yz), mass times offset, mass; angular and linear velocity.
static void momentum_of(double out[6], const double c[10], const double v[6]) {
  double tensor[9] = {c[0], c[3], c[4], c[3], c[1], c[5], c[4], c[5], c[2]}, lever[3], push[3];
  mju_mulMatVec3(out, tensor, v);
  mju_cross(lever, c + 6, v + 3);
  mju_cross(push, v, c + 6);
  for (int k = 0; k < 3; k++) {
    out[k] += lever[k];
    out[3 + k] = c[9] * v[3 + k] + push[k];
  }
}

// Momenta [angular about the centre of mass, linear], and moments of inertia about it.
static void sum_tree(const SbStep* s, int tree, double momentum[6], double inertia[9], double* mass) {
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  const mjModel* m = s->m;
  int first = m->tree_bodyadr[tree];
  double own[6];
  memset(momentum, 0, 6 * sizeof(double));
  memset(inertia, 0, 9 * sizeof(double));
  *mass = 0;
  for (int body = first; body < first + m->tree_bodynum[tree]; body++) {
    const double* c = s->d->cinert + 10 * body;
    momentum_of(own, c, s->d->cvel + 6 * body);
    mju_addTo(momentum, own, 6);
    for (int k = 0; k < 9; k++) inertia[k] += c[place[k]];
    *mass += c[9];
  }
}

static void note_momenta(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double h = m->opt.timestep, inertia[9], mass;
  // what changed the velocities, gravity apart: M (v - v0) + h bias
  for (int i = 0; i < m->nv; i++) s->w[i] = d->qvel[i] - s->before[i];
  mj_mulM(m, d, s->total, s->w);
  for (int tree = 0; tree < m->ntree; tree++) {
    if (!s->floating[tree]) continue;
    int root = m->tree_bodyadr[tree], dof = m->tree_dofadr[tree];
    const double *at = d->xpos + 3 * root, *com = d->subtree_com + 3 * root;
    double *out = s->momentum + 9 * tree, torque[3], about[3], push[3], local[3];
    sum_tree(s, tree, out, inertia, &mass);
    mju_cross(about, com, out + 3);
    for (int k = 0; k < 3; k++) {
      push[k] = s->total[dof + k] + h * d->qfrc_bias[dof + k];
      local[k] = s->total[dof + 3 + k] + h * d->qfrc_bias[dof + 3 + k];
      out[k] += about[k];
    }
    mju_mulMatVec3(torque, d->xmat + 9 * root, local);
    mju_cross(about, at, push);
    for (int k = 0; k < 3; k++) {
      out[k] += torque[k] + about[k];
      out[3 + k] += push[k];
      push[k] = h * mass * m->opt.gravity[k];
    }
    mju_cross(about, com, push);
    for (int k = 0; k < 3; k++) {
      out[k] += about[k];
      out[3 + k] += push[k];
      out[6 + k] = com[k] + h * out[3 + k] / mass;
    }
  }
}

// x of a x = b, a symmetric and positive definite.
static void solve3(double x[3], const double a[9], const double b[3]) {
  double c[9];
  mju_cross(c, a + 3, a + 6);
  mju_cross(c + 3, a + 6, a);
  mju_cross(c + 6, a, a + 3);
  double det = mju_dot3(a, c);
  for (int i = 0; i < 3; i++) x[i] = (c[i] * b[0] + c[3 + i] * b[1] + c[6 + i] * b[2]) / det;
}

// Kinetic energy of a tree [J], of the velocities that mj_comVel has seen.
static double energy_of(const SbStep* s, int tree) {
  const mjModel* m = s->m;
  int first = m->tree_bodyadr[tree], dof = m->tree_dofadr[tree];
  double momentum[6], sum = 0;
  for (int body = first; body < first + m->tree_bodynum[tree]; body++) {
    momentum_of(momentum, s->d->cinert + 10 * body, s->d->cvel + 6 * body);
    sum += 0.5 * mju_dot(momentum, s->d->cvel + 6 * body, 6);
  }
  for (int i = dof; i < dof + m->tree_dofnum[tree]; i++) {
    sum += 0.5 * m->dof_armature[i] * s->d->qvel[i] * s->d->qvel[i];
  }
  return sum;
}

// Slow the links down against each other until a tree with these momenta has no more energy than its
// links carried.
static void limit_energy(SbStep* s, int tree, const double wanted[9], const double inertia[9],
                         double mass) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int root = m->tree_bodyadr[tree], first = m->tree_dofadr[tree];
  double about[3], spin[3], turn[3], arm[3], around[3], local[3], *v = d->qvel + first;
  mju_cross(about, wanted + 6, wanted + 3);
  mju_sub3(spin, wanted, about);
  solve3(turn, inertia, spin);
  mju_sub3(arm, d->xpos + 3 * root, d->subtree_com + 3 * root);
  mju_cross(around, turn, arm);
  mju_mulMatTVec3(local, d->xmat + 9 * root, turn);
  mj_comVel(m, d);
  double rigid = 0.5 * (mju_dot3(wanted + 3, wanted + 3) / mass + mju_dot3(spin, turn));
  double inner = energy_of(s, tree) - rigid, allowed = s->tree_energy[tree] - rigid;
  if (inner <= allowed || inner <= 0) return;
  double share = allowed > 0 ? sqrt(allowed / inner) : 0;
  for (int k = 0; k < 3; k++) {
    double still = wanted[3 + k] / mass + around[k];
    v[k] = still + share * (v[k] - still);
    v[3 + k] = local[k] + share * (v[3 + k] - local[k]);
  }
  for (int i = 6; i < m->tree_dofnum[tree]; i++) v[i] *= share;
}

static void restore_momenta(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  mj_comVel(m, d);
  for (int tree = 0; tree < m->ntree; tree++) {
    if (!s->floating[tree]) continue;
    int root = m->tree_bodyadr[tree];
    const double *wanted = s->momentum + 9 * tree, *com = wanted + 6;
    double now[6], inertia[9], mass, about[3], twist[3], turn[3], arm[3], shift[3], local[3];
    double* v = d->qvel + m->tree_dofadr[tree];
    sum_tree(s, tree, now, inertia, &mass);
    mju_cross(about, com, wanted + 3);
    for (int k = 0; k < 3; k++) {
      twist[k] = wanted[k] - about[k] - now[k];
      arm[k] = d->xpos[3 * root + k] - d->subtree_com[3 * root + k];
      d->qpos[m->jnt_qposadr[m->body_jntadr[root]] + k] += com[k] - d->subtree_com[3 * root + k];
    }
    solve3(turn, inertia, twist);
    mju_cross(shift, turn, arm);
    mju_mulMatTVec3(local, d->xmat + 9 * root, turn);
    for (int k = 0; k < 3; k++) {
      v[k] += (wanted[3 + k] - now[3 + k]) / mass + shift[k];
      v[3 + k] += local[k];
    }
    if (s->turns_far[tree]) limit_energy(s, tree, wanted, inertia, mass);
  }
}

// Momenta of the links at the poses before the step: angular about the link's own centre, linear.
static void note_links(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  mj_comVel(m, d);
  for (int tree = 0; tree < m->ntree; tree++) {
    if (s->turns_far[tree]) s->tree_energy[tree] = energy_of(s, tree);
  }
  for (int body = 1; body < m->nbody; body++) {
    int tree = m->body_treeid[body];
    if (tree < 0 || !s->turns_far[tree]) continue;
    double *out = s->link_momentum + 6 * body, arm[3], local[3], around[3];
    const double *v = d->cvel + 6 * body, *mat = d->ximat + 9 * body;
    mju_sub3(arm, d->xipos + 3 * body, d->subtree_com + 3 * m->body_rootid[body]);
    mju_cross(around, v, arm);
    mju_mulMatTVec3(local, mat, v);
    for (int k = 0; k < 3; k++) {
      local[k] *= m->body_inertia[3 * body + k];
      out[3 + k] = m->body_mass[body] * (v[3 + k] + around[k]);
    }
    mju_mulMatVec3(out, mat, local);
    s->link_energy[body] = mju_dot3(out, v);
  }
}

// Angular momentum of a link that has turned, without the energy that turning would add.
static void limit_link(const SbStep* s, int body, double momentum[3]) {
  const double* inertia = s->m->body_inertia + 3 * body;
  double local[3], energy = 0;
  mju_mulMatTVec3(local, s->d->ximat + 9 * body, momentum);
  for (int k = 0; k < 3; k++) energy += local[k] * local[k] / mju_max(mjMINVAL, inertia[k]);
  if (energy <= s->link_energy[body]) return;
  mju_scl3(momentum, momentum, sqrt(s->link_energy[body] / energy));
}

// v+ from the momenta of the links, at the poses after the step.
static void join_links(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  memset(s->w, 0, m->nv * sizeof(double));
  mj_makeM(m, d);
  mj_factorM(m, d);
  for (int body = (int)m->nbody - 1; body > 0; body--) {
    int tree = m->body_treeid[body], parent = m->body_parentid[body];
    if (tree < 0 || !s->turns_far[tree]) continue;
    // own momenta about the centre of mass of the tree, on top of those of the links behind
    double *sum = s->subtree_momentum + 6 * body, *own = s->link_momentum + 6 * body, arm[3], about[3];
    mju_sub3(arm, d->xipos + 3 * body, d->subtree_com + 3 * m->body_rootid[body]);
    mju_cross(about, arm, own + 3);
    limit_link(s, body, own);
    for (int k = 0; k < 3; k++) {
      sum[k] += own[k] + about[k];
      sum[3 + k] += own[3 + k];
    }
    for (int i = m->body_dofadr[body]; i >= 0 && i < m->body_dofadr[body] + m->body_dofnum[body]; i++) {
      s->w[i] = mju_dot(d->cdof + 6 * i, sum, 6) + m->dof_armature[i] * d->qvel[i];
    }
    if (m->body_treeid[parent] == tree) mju_addTo(s->subtree_momentum + 6 * parent, sum, 6);
    memset(sum, 0, 6 * sizeof(double));
  }
  mj_solveM(m, d, s->w, s->w, 1);
  for (int i = 0; i < m->nv; i++) {
    if (s->turns_far[m->dof_treeid[i]]) d->qvel[i] = s->w[i];
  }
}

void sb_carry_momenta(SbStep* s, int floating) {
  if (floating) note_momenta(s);
  if (s->any_turns_far) note_links(s);
  mj_kinematics(s->m, s->d);
  mj_comPos(s->m, s->d);
  if (s->any_turns_far) join_links(s);
  if (floating) restore_momenta(s);
}
