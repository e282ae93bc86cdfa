// The operations that the solver is made of: products with a whitened row, and vectors over the dofs of
// an island. In a header so that the compiler can put them into the sweeps.
#ifndef SB_ROW_OPS_H_
#define SB_ROW_OPS_H_

#include <math.h>
#include <string.h>

#include "base/sb_work.h"

// a . b and a += t b of n values, four at once.
SB_INLINE double sb_dot_four(const double* a, const double* b, int n) {
  SbFour sum = {0, 0, 0, 0};
  int k = 0;
  for (; k + 4 <= n; k += 4) sum += *(const SbFour*)(a + k) * *(const SbFour*)(b + k);
  double out = (sum[0] + sum[2]) + (sum[1] + sum[3]);
  for (; k < n; k++) out += a[k] * b[k];
  return out;
}

SB_INLINE void sb_add_four(double* a, double t, const double* b, int n) {
  int k = 0;
  for (; k + 4 <= n; k += 4) *(SbFour*)(a + k) += t * *(const SbFour*)(b + k);
  for (; k < n; k++) a[k] += t * b[k];
}

// Y_i . w
SB_INLINE double sb_row_dot(const SbRows* rows, int i, const double* w) {
  const SbSpan* span = rows->span + i;
  double sum = 0;
  const SbSegment *part = rows->part + span->part, *end = part + span->parts;
  for (; part < end; part++) {
    const double* y = rows->y + part->start;
    if (part->dense && part->count == 6) {
      const double* u = w + part->dof;
      // three independent sums, so that the processor need not wait for one addition after the other
      sum += (y[0] * u[0] + y[1] * u[1]) + (y[2] * u[2] + y[3] * u[3]) + (y[4] * u[4] + y[5] * u[5]);
    } else if (part->dense) {
      const double* u = w + part->dof;
      sum += part->count == 8 ? sb_dot_four(y, u, 8) : sb_dot_four(y, u, part->count);
    } else {
      const int* column = rows->column + part->start;
      for (int k = 0; k < part->count; k++) sum += y[k] * w[column[k]];
    }
  }
  return sum;
}

// w += factor * Y_i
SB_INLINE void sb_row_add(const SbRows* rows, int i, double factor, double* w) {
  const SbSpan* span = rows->span + i;
  const SbSegment *part = rows->part + span->part, *end = part + span->parts;
  for (; part < end; part++) {
    const double* y = rows->y + part->start;
    if (part->dense && part->count == 6) {
      double* u = w + part->dof;
      for (int k = 0; k < 6; k++) u[k] += factor * y[k];
    } else if (part->dense) {
      double* u = w + part->dof;
      if (part->count == 8) {
        sb_add_four(u, factor, y, 8);
      } else {
        sb_add_four(u, factor, y, part->count);
      }
    } else {
      const int* column = rows->column + part->start;
      for (int k = 0; k < part->count; k++) w[column[k]] += factor * y[k];
    }
  }
}

// |Y_i| . w and w += factor * |Y_i|, of absolute values
static inline double sb_row_dot_sizes(const SbRows* rows, int i, const double* w) {
  const SbSegment *part = rows->part + rows->span[i].part, *end = part + rows->span[i].parts;
  double sum = 0;
  for (; part < end; part++) {
    for (int k = part->start; k < part->start + part->count; k++) {
      sum += fabs(rows->y[k]) * w[rows->column[k]];
    }
  }
  return sum;
}

static inline void sb_row_add_sizes(const SbRows* rows, int i, double factor, double* w) {
  const SbSegment *part = rows->part + rows->span[i].part, *end = part + rows->span[i].parts;
  for (; part < end; part++) {
    for (int k = part->start; k < part->start + part->count; k++) {
      w[rows->column[k]] += factor * fabs(rows->y[k]);
    }
  }
}

// Where the factor's columns begin that a row acts on.
SB_INLINE int sb_first_position(const SbWorker* worker, int i) {
  const SbSpan* span = worker->s->rows.span + i;
  const SbSegment* part = worker->s->rows.part + span->part;
  const SbBlocks* blocks = &worker->blocks;
  int first = blocks->position[blocks->node[part->tree]];
  for (int p = 1; p < span->parts; p++) {
    int position = blocks->position[blocks->node[part[p].tree]];
    if (position < first) first = position;
  }
  return first;
}

// w = 0, and to = from, over the dofs of the island's trees.
SB_INLINE void sb_clear_island(const SbWorker* worker, double* w) {
  for (int k = 0; k < worker->blocks.count; k++) {
    int tree = worker->blocks.tree[k];
    memset(w + worker->s->m->tree_dofadr[tree], 0, worker->s->m->tree_dofnum[tree] * sizeof(double));
  }
}

SB_INLINE void sb_copy_island(const SbWorker* worker, double* to, const double* from) {
  for (int k = 0; k < worker->blocks.count; k++) {
    int tree = worker->blocks.tree[k], first = worker->s->m->tree_dofadr[tree];
    memcpy(to + first, from + first, worker->s->m->tree_dofnum[tree] * sizeof(double));
  }
}

#endif  // SB_ROW_OPS_H_
