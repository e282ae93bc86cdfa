// Changes of the factor (sb_block_cholesky.c) when a few rows join or leave the free set: H' = H +- k y y'.
//
// A rotation per scalar column makes the factor that of H', from the first tree that the row acts on up
// the elimination tree, whose columns are the only ones that change (Gill, Golub, Murray and Saunders
// 1974; Davis and Hager 1999). With u = sqrt(k) y, in column j:
//
//     s = u_j / L_jj     c = sqrt(1 +- s^2)     L_ij <- (L_ij +- s u_i) / c     u_i <- c u_i - s L_ij
//
// In a pile of 1000 bodies a row changes 1200 of 5800 blocks, where a factorisation takes 45,000 products.
#include "rows/sb_row_ops.h"
#include "base/sb_work.h"

// Share of a pivot's square that must be left: below, the factor is made anew. Stiff rows leave 1e-7.
#define SB_LEAST_PIVOT 1e-10

// Rotations of one tree's columns; trees with more dofs are not updated.
typedef struct Turn {
  double c[SB_SMALL_TREE], inverse[SB_SMALL_TREE], s[SB_SMALL_TREE];
} Turn;

// Rotate the diagonal block, n x n; 0: the factor would lose its accuracy.
SB_INLINE int turn_diagonal(double* l, int n, double sign, double* u, Turn* turn) {
  for (int j = 0; j < n; j++) {
    double *column = l + (int64_t)j * n, s = u[j] * column[j], square = 1 + sign * s * s;
    if (!(square > SB_LEAST_PIVOT)) return 0;
    double c = sqrt(square), inverse = 1 / c;
    column[j] *= inverse;
    for (int i = j + 1; i < n; i++) {
      column[i] = (column[i] + sign * s * u[i]) * inverse;
      u[i] = c * u[i] - s * column[i];
    }
    u[j] = 0;
    turn->c[j] = c;
    turn->inverse[j] = inverse;
    turn->s[j] = s;
  }
  return 1;
}

// Rotate a block below it.
SB_INLINE void turn_below(double* restrict b, int height, int n, double sign, double* restrict u,
                          const Turn* turn) {
  for (int j = 0; j < n; j++) {
    double c = turn->c[j], inverse = turn->inverse[j], s = turn->s[j];
    double* column = b + (int64_t)j * height;
    for (int i = 0; i < height; i++) {
      column[i] = (column[i] + sign * s * u[i]) * inverse;
      u[i] = c * u[i] - s * column[i];
    }
  }
}

// The same for two free bodies.
SB_INLINE void turn_below_6(double* restrict b, double sign, double* restrict u, const Turn* turn) {
  SbFour u4 = *(const SbFour*)u, l4;
  SbTwo u2 = *(const SbTwo*)(u + 4), l2;
  for (int j = 0; j < 6; j++, b += 6) {
    double c = turn->c[j], inverse = turn->inverse[j], s = turn->s[j];
    l4 = (*(const SbFour*)b + sign * s * u4) * inverse;
    l2 = (*(const SbTwo*)(b + 4) + sign * s * u2) * inverse;
    u4 = c * u4 - s * l4;
    u2 = c * u2 - s * l2;
    *(SbFour*)b = l4;
    *(SbTwo*)(b + 4) = l2;
  }
  *(SbFour*)u = u4;
  *(SbTwo*)(u + 4) = u2;
}

// Add (sign 1) or take away (-1) row i; u is zero before and after. 0: the factor is lost.
SB_CLONES
static int change_row(SbWorker* worker, int i, double sign, double* u) {
  SbBlocks* blocks = &worker->blocks;
  sb_row_add(&worker->s->rows, i, sqrt(worker->s->rows.stiffness[i]), u);
  for (int p = sb_first_position(worker, i); p >= 0;) {
    int n = blocks->dofs[p], begin = blocks->column_start[p], end = blocks->column_start[p + 1];
    double *l = blocks->h + blocks->diagonal_offset[p], *own = u + blocks->first[p];
    Turn turn;
    // free bodies get loops of constant length
    if (!(n == 6 ? turn_diagonal(l, 6, sign, own, &turn) : turn_diagonal(l, n, sign, own, &turn))) {
      return 0;
    }
    for (int q = begin; q < end; q++) {
      int height = blocks->dofs[blocks->row_index[q]];
      double* b = blocks->h + blocks->block_offset[q];
      double* other = u + blocks->first[blocks->row_index[q]];
      if (n == 6 && height == 6) {
        turn_below_6(b, sign, other, &turn);
      } else {
        turn_below(b, height, n, sign, other, &turn);
      }
    }
    p = begin < end ? blocks->row_index[begin] : -1;
  }
  return 1;
}

int sb_blocks_update(SbWorker* worker, const int* list, int count) {
  SbRows* rows = &worker->s->rows;
  sb_clear_island(worker, worker->x);
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (rows->free_set[i] == rows->factored_set[i]) continue;
    if (!change_row(worker, i, rows->free_set[i] ? 1 : -1, worker->x)) return 0;
    rows->factored_set[i] = rows->free_set[i];
    worker->blocks.updates++;
  }
  return 1;
}
