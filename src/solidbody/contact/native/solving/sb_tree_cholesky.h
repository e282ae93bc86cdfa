// Cholesky factor of one kinematic tree's block, where every row acts on one path to the root.
//
// Then row i of the block has entries for dof i and its ancestors only, and eliminating from the
// leaves to the root keeps it so:  H = L' L  with L lower triangular, as MuJoCo does for M.
// Rows are stored packed. A dof's path is a prefix of its descendants' paths, so that all loops run
// over consecutive values:
//
//     dof     0   1   2   3         packed   [00] [10 11] [20 21 22] [30 33]
//     parent  -   0   1   0         a humanoid of 36 dofs: 318 values instead of 1296, and a fifth
//                                   of the multiplications
#ifndef SB_THIN_H_
#define SB_THIN_H_

#include "base/sb_work.h"

// H += k u u' for a row part u on the path column[0..count).
SB_INLINE void sb_thin_add(const SbStep* s, double* h, double k, const double* u, const int* column,
                           int count) {
  for (int p = 0; p < count; p++) {
    double t = k * u[p], *row = h + s->dof_packed[column[p]];
    for (int q = 0; q <= p; q++) row[q] += t * u[q];
  }
}

// H <- L, with the diagonal inverted.
SB_INLINE void sb_thin_factor(const SbStep* s, double* h, int first, int n) {
  const int* parent = s->m->dof_parentid;
  for (int i = first + n - 1; i >= first; i--) {
    int depth = s->dof_depth[i];
    double* row = h + s->dof_packed[i];
    double inverse = 1 / sqrt(row[depth - 1]);
    row[depth - 1] = inverse;
    for (int q = 0; q < depth - 1; q++) row[q] *= inverse;
    int above = parent[i];
    for (int p = depth - 2; p >= 0; p--, above = parent[above]) {
      double t = row[p], *other = h + s->dof_packed[above];
      for (int q = 0; q <= p; q++) other[q] -= t * row[q];
    }
  }
}

// B <- B L^-1 for a block of `height` rows that belongs to another tree.
SB_INLINE void sb_thin_solve_below(const SbStep* s, double* b, int height, const double* h,
                                   int first, int n) {
  const int* parent = s->m->dof_parentid;
  for (int i = first + n - 1; i >= first; i--) {
    int depth = s->dof_depth[i], above = parent[i];
    const double* row = h + s->dof_packed[i];
    double* column = b + (int64_t)(i - first) * height;
    for (int k = 0; k < height; k++) column[k] *= row[depth - 1];
    for (int p = depth - 2; p >= 0; p--, above = parent[above]) {
      double* other = b + (int64_t)(above - first) * height;
      for (int k = 0; k < height; k++) other[k] -= row[p] * column[k];
    }
  }
}

// x <- L^-T x, and x <- L^-1 x; x is indexed by dof.
SB_INLINE void sb_thin_solve_leaves(const SbStep* s, const double* h, int first, int n, double* x) {
  const int* parent = s->m->dof_parentid;
  for (int i = first + n - 1; i >= first; i--) {
    int depth = s->dof_depth[i], above = parent[i];
    const double* row = h + s->dof_packed[i];
    double v = x[i] * row[depth - 1];
    x[i] = v;
    for (int p = depth - 2; p >= 0; p--, above = parent[above]) x[above] -= row[p] * v;
  }
}

SB_INLINE void sb_thin_solve_root(const SbStep* s, const double* h, int first, int n, double* x) {
  const int* parent = s->m->dof_parentid;
  for (int i = first; i < first + n; i++) {
    int depth = s->dof_depth[i], above = parent[i];
    const double* row = h + s->dof_packed[i];
    double sum = x[i];
    for (int p = depth - 2; p >= 0; p--, above = parent[above]) sum -= row[p] * x[above];
    x[i] = sum * row[depth - 1];
  }
}

#endif  // SB_THIN_H_
