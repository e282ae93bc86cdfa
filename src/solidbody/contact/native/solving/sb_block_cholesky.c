// Exact solve on the free set F (rows strictly between their bounds).
//
// With the other forces fixed, the free ones satisfy  (Y_F Y_F' + R_F) f_F = -(b_F + Y_F w_rest).
// There are often more rows than dofs, so the smaller system is solved instead: for w = Y'f,
//
//     (I + Y_F' R_F^-1 Y_F) w = w_rest - Y_F' R_F^-1 b_F,      f_F = -R_F^-1 (b_F + Y_F w)
//
// The matrix H in brackets is positive definite, with a dense diagonal block per kinematic tree and
// an off-diagonal block for each two trees that share a row:
//
//          t0 t1 t2 t3
//     t0 [ x           ]      block Cholesky H = L L', trees eliminated in minimum-degree order;
//     t1 [ x  x        ]      blocks are stored column by column, column-major inside a block
//     t2 [    x  x     ]
//     t3 [ x  o  x  x  ]      o: fill-in
#include <string.h>

#include "rows/sb_row_ops.h"
#include "solving/sb_tree_cholesky.h"
#include "base/sb_work.h"

// Changes of a factor until it is made anew: each adds its rounding.
#define SB_MAX_UPDATES 500

SB_INLINE int is_thin(const SbBlocks* blocks, int position) {
  return blocks->thin[blocks->order[position]];
}

// B += k u u', lower half, for a row part u with dofs counted from the tree's first.
SB_INLINE void add_square(double* b, int height, double k, const double* u, const int* dof,
                          int count, int first, int dense) {
  for (int j = 0; j < count; j++) {
    double t = k * u[j];
    double* column = b + (int64_t)(dof[j] - first) * height;
    if (t == 0) continue;  // most of a full row
    if (dense && count == height) {
      // from a multiple of four on: what lies above the diagonal is not read
      int begin = j & ~3;
      sb_add_four(column + begin, t, u + begin, count - begin);
    } else if (dense) {
      double* below = column + (dof[0] - first);
      for (int i = j; i < count; i++) below[i] += t * u[i];
    } else {
      for (int i = j; i < count; i++) column[dof[i] - first] += t * u[i];
    }
  }
}

// B += k u v' for row parts u (rows of B) and v (columns) in two trees.
SB_INLINE void add_outer(double* b, int height, double k, const double* u, const int* u_dof,
                         int u_count, int u_first, const double* v, const int* v_dof, int v_count,
                         int v_first) {
  for (int j = 0; j < v_count; j++) {
    double t = k * v[j];
    double* column = b + (int64_t)(v_dof[j] - v_first) * height;
    for (int i = 0; i < u_count; i++) column[u_dof[i] - u_first] += t * u[i];
  }
}

// The same for two free bodies, where everything is dense and 6 wide.
SB_INLINE void add_outer_6(double* restrict b, double k, const double* restrict u,
                        const double* restrict v) {
  for (int j = 0; j < 6; j++) {
    double t = k * v[j];
    for (int i = 0; i < 6; i++) b[6 * j + i] += t * u[i];
  }
}

// H += k u u' for one part of a row.
SB_INLINE void add_diagonal(SbWorker* worker, const SbSegment* part, double k) {
  const SbStep* s = worker->s;
  SbBlocks* blocks = &worker->blocks;
  const double* y = s->rows.y + part->start;
  const int* column = s->rows.column + part->start;
  int node = blocks->node[part->tree], n = s->m->tree_dofnum[part->tree];
  double* h = blocks->h + blocks->diagonal_offset[blocks->position[node]];
  if (n == 6 && part->count == 6) {
    add_outer_6(h, k, y, y);
  } else if (blocks->thin[node]) {
    sb_thin_add(s, h, k, y, column, part->count);
  } else {
    add_square(h, n, k, y, column, part->count, s->m->tree_dofadr[part->tree], part->dense);
  }
}

// The block that two parts of a row share.
SB_INLINE void add_off_diagonal(SbWorker* worker, const SbSegment* a, const SbSegment* b, int block,
                                double k) {
  const SbStep* s = worker->s;
  const SbRows* rows = &s->rows;
  const SbBlocks* blocks = &worker->blocks;
  int low = blocks->position[blocks->node[a->tree]] < blocks->position[blocks->node[b->tree]];
  const SbSegment *above = low ? a : b, *below = low ? b : a;
  double* h = blocks->h + blocks->block_offset[block];
  int height = s->m->tree_dofnum[below->tree], width = s->m->tree_dofnum[above->tree];
  if (height == 6 && width == 6 && below->count == 6 && above->count == 6) {
    add_outer_6(h, k, rows->y + below->start, rows->y + above->start);
  } else {
    add_outer(h, height, k, rows->y + below->start, rows->column + below->start, below->count,
              s->m->tree_dofadr[below->tree], rows->y + above->start, rows->column + above->start,
              above->count, s->m->tree_dofadr[above->tree]);
  }
}

// H += k y y'.
SB_INLINE void add_row(SbWorker* worker, int i, double k) {
  const SbRows* rows = &worker->s->rows;
  const SbSpan* span = rows->span + i;
  const SbSegment* part = rows->part + span->part;
  const int* pair = rows->pair + span->pair;
  for (int a = 0; a < span->parts; a++) {
    add_diagonal(worker, part + a, k);
    for (int b = a + 1; b < span->parts; b++) {
      add_off_diagonal(worker, part + a, part + b, *pair++, k);
    }
  }
}

// The same as the next one, four values at once; above the diagonal the factor has zeros where vectors reach.
SB_INLINE void factor_dense_four(double* a, int n) {
  for (int j = 0; j < n; j++) {
    int begin = j & ~3;
    double* column = a + (int64_t)j * n;
    for (int k = 0; k < j; k++) {
      const double* before = a + (int64_t)k * n;
      sb_add_four(column + begin, -before[j], before + begin, n - begin);
    }
    double inverse = 1 / sqrt(column[j]);
    for (int i = begin; i < j; i++) column[i] = 0;
    column[j] = inverse;
    for (int i = j + 1; i < n; i++) column[i] *= inverse;
  }
}

// Dense Cholesky of an n x n block, lower half; the diagonal of the factor is stored inverted.
SB_INLINE void factor_dense(double* a, int n) {
  for (int j = 0; j < n; j++) {
    double* column = a + (int64_t)j * n;
    for (int k = 0; k < j; k++) {
      const double* before = a + (int64_t)k * n;
      double t = before[j];
      for (int i = j; i < n; i++) column[i] -= before[i] * t;
    }
    double inverse = 1 / sqrt(column[j]);
    column[j] = inverse;
    for (int i = j + 1; i < n; i++) column[i] *= inverse;
  }
}

// B <- B L^-T for a block of `height` rows below the n x n factor L.
SB_INLINE void solve_below(double* b, int height, const double* l, int n) {
  for (int j = 0; j < n; j++) {
    double* column = b + (int64_t)j * height;
    for (int k = 0; k < j; k++) {
      const double* before = b + (int64_t)k * height;
      double t = l[(int64_t)k * n + j];
      for (int i = 0; i < height; i++) column[i] -= before[i] * t;
    }
    double inverse = l[(int64_t)j * n + j];
    for (int i = 0; i < height; i++) column[i] *= inverse;
  }
}

// The same for two free bodies. Six values are a vector of four and one of two.
SB_INLINE void solve_below_6(double* restrict b, const double* restrict l) {
  SbFour top[6];
  SbTwo rest[6];
  for (int j = 0; j < 6; j++) {
    top[j] = *(const SbFour*)(b + 6 * j);
    rest[j] = *(const SbTwo*)(b + 6 * j + 4);
  }
  for (int j = 0; j < 6; j++) {
    for (int k = 0; k < j; k++) {
      top[j] -= top[k] * l[6 * k + j];
      rest[j] -= rest[k] * l[6 * k + j];
    }
    top[j] *= l[7 * j];
    rest[j] *= l[7 * j];
    *(SbFour*)(b + 6 * j) = top[j];
    *(SbTwo*)(b + 6 * j + 4) = rest[j];
  }
}

// C -= A B' with inner dimension n.
SB_INLINE void subtract_product(double* restrict c, const double* restrict a, int height,
                             const double* restrict b, int width, int n) {
  for (int j = 0; j < width; j++) {
    for (int k = 0; k < n; k++) {
      double t = b[j + (int64_t)width * k];
      for (int i = 0; i < height; i++) c[(int64_t)j * height + i] -= a[i + (int64_t)height * k] * t;
    }
  }
}

// Where nothing takes four at once, plain loops are faster; sanitizers shall see the other version.
#if defined(SB_HAS_CLONES) || defined(__SANITIZE_ADDRESS__)

typedef int64_t Order __attribute__((vector_size(32)));

// The same for free bodies, for all products up to the first one of another width, which is returned. Two
// columns of C, 12 values, are three vectors; all nine stay in registers.
SB_INLINE const SbProduct* subtract_products_6(const SbBlocks* blocks, double* restrict c,
                                               const SbProduct* product, const SbProduct* end) {
  SbFour* to = (SbFour*)c;
  SbFour c0 = to[0], c1 = to[1], c2 = to[2], c3 = to[3], c4 = to[4], c5 = to[5], c6 = to[6],
         c7 = to[7], c8 = to[8];
  for (; product < end && product->width == 6; product++) {
    const double* a = blocks->h + blocks->block_offset[product->a];
    const double* b = blocks->h + blocks->block_offset[product->b];
    if (product + 1 < end) {
      // lies in another column
      const double* next = blocks->h + blocks->block_offset[product[1].a];
      for (int k = 0; k < 36; k += 8) __builtin_prefetch(next + k);
    }
    for (int k = 0; k < 6; k++, a += 6, b += 6) {
      SbFour low = *(const SbFour*)a, high = *(const SbFour*)(a + 2);
      SbFour middle = __builtin_shuffle(high, low, (Order){2, 3, 4, 5});
      SbFour left = *(const SbFour*)b, right = *(const SbFour*)(b + 2);
      c0 -= low * b[0];
      c1 -= middle * __builtin_shuffle(left, (Order){0, 0, 1, 1});
      c2 -= high * b[1];
      c3 -= low * b[2];
      c4 -= middle * __builtin_shuffle(left, (Order){2, 2, 3, 3});
      c5 -= high * b[3];
      c6 -= low * b[4];
      c7 -= middle * __builtin_shuffle(right, (Order){2, 2, 3, 3});
      c8 -= high * b[5];
    }
  }
  to[0] = c0, to[1] = c1, to[2] = c2;
  to[3] = c3, to[4] = c4, to[5] = c5;
  to[6] = c6, to[7] = c7, to[8] = c8;
  return product;
}

#else

SB_INLINE const SbProduct* subtract_products_6(const SbBlocks* blocks, double* restrict c,
                                               const SbProduct* product, const SbProduct* end) {
  for (; product < end && product->width == 6; product++) {
    subtract_product(c, blocks->h + blocks->block_offset[product->a], 6,
                     blocks->h + blocks->block_offset[product->b], 6, 6);
  }
  return product;
}

#endif

// Subtract the products of a block.
SB_INLINE void subtract_products(const SbBlocks* blocks, double* c, int height, int width,
                                 const SbProduct* product, const SbProduct* end) {
  while (product < end) {
    if (height == 6 && width == 6) product = subtract_products_6(blocks, c, product, end);
    if (product == end) break;
    subtract_product(c, blocks->h + blocks->block_offset[product->a], height,
                     blocks->h + blocks->block_offset[product->b], width, product->width);
    product++;
  }
}

// H starts with the identity.
SB_INLINE void clear_blocks(SbWorker* worker) {
  SbBlocks* blocks = &worker->blocks;
  memset(blocks->h, 0, blocks->h_count * sizeof(double));
  for (int p = 0; p < blocks->count; p++) {
    int n = blocks->dofs[p], first = blocks->first[p];
    double* h = blocks->h + blocks->diagonal_offset[p];
    for (int i = 0; i < n; i++) {
      int dof = first + i;
      int64_t at = is_thin(blocks, p) ? worker->s->dof_packed[dof] + worker->s->dof_depth[dof] - 1
                                      : (int64_t)i * n + i;
      h[at] = 1;
    }
  }
}

// Factor the diagonal block of a column and divide the blocks below it.
SB_INLINE void factor_column(SbWorker* worker, int p) {
  SbBlocks* blocks = &worker->blocks;
  const SbStep* s = worker->s;
  int n = blocks->dofs[p], first = blocks->first[p], thin = is_thin(blocks, p);
  double* l = blocks->h + blocks->diagonal_offset[p];
  // free bodies get loops of constant length
  if (thin) {
    sb_thin_factor(s, l, first, n);
  } else if (n == 6) {
    factor_dense(l, 6);
  } else if (n > 6) {
    factor_dense_four(l, n);
  } else {
    factor_dense(l, n);
  }
  for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
    int height = blocks->dofs[blocks->row_index[q]];
    double* b = blocks->h + blocks->block_offset[q];
    if (thin) {
      sb_thin_solve_below(s, b, height, l, first, n);
    } else if (n == 6 && height == 6) {
      solve_below_6(b, l);
    } else {
      solve_below(b, height, l, n);
    }
  }
}

// An island of one tree with eight dofs and a branch: a robot on two wheels. Its matrix stays in registers: the
// upper half of each column and the lower one of the first four, as vectors.
SB_INLINE int is_eight(const SbWorker* worker) {
  const SbBlocks* blocks = &worker->blocks;
  return blocks->count == 1 && blocks->dofs[0] == 8 && worker->s->tree_full[blocks->tree[0]];
}

SB_INLINE void factor_eight(SbWorker* worker, const int* list, int count) {
  const SbRows* rows = &worker->s->rows;
  double* h = worker->blocks.h;
  SbFour top[4] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}}, low[8] = {{0}, {0}, {0}, {0}, {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (!rows->free_set[i]) continue;
    const double* y = rows->y + rows->part[rows->span[i].part].start;
    SbFour y0 = *(const SbFour*)y * rows->stiffness[i], y1 = *(const SbFour*)(y + 4) * rows->stiffness[i];
    SB_UNROLL
    for (int j = 0; j < 8; j++) {
      if (j < 4) top[j] += y0 * y[j];
      low[j] += y1 * y[j];
    }
  }
  SB_UNROLL
  for (int j = 0; j < 8; j++) {
    double inverse = 1 / sqrt(j < 4 ? top[j & 3][j & 3] : low[j][j & 3]), *column = h + 8 * j;
    if (j < 4) top[j] *= inverse;
    low[j] *= inverse;
    SB_UNROLL
    for (int k = j + 1; k < 8; k++) {
      double t = k < 4 ? top[j & 3][k & 3] : low[j][k & 3];
      if (k < 4) top[k] -= top[j & 3] * t;
      low[k] -= low[j] * t;
    }
    if (j < 4) *(SbFour*)column = top[j & 3];
    *(SbFour*)(column + 4) = low[j];
    SB_UNROLL
    for (int i = j & 4; i < j; i++) column[i] = 0;
    column[j] = inverse;
  }
}

// H of the free set, into h.
SB_INLINE void assemble(SbWorker* worker, const int* list, int count) {
  const SbRows* rows = &worker->s->rows;
  clear_blocks(worker);
  for (int k = 0; k < count; k++) {
    if (rows->free_set[list[k]]) add_row(worker, list[k], rows->stiffness[list[k]]);
  }
}

// The same from the sum of the last free set, which lies beside the factor: from one exchange of rows to
// the next (sb_active_set.c) few of them change.
SB_INLINE void assemble_changes(SbWorker* worker, const int* list, int count) {
  SbBlocks* blocks = &worker->blocks;
  SbRows* rows = &worker->s->rows;
  double* factor = blocks->h;
  blocks->h = blocks->sum;
  if (!blocks->has_sum) clear_blocks(worker);
  blocks->has_sum = 1;
  for (int k = 0; k < count; k++) {
    int i = list[k], change = rows->free_set[i] - rows->summed_set[i];
    if (change) add_row(worker, i, change * rows->stiffness[i]);
    rows->summed_set[i] = rows->free_set[i];
  }
  blocks->h = factor;
  memcpy(factor, blocks->sum, blocks->h_count * sizeof(double));
}

SB_CLONES
static void factor_anew(SbWorker* worker, const int* list, int count) {
  SbBlocks* blocks = &worker->blocks;
  SbRows* rows = &worker->s->rows;
  double* h = blocks->h;
  blocks->is_factored = 1;
  blocks->updates = 0;
  worker->factorizations++;
  for (int k = 0; k < count; k++) rows->factored_set[list[k]] = rows->free_set[list[k]];
  if (is_eight(worker)) {
    factor_eight(worker, list, count);
    return;
  }
  if (count >= SB_MANY_ROWS) {
    assemble_changes(worker, list, count);
  } else {
    assemble(worker, list, count);
  }
  for (int p = 0; p < blocks->count; p++) {
    int width = blocks->dofs[p];
    const int64_t* start = blocks->product_start + blocks->column_start[p] + p;
    subtract_products(blocks, h + blocks->diagonal_offset[p], width, width,
                      blocks->product + start[0], blocks->product + start[1]);
    for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
      start++;
      subtract_products(blocks, h + blocks->block_offset[q], blocks->dofs[blocks->row_index[q]],
                        width, blocks->product + start[0], blocks->product + start[1]);
    }
    factor_column(worker, p);
  }
}

// Whether to update: the change of a block takes about as long as a product.
static int is_update_cheaper(const SbWorker* worker, const int* list, int count) {
  const SbBlocks* blocks = &worker->blocks;
  const SbRows* rows = &worker->s->rows;
  if (!blocks->is_factored || !blocks->can_update || blocks->updates > SB_MAX_UPDATES) return 0;
  int64_t changes = 0, products = blocks->product_start[blocks->count + blocks->index_count];
  for (int k = 0; k < count && changes < products; k++) {
    int i = list[k];
    if (rows->free_set[i] != rows->factored_set[i]) {
      changes += blocks->path[sb_first_position(worker, i)];
    }
  }
  return changes < products;
}

// Whether the factor is that of the free set, and made at once.
static int is_same_set(const SbWorker* worker, const int* list, int count) {
  const SbRows* rows = &worker->s->rows;
  if (!worker->blocks.is_factored || worker->blocks.updates) return 0;
  for (int k = 0; k < count; k++) {
    if (rows->free_set[list[k]] != rows->factored_set[list[k]]) return 0;
  }
  return 1;
}

void sb_blocks_factor(SbWorker* worker, const int* list, int count) {
  if (is_same_set(worker, list, count)) return;
  if (is_update_cheaper(worker, list, count) && sb_blocks_update(worker, list, count)) return;
  factor_anew(worker, list, count);
}

// x <- L^-1 x, and x <- L^-T x, for a dense n x n factor with inverted diagonal.
SB_INLINE void solve_lower(const double* l, int n, double* x) {
  for (int j = 0; j < n; j++) {
    x[j] *= l[(int64_t)j * n + j];
    for (int i = j + 1; i < n; i++) x[i] -= l[(int64_t)j * n + i] * x[j];
  }
}

// The same, four values at once.
SB_INLINE void solve_lower_four(const double* l, int n, double* x) {
  for (int j = 0; j < n; j++, l += n) {
    int begin = j & ~3;
    double v = x[j] * l[j];
    sb_add_four(x + begin, -v, l + begin, n - begin);
    x[j] = v;
  }
}

SB_INLINE void solve_upper_four(const double* l, int n, double* x) {
  for (int j = n - 1; j >= 0; j--) {
    const double* column = l + (int64_t)j * n;
    int begin = j & ~3;
    double v = x[j];
    x[j] = 0;
    x[j] = (v - sb_dot_four(column + begin, x + begin, n - begin)) * column[j];
  }
}

SB_INLINE void solve_upper(const double* l, int n, double* x) {
  for (int j = n - 1; j >= 0; j--) {
    double sum = x[j];
    for (int i = j + 1; i < n; i++) sum -= l[(int64_t)j * n + i] * x[i];
    x[j] = sum * l[(int64_t)j * n + j];
  }
}

// v -= B u, and u -= B' v, for a block of `height` rows and n columns.
SB_INLINE void subtract_times(const double* b, int height, int n, const double* u, double* v) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < height; i++) v[i] -= b[(int64_t)j * height + i] * u[j];
  }
}

SB_INLINE void subtract_transposed(const double* b, int height, int n, const double* v, double* u) {
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < height; i++) sum += b[(int64_t)j * height + i] * v[i];
    u[j] -= sum;
  }
}

// The same for two free bodies.
SB_INLINE void subtract_times_6(const double* restrict b, const double* restrict u,
                                double* restrict v) {
  SbFour top = *(const SbFour*)v;
  SbTwo rest = *(const SbTwo*)(v + 4);
  for (int j = 0; j < 6; j++, b += 6) {
    top -= *(const SbFour*)b * u[j];
    rest -= *(const SbTwo*)(b + 4) * u[j];
  }
  *(SbFour*)v = top;
  *(SbTwo*)(v + 4) = rest;
}

SB_INLINE void subtract_transposed_6(const double* restrict b, const double* restrict v,
                                     double* restrict u) {
  SbFour top = *(const SbFour*)v;
  SbTwo rest = *(const SbTwo*)(v + 4);
  for (int j = 0; j < 6; j++, b += 6) {
    SbFour a = *(const SbFour*)b * top;
    SbTwo c = *(const SbTwo*)(b + 4) * rest;
    u[j] -= ((a[0] + a[2]) + c[0]) + ((a[1] + a[3]) + c[1]);
  }
}

SB_INLINE void solve_forwards(const SbWorker* worker, int p, double* x) {
  const SbBlocks* blocks = &worker->blocks;
  const double* l = blocks->h + blocks->diagonal_offset[p];
  int n = blocks->dofs[p], first = blocks->first[p];
  double* u = x + first;
  if (is_thin(blocks, p)) {
    sb_thin_solve_leaves(worker->s, l, first, n, x);
  } else if (n == 6) {
    solve_lower(l, 6, u);
  } else if (n > 6) {
    solve_lower_four(l, n, u);
  } else {
    solve_lower(l, n, u);
  }
  for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
    int height = blocks->dofs[blocks->row_index[q]];
    const double* b = blocks->h + blocks->block_offset[q];
    double* v = x + blocks->first[blocks->row_index[q]];
    if (n == 6 && height == 6) {
      subtract_times_6(b, u, v);
    } else {
      subtract_times(b, height, n, u, v);
    }
  }
}

SB_INLINE void solve_backwards(const SbWorker* worker, int p, double* x) {
  const SbBlocks* blocks = &worker->blocks;
  const double* l = blocks->h + blocks->diagonal_offset[p];
  int n = blocks->dofs[p], first = blocks->first[p];
  double* u = x + first;
  for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
    int height = blocks->dofs[blocks->row_index[q]];
    const double* b = blocks->h + blocks->block_offset[q];
    const double* v = x + blocks->first[blocks->row_index[q]];
    if (n == 6 && height == 6) {
      subtract_transposed_6(b, v, u);
    } else {
      subtract_transposed(b, height, n, v, u);
    }
  }
  if (is_thin(blocks, p)) {
    sb_thin_solve_root(worker->s, l, first, n, x);
  } else if (n == 6) {
    solve_upper(l, 6, u);
  } else if (n > 6) {
    solve_upper_four(l, n, u);
  } else {
    solve_upper(l, n, u);
  }
}

// L L' x = x for the factor of factor_eight, in registers as well.
SB_INLINE void solve_eight(const double* l, double* x) {
  SbFour top = *(const SbFour*)x, low = *(const SbFour*)(x + 4);
  SB_UNROLL
  for (int j = 0; j < 8; j++) {
    double v = (j < 4 ? top[j & 3] : low[j & 3]) * l[9 * j];
    if (j < 4) {
      top -= *(const SbFour*)(l + 8 * j) * v;
      top[j & 3] = v;
    }
    low -= *(const SbFour*)(l + 8 * j + 4) * v;
    if (j >= 4) low[j & 3] = v;
  }
  SB_UNROLL
  for (int j = 7; j >= 0; j--) {
    double v = j < 4 ? top[j & 3] : low[j & 3];
    if (j < 4) top[j & 3] = 0;
    if (j >= 4) low[j & 3] = 0;
    SbFour sum = *(const SbFour*)(l + 8 * j + 4) * low;
    if (j < 4) sum += *(const SbFour*)(l + 8 * j) * top;
    v = (v - ((sum[0] + sum[2]) + (sum[1] + sum[3]))) * l[9 * j];
    if (j < 4) top[j & 3] = v;
    if (j >= 4) low[j & 3] = v;
  }
  *(SbFour*)x = top;
  *(SbFour*)(x + 4) = low;
}

// Solve L L' x = x in place; x is indexed by dof.
SB_CLONES
void sb_blocks_solve(const SbWorker* worker, double* x) {
  if (is_eight(worker)) {
    solve_eight(worker->blocks.h, x + worker->blocks.first[0]);
    return;
  }
  for (int p = 0; p < worker->blocks.count; p++) solve_forwards(worker, p, x);
  for (int p = worker->blocks.count - 1; p >= 0; p--) solve_backwards(worker, p, x);
}
