// Whitened rows. MuJoCo factors M = L' D L with L unit lower triangular and sparse: row i of L has
// entries only for the ancestors of dof i. Then
//
//     J M^-1 J' = Y Y'      with  Y = J L^-1 D^-1/2
//
// and row operations on Y replace products with M^-1: the solver needs only dot products and sums.
// x = J L^-1 solves x L = J; going from the last dof to the first, each x_i is final when reached
// and is subtracted from its ancestors. Columns must therefore be closed over ancestors: those of
// contacts and loops are, since a body moves with all dofs above it.
#include <string.h>

#include "sb_work.h"

int sb_whiten_begin(SbStep* s) {
  for (int i = 0; i < s->m->nv; i++) s->inv_sqrt_d[i] = sqrt(s->d->qLDiagInv[i]);
  s->rows.y_count = 0;
  return 1;
}

// Cut the columns of a row into its trees; returns 0 if there are more than two.
static int split_by_tree(const SbStep* s, SbSpan* span, int start, int count) {
  const int* column = s->rows.column + start;
  span->parts = 0;
  for (int j = 0; j < count;) {
    int tree = s->m->dof_treeid[column[j]], end = j;
    while (end < count && s->m->dof_treeid[column[end]] == tree) end++;
    if (span->parts == 2) return 0;
    SbSegment* part = span->part + span->parts++;
    part->tree = tree;
    part->start = start + j;
    part->count = end - j;
    part->dense = column[end - 1] - column[j] == end - j - 1;
    j = end;
  }
  return 1;
}

int sb_whiten_row(SbStep* s, int row, int count, const int* column, const double* value,
                  int same_columns_as_previous) {
  const mjModel* m = s->m;
  const double* factor = s->d->qLD;
  SbRows* rows = &s->rows;
  int start = rows->y_count, *out = rows->column + start;
  SbSpan* span = rows->span + row;

  memcpy(out, column, count * sizeof(int));
  if (same_columns_as_previous) {
    int shift = start - span[-1].part[0].start;
    *span = span[-1];
    for (int p = 0; p < span->parts; p++) span->part[p].start += shift;
  } else if (!split_by_tree(s, span, start, count)) {
    return 0;
  }

  double* x = s->column_value;
  for (int j = 0; j < count; j++) x[column[j]] = value[j];
  double square = 0;
  for (int j = count - 1; j >= 0; j--) {
    int dof = column[j];
    double v = x[dof];
    x[dof] = 0;
    const int* chain = m->M_colind + m->M_rowadr[dof];
    const double* l = factor + m->M_rowadr[dof];
    for (int k = 0; k < m->M_rownnz[dof] - 1; k++) x[chain[k]] -= l[k] * v;
    v *= s->inv_sqrt_d[dof];
    rows->y[start + j] = v;
    square += v * v;
  }
  rows->diagonal[row] = square;
  rows->y_count += count;
  return 1;
}
