// Islands: groups of trees that rows tie together. Each is solved by itself, so that a difficult
// pile does not slow down a robot elsewhere, and results do not depend on what else is in the world.
#include <string.h>

#include "base/sb_work.h"

static int find_root(int* parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

// Where there is one tree, all rows that act on it are the island.
static void take_all(SbStep* s) {
  SbRows* rows = &s->rows;
  int count = 0;
  for (int i = 0; i < rows->count; i++) {
    if (rows->span[i].parts) rows->island_row[count++] = i;
  }
  s->islands = count > 0;
  s->tree_island[0] = s->islands - 1;
  s->island_start[0] = 0;
  s->island_start[s->islands] = count;
}

int sb_find_islands(SbStep* s) {
  SbRows* rows = &s->rows;
  int trees = (int)s->m->ntree, *island = s->tree_island;
  if (trees == 1) {
    take_all(s);
    return SB_OK;
  }

  // union-find over trees; the smaller index is the root, so islands are numbered by first tree
  int* parent = s->worker.blocks.node;
  for (int t = 0; t < trees; t++) parent[t] = t;
  for (int i = 0; i < rows->count; i++) {
    const SbSpan* span = rows->span + i;
    const SbSegment* part = rows->part + span->part;
    for (int p = 1; p < span->parts; p++) {
      int a = find_root(parent, part[0].tree), b = find_root(parent, part[p].tree);
      if (a < b) parent[b] = a;
      if (b < a) parent[a] = b;
    }
  }

  // number the islands that have rows and count those; rows without dofs belong nowhere
  int count = 0;
  for (int t = 0; t < trees; t++) island[t] = -1;
  for (int i = 0; i < rows->count; i++) {
    if (rows->span[i].parts == 0) continue;
    int root = find_root(parent, rows->part[rows->span[i].part].tree);
    if (island[root] < 0) {
      s->island_start[count] = 0;
      island[root] = count++;
    }
    s->island_start[island[root]]++;
  }
  for (int t = 0; t < trees; t++) {
    if (island[t] < 0) island[t] = island[find_root(parent, t)];
  }

  // counting sort, stable
  int start = 0;
  for (int k = 0; k < count; k++) {
    int size = s->island_start[k];
    s->island_start[k] = start;
    start += size;
  }
  s->island_start[count] = start;
  for (int i = 0; i < rows->count; i++) {
    if (rows->span[i].parts == 0) continue;
    rows->island_row[s->island_start[island[rows->part[rows->span[i].part].tree]]++] = i;
  }
  for (int k = count; k > 0; k--) s->island_start[k] = s->island_start[k - 1];
  if (count) s->island_start[0] = 0;
  s->islands = count;
  return SB_OK;
}
