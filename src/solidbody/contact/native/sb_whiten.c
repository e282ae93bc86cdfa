// Whitened rows. MuJoCo factors M = L' D L with L unit lower triangular and sparse: row i of L has
// entries only for the ancestors of dof i. Then
//
//     J M^-1 J' = Y Y'      with  Y = J L^-1 D^-1/2
//
// and row operations on Y replace products with M^-1: the solver needs only dot products and sums.
// x = J L^-1 solves x L = J; going from the last dof to the first, each x_i is final when reached
// and is subtracted from its ancestors.
#include <string.h>

#include "sb_work.h"

int sb_whiten_begin(SbStep* s) {
  for (int i = 0; i < s->m->nv; i++) s->inv_sqrt_d[i] = sqrt(s->d->qLDiagInv[i]);
  s->rows.y_count = 0;
  return 1;
}

// Columns of the whitened row: the given dofs and all their ancestors, ascending.
static int close_over_ancestors(SbStep* s, int count, const int* column, int* out) {
  const mjModel* m = s->m;
  int found = 0;
  for (int j = count - 1; j >= 0; j--) {
    int dof = column[j];
    if (s->mark[dof]) continue;
    const int* chain = m->M_colind + m->M_rowadr[dof];
    for (int l = m->M_rownnz[dof] - 1; l >= 0; l--) {
      if (s->mark[chain[l]]) continue;
      s->mark[chain[l]] = 1;
      int at = found++;
      while (at > 0 && out[at - 1] > chain[l]) {
        out[at] = out[at - 1];
        at--;
      }
      out[at] = chain[l];
    }
  }
  for (int j = 0; j < found; j++) s->mark[out[j]] = 0;
  return found;
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
  int start = rows->y_count, *out = rows->column + start, width;
  SbSpan* span = rows->span + row;

  if (same_columns_as_previous) {
    const SbSpan* before = span - 1;
    width = 0;
    *span = *before;
    for (int p = 0; p < span->parts; p++) {
      memcpy(out + width, rows->column + before->part[p].start, span->part[p].count * sizeof(int));
      span->part[p].start = start + width;
      width += span->part[p].count;
    }
  } else {
    width = close_over_ancestors(s, count, column, out);
    if (!split_by_tree(s, span, start, width)) return 0;
  }

  double* x = s->column_value;
  for (int j = 0; j < count; j++) x[column[j]] = value[j];
  double square = 0;
  for (int j = width - 1; j >= 0; j--) {
    int dof = out[j];
    double v = x[dof];
    x[dof] = 0;
    if (v != 0) {
      const int* chain = m->M_colind + m->M_rowadr[dof];
      const double* l = factor + m->M_rowadr[dof];
      for (int k = 0; k < m->M_rownnz[dof] - 1; k++) x[chain[k]] -= l[k] * v;
    }
    v *= s->inv_sqrt_d[dof];
    rows->y[start + j] = v;
    square += v * v;
  }
  rows->diagonal[row] = square;
  rows->y_count += width;
  return 1;
}
