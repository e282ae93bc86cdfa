// The two operations that the solver is made of: products with a whitened row. In a header so that
// the compiler can put them into the sweeps.
#ifndef SB_ROW_OPS_H_
#define SB_ROW_OPS_H_

#include "sb_work.h"

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
      for (int k = 0; k < part->count; k++) sum += y[k] * u[k];
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
      for (int k = 0; k < part->count; k++) u[k] += factor * y[k];
    } else {
      const int* column = rows->column + part->start;
      for (int k = 0; k < part->count; k++) w[column[k]] += factor * y[k];
    }
  }
}

#endif  // SB_ROW_OPS_H_
