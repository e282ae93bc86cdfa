// Triangles of meshes and height fields, what lies on them, and meshes on planes. Colliders and AABB trees are those of the native
// step, from the same source; the triangles of a model are on the device once, for all worlds.
//
// On a GPU this is a kernel of its own, of scenes that have terrain: a lane has a pair. What it finds waits in
// W_MET until contacts are listed (sb_contacts.h).
#ifndef SB_GROUND_H_
#define SB_GROUND_H_

// A pair: numbers of its terrain, of the geom that has the terrain's frame, of both geoms, of the hull of a mesh. Of
// meshes on planes: -1, the frame of the mesh, both geoms, the mesh.
enum { GP_TERRAIN, GP_FRAME, GP_GEOM0, GP_GEOM1, GP_SURFACE, GP_FIRST, GP_HULL, GP_SIZE };
enum { MT_COUNT, MT_LOST, MT_DROPPED, MT_HEAD = 4 };  // of W_MET_INT; then pair and key of each point
enum { MP_POINT, MP_NORMAL = 3, MP_DEPTH = 6, MP_SIZE };  // of W_MET

#define SB_CANDIDATES 1024  // triangles whose boxes meet that of a body; further ones are counted as lost

namespace sb_ground {
#define int32_t int
#define int64_t long long
#define _Static_assert static_assert
#define fmin sb_min
#include "base/sb_layout.h"
#include "collision/sb_terrain.h"
#include "collision/sb_terrain.c"
#include "collision/sb_terrain_solids.c"
#include "collision/sb_terrain_bodies.c"
#include "collision/sb_mesh_search.c"
#undef int32_t
#undef int64_t
#undef _Static_assert
#undef fmin

SB_DEV void sb_find_tables(SB_WORLD, SbCollision* all) {
  all->terrains = (const SbTerrain*)M_TERRAIN;
  all->triangles = (const SbTriangle*)M_TRIANGLE;
  all->edges = (const SbEdge*)M_EDGE;
  all->peaks = (const SbPeak*)M_PEAK;
  all->spokes = M_SPOKES;
  all->nodes = (const SbNode*)M_NODE;
  all->hulls = (const SbHull*)M_HULL;
  all->hull_points = M_HULL_POINTS;
  all->hull_planes = M_HULL_PLANES;
}

// Where the middle of the body is in the frame of the terrain; whether it is far from all of it.
SB_DEV int sb_is_off(SB_WORLD, const int* pair, double centre[3]) {
  int frame = pair[GP_FRAME], g = pair[GP_GEOM1];
  double between[3];
  sb_sub3(between, W_GPOS + 3 * g, W_GPOS + 3 * frame);
  sb_turn_back(W_GMAT + 9 * frame, between, centre);
  return sb_is_far((const SbTerrain*)M_TERRAIN + pair[GP_TERRAIN], centre, M_GEOM_REACH[g]);
}

// Vertices of a mesh under a plane, in their order; *dropped: how many there are beyond the limit of the surface.
SB_BIG void sb_meet_plane(SB_WORLD, const int* pair, SbPatch* out, int* dropped) {
  const SbMesh* mesh = (const SbMesh*)M_MESH + pair[GP_HULL];
  const double *pos = W_GPOS + 3 * pair[GP_GEOM0], *mat = W_GMAT + 9 * pair[GP_GEOM0];
  int surface = pair[GP_SURFACE], limit = M_SURFACE_INT[SI_MAX * SB_SURFACES + surface];
  SbDeep deep[SB_PATCH_POINTS];
  SbMeshSearch c;
  c.nodes = (const SbMeshNode*)M_MESH_NODE + mesh->node_start;
  c.points = M_MESH_POINTS + 3 * mesh->point_start;
  c.ranks = M_MESH_RANKS + mesh->point_start;
  c.deep = deep;
  c.least = M_SURFACE[SR_MIN_DEPTH * SB_SURFACES + surface];
  c.most = M_SURFACE[SR_MAX_DEPTH * SB_SURFACES + surface];
  c.limit = limit < mesh->point_count ? limit : mesh->point_count;
  if (c.limit > SB_PATCH_POINTS) c.limit = SB_PATCH_POINTS;
  sb_copy(c.pos, W_GPOS + 3 * pair[GP_FRAME], 3);
  sb_copy(c.mat, W_GMAT + 9 * pair[GP_FRAME], 9);
  for (int i = 0; i < 3; i++) {
    c.n[i] = mat[3 * i + 2];
    c.plane[i] = pos[i];
  }
  sb_aim_search(&c);
  sb_find_deepest(&c);
  out->count = 0;
  for (int k = 0; k < c.count; k++) {
    // the next in the order of the mesh
    int next = k;
    for (int i = k + 1; i < c.count; i++) {
      if (deep[i].point < deep[next].point) next = i;
    }
    SbDeep found = deep[next];
    deep[next] = deep[k];
    sb_point_of(&c, found.point, out->point[k]);
    sb_copy(out->normal[k], c.n, 3);
    out->depth[k] = found.depth;
    out->count++;
  }
  *dropped += (int)(c.under - c.count);
}

// Points of a pair, in the world; returns how many triangles found no room.
SB_BIG int sb_meet_ground(SB_WORLD, const int* pair, SbPatch* out, int* dropped) {
  if (pair[GP_TERRAIN] < 0) {
    sb_meet_plane(SB_W, pair, out, dropped);
    return 0;
  }
  const double *pos = W_GPOS + 3 * pair[GP_FRAME], *mat = W_GMAT + 9 * pair[GP_FRAME];
  int g = pair[GP_GEOM1], lost = 0, candidate[SB_CANDIDATES];
#ifdef SB_CUDA
  double solid[SB_SOLID + 1];
#else
  double* solid = W_SOLID;
#endif
  SbCollision all;
  SbSolid body;
  sb_find_tables(SB_W, &all);
  const SbTerrain* t = all.terrains + pair[GP_TERRAIN];
  const SbHull* hull = pair[GP_HULL] < 0 ? 0 : all.hulls + pair[GP_HULL];
  out->count = 0;
  if (sb_is_off(SB_W, pair, body.p)) return 0;
  body.form = M_GEOM_FORM[g];
  sb_copy(body.size, M_GEOM_SIZE + 3 * g, 3);
  sb_place_solid(&all, hull, W_GMAT + 9 * g, mat, solid, solid + 3 * (hull ? hull->point_count : 8), &body);
  int count = sb_near_triangles(&all, t, &body, candidate, SB_CANDIDATES);
  if (count > SB_CANDIDATES) {
    lost = count - SB_CANDIDATES;
    count = SB_CANDIDATES;
  }
  if (!count) return 0;
  SbMeeting meeting = {&all, t, &body, candidate, count, out};
  if (!(t->kind == SB_TERRAIN_ODE_HEIGHTS && sb_lift_sunken(&meeting))) sb_collide_body(&meeting);
  if (out->count > SB_FEW_POINTS) sb_patch_thin_out(out);
  for (int k = 0; k < out->count; k++) {
    double p[3], n[3];
    sb_turn(mat, out->point[k], p);
    sb_turn(mat, out->normal[k], n);
    for (int i = 0; i < 3; i++) out->point[k][i] = pos[i] + p[i];
    sb_copy(out->normal[k], n, 3);
  }
  return lost;
}

// Which of a pair's points the law of the surface leaves; returns how many its limit has dropped.
SB_DEV int sb_choose_of_patch(SB_WORLD, int surface, const SbPatch* patch, unsigned char* keep, int* left) {
  int limit = M_SURFACE_INT[SI_MAX * SB_SURFACES + surface], count = 0, dropped = 0;
  double least = M_SURFACE[SR_MIN_DEPTH * SB_SURFACES + surface];
  double most = M_SURFACE[SR_MAX_DEPTH * SB_SURFACES + surface];
  for (int k = 0; k < patch->count; k++) {
    keep[k] = !(patch->depth[k] < least || patch->depth[k] > most);
    count += keep[k];
  }
  for (; count > limit; count--, dropped++) {
    // the shallowest; of equally deep ones the last
    int worst = -1;
    for (int k = 0; k < patch->count; k++) {
      if (keep[k] && (worst < 0 || patch->depth[k] <= patch->depth[worst])) worst = k;
    }
    keep[worst] = 0;
  }
  *left = count;
  return dropped;
}

SB_DEV int sb_touches_ground(SB_WORLD, const int* pair) {
  SbPatch patch;
  unsigned char keep[SB_PATCH_POINTS];
  int left, dropped;
  sb_meet_ground(SB_W, pair, &patch, &dropped);
  sb_choose_of_patch(SB_W, pair[GP_SURFACE], &patch, keep, &left);
  return left > 0;
}

// All pairs, in their order.
SB_BIG void sb_meet_all(SB_WORLD) {
  int near = 0, found = 0, lost = 0, dropped = 0;
  for (int first = 0; first < SB_GROUND_PAIRS; first += SB_TEAM) {
    int pair = first + SB_LANE, is_near = 0;
    double centre[3];
    const int* row = M_GROUND_PAIR + GP_SIZE * pair;
    if (pair < SB_GROUND_PAIRS) is_near = row[GP_TERRAIN] < 0 || !sb_is_off(SB_W, row, centre);
    int at = sb_team_places(is_near, &near);
    if (is_near && at < SB_GROUND_NEAR) W_GROUND_NEAR[at] = pair;
  }
  SB_SYNC();
  if (near > SB_GROUND_NEAR) {
    if (SB_LANE == 0) lost += near - SB_GROUND_NEAR;
    near = SB_GROUND_NEAR;
  }
  SB_ROLLED
  for (int first = 0; first < near; first += SB_TEAM) {
    SbPatch patch;
    unsigned char keep[SB_PATCH_POINTS];
    int place = first + SB_LANE, number = 0, left = 0, key = 0;
    patch.count = 0;
    if (place < near) {
      number = W_GROUND_NEAR[place];
      const int* pair = M_GROUND_PAIR + GP_SIZE * number;
      lost += sb_meet_ground(SB_W, pair, &patch, &dropped);
      dropped += sb_choose_of_patch(SB_W, pair[GP_SURFACE], &patch, keep, &left);
    }
    int at = sb_team_places(left, &found);
    for (int k = 0; k < patch.count; k++) {
      if (!keep[k]) continue;
      if (at < SB_MAX_CONTACTS) {
        double* point = W_MET + MP_SIZE * at;
        sb_copy(point + MP_POINT, patch.point[k], 3);
        sb_copy(point + MP_NORMAL, patch.normal[k], 3);
        point[MP_DEPTH] = patch.depth[k];
        W_MET_INT[MT_HEAD + 2 * at] = number;
        W_MET_INT[MT_HEAD + 2 * at + 1] = key++;
      }
      at++;
    }
  }
  lost = sb_team_sum(lost);
  dropped = sb_team_sum(dropped);
  if (SB_LANE == 0) {
    int room = found < SB_MAX_CONTACTS ? found : SB_MAX_CONTACTS;
    W_MET_INT[MT_COUNT] = room;
    W_MET_INT[MT_LOST] = lost + found - room;
    W_MET_INT[MT_DROPPED] = dropped;
  }
  SB_SYNC();
}
}  // namespace sb_ground

SB_DEV void sb_meet_world(SB_WORLD, int w) {
  if (S_FAILED[w] || !S_ACTIVE[w]) return;
  SB_ENTER(w);
  sb_ground::sb_meet_all(SB_W);
}

#endif  // SB_GROUND_H_
