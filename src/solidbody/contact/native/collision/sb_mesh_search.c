// Which vertices of a mesh a plane meets: the search that sb_mesh_vertices.c describes. A GPU takes it as well.
#include "collision/sb_mesh_search.h"

#ifndef SB_NO_LIBC
#include <string.h>
#endif

#include "base/sb_law.h"
#include "collision/sb_terrain_limits.h"

// [m] Depths within one such step are the same: a mesh that lies flat has all of them alike up to
// rounding. ODE takes any; here those far from each other come first (`rank`), so that it is not tipped.
#define SB_LEVEL 1e-9
#define SB_ROUNDING 2e-9  // [m] a level, and by how much bounds of 100 m may be wrong

SB_OPEN void sb_point_of(const SbMeshSearch* c, int k, double* p) {
  for (int i = 0; i < 3; i++) p[i] = c->pos[i] + sb_dot(c->mat + 3 * i, c->points + 3 * k);
}

SB_OPEN double sb_depth_of(const SbMeshSearch* c, const double* p) {
  double down[3];
  for (int i = 0; i < 3; i++) down[i] = c->plane[i] - p[i];
  return sb_dot(c->n, down);
}

SB_OPEN void sb_aim_search(SbMeshSearch* c) {
  for (int i = 0; i < 3; i++) {
    c->local[i] = c->mat[i] * c->n[0] + c->mat[3 + i] * c->n[1] + c->mat[6 + i] * c->n[2];
  }
  c->offset = sb_depth_of(c, c->pos);
  c->count = 0;
  c->under = 0;
}

SB_LOCAL int counts(const SbMeshSearch* c, double depth) {
  return depth > SB_TOUCHING && depth >= c->least && depth <= c->most;
}

SB_LOCAL void bounds(const SbMeshSearch* c, const SbMeshNode* node, double* low, double* high) {
  *low = *high = c->offset;
  for (int i = 0; i < 3; i++) {
    double a = c->local[i] * node->lo[i], b = c->local[i] * node->hi[i];
    *low -= a > b ? a : b;
    *high -= a > b ? b : a;
  }
}

// ---------------------------------------------------------------- the deepest

SB_LOCAL int is_better(const SbDeep* one, const SbDeep* two) {
  return one->level > two->level || (one->level == two->level && one->rank < two->rank);
}

SB_LOCAL void keep_deep(SbMeshSearch* c, int k, double depth) {
  SbDeep *deep = c->deep, found = {depth, (int64_t)(depth / SB_LEVEL), c->ranks[k], k};
  int at = c->count;
  if (at == c->limit) {
    if (!is_better(&found, deep + at - 1)) return;
    at--;
  } else {
    c->count++;
  }
  for (; at > 0 && is_better(&found, deep + at - 1); at--) deep[at] = deep[at - 1];
  deep[at] = found;
}

SB_OPEN void sb_find_deepest(SbMeshSearch* c) {
  const SbMeshNode* nodes = c->nodes;
  int stack[64], size = 0;
  stack[size++] = 0;
  while (size) {
    int at = stack[--size];
    const SbMeshNode* node = nodes + at;
    double low, high, worst = c->count == c->limit ? c->deep[c->limit - 1].depth : 0;
    bounds(c, node, &low, &high);
    if (high < c->least - SB_ROUNDING || high < -SB_ROUNDING) continue;
    if (high < worst - SB_ROUNDING && low > SB_ROUNDING && low > c->least + SB_ROUNDING &&
        high < c->most - SB_ROUNDING) {
      c->under += node->count;
      continue;
    }
    if (node->right) {
      // the deeper half first: it sets the mark for the other
      double left, right, unused;
      bounds(c, nodes + at + 1, &unused, &left);
      bounds(c, nodes + node->right, &unused, &right);
      stack[size++] = left < right ? at + 1 : node->right;
      stack[size++] = left < right ? node->right : at + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      double p[3];
      sb_point_of(c, k, p);
      double depth = sb_depth_of(c, p);
      if (!counts(c, depth)) continue;
      c->under++;
      keep_deep(c, k, depth);
    }
  }
}

// ---------------------------------------------------------------- the outermost

// For surfaces that keep points far apart: of more than eight those that are outermost in eight
// directions of the plane, and the deepest if none of these is about as deep (sb_spread).
SB_OPEN void sb_find_outermost(SbMeshSearch* c) {
  const SbMeshNode* nodes = c->nodes;
  double point[SB_SPREAD_POINTS][3], depth[SB_SPREAD_POINTS];
  int member[SB_SPREAD_POINTS], kept[9], stack[64], size = 0, under = 0;
  stack[size++] = 0;
  while (size) {
    int at = stack[--size];
    const SbMeshNode* node = nodes + at;
    double low, high;
    bounds(c, node, &low, &high);
    if (high < -SB_ROUNDING) continue;
    if (node->right) {
      stack[size++] = node->right;
      stack[size++] = at + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      double p[3];
      sb_point_of(c, k, p);
      double below = sb_depth_of(c, p);
      if (!counts(c, below)) continue;
      if (under == SB_SPREAD_POINTS) {
        // full: go on with the best of them
        under = sb_spread((const double(*)[3])point, depth, under, c->x, c->y, kept);
        for (int m = 0; m < under; m++) {
          if (kept[m] > m) memcpy(point[m], point[kept[m]], sizeof(point[m]));
          depth[m] = depth[kept[m]];
          member[m] = member[kept[m]];
        }
      }
      memcpy(point[under], p, sizeof(p));
      depth[under] = below;
      member[under++] = k;
      c->under++;
    }
  }
  for (int k = 0; k < 9; k++) kept[k] = k;
  if (under > SB_FEW_POINTS) {
    under = sb_spread((const double(*)[3])point, depth, under, c->x, c->y, kept);
  }
  for (int k = 0; k < under; k++) {
    SbDeep found = {depth[kept[k]], 0, 0, member[kept[k]]};
    c->deep[k] = found;
  }
  c->count = under;
}
