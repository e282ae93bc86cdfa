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

#include "sb_work.h"

SB_INLINE int dofs_at(const SbStep* s, int position) {
  return s->m->tree_dofnum[s->blocks.tree[s->blocks.order[position]]];
}

SB_INLINE int first_dof_at(const SbStep* s, int position) {
  return s->m->tree_dofadr[s->blocks.tree[s->blocks.order[position]]];
}

static int bits(uint64_t x) { return __builtin_popcountll(x); }

static void link_nodes(uint64_t* adjacency, int words, int a, int b) {
  adjacency[(int64_t)a * words + b / 64] |= 1ull << (b % 64);
  adjacency[(int64_t)b * words + a / 64] |= 1ull << (a % 64);
}

// Number the trees of the island and note which share a row.
static int collect_nodes(SbStep* s, const int* list, int count, int* words) {
  SbBlocks* blocks = &s->blocks;
  const SbRows* rows = &s->rows;
  int n = 0;
  for (int t = 0; t < s->m->ntree; t++) blocks->node[t] = -1;
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    for (int p = 0; p < span->parts; p++) {
      int tree = span->part[p].tree;
      if (blocks->node[tree] >= 0) continue;
      blocks->node[tree] = n;
      blocks->tree[n++] = tree;
    }
  }
  blocks->count = n;
  *words = (n + 63) / 64;
  int64_t size = (int64_t)n * *words;
  if (size > blocks->adjacency_capacity) {
    if (!SB_GROW(blocks->adjacency, size)) return 0;
    blocks->adjacency_capacity = size;
  }
  memset(blocks->adjacency, 0, size * sizeof(uint64_t));
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    if (span->parts < 2) continue;
    link_nodes(blocks->adjacency, *words, blocks->node[span->part[0].tree],
               blocks->node[span->part[1].tree]);
  }
  return 1;
}

static int reserve_index(SbBlocks* blocks, int count) {
  if (count <= blocks->index_capacity) return 1;
  int capacity = 2 * count + 256;
  if (!SB_GROW(blocks->row_index, capacity) || !SB_GROW(blocks->block_offset, capacity)) return 0;
  blocks->index_capacity = capacity;
  return 1;
}

// Eliminate node after node, each time one with the fewest neighbours, and join its neighbours.
static int eliminate(SbBlocks* blocks, int words) {
  int n = blocks->count;
  uint64_t* adjacency = blocks->adjacency;
  for (int i = 0; i < n; i++) {
    int degree = 0;
    for (int k = 0; k < words; k++) degree += bits(adjacency[(int64_t)i * words + k]);
    blocks->degree[i] = degree;
    blocks->position[i] = -1;
  }
  blocks->index_count = 0;
  for (int p = 0; p < n; p++) {
    int best = -1;
    for (int i = 0; i < n; i++) {
      if (blocks->position[i] >= 0) continue;
      if (best < 0 || blocks->degree[i] < blocks->degree[best]) best = i;
      if (blocks->degree[best] == 0) break;
    }
    blocks->position[best] = p;
    blocks->order[p] = best;
    blocks->column_start[p] = blocks->index_count;
    if (!reserve_index(blocks, blocks->index_count + blocks->degree[best])) return 0;
    uint64_t* mine = adjacency + (int64_t)best * words;
    int begin = blocks->index_count;
    for (int k = 0; k < words; k++) {
      for (uint64_t left = mine[k]; left; left &= left - 1) {
        blocks->row_index[blocks->index_count++] = 64 * k + __builtin_ctzll(left);
      }
    }
    for (int q = begin; q < blocks->index_count; q++) {
      int j = blocks->row_index[q], degree = 0;
      uint64_t* other = adjacency + (int64_t)j * words;
      for (int k = 0; k < words; k++) other[k] |= mine[k];
      other[best / 64] &= ~(1ull << (best % 64));
      other[j / 64] &= ~(1ull << (j % 64));
      for (int k = 0; k < words; k++) degree += bits(other[k]);
      blocks->degree[j] = degree;
    }
  }
  blocks->column_start[n] = blocks->index_count;
  return 1;
}

// Place the blocks in memory, column by column.
static int lay_out(SbStep* s) {
  SbBlocks* blocks = &s->blocks;
  int64_t offset = 0;
  for (int p = 0; p < blocks->count; p++) {
    int n = dofs_at(s, p), begin = blocks->column_start[p], end = blocks->column_start[p + 1];
    blocks->diagonal_offset[p] = offset;
    offset += (int64_t)n * n;
    for (int q = begin; q < end; q++) {
      int position = blocks->position[blocks->row_index[q]], at = q;
      while (at > begin && blocks->row_index[at - 1] > position) {
        blocks->row_index[at] = blocks->row_index[at - 1];
        at--;
      }
      blocks->row_index[at] = position;
    }
    for (int q = begin; q < end; q++) {
      blocks->block_offset[q] = offset;
      offset += (int64_t)n * dofs_at(s, blocks->row_index[q]);
    }
  }
  blocks->h_count = offset;
  if (offset > blocks->h_capacity) {
    int64_t capacity = offset + offset / 2;
    if (!SB_GROW(blocks->h, capacity)) return 0;
    blocks->h_capacity = capacity;
  }
  return 1;
}

// Index of the block (row position, column position), which must exist.
static int find_block(const SbBlocks* blocks, int row, int column) {
  int low = blocks->column_start[column], high = blocks->column_start[column + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (blocks->row_index[middle] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

int sb_blocks_plan(SbStep* s, const int* list, int count) {
  SbBlocks* blocks = &s->blocks;
  int words;
  if (!collect_nodes(s, list, count, &words) || !eliminate(blocks, words) || !lay_out(s)) return 0;
  for (int k = 0; k < count; k++) {
    SbSpan* span = s->rows.span + list[k];
    if (span->parts < 2) continue;
    int a = blocks->position[blocks->node[span->part[0].tree]];
    int b = blocks->position[blocks->node[span->part[1].tree]];
    span->block = a < b ? find_block(blocks, b, a) : find_block(blocks, a, b);
  }
  return 1;
}

// B += k u u', lower half, for a row part u with dofs counted from the tree's first.
SB_INLINE void add_square(double* b, int height, double k, const double* u, const int* dof,
                          int count, int first, int dense) {
  for (int j = 0; j < count; j++) {
    double t = k * u[j];
    double* column = b + (int64_t)(dof[j] - first) * height;
    if (dense) {
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

SB_INLINE void add_row(SbStep* s, int i) {
  SbBlocks* blocks = &s->blocks;
  const SbRows* rows = &s->rows;
  const SbSpan* span = rows->span + i;
  double stiffness = rows->stiffness[i];
  int position[2];
  for (int p = 0; p < span->parts; p++) {
    const SbSegment* part = span->part + p;
    position[p] = blocks->position[blocks->node[part->tree]];
    const double* y = rows->y + part->start;
    const int* column = rows->column + part->start;
    int n = s->m->tree_dofnum[part->tree], first = s->m->tree_dofadr[part->tree];
    double* h = blocks->h + blocks->diagonal_offset[position[p]];
    if (n == 6 && part->count == 6) {
      add_outer_6(h, stiffness, y, y);
    } else {
      add_square(h, n, stiffness, y, column, part->count, first, part->dense);
    }
  }
  if (span->parts < 2) return;
  int low = position[0] < position[1] ? 0 : 1;
  const SbSegment *above = span->part + low, *below = span->part + 1 - low;
  double* h = blocks->h + blocks->block_offset[span->block];
  int height = s->m->tree_dofnum[below->tree], width = s->m->tree_dofnum[above->tree];
  if (height == 6 && width == 6 && below->count == 6 && above->count == 6) {
    add_outer_6(h, stiffness, rows->y + below->start, rows->y + above->start);
  } else {
    add_outer(h, height, stiffness, rows->y + below->start, rows->column + below->start,
              below->count, s->m->tree_dofadr[below->tree], rows->y + above->start,
              rows->column + above->start, above->count, s->m->tree_dofadr[above->tree]);
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

SB_INLINE void subtract_product_6(double* restrict c, const double* restrict a,
                               const double* restrict b) {
  for (int j = 0; j < 6; j++) {
    double sum[6];
    for (int i = 0; i < 6; i++) sum[i] = c[6 * j + i];
    for (int k = 0; k < 6; k++) {
      double t = b[j + 6 * k];
      for (int i = 0; i < 6; i++) sum[i] -= a[i + 6 * k] * t;
    }
    for (int i = 0; i < 6; i++) c[6 * j + i] = sum[i];
  }
}

SB_INLINE void update(double* c, const double* a, int height, const double* b, int width, int n) {
  if (height == 6 && width == 6 && n == 6) {
    subtract_product_6(c, a, b);
  } else {
    subtract_product(c, a, height, b, width, n);
  }
}

SB_CLONES
void sb_blocks_factor(SbStep* s, const int* list, int count) {
  SbBlocks* blocks = &s->blocks;
  double* h = blocks->h;
  memset(h, 0, blocks->h_count * sizeof(double));
  for (int p = 0; p < blocks->count; p++) {
    int n = dofs_at(s, p);
    for (int i = 0; i < n; i++) h[blocks->diagonal_offset[p] + (int64_t)i * n + i] = 1;
  }
  for (int k = 0; k < count; k++) {
    if (s->rows.free_set[list[k]]) add_row(s, list[k]);
  }

  // right-looking: factor a column, then subtract its products from the columns to the right
  for (int p = 0; p < blocks->count; p++) {
    int n = dofs_at(s, p), begin = blocks->column_start[p], end = blocks->column_start[p + 1];
    double* l = h + blocks->diagonal_offset[p];
    // free bodies get loops of constant length
    if (n == 6) {
      factor_dense(l, 6);
    } else {
      factor_dense(l, n);
    }
    for (int q = begin; q < end; q++) {
      int height = dofs_at(s, blocks->row_index[q]);
      if (n == 6 && height == 6) {
        solve_below(h + blocks->block_offset[q], 6, l, 6);
      } else {
        solve_below(h + blocks->block_offset[q], height, l, n);
      }
    }
    for (int k = begin; k < end; k++) {
      int column = blocks->row_index[k], width = dofs_at(s, column);
      const double* b = h + blocks->block_offset[k];
      update(h + blocks->diagonal_offset[column], b, width, b, width, n);
      int at = blocks->column_start[column];
      for (int q = k + 1; q < end; q++) {
        int row = blocks->row_index[q];
        while (blocks->row_index[at] != row) at++;
        update(h + blocks->block_offset[at], h + blocks->block_offset[q], dofs_at(s, row), b, width,
               n);
      }
    }
  }
  s->stats.factorizations++;
}

// x <- L^-1 x, and x <- L^-T x, for a dense n x n factor with inverted diagonal.
SB_INLINE void solve_lower(const double* l, int n, double* x) {
  for (int j = 0; j < n; j++) {
    x[j] *= l[(int64_t)j * n + j];
    for (int i = j + 1; i < n; i++) x[i] -= l[(int64_t)j * n + i] * x[j];
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

SB_INLINE void solve_forwards(const SbStep* s, int p, double* x) {
  const SbBlocks* blocks = &s->blocks;
  const double* l = blocks->h + blocks->diagonal_offset[p];
  int n = dofs_at(s, p);
  double* u = x + first_dof_at(s, p);
  if (n == 6) {
    solve_lower(l, 6, u);
  } else {
    solve_lower(l, n, u);
  }
  for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
    int height = dofs_at(s, blocks->row_index[q]);
    const double* b = blocks->h + blocks->block_offset[q];
    double* v = x + first_dof_at(s, blocks->row_index[q]);
    if (n == 6 && height == 6) {
      subtract_times(b, 6, 6, u, v);
    } else {
      subtract_times(b, height, n, u, v);
    }
  }
}

SB_INLINE void solve_backwards(const SbStep* s, int p, double* x) {
  const SbBlocks* blocks = &s->blocks;
  const double* l = blocks->h + blocks->diagonal_offset[p];
  int n = dofs_at(s, p);
  double* u = x + first_dof_at(s, p);
  for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
    int height = dofs_at(s, blocks->row_index[q]);
    const double* b = blocks->h + blocks->block_offset[q];
    const double* v = x + first_dof_at(s, blocks->row_index[q]);
    if (n == 6 && height == 6) {
      subtract_transposed(b, 6, 6, v, u);
    } else {
      subtract_transposed(b, height, n, v, u);
    }
  }
  if (n == 6) {
    solve_upper(l, 6, u);
  } else {
    solve_upper(l, n, u);
  }
}

// Solve L L' x = x in place; x is indexed by dof.
SB_CLONES
void sb_blocks_solve(const SbStep* s, double* x) {
  for (int p = 0; p < s->blocks.count; p++) solve_forwards(s, p, x);
  for (int p = s->blocks.count - 1; p >= 0; p--) solve_backwards(s, p, x);
}
