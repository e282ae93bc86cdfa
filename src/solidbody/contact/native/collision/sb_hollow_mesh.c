// Hollow meshes that move, on triangles that stand still: skin against skin, nothing is cut.
//
// Heights are solid below: the vertices of the skin that are under a face are pushed out along its normal,
// as in ODE. A mesh has no inside that one could ask for, so what counts is where the skins cross: an edge
// that sticks out of one goes through a face of the other. Each such hit may be undone in several ways,
//
//     edge  \   face            end     its end behind the face comes out along the normal of the face
//     ______ \__________        side    it passes over an edge of the face that sticks out, along the
//      normal |\ |edge                  direction square to both edges
//             | \|
//
// of which only those count that are about as short as the shortest. Edges that are level or hollow are not
// in the tables, so nothing catches on seams, on either side. Of a mesh that hits, vertices that are deeper
// count too, as corners of solids do: behind a face that has the middle of the hull in front, and no deeper
// than the hull is thick.
// The Python twin is contact/reference/hollow_mesh.py: same operations, same order, same bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision/sb_colliders.h"
#include "base/sb_law.h"
#include "collision/sb_terrain.h"
#include "collision/sb_terrain_limits.h"
#include "base/sb_work.h"

#define SB_SKIN_NEAR 1e-8   // [m] boxes this far apart may hold what touches
#define SB_SKIN_HITS 8192   // of one pair; more than that is no touch but a tangle
#define SB_SKIN_FRONTS 16   // directions of faces that a mesh comes from in front of
#define SB_AGAINST 0.5      // cosine from which on a face looks the other way
#define SB_GENTLY 0.125     // share of that thickness by which a mesh is pushed that may be behind a face
#define SB_LEAST_THICK 0.05 // thickness of a flat mesh, as a share of its length

// An edge of one skin through a face of the other.
struct SbHit {
  double at;                // where on the edge: 0 .. 1
  int edge, face;
  int own;                  // triangle of the mesh that has the edge, or is the face
  int is_moving;            // the edge is of the mesh that moves, the face of what stands
  int behind;               // which end is behind the face: 0 its start, 1 its end
};

// A way to undo a hit.
typedef struct Way {
  double point[3], normal[3], depth;
  int is_weak;              // an end that is not over the face it went through
} Way;

// The skin of a mesh and the terrain, whose frame all is in.
typedef struct Skin {
  SbStep* s;
  const SbMeeting* m;
  const SbTerrain* own;     // triangles of the mesh
  double pos[3], axis[3][3];  // of their frame
  double deepest;           // vertices that are deeper in a mesh are not in it
  int hits;
  double front[SB_SKIN_FRONTS][3];  // normals of faces that are hit and have the middle of the hull in front
  int fronts;
} Skin;

static void place(const Skin* k, const double* v, double* out) {
  sb_turn_back(k->axis[0], v, out);
  for (int i = 0; i < 3; i++) out[i] += k->pos[i];
}

static void place_back(const Skin* k, const double* v, double* out) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = v[i] - k->pos[i];
  sb_turn(k->axis[0], d, out);
}

static int is_ground(const Skin* k) { return k->m->terrain->kind != SB_TERRAIN_MESH; }

// Ends of an edge of either side, in the frame of the terrain.
static void ends_of(const Skin* k, const SbEdge* e, int is_moving, double end[2][3]) {
  double last[3];
  for (int i = 0; i < 3; i++) last[i] = e->start[i] + e->step[i];
  if (is_moving) {
    place(k, e->start, end[0]);
    place(k, last, end[1]);
  } else {
    memcpy(end[0], e->start, sizeof(last));
    memcpy(end[1], last, sizeof(last));
  }
}

// ---------------------------------------------------------------- points

// Points of one vertex are one, with the shortest way out. A full patch goes on with those that matter.
static void add_way(SbPatch* out, const Way* way) {
  for (int k = 0; k < out->count; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = way->point[i] - out->point[k][i];
    if (sb_dot(d, d) >= SB_PATCH_SAME * SB_PATCH_SAME) continue;
    if (way->is_weak || !(way->depth < out->depth[k] - SB_TOUCHING)) return;
    memcpy(out->normal[k], way->normal, sizeof(way->normal));
    out->depth[k] = way->depth;
    return;
  }
  if (out->count == SB_PATCH_POINTS) sb_patch_thin_out(out);
  sb_patch_add(out, way->point, way->normal, way->depth);
}

// Whether the middle of the hull is in front of a face.
static int is_before(const Skin* k, const SbTriangle* f) {
  return sb_dot(f->normal, k->m->body->p) > f->offset;
}

// Whether the mesh comes through faces like this one from in front.
static int is_front(const Skin* k, const double* normal) {
  for (int n = 0; n < k->fronts; n++) {
    if (sb_dot(k->front[n], normal) >= SB_SAME_NORMAL) return 1;
  }
  return 0;
}

// How deep an end of an edge counts: so far that nothing is thrown. The less if the middle of the hull is behind
// the face, as that of a ring is behind the faces of a post in it: the mesh may have come from behind.
static double gentle(const Skin* k, const SbHit* hit, double depth) {
  int is_sure = !hit->is_moving || is_before(k, k->m->all->triangles + hit->face);
  return fmin(depth, is_sure ? k->deepest : SB_GENTLY * k->deepest);
}

// Whether most of an edge is behind the face that it goes through: so comes what goes through from the back.
static int is_mostly_behind(const SbHit* hit) { return hit->behind ? hit->at < 0.5 : hit->at > 0.5; }

// Whether it came through others that look the other way: then a face that has the middle of the hull behind
// it is the far side of something thin.
static int is_far_side(const Skin* k, const SbHit* hit) {
  const SbTriangle* f = k->m->all->triangles + hit->face;
  if (is_before(k, f)) return 0;
  if (is_mostly_behind(hit)) return 1;
  for (int n = 0; n < k->fronts; n++) {
    if (sb_dot(k->front[n], f->normal) < -SB_AGAINST) return 1;
  }
  return 0;
}

static void vertices_under(const Skin* k, int still, const SbTriangle* own) {
  const SbTriangle* f = k->m->all->triangles + still;
  for (int c = 0; c < 3; c++) {
    Way way = {.is_weak = 0};
    place(k, own->corner[c], way.point);
    way.depth = f->offset - sb_dot(f->normal, way.point);
    if (!(way.depth > SB_TOUCHING) || !sb_over_face(f, way.point)) continue;
    if (!is_ground(k) && (way.depth > k->deepest || sb_is_hidden(k->m, way.point, way.depth, still) ||
                          (!is_front(k, f->normal) && sb_is_out_again(k->m, way.point, way.depth, f)))) {
      continue;
    }
    memcpy(way.normal, f->normal, sizeof(way.normal));
    add_way(k->m->out, &way);
  }
}

// ---------------------------------------------------------------- hits

// Note where an edge goes through a face; `end` in the frame of the face. 0: no memory.
static int note_hit(Skin* k, SbHit hit, double end[2][3], const SbTriangle* face) {
  double above[2], x[3];
  for (int i = 0; i < 2; i++) above[i] = sb_dot(face->normal, end[i]) - face->offset;
  if ((above[0] > 0) == (above[1] > 0)) return 1;
  hit.behind = above[0] > 0;
  hit.at = above[0] / (above[0] - above[1]);
  for (int i = 0; i < 3; i++) x[i] = end[0][i] + hit.at * (end[1][i] - end[0][i]);
  if (!sb_over_face(face, x) || k->hits == SB_SKIN_HITS) return 1;
  SbTerrainWork* w = &k->s->terrain;
  if (!SB_RESERVE(&k->s->arena, w->hit, k->hits + 1)) return 0;
  w->hit[k->hits++] = hit;
  return 1;
}

static int note_hits(Skin* k, int still, int own) {
  const SbCollision* all = k->m->all;
  const SbTriangle *f = all->triangles + still, *g = all->triangles + own;
  double end[2][3], back[2][3];
  for (int side = 0; side < 3 && !is_ground(k); side++) {
    if (g->ridge[side] < 0) continue;
    SbHit hit = {.edge = g->ridge[side], .face = still, .own = own, .is_moving = 1};
    ends_of(k, all->edges + hit.edge, 1, end);
    if (!note_hit(k, hit, end, f)) return 0;
  }
  for (int n = f->edge_start; n < f->edge_start + f->edge_count; n++) {
    if (all->edges[n].bend < SB_LEAST_BEND) continue;
    ends_of(k, all->edges + n, 0, end);
    for (int i = 0; i < 2; i++) place_back(k, end[i], back[i]);
    if (!note_hit(k, (SbHit){.edge = n, .face = own, .own = own}, back, g)) return 0;
  }
  return 1;
}

static int in_order(const void* one, const void* two) {
  const SbHit *a = one, *b = two;
  if (a->is_moving != b->is_moving) return b->is_moving - a->is_moving;
  if (a->edge != b->edge) return a->edge < b->edge ? -1 : 1;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return a->face != b->face ? a->face - b->face : a->own - b->own;
}

// ---------------------------------------------------------------- what is near

// A box of the mesh in the frame of the terrain.
static void box_of(const Skin* k, const double* lo, const double* hi, double* middle, double* half) {
  double centre[3];
  for (int i = 0; i < 3; i++) {
    centre[i] = 0.5 * (lo[i] + hi[i]);
    half[i] = 0.5 * (hi[i] - lo[i]);
  }
  place(k, centre, middle);
}

// Whether what is in a box of the mesh may touch a face, or be under it by `below` at most. across: |cosines|
// of the face's normal and the axes.
static int may_touch(const Skin* k, const SbTriangle* f, const double* across, double below,
                     const double* lo, const double* hi) {
  double middle[3], half[3];
  box_of(k, lo, hi, middle, half);
  double above = sb_dot(f->normal, middle) - f->offset, reach = sb_dot(across, half) + SB_SKIN_NEAR;
  if (above > reach || above < -reach - below) return 0;
  for (int i = 0; i < 3; i++) {
    double out = SB_SKIN_NEAR;
    for (int n = 0; n < 3; n++) out += fabs(k->axis[n][i]) * half[n];
    // what has sunk into the ground lies below all triangles
    double down = is_ground(k) ? (i == 2 ? INFINITY : 0) : below;
    if (middle[i] - out > f->hi[i] + (is_ground(k) ? 0 : below)) return 0;
    if (middle[i] + out < f->lo[i] - down) return 0;
  }
  return 1;
}

// All triangles of the mesh that may touch a face, or (is_deep) whose vertices may be under it, ascending;
// 0: no memory.
static int look_at(Skin* k, int still, int is_deep) {
  const SbCollision* all = k->m->all;
  const SbTriangle* f = all->triangles + still;
  const SbNode* nodes = all->nodes + k->own->node_start;
  double across[3], below = is_ground(k) ? INFINITY : is_deep ? k->deepest : 0;
  int stack[64], depth = 0;
  for (int i = 0; i < 3; i++) across[i] = fabs(sb_dot(f->normal, k->axis[i]));
  stack[depth++] = 0;
  while (depth) {
    int at = stack[--depth];
    const SbNode* node = nodes + at;
    if (!may_touch(k, f, across, below, node->lo, node->hi)) continue;
    if (!node->count) {
      stack[depth++] = node->first;
      stack[depth++] = at + 1;
      continue;
    }
    for (int n = node->first; n < node->first + node->count; n++) {
      const SbTriangle* g = all->triangles + n;
      if (!may_touch(k, f, across, below, g->lo, g->hi)) continue;
      if (is_ground(k) || is_deep) vertices_under(k, still, g);
      if (!is_deep && !note_hits(k, still, n)) return 0;
    }
  }
  return 1;
}

// ---------------------------------------------------------------- ways out

// Whether the edge of a hit leaves again what it went into, before its end behind the face.
static int leaves_again(const Skin* k, int at) {
  const SbHit *all = k->s->terrain.hit, *hit = all + at;
  int step = hit->behind ? 1 : -1;
  for (int n = at + step; n >= 0 && n < k->hits; n += step) {
    if (all[n].edge != hit->edge || all[n].is_moving != hit->is_moving) return 0;
    if (all[n].behind != hit->behind) return 1;
  }
  return 0;
}

static int way_of_end(const Skin* k, const SbHit* hit, Way* way) {
  const SbTriangle* face = k->m->all->triangles + hit->face;
  double end[2][3], back[3];
  ends_of(k, k->m->all->edges + hit->edge, hit->is_moving, end);
  const double *p = end[hit->behind], *q = p;
  if (!hit->is_moving) {
    place_back(k, p, back);
    q = back;
  }
  way->depth = face->offset - sb_dot(face->normal, q);
  way->is_weak = !sb_over_face(face, q);
  if (hit->is_moving) {
    memcpy(way->normal, face->normal, sizeof(way->normal));
    memcpy(way->point, p, sizeof(way->point));
  } else {
    sb_turn_back(k->axis[0], face->normal, way->normal);
    for (int i = 0; i < 3; i++) {
      way->normal[i] = -way->normal[i];
      way->point[i] = p[i] - way->depth * way->normal[i];
    }
  }
  return way->depth > SB_TOUCHING;
}

static int in_cone(const double* c0, const double* c1, const double* n) {
  return sb_dot(c0, n) >= -SB_SOLID_LEAN && sb_dot(c1, n) >= -SB_SOLID_LEAN;
}

// The way along which two edges pass over each other: 0 there is none, -1 there is but it leads into a
// face beside one of them, 1 one may take it.
static int way_of_edges(const Skin* k, const SbEdge* still, const SbEdge* own, Way* way) {
  double start[3], step[3], c0[3], c1[3], n[3], d[3], x[3];
  place(k, own->start, start);
  sb_turn_back(k->axis[0], own->step, step);
  sb_cross(still->step, step, n);
  double square = sb_dot(n, n);
  if (!(square > SB_PARALLEL * sb_dot(still->step, still->step) * sb_dot(step, step))) return 0;
  for (int i = 0; i < 3; i++) d[i] = start[i] - still->start[i];
  sb_cross(d, step, x);
  double u = sb_dot(x, n) / square;
  sb_cross(d, still->step, x);
  double v = sb_dot(x, n) / square, length = sqrt(square), gap = sb_dot(n, d) / length;
  if (!(u >= 0 && u <= 1 && v >= 0 && v <= 1) || !(fabs(gap) > SB_TOUCHING)) return 0;
  double sign = gap > 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) {
    way->normal[i] = sign * n[i] / length;
    way->point[i] = start[i] + v * step[i];
  }
  way->depth = fabs(gap);
  way->is_weak = 0;
  sb_turn_back(k->axis[0], own->c0, c0);
  sb_turn_back(k->axis[0], own->c1, c1);
  for (int i = 0; i < 3; i++) x[i] = -way->normal[i];
  return in_cone(still->c0, still->c1, way->normal) && in_cone(c0, c1, x) ? 1 : -1;
}

// Whether a still face goes on at a border that is none, where its edge meets the mesh.
static int goes_on(const Skin* k, const SbEdge* e, double at) {
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = e->start[i] + at * e->step[i];
  return e->border && sb_border_goes_on(k->m, x, e->c0);
}

// Other corners of the triangle that an edge belongs to, under the face that it goes through: of a triangle
// as large as the body, they may be deeper than any end of an edge.
static void add_corners(const Skin* k, const SbHit* hit) {
  const SbTriangle *face = k->m->all->triangles + hit->face, *own = k->m->all->triangles + hit->own;
  for (int c = 0; c < 3; c++) {
    Way way = {.is_weak = 0};
    place(k, own->corner[c], way.point);
    way.depth = face->offset - sb_dot(face->normal, way.point);
    if (!(way.depth > SB_TOUCHING) || !sb_over_face(face, way.point) ||
        sb_is_out_again(k->m, way.point, way.depth, face)) {
      continue;
    }
    memcpy(way.normal, face->normal, sizeof(way.normal));
    way.depth = gentle(k, hit, way.depth);
    add_way(k->m->out, &way);
  }
}

// Ways to undo hit number `at` that are about the shortest; weak ones only in the second round.
static void undo(const Skin* k, int at, int round) {
  const SbCollision* all = k->m->all;
  const SbHit* hit = k->s->terrain.hit + at;
  const SbTriangle* face = all->triangles + hit->face;
  Way way[4];
  int ways = 0, has_end = 0;
  double least = INFINITY;
  if (hit->is_moving && is_far_side(k, hit)) return;
  if (!hit->is_moving && goes_on(k, all->edges + hit->edge, hit->at)) return;
  if (way_of_end(k, hit, way)) {
    least = way->depth;
    has_end = ways = !leaves_again(k, at) && (hit->is_moving || !is_mostly_behind(hit));
  }
  for (int side = 0; side < 3; side++) {
    if (face->ridge[side] < 0) continue;
    const SbEdge *one = all->edges + hit->edge, *two = all->edges + face->ridge[side];
    if (hit->is_moving && (two->bend < SB_LEAST_BEND || goes_on(k, two, 0.5))) continue;
    int found = way_of_edges(k, hit->is_moving ? two : one, hit->is_moving ? one : two, way + ways);
    if (found && way[ways].depth < least) least = way[ways].depth;
    if (found > 0) ways++;
  }
  for (int n = 0; n < ways; n++) {
    if (way[n].is_weak != round || way[n].depth > SB_WAY_ROUND * least + SB_PATCH_SAME) continue;
    int is_end = n == 0 && has_end;
    if (is_end) way[n].depth = gentle(k, hit, way[n].depth);
    add_way(k->m->out, way + n);
    if (is_end && hit->is_moving) add_corners(k, hit);
  }
}

// ---------------------------------------------------------------- all of it

// How deep a mesh can be in something: the radius inside its hull, more for a sheet.
static double thickness(const Skin* k) {
  double length = 0;
  for (int i = 0; i < 3; i++) length = fmax(length, k->own->hi[i] - k->own->lo[i]);
  return fmax(sb_inner_radius(k->m->body), SB_LEAST_THICK * length);
}

static void note_fronts(Skin* k) {
  for (int n = 0; n < k->hits && k->fronts < SB_SKIN_FRONTS; n++) {
    const SbHit* hit = k->s->terrain.hit + n;
    const SbTriangle* f = k->m->all->triangles + hit->face;
    if (!hit->is_moving || !is_before(k, f)) continue;
    if (!is_front(k, f->normal)) memcpy(k->front[k->fronts++], f->normal, sizeof(f->normal));
  }
}

int sb_collide_skin(SbStep* s, const SbMeeting* m, const SbTerrain* own, const double* pos,
                    const double axis[3][3]) {
  Skin k = {.s = s, .m = m, .own = own};
  memcpy(k.pos, pos, sizeof(k.pos));
  memcpy(k.axis, axis, sizeof(k.axis));
  for (int c = 0; c < m->candidates; c++) {
    if (!look_at(&k, m->candidate[c], 0)) return SB_NO_MEMORY;
  }
  if (k.hits > 1) qsort(s->terrain.hit, k.hits, sizeof(SbHit), in_order);
  note_fronts(&k);
  k.deepest = thickness(&k);
  for (int c = 0; c < m->candidates && k.hits && !is_ground(&k); c++) {
    if (is_before(&k, m->all->triangles + m->candidate[c])) look_at(&k, m->candidate[c], 1);
  }
  for (int round = 0; round < 2; round++) {
    for (int n = 0; n < k.hits; n++) undo(&k, n, round);
  }
  return SB_OK;
}
