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

#include "base/sb_law.h"
#include "collision/sb_mesh_search.h"
#include "base/sb_work.h"

static SbMeshSearch new_search(SbStep* s, const SbMesh* mesh, int plane) {
  const SbCollision* all = &s->terrain.all;
  SbMeshSearch c = {.nodes = all->mesh_nodes + mesh->node_start,
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
  sb_aim_search(&c);
  return c;
}

static int by_point(const void* one, const void* two) {
  return ((const SbDeep*)one)->point - ((const SbDeep*)two)->point;
}

static int meet(SbStep* s, const SbMesh* mesh, int plane) {
  SbTerrainWork* w = &s->terrain;
  const SbSurface* surface = sb_surface_of(s, plane, mesh->geom);
  SbMeshSearch c = new_search(s, mesh, plane);
  c.least = surface->min_depth;
  c.most = surface->max_depth;
  c.limit = surface->max_contacts < mesh->point_count ? surface->max_contacts : mesh->point_count;
  if (!SB_ALLOCATE(&s->arena, w->deep, c.limit > 9 ? c.limit : 9)) return SB_NO_MEMORY;
  c.deep = w->deep;
  if (surface->keeps_spread) {
    sb_find_outermost(&c);
  } else {
    sb_find_deepest(&c);
    qsort(w->deep, c.count, sizeof(SbDeep), by_point);
  }
  sb_count_dropped(s, plane, mesh->geom, c.under - c.count);

  mjContact con = sb_new_contact(s, plane, mesh->geom);
  memcpy(con.frame, c.n, sizeof(c.n));
  for (int k = 0; k < c.count; k++) {
    sb_point_of(&c, w->deep[k].point, con.pos);
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
