// PGS-SM: projected Gauss-Seidel finds which rows are at their bounds, an exact solve gives the
// forces of the others.
//
// Problem of one phase, for the rows of one island:
//
//     minimise  q(f) = 1/2 |Y'f|^2 + 1/2 f'R f + f'b      lo <= f <= hi
//
// It is strictly convex (R > 0), so the answer is unique. Rounds of
//   1. some sweeps, which settle the free set F cheaply but converge slowly; then sb_active_set.c, at once if
//      there are many rows, from the second round on if there are few: until then the free set of the last
//      step is tried. (Sweeps and line searches in its place took a fourth longer on a robot whose motors are
//      told something else every fourth step; piles of 10 to 30 take the same time.)
//   2. the exact minimum on F (sb_block_cholesky.c), clipped to the bounds by a projected line search; when
//      nothing is clipped, rows that want to leave their bounds join F (a fifth faster on piles than
//      more sweeps), until none does;
// end when the residual, the change that the best single-row move would make, is small. Robots by themselves take a
// shorter way (sb_dense_island.c).
// Phase 1 leaves friction rows out (bounds 0); phase 2 bounds them by the normal forces of phase 1, or by
// remembered loads (sb_contact_loads.c), which make phase 1 needless.
#include <float.h>
#include <string.h>

#include "base/sb_law.h"
#include "rows/sb_row_ops.h"
#include "solving/sb_phase.h"
#include "base/sb_work.h"

// A row may also miss GOOD by what rounding of the forces that meet in it makes of its velocity, times this.
// Robots with play in their joints have links of 4e-9 kg m^2 between motors of 10 N m: the last bit of such a
// force turns such a link by 4e-9 rad/s in a step, and no choice of doubles does better.
#define SB_ROUNDINGS 4.0
// Sweeps before an exact solve: 5 wins on piles of 100 and 500 boxes and spheres (3 and 10 are
// slower), 1 on small groups and none on single robots, whose exact solve is cheap and whose active set
// is mostly that of the last step (a sweep disturbs it: 7 % slower); if the active set still flips
// after three rounds, more sweeps calm it.
#define SB_SWEEPS 5
#define SB_FEW_SWEEPS 1
#define SB_MAX_SWEEPS 320
#define SB_MAX_ROUNDS 60
// Rounds of islands with fewer than SB_MANY_ROWS rows before the textbook's method takes over: on a robot
// with play in its joints rounds go in circles, and 60 of them take 15 times as long as that.
#define SB_FEW_ROUNDS 8
// Changes of the free set per row until the textbook's method gives up; a few dozen in all are usual.
#define SB_MAX_CHANGES 10

SB_INLINE double clip(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

// Derivative of q with respect to f_i.
SB_INLINE double gradient_of(const SbRows* rows, int i, double f, const double* w) {
  return sb_row_dot(rows, i, w) + rows->b[i] + rows->r[i] * f;
}

// The value of f_i that minimises q along that coordinate, within bounds.
SB_INLINE double best_value(const SbRows* rows, int i, double f, double gradient) {
  return clip(f - gradient * rows->inverse[i], rows->lo[i], rows->hi[i]);
}

SB_CLONES
static void sweep(SbWorker* worker, const SbPhase* phase, int backwards) {
  const SbRows* rows = &worker->s->rows;
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[backwards ? phase->count - 1 - k : k];
    double old = phase->f[i];
    double best = best_value(rows, i, old, gradient_of(rows, i, old, worker->w));
    if (best != old) {
      phase->f[i] = best;
      sb_row_add(rows, i, best - old, worker->w);
    }
  }
  worker->sweeps++;
}

// Note gradients and the free set: rows between their bounds and, if `release`, rows at a bound
// that the gradient pulls back inside.
SB_CLONES
static SbSurvey survey(SbWorker* worker, const SbPhase* phase, int release) {
  SbRows* rows = &worker->s->rows;
  double h = worker->s->m->opt.timestep;
  SbSurvey out = {0, 0, 0};
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    double f = phase->f[i], gradient = gradient_of(rows, i, f, worker->w);
    double residual = fabs(best_value(rows, i, f, gradient) - f) * (rows->diagonal[i] + rows->r[i]) * h;
    int is_free = f > rows->lo[i] && f < rows->hi[i];
    if (release && !is_free && residual > SB_RESIDUAL_FINE) is_free = ++out.released > 0;
    if (!(residual <= out.residual)) out.residual = residual;
    if (is_free != rows->factored_set[i]) out.changed = 1;
    rows->gradient[i] = gradient;
    rows->free_set[i] = (unsigned char)is_free;
  }
  return out;
}

// Whether no row misses by more than GOOD or rounding:  eps h (|Y| |Y'||f| + |b| + r|f|). worker->x is lost.
static int is_rounding(SbWorker* worker, const SbPhase* phase) {
  const SbRows* rows = &worker->s->rows;
  double h = worker->s->m->opt.timestep, *sum = worker->x;
  sb_clear_island(worker, sum);
  for (int k = 0; k < phase->count; k++) {
    sb_row_add_sizes(rows, phase->list[k], fabs(phase->f[phase->list[k]]), sum);
  }
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    double f = phase->f[i], gradient = gradient_of(rows, i, f, worker->w);
    double residual = fabs(best_value(rows, i, f, gradient) - f) * (rows->diagonal[i] + rows->r[i]) * h;
    double size = sb_row_dot_sizes(rows, i, sum) + fabs(rows->b[i]) + fabs(rows->r[i] * f);
    if (!(residual <= fmax(SB_RESIDUAL_GOOD, SB_ROUNDINGS * DBL_EPSILON * h * size))) return 0;
  }
  return 1;
}

SB_INLINE double half_square(const SbWorker* worker, const double* w) {
  double sum = 0;
  for (int k = 0; k < worker->blocks.count; k++) {
    int tree = worker->blocks.tree[k], first = worker->s->m->tree_dofadr[tree];
    for (int i = 0; i < worker->s->m->tree_dofnum[tree]; i++) sum += w[first + i] * w[first + i];
  }
  return 0.5 * sum;
}

// Minimum over the free set with the other rows fixed, into rows.target; returns whether some row
// left its bounds. Solved as a correction of the present forces, so that repeating it refines the
// answer: with stiff rows (|Y_i|^2/R_i reaches 1e7 for light wheels) one solve leaves 1e-9 m/s.
SB_CLONES
static int solve_free_set(SbWorker* worker, const SbPhase* phase) {
  SbRows* rows = &worker->s->rows;
  double* x = worker->x;
  int outside = 0;
  sb_clear_island(worker, x);
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    if (!rows->free_set[i]) continue;
    sb_row_add(rows, i, -rows->gradient[i] * rows->stiffness[i], x);
  }
  sb_blocks_solve(worker, x);
  worker->solves++;
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    double f = phase->f[i];
    if (rows->free_set[i]) {
      f -= (rows->gradient[i] + sb_row_dot(rows, i, x)) * rows->stiffness[i];
      if (f < rows->lo[i] || f > rows->hi[i]) outside = 1;
    }
    rows->target[i] = f;
  }
  return outside;
}

// Take forces as they stand in `f`, and make w = Y'f anew.
SB_CLONES
static void accept(SbWorker* worker, SbPhase* phase, const double* f) {
  sb_clear_island(worker, worker->w);
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    phase->f[i] = f[i];
    if (f[i] != 0) sb_row_add(&worker->s->rows, i, f[i], worker->w);
  }
}

// Go from f towards rows.target, clipped to the bounds, as far as q decreases. 0: no progress.
SB_CLONES
static int project(SbWorker* worker, SbPhase* phase) {
  SbRows* rows = &worker->s->rows;
  double *x = worker->x, before = half_square(worker, worker->w);
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    before += phase->f[i] * (rows->b[i] + 0.5 * rows->r[i] * phase->f[i]);
  }
  for (double length = 1; length > SB_LEAST_STEP; length *= 0.5) {
    double after = 0;
    sb_clear_island(worker, x);
    for (int k = 0; k < phase->count; k++) {
      int i = phase->list[k];
      double f = clip(phase->f[i] + length * (rows->target[i] - phase->f[i]), rows->lo[i],
                      rows->hi[i]);
      rows->trial[i] = f;
      if (f != 0) {
        sb_row_add(rows, i, f, x);
        after += f * (rows->b[i] + 0.5 * rows->r[i] * f);
      }
    }
    if (after + half_square(worker, x) < before) {
      for (int k = 0; k < phase->count; k++) {
        phase->f[phase->list[k]] = rows->trial[phase->list[k]];
      }
      double* swap = worker->w;
      worker->w = x;
      worker->x = swap;
      return 1;
    }
  }
  return 0;
}

// Factor the free set as it stands, and find its minimum.
static void solve_set(SbWorker* worker, const SbPhase* phase) {
  SbRows* rows = &worker->s->rows;
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    rows->gradient[i] = gradient_of(rows, i, phase->f[i], worker->w);
  }
  sb_blocks_factor(worker, phase->list, phase->count);
  solve_free_set(worker, phase);
}

// Go towards rows.target until the first row reaches a bound, which then leaves the free set; 0: none does.
static int go_to_bound(SbWorker* worker, SbPhase* phase) {
  SbRows* rows = &worker->s->rows;
  double length = 1, bound = 0;
  int first = -1;
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    double f = phase->f[i], target = rows->target[i];
    double limit = target < rows->lo[i] ? rows->lo[i] : rows->hi[i];
    if (!rows->free_set[i] || (target >= rows->lo[i] && target <= rows->hi[i])) continue;
    double share = (limit - f) / (target - f);
    if (first < 0 || share < length) {
      length = share < 0 ? 0 : share;
      first = i;
      bound = limit;
    }
  }
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    double f = phase->f[i];
    rows->trial[i] =
        rows->free_set[i] ? clip(f + length * (rows->target[i] - f), rows->lo[i], rows->hi[i]) : f;
  }
  if (first >= 0) {
    rows->trial[first] = bound;
    rows->free_set[first] = 0;
  }
  accept(worker, phase, rows->trial);
  return first >= 0;
}

// The textbook's active-set method: one row at a time joins or leaves the free set, and q never rises, so
// that it ends where rounds of sweeps go in circles (a light wheel between a wall and the ground). It
// factors once per change, too slow for the beginning.
static double finish_phase(SbWorker* worker, SbPhase* phase) {
  SbRows* rows = &worker->s->rows;
  double h = worker->s->m->opt.timestep, residual = INFINITY, last = INFINITY;
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    rows->free_set[i] = phase->f[i] > rows->lo[i] && phase->f[i] < rows->hi[i];
  }
  for (int change = 0; change < SB_MAX_CHANGES * phase->count; change++) {
    solve_set(worker, phase);
    if (go_to_bound(worker, phase)) continue;
    int worst = -1;
    double pull = SB_RESIDUAL_FINE;
    residual = 0;
    for (int k = 0; k < phase->count; k++) {
      int i = phase->list[k];
      double f = phase->f[i], gradient = gradient_of(rows, i, f, worker->w);
      double own = fabs(best_value(rows, i, f, gradient) - f) * (rows->diagonal[i] + rows->r[i]) * h;
      residual = sb_worse(residual, own);
      if (!rows->free_set[i] && own > pull) {
        pull = own;
        worst = i;
      }
    }
    // without a change of the set each solve refines the last one, by 1e-3 and more where the stiffest
    // rows are 1e11 times as stiff as the softest (links of play in joints)
    if (residual < SB_RESIDUAL_FINE || (worst < 0 && residual > 0.5 * last)) break;
    last = worst < 0 ? residual : INFINITY;
    if (worst >= 0) rows->free_set[worst] = 1;
  }
  return residual;
}

// Returns the residual reached.
static double solve_phase(SbWorker* worker, SbPhase* phase) {
  SbRows* rows = &worker->s->rows;
  double residual = INFINITY;
  worker->blocks.is_factored = 0;
  if (sb_solve_dense(worker, phase, &residual)) return residual;
  for (int k = 0; k < phase->count; k++) {
    int i = phase->list[k];
    phase->f[i] = clip(phase->f[i], rows->lo[i], rows->hi[i]);
  }
  accept(worker, phase, phase->f);
  residual = INFINITY;
  int is_small = phase->count < SB_MANY_ROWS;
  int rounds = is_small ? SB_FEW_ROUNDS : SB_MAX_ROUNDS;
  for (int round = 0; round < rounds; round++) {
    int sweeps = round < 4 ? SB_SWEEPS : SB_SWEEPS << (round - 3 > 6 ? 6 : round - 3);
    if (round == 0 && phase->count < SB_FEW_ROWS) {
      sweeps = worker->blocks.count > 1 ? SB_FEW_SWEEPS : 0;
    }
    if (is_small && round == 1) sweeps = 0;
    if (sweeps > SB_MAX_SWEEPS) sweeps = SB_MAX_SWEEPS;
    for (int k = 0; k < sweeps; k++) sweep(worker, phase, k & 1);
    if (is_small ? round > 0 : round == 0) {
      sb_exchange(worker, phase->list, phase->count, phase->f);
      accept(worker, phase, phase->f);
    }
    double last_clean = INFINITY;
    for (int exact = 0, clean = 0; exact < SB_MAX_EXACT; exact++) {
      SbSurvey look = survey(worker, phase, clean);
      residual = look.residual;
      if (residual < SB_RESIDUAL_FINE) return residual;
      if (clean && !look.released && residual > 0.5 * last_clean) {
        if (residual < SB_RESIDUAL_GOOD || is_rounding(worker, phase)) return residual;
        break;
      }
      last_clean = clean && !look.released ? residual : INFINITY;
      if (look.changed || !worker->blocks.is_factored) {
        sb_blocks_factor(worker, phase->list, phase->count);
      }
      // a minimum within the bounds is better by construction; else look how far it pays to go
      clean = !solve_free_set(worker, phase);
      if (clean) {
        accept(worker, phase, rows->target);
      } else if ((is_small && round == 0) || !project(worker, phase)) {
        break;
      }
    }
  }
  if (residual < SB_RESIDUAL_GOOD) return residual;
  residual = finish_phase(worker, phase);
  if (!(residual < SB_RESIDUAL_GOOD) && !is_rounding(worker, phase)) worker->unsolved = 1;
  return residual;
}

// Rows that cannot carry a force (bounds equal) are left out of the sweeps.
static int active_rows(const SbRows* rows, const int* list, int count, int* out, double* f) {
  int n = 0;
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (rows->hi[i] > rows->lo[i]) {
      out[n++] = i;
    } else {
      f[i] = 0;
    }
  }
  return n;
}

// Whether a friction row ended the last step at its upper (1) or lower (-1) bound. First guesses of
// forces are those of the last step, and so are the bounds that they give.
static int was_held(const SbRows* rows, int i) {
  double bound = sb_friction_bound(rows->mu[i], rows->first[rows->normal[i]]), f = rows->force[i];
  return bound > 0 ? (f >= bound) - (f <= -bound) : 0;
}

// Solve phase 1, unless all friction is bounded by remembered loads; then phase 2 with the bounds that it
// gives. A row that slid starts at its new bound: from the old force, a little inside, it would be taken for
// one that sticks (a driving robot then needs two exact solves instead of one).
static double solve_island(SbWorker* worker, const int* list, int count) {
  SbRows* rows = &worker->s->rows;
  int* scratch = worker->list;
  int has_friction = 0, remembers = 0, needs_first = 0;
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (rows->normal[i] < 0) continue;
    rows->held[i] = (signed char)was_held(rows, i);
    rows->lo[i] = rows->hi[i] = 0;
    has_friction = 1;
    if (rows->remembers[rows->normal[i]]) {
      remembers = 1;
    } else {
      needs_first = 1;
    }
  }
  SbPhase phase = {scratch, 0, rows->first};
  double first = 0;
  if (needs_first || !has_friction) {
    phase.count = active_rows(rows, list, count, scratch, rows->first);
    first = solve_phase(worker, &phase);
  }
  if (remembers) sb_share_loads(worker, list, count);
  if (!has_friction) {
    for (int k = 0; k < count; k++) rows->force[list[k]] = rows->first[list[k]];
    return first;
  }
  for (int k = 0; k < count; k++) {
    int i = list[k], normal = rows->normal[i];
    if (normal < 0) continue;
    rows->hi[i] = sb_friction_bound(rows->mu[i], rows->first[normal]);
    rows->lo[i] = -rows->hi[i];
    if (rows->held[i]) rows->force[i] = rows->held[i] > 0 ? rows->hi[i] : rows->lo[i];
  }
  phase.f = rows->force;
  phase.count = active_rows(rows, list, count, scratch, rows->force);
  double second = solve_phase(worker, &phase);
  if (remembers && sb_shorten_friction(rows, list, count)) {
    phase.count = active_rows(rows, list, count, scratch, rows->force);
    second = solve_phase(worker, &phase);
  }
  return sb_worse(first, second);
}

// qacc = qacc_smooth + M^-1 J'f, from w = Y'f:  M^-1 J' f = L^-1 D^-1/2 w.
static void set_acceleration(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  const double* factor = d->qLD;
  for (int i = 0; i < m->nv; i++) {
    const int* chain = m->M_colind + m->M_rowadr[i];
    const double* l = factor + m->M_rowadr[i];
    double v = s->inv_sqrt_d[i] * s->w[i];
    for (int k = 0; k < m->M_rownnz[i] - 1; k++) v -= l[k] * d->qacc[chain[k]];
    d->qacc[i] = v;
  }
  for (int i = 0; i < m->nv; i++) d->qacc[i] += d->qacc_smooth[i];
}

// What MuJoCo's sensors and mj_contactForce read.
static void publish_forces(SbStep* s) {
  const SbRows* rows = &s->rows;
  mjData* d = s->d;
  if (d->nefc) memcpy(d->efc_force, rows->force, d->nefc * sizeof(double));
  if (s->only_contacts || s->world->balls || s->world->loops) {
    // no Jacobian of MuJoCo's, or rows of ours with wide ones: J'f = M (qacc - qacc_smooth)
    for (int i = 0; i < s->m->nv; i++) s->x[i] = d->qacc[i] - d->qacc_smooth[i];
    mj_mulM(s->m, d, d->qfrc_constraint, s->x);
    return;
  }
  memset(d->qfrc_constraint, 0, s->m->nv * sizeof(double));
  for (int i = 0; i < d->nefc; i++) {
    if (rows->force[i] == 0) continue;
    const int* column = d->efc_J_colind + d->efc_J_rowadr[i];
    const double* value = d->efc_J + d->efc_J_rowadr[i];
    for (int k = 0; k < d->efc_J_rownnz[i]; k++) {
      d->qfrc_constraint[column[k]] += rows->force[i] * value[k];
    }
  }
  for (int k = 0; k < 4 * s->world->axes; k++) {
    if (s->axis_row[k] >= 0) {
      d->qfrc_constraint[s->tables.axes[k / 4].dof] += rows->force[s->axis_row[k]];
    }
  }
}

int sb_solve_one(SbWorker* worker, int island) {
  SbStep* s = worker->s;
  const int* list = s->rows.island_row + s->island_start[island];
  int count = s->island_start[island + 1] - s->island_start[island];
  if (!SB_RESERVE(&worker->arena, worker->list, count) || !sb_blocks_plan(worker, list, count)) return 0;
  double residual = solve_island(worker, list, count);
  worker->residual = sb_worse(worker->residual, residual);
  // w and x change places in the line search: keep each island's answer apart
  sb_copy_island(worker, s->w, worker->w);
  return 1;
}

int sb_solve(SbStep* s) {
  SbWorker* own = &s->worker;
  memset(s->w, 0, s->m->nv * sizeof(double));
  sb_begin_counts(own);
  if (!sb_run_threads(s)) {
    for (int k = 0; k < s->islands && !own->no_memory; k++) own->no_memory = !sb_solve_one(own, k);
  }
  if (own->no_memory) return SB_NO_MEMORY;
  s->stats.sweeps = own->sweeps;
  s->stats.solves = own->solves;
  s->stats.factorizations = own->factorizations;
  s->stats.residual = own->residual;
  s->stats.worst_residual = sb_worse(s->stats.worst_residual, own->residual);
  if (own->unsolved) s->stats.not_converged++;
  set_acceleration(s);
  publish_forces(s);
  return SB_OK;
}
