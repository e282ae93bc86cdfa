// Robots by themselves: islands of one tree and few rows that all act on each of its dofs. As in the first round of
// sb_solver.c the free set of the last step is tried, by the same operations in the same order, to the same bytes; but
// what they need of the rows lies side by side here, so that four rows are looked at in one go. Where that
// set is another one now, rows change sides one by one (follow()).
#include <math.h>
#include <string.h>

#include "rows/sb_row_ops.h"
#include "solving/sb_phase.h"

// As many dofs as trees with branches have whose rows are full (SB_FULL_TREE).
#define SB_DENSE_DOFS SB_FULL_TREE

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // of functions that are always inline
#endif

// Changes per row until follow() gives up, and how near [of the way] a row that has just changed may not do so again.
#define SB_MAX_FOLLOWED 3
#define SB_SAME_PLACE 1e-9

typedef int64_t Mask __attribute__((vector_size(32), aligned(8), may_alias));

// Rows are filled up with rows of zeros to a multiple of four.
typedef struct Dense {
  int n, first, count, four;      // dofs, the first of them, rows, rows with those of zeros
  double h;                       // time step [s]
  double f[SB_FEW_ROWS], lo[SB_FEW_ROWS], hi[SB_FEW_ROWS];
  double b[SB_FEW_ROWS], r[SB_FEW_ROWS], stiffness[SB_FEW_ROWS], inverse[SB_FEW_ROWS];
  double size[SB_FEW_ROWS];       // |Y_i|^2 + r
  double speed[SB_FEW_ROWS];      // Y_i w
  double gradient[SB_FEW_ROWS], target[SB_FEW_ROWS], violation[SB_FEW_ROWS];
  double drive[SB_FEW_ROWS], move[SB_FEW_ROWS]; // of follow()
  int64_t is_free[SB_FEW_ROWS];   // -1: yes
  uint64_t free_bits, factored_bits;
  double y[SB_FEW_ROWS * SB_DENSE_DOFS];
} Dense;

SB_INLINE SbFour four(const double* x) { return *(const SbFour*)x; }
SB_INLINE SbFour chosen(Mask mask, SbFour yes, SbFour no) {
  return (SbFour)(((Mask)yes & mask) | ((Mask)no & ~mask));
}
SB_INLINE SbFour clip_four(SbFour x, SbFour lo, SbFour hi) {
  return chosen(x < lo, lo, chosen(x > hi, hi, x));
}
SB_INLINE SbFour size_of(SbFour x) {
  Mask without_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  return (SbFour)((Mask)x & without_sign);
}
SB_INLINE double worst_of(const SbFour* x) {
  double worst = 0;
  for (int i = 0; i < 4; i++) worst = (*x)[i] <= worst ? worst : (*x)[i];
  return worst;
}

static int fits(const SbWorker* worker, const SbPhase* phase) {
  const SbBlocks* blocks = &worker->blocks;
  const SbRows* rows = &worker->s->rows;
  if (blocks->count != 1 || phase->count >= SB_FEW_ROWS || phase->count == 0 || blocks->dofs[0] > SB_DENSE_DOFS) return 0;
  for (int k = 0; k < phase->count; k++) {
    const SbSpan* span = rows->span + phase->list[k];
    const SbSegment* part = rows->part + span->part;
    if (span->parts != 1 || !part->dense || part->count != blocks->dofs[0]) return 0;
  }
  return 1;
}

SB_INLINE double clip(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

SB_INLINE void gather(const SbWorker* worker, const SbPhase* phase, Dense* d, int n) {
  const SbRows* rows = &worker->s->rows;
  d->n = n;
  d->first = worker->blocks.first[0];
  d->count = phase->count;
  d->four = (phase->count + 3) & ~3;
  d->h = worker->s->m->opt.timestep;
  d->factored_bits = 0;
  for (int k = 0; k < d->count; k++) {
    int i = phase->list[k];
    d->lo[k] = rows->lo[i];
    d->hi[k] = rows->hi[i];
    d->f[k] = clip(phase->f[i], d->lo[k], d->hi[k]);
    d->b[k] = rows->b[i];
    d->r[k] = rows->r[i];
    d->stiffness[k] = rows->stiffness[i];
    d->inverse[k] = rows->inverse[i];
    d->size[k] = rows->diagonal[i] + rows->r[i];
    memcpy(d->y + k * n, rows->y + rows->part[rows->span[i].part].start, n * sizeof(double));
  }
  for (int k = d->count; k < d->four; k++) {
    d->lo[k] = d->hi[k] = d->f[k] = d->b[k] = d->r[k] = d->stiffness[k] = d->inverse[k] = d->size[k] = d->speed[k] = 0;
  }
}

// speed = Y w
SB_INLINE void multiply(Dense* d, const double* w, int n) {
  for (int k = 0; k < d->count; k++) {
    const double* y = d->y + k * n;
    if (n == 6) {
      d->speed[k] = 0 + ((y[0] * w[0] + y[1] * w[1]) + (y[2] * w[2] + y[3] * w[3]) + (y[4] * w[4] + y[5] * w[5]));
    } else {
      d->speed[k] = 0 + sb_dot_four(y, w, n);
    }
  }
}

// w = Y'x
SB_INLINE void combine(const Dense* d, const double* x, double* w, int n) {
  if (n == 8) {
    SbFour top = {0}, low = {0};
    for (int k = 0; k < d->count; k++) {
      top += x[k] * four(d->y + 8 * k);
      low += x[k] * four(d->y + 8 * k + 4);
    }
    *(SbFour*)w = top;
    *(SbFour*)(w + 4) = low;
    return;
  }
  memset(w, 0, n * sizeof(double));
  for (int k = 0; k < d->count; k++) {
    if (x[k] != 0) sb_add_four(w, x[k], d->y + k * n, n);
  }
}

SB_INLINE void note_free(Dense* d) {
  d->free_bits = 0;
  for (int k = 0; k < d->count; k++) d->free_bits |= (uint64_t)(d->is_free[k] & 1) << k;
}

SB_INLINE void factor(SbWorker* worker, const SbPhase* phase, Dense* d) {
  if (worker->blocks.is_factored && d->free_bits == d->factored_bits) return;
  for (int k = 0; k < d->count; k++) worker->s->rows.free_set[phase->list[k]] = d->free_bits >> k & 1;
  sb_blocks_factor(worker, phase->list, phase->count);
  d->factored_bits = d->free_bits;
}

SB_INLINE SbSurvey survey(const SbWorker* worker, Dense* d, int release, int n) {
  SbSurvey out = {0, 0, 0};
  SbFour worst = {0}, fine = {SB_RESIDUAL_FINE, SB_RESIDUAL_FINE, SB_RESIDUAL_FINE, SB_RESIDUAL_FINE};
  Mask released = {0};
  multiply(d, worker->w + d->first, n);
  for (int k = 0; k < d->four; k += 4) {
    SbFour f = four(d->f + k), lo = four(d->lo + k), hi = four(d->hi + k);
    SbFour gradient = four(d->speed + k) + four(d->b + k) + four(d->r + k) * f;
    SbFour best = clip_four(f - gradient * four(d->inverse + k), lo, hi);
    SbFour residual = size_of(best - f) * four(d->size + k) * d->h;
    Mask is_free = (f > lo) & (f < hi);
    if (release) {
      Mask lets_go = ~is_free & (residual > fine);
      released += lets_go;
      is_free |= lets_go;
    }
    worst = chosen(residual <= worst, worst, residual);
    *(SbFour*)(d->gradient + k) = gradient;
    *(Mask*)(d->is_free + k) = is_free;
  }
  note_free(d);
  out.residual = worst_of(&worst);
  out.released = (int)-(released[0] + released[1] + released[2] + released[3]);
  out.changed = d->free_bits != d->factored_bits;
  return out;
}

// See sb_solver.c.
SB_INLINE int solve_free_set(SbWorker* worker, Dense* d, int n) {
  double* x = worker->x + d->first;
  Mask outside = {0};
  for (int k = 0; k < d->four; k += 4) {
    SbFour pull = -four(d->gradient + k) * four(d->stiffness + k);
    *(SbFour*)(d->violation + k) = (SbFour)((Mask)pull & *(Mask*)(d->is_free + k));
  }
  combine(d, d->violation, x, n);
  sb_blocks_solve(worker, worker->x);
  worker->solves++;
  multiply(d, x, n);
  for (int k = 0; k < d->four; k += 4) {
    Mask is_free = *(Mask*)(d->is_free + k);
    SbFour f = four(d->f + k);
    SbFour target = f - (four(d->gradient + k) + four(d->speed + k)) * four(d->stiffness + k);
    outside |= is_free & ((target < four(d->lo + k)) | (target > four(d->hi + k)));
    *(SbFour*)(d->target + k) = chosen(is_free, target, f);
  }
  return (outside[0] | outside[1] | outside[2] | outside[3]) != 0;
}

SB_INLINE void accept(SbWorker* worker, Dense* d, const double* f, int n) {
  if (f != d->f) memcpy(d->f, f, d->count * sizeof(double));
  combine(d, d->f, worker->w + d->first, n);
}

// How far along the way the first row reaches its bound, or a held one is let go; *row is that one, -1: none does.
SB_INLINE double next_change(const Dense* d, double left, int last, int* row) {
  double share[SB_FEW_ROWS];
  SbFour never = {INFINITY, INFINITY, INFINITY, INFINITY}, none = {0};
  for (int k = 0; k < d->four; k += 4) {
    Mask is_free = *(const Mask*)(d->is_free + k);
    SbFour f = four(d->f + k), lo = four(d->lo + k), move = four(d->move + k), g = four(d->gradient + k);
    SbFour room = chosen(is_free, chosen(move > none, four(d->hi + k) - f, lo - f), -g);
    Mask is_low = f <= lo;
    Mask goes = (is_free & (move != none)) | (~is_free & ((is_low & (move < none)) | (~is_low & (move > none))));
    *(SbFour*)(share + k) = chosen(goes, room / move, never);
  }
  *row = -1;
  for (int k = 0; k < d->count; k++) {
    if (!(share[k] < left) || (k == last && share[k] < SB_SAME_PLACE)) continue;
    left = share[k] > 0 ? share[k] : 0;
    *row = k;
  }
  return left;
}

// What the change of a row does along the way: forces of free rows, gradients of held ones.
SB_INLINE void find_way(SbWorker* worker, const SbPhase* phase, Dense* d, int n) {
  double* x = worker->x + d->first;
  note_free(d);
  factor(worker, phase, d);
  for (int k = 0; k < d->four; k += 4) {
    SbFour pull = -four(d->drive + k) * four(d->stiffness + k);
    *(SbFour*)(d->violation + k) = (SbFour)((Mask)pull & *(Mask*)(d->is_free + k));
  }
  combine(d, d->violation, x, n);
  sb_blocks_solve(worker, worker->x);
  worker->solves++;
  multiply(d, x, n);
  for (int k = 0; k < d->four; k += 4) {
    SbFour g = four(d->drive + k) + four(d->speed + k);
    *(SbFour*)(d->move + k) = chosen(*(Mask*)(d->is_free + k), -g * four(d->stiffness + k), g);
  }
}

// Find which rows are at their bounds, from a solution of solve_free_set that is outside of some. The forces f are
// the answer to another problem, with b0 for b, such that all gradients are zero. On the way from b0 to b the
// answer is a chain of straight lines; from one to the next a single row changes sides, but for held rows that let
// go at the start, all at once. A robot that is told something else needs 9 solutions in that step where exchanging
// groups of rows takes 14, and goes in circles at times. (Held rows that are pressed against their bounds in the other
// problem, by as much as the worst gradient or by a thousandth of it, need 13 and 11.) 0: there were too many
// changes; f is anything within bounds then.
SB_INLINE int follow(SbWorker* worker, const SbPhase* phase, Dense* d, int n) {
  double left = 1;
  int last = -1;
  for (int k = 0; k < d->four; k++) {
    d->drive[k] = d->gradient[k];
    d->move[k] = d->is_free[k] ? d->target[k] - d->f[k] : d->speed[k] + d->gradient[k];
    d->gradient[k] = 0;
  }
  for (int change = 0; change < SB_MAX_FOLLOWED * d->count; change++) {
    int row;
    double length = next_change(d, left, last, &row);
    for (int k = 0; k < d->count; k++) {
      double move = length * d->move[k];
      if (d->is_free[k]) {
        d->f[k] = clip(d->f[k] + move, d->lo[k], d->hi[k]);
      } else {
        d->gradient[k] += move;
      }
    }
    left -= length;
    if (row < 0) return 1;
    last = row;
    d->is_free[row] = ~d->is_free[row];
    d->gradient[row] = 0;
    if (!d->is_free[row]) d->f[row] = d->move[row] > 0 ? d->hi[row] : d->lo[row];
    for (int k = 0; k < d->count && change == 0 && length == 0; k++) {
      if (!d->is_free[k] && k != row) d->is_free[k] = -(int64_t)(d->f[k] <= d->lo[k] ? d->move[k] < 0 : d->move[k] > 0);
    }
    find_way(worker, phase, d, n);
  }
  return 0;
}

// 1: solved; 0: sb_solver.c goes on from the forces that were found.
SB_INLINE int solve(SbWorker* worker, SbPhase* phase, double* residual, int n) {
  Dense dense, *d = &dense;
  double last_clean = INFINITY;
  int is_solved = 0, has_followed = 0;
  gather(worker, phase, d, n);
  accept(worker, d, d->f, n);
  for (int exact = 0, clean = 0; exact < SB_MAX_EXACT; exact++) {
    SbSurvey found = survey(worker, d, clean, n);
    *residual = found.residual;
    int is_last = clean && !found.released && found.residual > 0.5 * last_clean;
    is_solved = found.residual < SB_RESIDUAL_FINE || (is_last && found.residual < SB_RESIDUAL_GOOD);
    if (is_solved || is_last) break;
    last_clean = clean && !found.released ? found.residual : INFINITY;
    factor(worker, phase, d);
    clean = !solve_free_set(worker, d, n);
    if (clean) {
      accept(worker, d, d->target, n);
    } else {
      if (has_followed || !follow(worker, phase, d, n)) break;
      has_followed = 1;
      accept(worker, d, d->f, n);
    }
  }
  for (int k = 0; k < d->count; k++) phase->f[phase->list[k]] = d->f[k];
  return is_solved;
}

SB_CLONES
int sb_solve_dense(SbWorker* worker, SbPhase* phase, double* residual) {
  if (!fits(worker, phase)) return 0;
  int n = worker->blocks.dofs[0];
  if (n == 8) return solve(worker, phase, residual, 8);
  return n == 6 ? solve(worker, phase, residual, 6) : solve(worker, phase, residual, n);
}
