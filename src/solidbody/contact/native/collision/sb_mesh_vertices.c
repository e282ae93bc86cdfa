// Moving meshes on planes: ODE tests every vertex of a mesh against a plane, and Webots keeps the
// deepest of those under it. An AABB tree over the vertices leaves out what is in front of the
// plane, and what cannot be among the deepest:
//
//      n ^   +---+            depths of a box are between `low` and `high`
//        |   |   | low        high <= 0: in front of the plane
//   _____|___|___|______      high < the least of `limit` depths found: counted, not looked at
//            +---+ high
//
// The Python twin (contact/reference/mesh_vertices.py) looks at all of them: same depths, same choice.
#include <stdlib.h>
#include <string.h>

#include "collision/sb_colliders.h"
#include "base/sb_law.h"
#include "collision/sb_terrain_limits.h"
#include "base/sb_work.h"

// [m] Depths within one such step are the same: a mesh that lies flat has all of them alike up to
// rounding. ODE takes any; here those far from each other come first (`rank`), so that it is not tipped.
#define SB_LEVEL 1e-9
#define SB_ROUNDING 2e-9  // [m] a level, and by how much bounds of 100 m may be wrong

// One mesh and one plane. Depths that count are between `least` and `most`.
typedef struct Search {
  SbStep* s;
  const SbMesh* mesh;
  const double* points;
  const int32_t* ranks;
  double pos[3], mat[9];      // of the mesh, world
  double n[3], x[3], y[3];    // normal and axes of the plane, world
  double plane[3];            // a point of it
  double local[3], offset;    // in the mesh's frame: depth = offset - local.x
  double least, most;
  int limit, count;           // points kept in s->terrain.deep, the best first
  int64_t under;              // points whose depth counts
} Search;

static void point_of(const Search* c, int k, double* p) {
  for (int i = 0; i < 3; i++) p[i] = c->pos[i] + sb_dot(c->mat + 3 * i, c->points + 3 * k);
}

static double depth_of(const Search* c, const double* p) {
  double down[3];
  for (int i = 0; i < 3; i++) down[i] = c->plane[i] - p[i];
  return sb_dot(c->n, down);
}

static int counts(const Search* c, double depth) {
  return depth > SB_TOUCHING && depth >= c->least && depth <= c->most;
}

static void bounds(const Search* c, const SbMeshNode* node, double* low, double* high) {
  *low = *high = c->offset;
  for (int i = 0; i < 3; i++) {
    double a = c->local[i] * node->lo[i], b = c->local[i] * node->hi[i];
    *low -= a > b ? a : b;
    *high -= a > b ? b : a;
  }
}

// ---------------------------------------------------------------- the deepest

static int is_better(const SbDeep* one, const SbDeep* two) {
  return one->level > two->level || (one->level == two->level && one->rank < two->rank);
}

static void keep_deep(Search* c, int k, double depth) {
  SbDeep *deep = c->s->terrain.deep, found = {depth, (int64_t)(depth / SB_LEVEL), c->ranks[k], k};
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

static void find_deepest(Search* c) {
  const SbMeshNode* nodes = c->s->terrain.all.mesh_nodes + c->mesh->node_start;
  int stack[64], size = 0;
  stack[size++] = 0;
  while (size) {
    int at = stack[--size];
    const SbMeshNode* node = nodes + at;
    double low, high, worst = c->count == c->limit ? c->s->terrain.deep[c->limit - 1].depth : 0;
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
      point_of(c, k, p);
      double depth = depth_of(c, p);
      if (!counts(c, depth)) continue;
      c->under++;
      keep_deep(c, k, depth);
    }
  }
}

// ---------------------------------------------------------------- the outermost

// For surfaces that keep points far apart: of more than eight those that are outermost in eight
// directions of the plane, and the deepest if none of these is about as deep (sb_spread).
static void find_outermost(Search* c) {
  const SbMeshNode* nodes = c->s->terrain.all.mesh_nodes + c->mesh->node_start;
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
      point_of(c, k, p);
      double below = depth_of(c, p);
      if (!counts(c, below)) continue;
      if (under == SB_SPREAD_POINTS) {
        // full: go on with the best of them
        under = sb_spread((const double(*)[3])point, depth, under, c->x, c->y, kept);
        for (int m = 0; m < under; m++) {
          memmove(point[m], point[kept[m]], sizeof(point[m]));
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
    c->s->terrain.deep[k] = (SbDeep){.depth = depth[kept[k]], .point = member[kept[k]]};
  }
  c->count = under;
}

// ---------------------------------------------------------------- all of them

static Search new_search(SbStep* s, const SbMesh* mesh, int plane) {
  const SbCollision* all = &s->terrain.all;
  Search c = {.s = s,
              .mesh = mesh,
              .points = all->mesh_points + 3 * mesh->point_start,
              .ranks = all->mesh_ranks + mesh->point_start};
  const double *pos = s->d->geom_xpos + 3 * plane, *mat = s->d->geom_xmat + 9 * plane;
  sb_frame_in_body(s, mesh->geom, mesh->pos, mesh->mat, c.pos, c.mat);
  for (int i = 0; i < 3; i++) {
    c.x[i] = mat[3 * i];
    c.y[i] = mat[3 * i + 1];
    c.n[i] = mat[3 * i + 2];
    c.plane[i] = pos[i];
  }
  for (int i = 0; i < 3; i++) {
    c.local[i] = c.mat[i] * c.n[0] + c.mat[3 + i] * c.n[1] + c.mat[6 + i] * c.n[2];
  }
  c.offset = depth_of(&c, c.pos);
  return c;
}

static int by_point(const void* one, const void* two) {
  return ((const SbDeep*)one)->point - ((const SbDeep*)two)->point;
}

static int meet(SbStep* s, const SbMesh* mesh, int plane) {
  SbTerrainWork* w = &s->terrain;
  const SbSurface* surface = sb_surface_of(s, plane, mesh->geom);
  Search c = new_search(s, mesh, plane);
  c.least = surface->min_depth;
  c.most = surface->max_depth;
  c.limit = surface->max_contacts < mesh->point_count ? surface->max_contacts : mesh->point_count;
  if (!SB_ALLOCATE(&s->arena, w->deep, c.limit > 9 ? c.limit : 9)) return SB_NO_MEMORY;
  if (surface->keeps_spread) {
    find_outermost(&c);
  } else {
    find_deepest(&c);
    qsort(w->deep, c.count, sizeof(SbDeep), by_point);
  }
  sb_count_dropped(s, plane, mesh->geom, c.under - c.count);

  mjContact con = sb_new_contact(s, plane, mesh->geom);
  memcpy(con.frame, c.n, sizeof(c.n));
  for (int k = 0; k < c.count; k++) {
    point_of(&c, w->deep[k].point, con.pos);
    con.dist = -w->deep[k].depth;
    // without room MuJoCo counts a warning, which the step reports
    if (mj_addContact(s->m, s->d, &con)) break;
  }
  return SB_OK;
}

int sb_collide_meshes(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  for (int k = 0; k < w->mesh_pairs; k++) {
    int code = meet(s, w->all.meshes + w->mesh_pair[2 * k], w->mesh_pair[2 * k + 1]);
    if (code) return code;
  }
  return SB_OK;
}

// Pairs of a mesh and a plane that may meet, once.
int sb_set_meshes(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  const mjModel* m = s->m;
  int planes = 0;
  for (int g = 0; g < m->ngeom; g++) planes += m->geom_type[g] == mjGEOM_PLANE;
  if (!SB_ALLOCATE(&s->arena, w->mesh_pair, 2 * (int64_t)planes * w->all.mesh_count)) return SB_NO_MEMORY;
  w->mesh_pairs = 0;
  for (int k = 0; k < w->all.mesh_count; k++) {
    for (int g = 0; g < m->ngeom; g++) {
      if (m->geom_type[g] != mjGEOM_PLANE || !sb_may_touch(m, g, w->all.meshes[k].geom)) continue;
      w->mesh_pair[2 * w->mesh_pairs] = k;
      w->mesh_pair[2 * w->mesh_pairs++ + 1] = g;
    }
  }
  return SB_OK;
}
