// Whitened rows. MuJoCo factors M = L' D L with L unit lower triangular and sparse: row i of L has
// entries only for the ancestors of dof i. Then
//
//     J M^-1 J' = Y Y'      with  Y = J L^-1 D^-1/2
//
// and row operations on Y replace products with M^-1: the solver needs only dot products and sums.
// x = J L^-1 solves x L = J; going from the last dof to the first, each x_i is final when reached
// and is subtracted from its ancestors. Columns must therefore be closed over ancestors: those of
// contacts and loops are, since a body moves with all dofs above it; others are completed.
#include <string.h>

#include "base/sb_work.h"

void sb_whiten_begin(SbStep* s) {
  for (int i = 0; i < s->m->nv; i++) s->inv_sqrt_d[i] = sqrt(s->d->qLDiagInv[i]);
  s->rows.y_count = s->rows.part_count = s->rows.pair_count = 0;
}

// Room for so many values.
static int reserve(SbStep* s, int64_t count) {
  SbRows* rows = &s->rows;
  int64_t values = rows->y_count + count, parts = (int64_t)rows->part_count + count;
  return values <= INT32_MAX && SB_RESERVE(&s->arena, rows->y, values) &&
         SB_RESERVE(&s->arena, rows->column, values) && SB_RESERVE(&s->arena, rows->part, parts);
}

// How many values a row with these columns has: small trees with branches are full.
static int width_of(const SbStep* s, int count, const int* column) {
  int width = 0;
  for (int j = 0; j < count;) {
    int tree = s->m->dof_treeid[column[j]], begin = j;
    while (j < count && s->m->dof_treeid[column[j]] == tree) j++;
    width += s->tree_full[tree] ? s->m->tree_dofnum[tree] : j - begin;
  }
  return width;
}

// Cut the columns of a row into its trees; note where their values lie.
static void split_by_tree(SbStep* s, SbSpan* span, int start, int count, const int* column) {
  const mjModel* m = s->m;
  SbRows* rows = &s->rows;
  int *out = rows->column + start, width = 0;
  span->part = rows->part_count;
  span->parts = 0;
  for (int j = 0; j < count;) {
    int tree = m->dof_treeid[column[j]], end = j, full = s->tree_full[tree];
    while (end < count && m->dof_treeid[column[end]] == tree) end++;
    SbSegment* part = rows->part + span->part + span->parts++;
    part->tree = tree;
    part->start = start + width;
    part->dof = full ? m->tree_dofadr[tree] : column[j];
    part->count = full ? m->tree_dofnum[tree] : end - j;
    part->dense = full || column[end - 1] - column[j] == end - j - 1;
    // two branches without what they have in common may be as many as one path: that begins at the root
    part->chain = !full && m->dof_parentid[column[j]] < 0 && s->dof_depth[column[end - 1]] == end - j;
    for (int i = 0; i < part->count; i++) out[width + i] = full ? part->dof + i : column[j + i];
    for (int i = j; i < end; i++) s->place[i] = width + (full ? column[i] - part->dof : i - j);
    width += part->count;
    j = end;
  }
}

// The columns of the row before; those of a robot on two wheels without a call.
SB_INLINE void copy_columns(int* out, int width) {
  if (width == 8) {
    memcpy(out, out - 8, 8 * sizeof(int));
  } else {
    memcpy(out, out - width, width * sizeof(int));
  }
}

// The same trees as the row before, whose values end where this row's begin.
static void split_as_before(SbRows* rows, SbSpan* span, int count) {
  *span = span[-1];
  span->part = rows->part_count;
  SbSegment* part = rows->part + span->part;
  for (int p = 0; p < span->parts; p++) {
    part[p] = part[p - span->parts];
    part[p].start += count;
  }
}

// Number the pairs of parts.
static int number_pairs(SbStep* s, SbSpan* span) {
  SbRows* rows = &s->rows;
  int64_t pairs = (int64_t)span->parts * (span->parts - 1) / 2, end = rows->pair_count + pairs;
  rows->part_count += span->parts;
  span->pair = rows->pair_count;
  // never NULL: rows without pairs point there too
  if (end >= INT32_MAX || !SB_RESERVE(&s->arena, rows->pair, end + 1)) return 0;
  rows->pair_count = (int)end;
  return 1;
}

int sb_close_columns(SbStep* s, int count, const int* column, const double* value, int* out_column,
                     double* out_value) {
  const mjModel* m = s->m;
  int n = 0;
  for (int j = 0; j < count; j++) {
    s->column_value[column[j]] += value[j];
    for (int i = column[j]; i >= 0 && !s->dof_mark[i]; i = m->dof_parentid[i]) s->dof_mark[i] = 1;
  }
  for (int j = 0; j < count; j++) {
    int tree = m->dof_treeid[column[j]], first = m->tree_dofadr[tree];
    for (int i = first; i < first + m->tree_dofnum[tree]; i++) {
      if (!s->dof_mark[i]) continue;
      out_column[n] = i;
      out_value[n++] = s->column_value[i];
      s->column_value[i] = 0;
      s->dof_mark[i] = 0;
    }
  }
  return n;
}

int sb_whiten_row(SbStep* s, int row, int count, const int* column, const double* value,
                  int same_columns_as_previous) {
  const mjModel* m = s->m;
  const double* factor = s->d->qLD;
  SbRows* rows = &s->rows;
  SbSpan* span = rows->span + row;
  int start = rows->y_count;
  int width = same_columns_as_previous && span[-1].parts ? start - rows->part[span[-1].part].start : width_of(s, count, column);
  if (!reserve(s, width)) return 0;

  if (same_columns_as_previous) {
    copy_columns(rows->column + start, width);
    split_as_before(rows, span, width);
  } else {
    split_by_tree(s, span, start, count, column);
  }
  if (!number_pairs(s, span)) return 0;
  if (width > count) memset(rows->y + start, 0, width * sizeof(double));

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
    rows->y[start + s->place[j]] = v;
    square += v * v;
  }
  rows->diagonal[row] = square;
  rows->y_count += width;
  return 1;
}

// The rows of one contact, whose values lie in row_values, as sb_whiten_row does each: of three rows, all at once
// (the fourth value is nobody's).
SB_INLINE void whiten_values(SbStep* s, int row, int dim, int start, int width, int count, const int* column) {
  const mjModel* m = s->m;
  const int* place = s->place;
  double *y = s->rows.y + start, square[SB_CONTACT_ROWS] = {0};
  SbFour square3 = {0};
  for (int j = count - 1; j >= 0; j--) {
    int dof = column[j], above = m->M_rownnz[dof] - 1;
    const int* chain = m->M_colind + m->M_rowadr[dof];
    const double *l = s->d->qLD + m->M_rowadr[dof], *x = s->row_values + SB_CONTACT_ROWS * dof;
    double scale = s->inv_sqrt_d[dof];
    if (dim == 3) {
      SbFour x3 = *(const SbFour*)x, v3 = x3 * scale;
      for (int k = 0; k < above; k++) *(SbFour*)(s->row_values + SB_CONTACT_ROWS * chain[k]) -= l[k] * x3;
      for (int r = 0; r < 3; r++) y[r * width + place[j]] = v3[r];
      square3 += v3 * v3;
      continue;
    }
    for (int k = 0; k < above; k++) {
      double *to = s->row_values + SB_CONTACT_ROWS * chain[k], t = l[k];
      for (int r = 0; r < dim; r++) to[r] -= t * x[r];
    }
    for (int r = 0; r < dim; r++) {
      double v = x[r] * scale;
      y[r * width + place[j]] = v;
      square[r] += v * v;
    }
  }
  for (int r = 0; r < dim; r++) s->rows.diagonal[row + r] = dim == 3 ? square3[r] : square[r];
}

SB_CLONES
static void whiten_three(SbStep* s, int row, int start, int width, int count, const int* column) {
  whiten_values(s, row, 3, start, width, count, column);
}

int sb_whiten_contact(SbStep* s, int row, int dim, int count, const int* column, int same_columns_as_previous) {
  SbRows* rows = &s->rows;
  int start = rows->y_count, width = width_of(s, count, column);
  if (!reserve(s, (int64_t)dim * width)) return 0;
  for (int r = 0; r < dim; r++) {
    SbSpan* span = rows->span + row + r;
    int* out = rows->column + rows->y_count;
    if (r || same_columns_as_previous) {
      copy_columns(out, width);
      split_as_before(rows, span, width);
    } else {
      split_by_tree(s, span, start, count, column);
    }
    if (!number_pairs(s, span)) return 0;
    rows->y_count += width;
  }
  if (width > count) memset(rows->y + start, 0, dim * width * sizeof(double));
  if (dim == 3) {
    whiten_three(s, row, start, width, count, column);
  } else {
    whiten_values(s, row, dim, start, width, count, column);
  }
  return 1;
}
