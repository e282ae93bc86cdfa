// Order of elimination and place in memory of the factor of one island (sb_block_cholesky.c): once per step.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/sb_work.h"

SB_INLINE int bits(uint64_t x) { return __builtin_popcountll(x); }

static void link_nodes(uint64_t* adjacency, int words, int a, int b) {
  adjacency[(int64_t)a * words + b / 64] |= 1ull << (b % 64);
  adjacency[(int64_t)b * words + a / 64] |= 1ull << (a % 64);
}

// Number the trees of the island and note which share a row.
static int collect_nodes(SbWorker* worker, const int* list, int count, int* words) {
  SbBlocks* blocks = &worker->blocks;
  const SbStep* s = worker->s;
  const SbRows* rows = &s->rows;
  int n = 0;
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    const SbSegment* part = rows->part + span->part;
    for (int p = 0; p < span->parts; p++) blocks->node[part[p].tree] = -1;
  }
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    const SbSegment* part = rows->part + span->part;
    for (int p = 0; p < span->parts; p++) {
      int tree = part[p].tree, dofs = s->m->tree_dofnum[tree];
      if (blocks->node[tree] < 0) {
        blocks->node[tree] = n;
        blocks->tree[n] = tree;
        // a tree without branches is full
        blocks->thin[n++] = s->tree_packed[tree] < dofs * (dofs + 1) / 2;
      }
      blocks->thin[blocks->node[tree]] &= part[p].chain;
    }
  }
  blocks->count = n;
  *words = (n + 63) / 64;
  int64_t size = (int64_t)n * *words;
  if (!SB_ALLOCATE(&worker->arena, blocks->adjacency, size)) return 0;
  memset(blocks->adjacency, 0, size * sizeof(uint64_t));
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    const SbSegment* part = rows->part + span->part;
    for (int a = 0; a < span->parts; a++) {
      for (int b = a + 1; b < span->parts; b++) {
        link_nodes(blocks->adjacency, *words, blocks->node[part[a].tree], blocks->node[part[b].tree]);
      }
    }
  }
  return 1;
}

static int reserve_index(SbWorker* worker, int count) {
  SbArena* arena = &worker->arena;
  SbBlocks* blocks = &worker->blocks;
  return SB_RESERVE(arena, blocks->row_index, count) && SB_RESERVE(arena, blocks->block_offset, count) &&
         SB_RESERVE(arena, blocks->column_of, count) && SB_RESERVE(arena, blocks->source, count);
}

// Eliminate node after node, each time one with the fewest neighbours, and join its neighbours.
SB_CLONES
static int eliminate(SbWorker* worker, int words) {
  SbBlocks* blocks = &worker->blocks;
  int n = blocks->count;
  uint64_t* adjacency = blocks->adjacency;
  for (int i = 0; i < n; i++) {
    int degree = 0;
    for (int k = 0; k < words; k++) degree += bits(adjacency[(int64_t)i * words + k]);
    blocks->degree[i] = degree;
  }
  blocks->index_count = 0;
  for (int p = 0; p < n; p++) {
    int best = 0, least = INT_MAX;
    for (int i = 0; i < n && least > 0; i++) {
      if (blocks->degree[i] < least) least = blocks->degree[best = i];
    }
    blocks->degree[best] = INT_MAX;
    blocks->position[best] = p;
    blocks->order[p] = best;
    blocks->column_start[p] = blocks->index_count;
    if (!reserve_index(worker, blocks->index_count + least)) return 0;
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

// Turn nodes into positions, ascending in each column.
static void sort_columns(SbBlocks* blocks) {
  for (int p = 0; p < blocks->count; p++) {
    int begin = blocks->column_start[p], end = blocks->column_start[p + 1];
    for (int q = begin; q < end; q++) {
      int position = blocks->position[blocks->row_index[q]], at = q;
      // products of other trees fill the block
      blocks->thin[blocks->row_index[q]] = 0;
      while (at > begin && blocks->row_index[at - 1] > position) {
        blocks->row_index[at] = blocks->row_index[at - 1];
        at--;
      }
      blocks->row_index[at] = position;
    }
  }
}

// Place the blocks in memory, column by column.
static int lay_out(SbWorker* worker) {
  SbBlocks* blocks = &worker->blocks;
  int64_t offset = 0;
  sort_columns(blocks);
  for (int p = 0; p < blocks->count; p++) {
    int tree = blocks->tree[blocks->order[p]];
    blocks->dofs[p] = worker->s->m->tree_dofnum[tree];
    blocks->first[p] = worker->s->m->tree_dofadr[tree];
  }
  for (int p = 0; p < blocks->count; p++) {
    int n = blocks->dofs[p], node = blocks->order[p];
    blocks->diagonal_offset[p] = offset;
    offset += blocks->thin[node] ? worker->s->tree_packed[blocks->tree[node]] : (int64_t)n * n;
    for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
      blocks->block_offset[q] = offset;
      offset += (int64_t)n * blocks->dofs[blocks->row_index[q]];
    }
  }
  blocks->h_count = offset;
  return SB_RESERVE(&worker->arena, blocks->h, offset) && SB_RESERVE(&worker->arena, blocks->sum, offset);
}

// Note the off-diagonal blocks of each row.
static void list_sources(SbBlocks* blocks) {
  int n = blocks->count, *start = blocks->source_start;
  memset(start, 0, (n + 1) * sizeof(int));
  for (int q = 0; q < blocks->index_count; q++) start[blocks->row_index[q] + 1]++;
  for (int p = 0; p < n; p++) start[p + 1] += start[p];
  memcpy(blocks->degree, start, n * sizeof(int));
  for (int p = 0; p < n; p++) {
    for (int q = blocks->column_start[p]; q < blocks->column_start[p + 1]; q++) {
      blocks->column_of[q] = p;
      blocks->source[blocks->degree[blocks->row_index[q]]++] = q;
    }
  }
}

// Count the products of the blocks of column p, into the starts of the next ones.
static void count_products(SbBlocks* blocks, int p, int64_t* start) {
  int length = blocks->column_start[p + 1] - blocks->column_start[p] + 1;
  memset(start + 1, 0, length * sizeof(int64_t));
  blocks->place[p] = 0;
  for (int k = 1; k < length; k++) blocks->place[blocks->row_index[blocks->column_start[p] + k - 1]] = k;
  for (int k = blocks->source_start[p]; k < blocks->source_start[p + 1]; k++) {
    int b = blocks->source[k], end = blocks->column_start[blocks->column_of[b] + 1];
    for (int a = b; a < end; a++) start[blocks->place[blocks->row_index[a]] + 1]++;
  }
  for (int k = 0; k < length; k++) {
    start[k + 1] += start[k];
    blocks->degree[k] = 0;
  }
}

// Count the blocks on the way of each column to the root of the elimination tree, which a change of a
// row changes, and see whether that can be done.
static void measure_paths(SbBlocks* blocks) {
  blocks->can_update = 1;
  for (int p = blocks->count - 1; p >= 0; p--) {
    int begin = blocks->column_start[p], end = blocks->column_start[p + 1];
    blocks->path[p] = end - begin + 1 + (begin < end ? blocks->path[blocks->row_index[begin]] : 0);
    if (blocks->dofs[p] > SB_SMALL_TREE || blocks->thin[blocks->order[p]]) blocks->can_update = 0;
  }
}

// List what is subtracted from each block when its column is reached: a column takes from all columns to
// its left that have a block in its row.
static int list_products(SbWorker* worker) {
  SbBlocks* blocks = &worker->blocks;
  int targets = blocks->count + blocks->index_count;
  if (!SB_RESERVE(&worker->arena, blocks->product_start, targets + 1)) return 0;
  blocks->product_start[0] = 0;
  list_sources(blocks);
  for (int p = 0; p < blocks->count; p++) {
    int64_t* start = blocks->product_start + blocks->column_start[p] + p;
    count_products(blocks, p, start);
    int64_t end = blocks->product_start[blocks->column_start[p + 1] + p + 1];
    if (!SB_RESERVE(&worker->arena, blocks->product, end + 1)) return 0;
    for (int k = blocks->source_start[p]; k < blocks->source_start[p + 1]; k++) {
      int b = blocks->source[k], column = blocks->column_of[b];
      for (int a = b; a < blocks->column_start[column + 1]; a++) {
        int at = blocks->place[blocks->row_index[a]];
        blocks->product[start[at] + blocks->degree[at]++] = (SbProduct){a, b, blocks->dofs[column]};
      }
    }
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

// The tree that all rows act on, -1: there are several.
static int only_tree(const SbRows* rows, const int* list, int count) {
  int tree = rows->part[rows->span[list[0]].part].tree;
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    if (span->parts != 1 || rows->part[span->part].tree != tree) return -1;
  }
  return tree;
}

// The plan of an island of one tree, which has one block and no products.
static int plan_tree(SbWorker* worker, int tree, const int* list, int count) {
  SbBlocks* blocks = &worker->blocks;
  const SbStep* s = worker->s;
  const SbRows* rows = &s->rows;
  int n = s->m->tree_dofnum[tree], thin = s->tree_packed[tree] < n * (n + 1) / 2;
  if (!SB_RESERVE(&worker->arena, blocks->product_start, 2)) return 0;
  for (int k = 0; k < count; k++) {
    thin &= rows->part[rows->span[list[k]].part].chain;
    rows->summed_set[list[k]] = 0;
  }
  blocks->count = 1;
  blocks->index_count = blocks->node[tree] = blocks->order[0] = blocks->position[0] = 0;
  blocks->column_start[0] = blocks->column_start[1] = blocks->source_start[0] = blocks->source_start[1] = 0;
  blocks->product_start[0] = blocks->product_start[1] = 0;
  blocks->diagonal_offset[0] = 0;
  blocks->tree[0] = tree;
  blocks->thin[0] = (unsigned char)thin;
  blocks->dofs[0] = n;
  blocks->first[0] = s->m->tree_dofadr[tree];
  blocks->path[0] = 1;
  blocks->can_update = n <= SB_SMALL_TREE && !thin;
  blocks->is_factored = blocks->has_sum = 0;
  blocks->h_count = thin ? s->tree_packed[tree] : n * n;
  return SB_RESERVE(&worker->arena, blocks->h, blocks->h_count) &&
         SB_RESERVE(&worker->arena, blocks->sum, blocks->h_count);
}

// The two trees that all rows act on, where at least one acts on both; in the order in which rows name them.
static int two_trees(const SbRows* rows, const int* list, int count, int tree[2]) {
  int joined = 0;
  tree[0] = tree[1] = -1;
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    const SbSegment* part = rows->part + span->part;
    if (span->parts > 2) return 0;
    joined |= span->parts == 2;
    for (int p = 0; p < span->parts; p++) {
      if (part[p].tree == tree[0] || part[p].tree == tree[1]) continue;
      if (tree[1] >= 0) return 0;
      tree[tree[0] >= 0] = part[p].tree;
    }
  }
  return joined && tree[1] >= 0;
}

// The plan of an island of two trees, such as a body on another one or a closed chain: the search finds this one.
static int plan_pair(SbWorker* worker, const int tree[2], const int* list, int count) {
  SbBlocks* blocks = &worker->blocks;
  const SbStep* s = worker->s;
  const SbRows* rows = &s->rows;
  const int columns[3] = {0, 1, 1}, sources[3] = {0, 0, 1};
  int n = s->m->tree_dofnum[tree[0]], last = s->m->tree_dofnum[tree[1]];
  int thin = s->tree_packed[tree[0]] < n * (n + 1) / 2;
  if (!reserve_index(worker, 1) || !SB_RESERVE(&worker->arena, blocks->product_start, 4) ||
      !SB_RESERVE(&worker->arena, blocks->product, 2)) {
    return 0;
  }
  for (int k = 0; k < count; k++) {
    const SbSpan* span = rows->span + list[k];
    const SbSegment* part = rows->part + span->part;
    for (int p = 0; p < span->parts; p++) thin &= part[p].tree != tree[0] || part[p].chain;
    if (span->parts == 2) rows->pair[span->pair] = 0;
    rows->summed_set[list[k]] = 0;
  }
  for (int p = 0; p < 2; p++) {
    blocks->tree[p] = tree[p];
    blocks->node[tree[p]] = blocks->order[p] = blocks->position[p] = p;
    blocks->dofs[p] = p ? last : n;
    blocks->first[p] = s->m->tree_dofadr[tree[p]];
    blocks->path[p] = 2 - p;
  }
  memcpy(blocks->column_start, columns, sizeof(columns));
  memcpy(blocks->source_start, sources, sizeof(sources));
  blocks->count = 2;
  blocks->index_count = blocks->row_index[0] = 1;
  blocks->column_of[0] = blocks->source[0] = 0;
  // the second block on the diagonal loses the square of the one off it
  blocks->product_start[0] = blocks->product_start[1] = blocks->product_start[2] = 0;
  blocks->product_start[3] = 1;
  blocks->product[0] = (SbProduct){0, 0, n};
  blocks->thin[0] = (unsigned char)thin;
  blocks->thin[1] = 0;
  blocks->diagonal_offset[0] = 0;
  blocks->block_offset[0] = thin ? s->tree_packed[tree[0]] : n * n;
  blocks->diagonal_offset[1] = blocks->block_offset[0] + (int64_t)n * last;
  blocks->h_count = blocks->diagonal_offset[1] + (int64_t)last * last;
  blocks->can_update = n <= SB_SMALL_TREE && last <= SB_SMALL_TREE && !thin;
  blocks->is_factored = blocks->has_sum = 0;
  return SB_RESERVE(&worker->arena, blocks->h, blocks->h_count) &&
         SB_RESERVE(&worker->arena, blocks->sum, blocks->h_count);
}

int sb_blocks_plan(SbWorker* worker, const int* list, int count) {
  SbBlocks* blocks = &worker->blocks;
  const SbRows* rows = &worker->s->rows;
  int words, tree = only_tree(rows, list, count), trees[2];
  if (tree >= 0) return plan_tree(worker, tree, list, count);
  if (two_trees(rows, list, count, trees)) return plan_pair(worker, trees, list, count);
  if (!collect_nodes(worker, list, count, &words) || !eliminate(worker, words) ||
      !lay_out(worker) || !list_products(worker)) {
    return 0;
  }
  measure_paths(blocks);
  blocks->is_factored = blocks->has_sum = 0;
  for (int k = 0; k < count; k++) {
    rows->summed_set[list[k]] = 0;
    const SbSpan* span = rows->span + list[k];
    const SbSegment* part = rows->part + span->part;
    int* pair = rows->pair + span->pair;
    for (int i = 0; i < span->parts; i++) {
      int a = blocks->position[blocks->node[part[i].tree]];
      for (int j = i + 1; j < span->parts; j++) {
        int b = blocks->position[blocks->node[part[j].tree]];
        *pair++ = a < b ? find_block(blocks, b, a) : find_block(blocks, a, b);
      }
    }
  }
  return 1;
}
