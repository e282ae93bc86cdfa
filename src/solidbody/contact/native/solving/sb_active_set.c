// Exchange of many rows at once: which rows are at their bounds, in a few exact solves.
//
// For a guess of the free set F, with the other rows B held at their bounds, one solve gives w = Y'f and
// with it all rows at once (notation of sb_block_cholesky.c):
//
//     (I + Y_F' R_F^-1 Y_F) w = Y_B' f_B - Y_F' R_F^-1 b_F      f_F = -R_F^-1 (Y_F w + b_F)
//     gradient of a held row:  Y_i w + b_i + R_i f_i
//
// Free rows outside their bounds and held rows that are pulled inside are wrong. Exchanging all of them
// is Newton's method on a problem with kinks; neighbours then answer to each other's errors, and a third
// of the steps of a pile of 1000 bodies ends in a cycle. So a row changes sides only if it is among the
// worst of the bodies that it acts on. That halves the solves of the method in sb_solver.c, but nothing
// says that it must end: when it makes no headway, sb_solver.c goes on from where it stands.
#include <string.h>

#include "rows/sb_row_ops.h"
#include "base/sb_work.h"

// A row changes sides from this share of the worst violation around it on: of 0.35, 0.5 and 0.7, the first
// runs into cycles and the last needs a tenth more solves.
#define SB_WORST_SHARE 0.5
// Violations are compared as speeds. A held row counts for more, since the speed with which it leaves its
// bound is what the free rows around it leave over, and the force that a free row has too much is
// multiplied by its whole mass. 30 and 100 need 5 % fewer solves than 10, and 8 % fewer than 1.
#define SB_HELD_WEIGHT 30
// Violations below this [m/s] are left to the exact solves that follow, which are more accurate.
#define SB_SMALL_VIOLATION 1e-11
// Solves without fewer violations than ever before, after which it gives up, and solves in all.
#define SB_PATIENCE 4
#define SB_MAX_EXCHANGES 40

typedef struct Exchange {
  const int* list;
  int count;
  double* f;        // held rows: their bound
  double *right, *w;
} Exchange;

SB_INLINE int is_held(const SbRows* rows, int i, double f) {
  return f <= rows->lo[i] || f >= rows->hi[i];
}

// What a row adds to the right side, held at `f` or free.
SB_INLINE double share_of(const SbRows* rows, int i, double f) {
  return rows->free_set[i] ? -rows->stiffness[i] * rows->b[i] : f;
}

static void begin(SbWorker* worker, Exchange* e) {
  SbRows* rows = &worker->s->rows;
  sb_clear_island(worker, e->right);
  for (int k = 0; k < e->count; k++) {
    int i = e->list[k];
    rows->free_set[i] = !is_held(rows, i, e->f[i]);
    sb_row_add(rows, i, share_of(rows, i, e->f[i]), e->right);
  }
}

// Note the force of free rows in rows.target and the violation of each row in rows.trial; returns how many
// rows are wrong.
SB_CLONES
static int look(SbWorker* worker, const Exchange* e) {
  SbRows* rows = &worker->s->rows;
  double h = worker->s->m->opt.timestep, *worst = worker->blocks.worst;
  int wrong = 0;
  memset(worst, 0, worker->blocks.count * sizeof(double));
  for (int k = 0; k < e->count; k++) {
    int i = e->list[k];
    double speed = sb_row_dot(rows, i, e->w) + rows->b[i], violation = 0;
    if (rows->free_set[i]) {
      double f = -rows->stiffness[i] * speed;
      double over = f < rows->lo[i] ? rows->lo[i] - f : f > rows->hi[i] ? f - rows->hi[i] : 0;
      rows->target[i] = f;
      violation = over * (rows->diagonal[i] + rows->r[i]) * h;
    } else {
      double gradient = speed + rows->r[i] * e->f[i];
      if (e->f[i] <= rows->lo[i]) gradient = -gradient;
      violation = gradient * SB_HELD_WEIGHT * h;
    }
    if (!(violation > SB_SMALL_VIOLATION)) violation = 0;
    rows->trial[i] = violation;
    if (violation == 0) continue;
    wrong++;
    const SbSegment *part = rows->part + rows->span[i].part, *end = part + rows->span[i].parts;
    for (; part < end; part++) {
      double* around = worst + worker->blocks.node[part->tree];
      if (*around < violation) *around = violation;
    }
  }
  return wrong;
}

// Let the worst rows change sides.
static void exchange(SbWorker* worker, Exchange* e) {
  SbRows* rows = &worker->s->rows;
  const SbBlocks* blocks = &worker->blocks;
  for (int k = 0; k < e->count; k++) {
    int i = e->list[k];
    if (rows->trial[i] == 0) continue;
    double around = 0;
    const SbSegment *part = rows->part + rows->span[i].part, *end = part + rows->span[i].parts;
    for (; part < end; part++) {
      double worst = blocks->worst[blocks->node[part->tree]];
      if (around < worst) around = worst;
    }
    if (rows->trial[i] < SB_WORST_SHARE * around) continue;
    double before = share_of(rows, i, e->f[i]);
    rows->free_set[i] = !rows->free_set[i];
    if (!rows->free_set[i]) e->f[i] = rows->target[i] < rows->lo[i] ? rows->lo[i] : rows->hi[i];
    sb_row_add(rows, i, share_of(rows, i, e->f[i]) - before, e->right);
  }
}

void sb_exchange(SbWorker* worker, const int* list, int count, double* f) {
  SbRows* rows = &worker->s->rows;
  Exchange e = {list, count, f, worker->w, worker->x};
  int fewest = count + 1, patience = SB_PATIENCE;
  begin(worker, &e);
  for (int n = 0; n < SB_MAX_EXCHANGES; n++) {
    sb_blocks_factor(worker, list, count);
    sb_copy_island(worker, e.w, e.right);
    sb_blocks_solve(worker, e.w);
    worker->solves++;
    int wrong = look(worker, &e);
    if (wrong < fewest) {
      fewest = wrong;
      patience = SB_PATIENCE;
    } else {
      patience--;
    }
    if (wrong == 0 || patience == 0) break;
    exchange(worker, &e);
  }
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (!rows->free_set[i]) continue;
    f[i] = rows->target[i] < rows->lo[i] ? rows->lo[i]
                                         : rows->target[i] > rows->hi[i] ? rows->hi[i] : rows->target[i];
  }
}
