// Drag stops at most what it slows: within a step it never turns a motion round.
//
// Drag is explicit. With what it is per velocity, c, it changes a velocity u of something of mass m by -a u
// in a step, a = h c/m: it slows up to a = 1, swings to and fro above, and grows without bound above 2
// (quadratic drag at once, since c grows with u). So a is taken as min(a, 1). For bodies in all directions,
// and those of a mechanism together, the same holds for each mode of
//
//   W = h Y C Y'     C: drag per velocity and spin of each body, diagonal along its axes
//                    Y = D^-1/2 L^-T J', the whitened Jacobians of their centres of mass (M = L'DL)
//
// in which an impulse p = h Y F changes the whitened velocity by p. With W = V diag(a) V':
//
//   p' = V diag(min(1, 1/a)) V' p
//   F' = F - C Y' sum_k h/a_k v_k (v_k . Y F - v_k . Y F/a_k)    over the modes with a_k > 1
//
// and once more with F' for the first F, which takes away what rounding left of a large force.
//
// F = -C u is along these modes, also against a stream. While h C is at most the inertia of each body by
// itself, no mode is above 1, and nothing is done at all: that is the case nearly always. Where it is not,
// joints are held whose motors can bear the drag: a fin that a servo turns is as heavy as its fish.
// Forces act at the centre of the wet part, but are given by the velocity of the centre of mass; the torque
// of that lever is driven by the velocity, not by itself, and follows the force.
#include "motion/sb_drag.h"

#include <string.h>

#include "base/sb_work.h"

// How much above 1 a mode may be, so that rounding changes nothing.
#define SB_TURNED (1 + 1e-9)
// Sweeps of Jacobi's rotations; ten are enough for hundreds of dofs.
#define SB_JACOBI_SWEEPS 30

// Sum of what drag is per velocity over the shapes of the body at `one`; returns the end of those shapes.
static const SbDrag* sum_of(const SbDrag* one, const SbDrag* end, double sum[6]) {
  const SbDrag* at = one;
  memset(sum, 0, 6 * sizeof(double));
  for (; at < end && at->body == one->body; at++) mju_addTo(sum, at->per_speed, 6);
  return at;
}

// Whether h C is below the inertia of the body by itself.
static int is_safe_alone(const SbStep* s, int body, const double sum[6]) {
  const mjModel* m = s->m;
  double h = m->opt.timestep, turn[9], root[3], matrix[9], values[3], vectors[9], quat[4];
  const double* inertia = m->body_inertia + 3 * body;
  for (int i = 0; i < 3; i++) {
    if (h * sum[i] > SB_TURNED * m->body_mass[body]) return 0;
  }
  double most = fmax(sum[3], fmax(sum[4], sum[5]));
  if (h * most <= fmin(inertia[0], fmin(inertia[1], inertia[2]))) return 1;
  // largest of C^1/2 I^-1 C^1/2, along the axes of the body
  mju_quat2Mat(turn, m->body_iquat + 4 * body);
  for (int i = 0; i < 3; i++) root[i] = sqrt(h * sum[3 + i]);
  for (int i = 0; i < 9; i++) {
    const double *one = turn + 3 * (i / 3), *two = turn + 3 * (i % 3);
    matrix[i] = 0;
    for (int k = 0; k < 3; k++) matrix[i] += one[k] * two[k] / inertia[k];
    matrix[i] *= root[i / 3] * root[i % 3];
  }
  mju_eig3(values, vectors, quat, matrix);
  return values[0] <= SB_TURNED;
}

// Eigenvalues of the symmetric matrix w (n x n), left on its diagonal, and eigenvectors, the rows of v.
static void find_modes(double* w, double* v, int n) {
  memset(v, 0, (size_t)n * n * sizeof(double));
  for (int i = 0; i < n; i++) v[n * i + i] = 1;
  for (int sweep = 0; sweep < SB_JACOBI_SWEEPS; sweep++) {
    int turned = 0;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        double off = w[n * p + q], scale = fabs(w[n * p + p]) + fabs(w[n * q + q]);
        if (fabs(off) <= 1e-17 * scale) continue;
        double theta = (w[n * q + q] - w[n * p + p]) / (2 * off);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), e = t * c;
        turned = 1;
        for (int k = 0; k < n; k++) {
          double a = w[n * p + k], b = w[n * q + k];
          w[n * p + k] = c * a - e * b;
          w[n * q + k] = e * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = w[n * k + p], b = w[n * k + q];
          w[n * k + p] = c * a - e * b;
          w[n * k + q] = e * a + c * b;
          a = v[n * p + k], b = v[n * q + k];
          v[n * p + k] = c * a - e * b;
          v[n * q + k] = e * a + c * b;
        }
        w[n * p + q] = w[n * q + p] = 0;
      }
    }
    if (!turned) return;
  }
}

// Jacobian row (n) of the velocity of a body's centre of mass along e, or (`turns`) of its spin about e.
static void jacobian_row(const SbStep* s, int body, const double e[3], int turns, int first, int n,
                         double* row) {
  const mjModel* m = s->m;
  int moved = m->body_weldid[body];
  double arm[3], about[3];
  mju_sub3(arm, s->d->xipos + 3 * body, s->d->subtree_com + 3 * m->body_rootid[body]);
  sb_cross(arm, e, about);
  memset(row, 0, n * sizeof(double));
  int last = m->body_dofnum[moved] ? m->body_dofadr[moved] + m->body_dofnum[moved] - 1 : -1;
  for (int i = last; i >= 0; i = m->dof_parentid[i]) {
    const double* column = s->d->cdof + 6 * i;
    row[i - first] = turns ? sb_dot(column, e) : sb_dot(column, about) + sb_dot(column + 3, e);
  }
}

static void whiten(const SbStep* s, int first, int n, double* row) {
  const mjModel* m = s->m;
  for (int i = n - 1; i >= 0; i--) {
    const int* chain = m->M_colind + m->M_rowadr[first + i];
    const double* l = s->held_factor + m->M_rowadr[first + i];
    for (int k = 0; k < m->M_rownnz[first + i] - 1; k++) row[chain[k] - first] -= l[k] * row[i];
    row[i] *= sqrt(s->held_inverse[first + i]);
  }
}

// Hold the joints whose motors can bear the drag of their mechanism; q: what that is on each dof.
static void hold_strong_motors(SbStep* s, int first, int n, const double* q) {
  for (int k = 0; k < s->world->axes; k++) {
    const SbAxis* axis = s->tables.axes + k;
    const SbCommand* command = s->state.commands + k;
    int drives = command->mode == SB_MOTOR_VELOCITY || command->mode == SB_MOTOR_POSITION;
    if (axis->kind != SB_AXIS_JOINT || axis->dof < first || axis->dof >= first + n || !drives) continue;
    if (command->available_effort >= fabs(q[axis->dof - first])) s->dof_mark[axis->dof] = 1;
  }
  sb_factor_held(s, first, first + n);
}

// Explicit drag of the shapes [one, end) of one body, along its axes: force, then torque.
static void drag_of(const SbStep* s, const SbDrag* one, const SbDrag* end, double out[6]) {
  const double* mat = s->d->xmat + 9 * one->body;
  double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
  for (; one < end; one++) {
    for (int i = 0; i < 3; i++) {
      force[i] += one->force[i] - one->lift[i];
      torque[i] += one->torque[i];
    }
  }
  mju_mulMatTVec3(out, mat, force);
  mju_mulMatTVec3(out + 3, mat, torque);
}

// Add a change of a body's drag, given along its axes, to its shapes, to each in proportion to its own.
static void change_drag(const SbStep* s, SbDrag* one, SbDrag* end, const double sum[6],
                        const double change[6]) {
  const double* mat = s->d->xmat + 9 * one->body;
  for (; one < end; one++) {
    double own[6], world[3];
    for (int i = 0; i < 6; i++) own[i] = sum[i] > 0 ? change[i] * one->per_speed[i] / sum[i] : 0;
    mju_mulMatVec3(world, mat, own);
    mju_addTo3(one->force, world);
    mju_mulMatVec3(world, mat, own + 3);
    mju_addTo3(one->torque, world);
  }
}

static void jacobian_rows(const SbStep* s, int body, int first, int n, double* rows) {
  const double* mat = s->d->xmat + 9 * body;
  for (int i = 0; i < 6; i++) {
    double e[3] = {mat[i % 3], mat[3 + i % 3], mat[6 + i % 3]};
    jacobian_row(s, body, e, i > 2, first, n, rows + n * i);
  }
}

// What the drags [begin, end) are on the dofs of their tree.
static void drag_on_dofs(const SbStep* s, SbDrag* begin, SbDrag* end, int first, int n, double* rows,
                         double* out) {
  double sum[6], drag[6];
  memset(out, 0, n * sizeof(double));
  for (SbDrag *one = begin, *next; one < end; one = next) {
    next = (SbDrag*)sum_of(one, end, sum);
    drag_of(s, one, next, drag);
    jacobian_rows(s, one->body, first, n, rows);
    for (int i = 0; i < 6; i++) mju_addToScl(out, rows + n * i, drag[i], n);
  }
}

// All shapes of one tree.
static int bound_tree(SbStep* s, SbDrag* begin, SbDrag* end) {
  const mjModel* m = s->m;
  double h = m->opt.timestep, sum[6], change[6];
  int tree = m->body_treeid[begin->body], first = m->tree_dofadr[tree], n = m->tree_dofnum[tree];
  int64_t size = 2 * (int64_t)n * n + 9 * n;
  if (!SB_ALLOCATE(&s->arena, s->drag_work, size)) return SB_NO_MEMORY;
  double *w = s->drag_work, *v = w + (int64_t)n * n, *p = v + (int64_t)n * n, *now = p + n;
  double *x = now + n, *rows = x + n;
  drag_on_dofs(s, begin, end, first, n, rows, p);
  hold_strong_motors(s, first, n, p);
  whiten(s, first, n, p);

  memset(w, 0, (size_t)n * n * sizeof(double));
  for (SbDrag *one = begin, *next; one < end; one = next) {
    next = (SbDrag*)sum_of(one, end, sum);
    jacobian_rows(s, one->body, first, n, rows);
    for (int i = 0; i < 6; i++) {
      double* row = rows + n * i;
      if (sum[i] <= 0) continue;
      whiten(s, first, n, row);
      for (int j = 0; j < n; j++) mju_addToScl(w + (int64_t)n * j, row, h * sum[i] * row[j], n);
    }
  }
  find_modes(w, v, n);

  for (int pass = 0, any = 1; pass < 2 && any; pass++) {
    drag_on_dofs(s, begin, end, first, n, rows, now);
    whiten(s, first, n, now);
    memset(x, 0, n * sizeof(double));
    any = 0;
    for (int k = 0; k < n; k++) {
      double a = w[(int64_t)n * k + k], *mode = v + (int64_t)n * k;
      if (a <= SB_TURNED) continue;
      mju_addToScl(x, mode, h / a * (mju_dot(mode, now, n) - mju_dot(mode, p, n) / a), n);
      any = 1;
    }
    for (SbDrag *one = begin, *next; any && one < end; one = next) {
      next = (SbDrag*)sum_of(one, end, sum);
      jacobian_rows(s, one->body, first, n, rows);
      for (int i = 0; i < 6; i++) {
        whiten(s, first, n, rows + n * i);
        change[i] = -sum[i] * mju_dot(rows + n * i, x, n);
      }
      change_drag(s, one, next, sum, change);
    }
  }
  return SB_OK;
}

int sb_bound_drags(SbStep* s, SbDrag* drag, int count) {
  SbDrag *end = drag + count, *next;
  for (SbDrag *begin = drag, *after; begin < end; begin = after) {
    int tree = s->m->body_treeid[begin->body], is_safe = 1;
    for (after = begin; after < end && s->m->body_treeid[after->body] == tree; after = next) {
      double sum[6];
      next = (SbDrag*)sum_of(after, end, sum);
      is_safe = is_safe && (tree < 0 || is_safe_alone(s, after->body, sum));
    }
    if (!is_safe && bound_tree(s, begin, after)) return SB_NO_MEMORY;
  }
  return SB_OK;
}
