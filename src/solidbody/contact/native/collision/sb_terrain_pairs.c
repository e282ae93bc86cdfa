// Which bodies meet which terrain, and what comes of it: contacts added to MuJoCo's list. MuJoCo
// itself does not collide terrain; its geoms only say where it is.
#include <stdlib.h>
#include <string.h>

#include "collision/sb_colliders.h"
#include "base/sb_law.h"
#include "collision/sb_terrain.h"
#include "base/sb_work.h"

// ---------------------------------------------------------------- once

// Whether a joint or a rule of the file keeps two bodies apart, or they are one.
static int is_excluded(const mjModel* m, int body0, int body1) {
  int low = body0 < body1 ? body0 : body1, high = body0 < body1 ? body1 : body0;
  for (int k = 0; k < m->nexclude; k++) {
    if (m->exclude_signature[k] == (low << 16) + high) return 1;
  }
  return m->body_weldid[body0] == m->body_weldid[body1];
}

// MuJoCo's filters, as far as they concern planes, which are always part of the static world.
int sb_may_touch(const mjModel* m, int plane, int geom) {
  return ((m->geom_contype[plane] & m->geom_conaffinity[geom]) ||
          (m->geom_contype[geom] & m->geom_conaffinity[plane])) &&
         !is_excluded(m, m->geom_bodyid[plane], m->geom_bodyid[geom]);
}

// Whether a geom has a form that collides with terrain; meshes do as hulls.
static int has_form(const SbStep* s, int g) {
  int type = s->m->geom_type[g];
  return type == mjGEOM_SPHERE || type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER ||
         type == mjGEOM_BOX || (type == mjGEOM_MESH && s->terrain.hull_of[g] >= 0);
}

// MuJoCo's filters, for a terrain (whose bits are ours) and another geom.
static int may_meet(const SbStep* s, const SbTerrain* t, int g) {
  const mjModel* m = s->m;
  int body0 = m->geom_bodyid[t->geom], body1 = m->geom_bodyid[g];
  if (!(t->contype & m->geom_conaffinity[g]) && !(m->geom_contype[g] & t->conaffinity)) return 0;
  if (m->body_treeid[body0] < 0 && m->body_treeid[body1] < 0) return 0;
  if (is_excluded(m, body0, body1)) return 0;
  return has_form(s, g);
}

int sb_set_collision(SbStep* s, const SbCollision* all) {
  SbTerrainWork* w = &s->terrain;
  const mjModel* m = s->m;
  int corners = 8, planes = 6, pairs = 0;
  w->all = *all;
  SbArena* arena = &s->arena;
  if (!SB_ALLOCATE(arena, w->hull_of, m->ngeom) || !SB_ALLOCATE(arena, w->skin_of, m->ngeom)) {
    return SB_NO_MEMORY;
  }
  for (int g = 0; g < m->ngeom; g++) w->hull_of[g] = w->skin_of[g] = -1;
  for (int k = 0; k < all->hull_count; k++) {
    const SbHull* hull = all->hulls + k;
    w->hull_of[hull->geom] = k;
    if (hull->point_count > corners) corners = hull->point_count;
    if (hull->plane_count > planes) planes = hull->plane_count;
  }
  for (int t = 0; t < all->terrain_count && all->hollow_count; t++) {
    int geom = all->terrains[t].geom;
    if (all->hollow[geom]) w->skin_of[geom] = t;
  }
  if (!SB_ALLOCATE(arena, w->corner, 3 * corners) || !SB_ALLOCATE(arena, w->plane, 4 * planes) ||
      !SB_ALLOCATE(arena, w->pair_start, all->terrain_count + 1) ||
      !SB_ALLOCATE(arena, w->pair, (int64_t)all->terrain_count * m->ngeom)) {
    return SB_NO_MEMORY;
  }
  for (int t = 0; t < all->terrain_count; t++) {
    w->pair_start[t] = pairs;
    for (int g = 0; g < m->ngeom; g++) {
      if (may_meet(s, all->terrains + t, g)) w->pair[pairs++] = g;
    }
  }
  w->pair_start[all->terrain_count] = pairs;
  return sb_set_meshes(s);
}

// Contacts are looked for once per step. A body that moves by more than half its thickness in
// between can have its middle in front of a thin wall in one step and behind it in the next, and is
// then pushed out on the other side, as in ODE: say so.
void sb_count_fast(SbStep* s) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  double h = m->opt.timestep;
  for (int b = 1; b < s->terrain.all.body_count; b++) {
    double size = s->terrain.all.body_sizes[b];
    if (!(size > 0)) continue;
    const double *spin = d->cvel + 6 * b, *speed = spin + 3;
    double arm[3], v[3];
    for (int i = 0; i < 3; i++) {
      arm[i] = d->xipos[3 * b + i] - d->subtree_com[3 * m->body_rootid[b] + i];
    }
    sb_cross(spin, arm, v);
    for (int i = 0; i < 3; i++) v[i] += speed[i];
    if (h * h * sb_dot(v, v) > size * size) {
      s->stats.too_fast++;
      return;
    }
  }
}

// ---------------------------------------------------------------- bodies in the terrain's frame

void sb_frame_in_body(const SbStep* s, int geom, const double* in_pos, const double* in_mat,
                      double* pos, double* mat) {
  int body = s->m->geom_bodyid[geom];
  const double *xpos = s->d->xpos + 3 * body, *xmat = s->d->xmat + 9 * body;
  sb_turn(xmat, in_pos, pos);
  for (int i = 0; i < 3; i++) {
    pos[i] += xpos[i];
    for (int k = 0; k < 3; k++) {
      mat[3 * i + k] =
          xmat[3 * i] * in_mat[k] + xmat[3 * i + 1] * in_mat[3 + k] + xmat[3 * i + 2] * in_mat[6 + k];
    }
  }
}

static void place_box(SbTerrainWork* w, SbSolid* b) {
  double at[3];
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < 3; i++) at[i] = k >> i & 1 ? b->size[i] : -b->size[i];
    sb_turn_back(b->axis[0], at, w->corner + 3 * k);
    for (int i = 0; i < 3; i++) w->corner[3 * k + i] += b->p[i];
  }
  for (int k = 0; k < 6; k++) {
    double *plane = w->plane + 4 * k, sign = k & 1 ? -1 : 1;
    for (int i = 0; i < 3; i++) plane[i] = sign * b->axis[k / 2][i];
    plane[3] = sb_dot(plane, b->p) + b->size[k / 2];
  }
  b->corners = 8;
  b->planes = 6;
}

static void place_hull(SbTerrainWork* w, const SbHull* hull, const double* points,
                       const double* planes, SbSolid* b) {
  for (int k = 0; k < hull->point_count; k++) {
    sb_turn_back(b->axis[0], points + 3 * (hull->point_start + k), w->corner + 3 * k);
    for (int i = 0; i < 3; i++) w->corner[3 * k + i] += b->p[i];
  }
  for (int k = 0; k < hull->plane_count; k++) {
    const double* from = planes + 4 * (hull->plane_start + k);
    double* plane = w->plane + 4 * k;
    sb_turn_back(b->axis[0], from, plane);
    plane[3] = sb_dot(plane, b->p) + from[3];
  }
  b->corners = hull->point_count;
  b->planes = hull->plane_count;
}

static void set_bounds(SbSolid* b) {
  for (int i = 0; i < 3; i++) {
    double reach = b->size[0], a = b->axis[2][i];
    if (b->form == SB_FORM_CAPSULE) reach += fabs(a) * b->size[1];
    if (b->form == SB_FORM_CYLINDER) {
      double sine2 = 1 - a * a;
      reach = fabs(a) * b->size[1] + b->size[0] * sqrt(sine2 > 0 ? sine2 : 0);
    }
    b->lo[i] = b->p[i] - reach;
    b->hi[i] = b->p[i] + reach;
    if (b->corners) {
      b->lo[i] = b->hi[i] = b->corner[i];
      for (int k = 1; k < b->corners; k++) {
        double x = b->corner[3 * k + i];
        if (x < b->lo[i]) b->lo[i] = x;
        if (x > b->hi[i]) b->hi[i] = x;
      }
    }
  }
}

static void place_body(SbStep* s, int g, const double* frame, const double* centre, SbSolid* b) {
  const mjModel* m = s->m;
  SbTerrainWork* w = &s->terrain;
  const double* mat = s->d->geom_xmat + 9 * g;
  b->form = sb_form_of(m->geom_type[g]);
  b->corners = b->planes = 0;
  b->corner = w->corner;
  b->plane = w->plane;
  memcpy(b->p, centre, sizeof(b->p));
  memcpy(b->size, m->geom_size + 3 * g, sizeof(b->size));
  for (int k = 0; k < 3; k++) {
    double column[3] = {mat[k], mat[3 + k], mat[6 + k]};
    sb_turn_back(frame, column, b->axis[k]);
  }
  if (b->form == SB_FORM_BOX) place_box(w, b);
  if (b->form == SB_FORM_MESH) {
    place_hull(w, w->all.hulls + w->hull_of[g], w->all.hull_points, w->all.hull_planes, b);
  }
  set_bounds(b);
}

// ---------------------------------------------------------------- each step

static int apart(const double* lo, const double* hi, const double* from, const double* to) {
  return lo[0] > to[0] || hi[0] < from[0] || lo[1] > to[1] || hi[1] < from[1] || lo[2] > to[2] ||
         hi[2] < from[2];
}

// Broad phase: triangles whose boxes in the AABB tree meet the given one, ascending; -1 without memory.
static int find_triangles(SbStep* s, const SbTerrain* t, const double* lo, const double* hi) {
  SbTerrainWork* w = &s->terrain;
  const SbNode* nodes = w->all.nodes + t->node_start;
  int stack[64], depth = 0, count = 0;
  stack[depth++] = 0;
  while (depth) {
    int at = stack[--depth];
    const SbNode* node = nodes + at;
    if (apart(node->lo, node->hi, lo, hi)) continue;
    if (!node->count) {
      // the near half of the list last, so that it is looked at first
      stack[depth++] = node->first;
      stack[depth++] = at + 1;
      continue;
    }
    if (!SB_RESERVE(&s->arena, w->candidate, count + node->count)) return -1;
    for (int k = node->first; k < node->first + node->count; k++) {
      const SbTriangle* f = w->all.triangles + k;
      if (!apart(f->lo, f->hi, lo, hi)) w->candidate[count++] = k;
    }
  }
  return count;
}

// A ball around the body, and the bounding box of the terrain.
static int is_far(const SbTerrain* t, const double* centre, double radius) {
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double out = centre[i] < t->lo[i] ? t->lo[i] - centre[i]
                 : centre[i] > t->hi[i] ? centre[i] - t->hi[i] : 0;
    square += out * out;
  }
  return square > radius * radius;
}

// ODE lifts a body that is below all faces over and under its bounding box: by one point, as high as the
// lowest of them. Whether it does.
static int lift_sunken(const SbMeeting* m) {
  double least = INFINITY, up[3] = {0, 0, 1};
  for (int k = 0; k < m->candidates; k++) {
    least = fmin(least, m->all->triangles[m->candidate[k]].lo[2]);
  }
  if (!(m->body->hi[2] < least)) return 0;
  double point[3] = {m->body->p[0], m->body->p[1], least};
  sb_patch_add(m->out, point, up, least - m->body->hi[2]);
  return 1;
}

static void collide(const SbMeeting* m) {
  if (m->body->form == SB_FORM_SPHERE || m->body->form == SB_FORM_CAPSULE) {
    sb_collide_round(m);
  } else {
    sb_collide_solid(m);
  }
}

// Terrain at `pos`, turned by `frame`, as one looks for its contacts with a geom.
typedef struct SbPlaced {
  const SbTerrain* t;
  const double *pos, *frame;
} SbPlaced;

// Triangles near a body; 0 if there are none, -1 without memory.
static int near_triangles(SbStep* s, const SbTerrain* t, const SbSolid* body) {
  double top[3];
  memcpy(top, body->hi, sizeof(top));
  // ground is solid: what has sunk into it lies below all triangles
  if (t->kind != SB_TERRAIN_MESH) top[2] = INFINITY;
  return body->hi[2] < t->lo[2] ? 0 : find_triangles(s, t, body->lo, top);
}

// Whether geom g may be near the terrain; places it.
static int place_near(SbStep* s, const SbPlaced* at, int g, SbSolid* body) {
  double between[3], centre[3];
  for (int i = 0; i < 3; i++) between[i] = s->d->geom_xpos[3 * g + i] - at->pos[i];
  sb_turn_back(at->frame, between, centre);
  if (is_far(at->t, centre, s->m->geom_rbound[g])) return 0;
  place_body(s, g, at->frame, centre, body);
  return 1;
}

// Where the triangles of a hollow mesh are, in the frame of the terrain.
static int meet_skin(SbStep* s, const SbPlaced* at, int g, const SbMeeting* meeting) {
  const SbTerrain* own = s->terrain.all.terrains + s->terrain.skin_of[g];
  double pos[3], mat[9], between[3], place[3], axis[3][3];
  sb_frame_in_body(s, g, own->pos, own->mat, pos, mat);
  for (int i = 0; i < 3; i++) between[i] = pos[i] - at->pos[i];
  sb_turn_back(at->frame, between, place);
  for (int k = 0; k < 3; k++) {
    double column[3] = {mat[k], mat[3 + k], mat[6 + k]};
    sb_turn_back(at->frame, column, axis[k]);
  }
  return sb_collide_skin(s, meeting, own, place, (const double(*)[3])axis);
}

// Fill the patch with the points where geom g is in the terrain, in its frame; SB_OK or SB_NO_MEMORY.
static int find_points(SbStep* s, const SbPlaced* at, int g) {
  SbTerrainWork* w = &s->terrain;
  SbSolid body;
  int code = SB_OK;
  w->patch.count = 0;
  if (!place_near(s, at, g, &body)) return SB_OK;
  int count = near_triangles(s, at->t, &body);
  if (count <= 0) return count ? SB_NO_MEMORY : SB_OK;
  SbMeeting meeting = {&w->all, at->t, &body, w->candidate, count, &w->patch};
  int is_sunken = at->t->kind == SB_TERRAIN_ODE_HEIGHTS && lift_sunken(&meeting);
  if (!is_sunken && w->skin_of[g] >= 0) code = meet_skin(s, at, g, &meeting);
  if (!is_sunken && w->skin_of[g] < 0) collide(&meeting);
  if (w->patch.count > SB_FEW_POINTS) sb_patch_thin_out(&w->patch);
  return code;
}

static int meet(SbStep* s, const SbPlaced* at, int g) {
  SbTerrainWork* w = &s->terrain;
  int code = find_points(s, at, g);
  if (code || !w->patch.count) return code;

  mjContact con = sb_new_contact(s, at->t->geom, g);
  for (int k = 0; k < w->patch.count; k++) {
    double p[3];
    sb_turn(at->frame, w->patch.point[k], p);
    for (int i = 0; i < 3; i++) con.pos[i] = at->pos[i] + p[i];
    sb_turn(at->frame, w->patch.normal[k], con.frame);
    con.dist = -w->patch.depth[k];
    // without room MuJoCo counts a warning, which the step reports
    if (mj_addContact(s->m, s->d, &con)) break;
  }
  return SB_OK;
}

int sb_collide_terrains(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  for (int t = 0; t < w->all.terrain_count; t++) {
    if (w->pair_start[t] == w->pair_start[t + 1]) continue;
    const SbTerrain* terrain = w->all.terrains + t;
    double pos[3], frame[9];
    sb_frame_in_body(s, terrain->geom, terrain->pos, terrain->mat, pos, frame);
    SbPlaced placed = {terrain, pos, frame};
    double middle[3], half[3], centre[3];
    for (int i = 0; i < 3; i++) {
      middle[i] = 0.5 * (terrain->lo[i] + terrain->hi[i]);
      half[i] = 0.5 * (terrain->hi[i] - terrain->lo[i]);
    }
    sb_turn(frame, middle, centre);
    for (int i = 0; i < 3; i++) centre[i] += pos[i];
    double reach = sqrt(sb_dot(half, half));
    for (int k = w->pair_start[t]; k < w->pair_start[t + 1]; k++) {
      // balls around both
      const double* at = s->d->geom_xpos + 3 * w->pair[k];
      double between[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};
      double touch = reach + s->m->geom_rbound[w->pair[k]];
      if (sb_dot(between, between) > touch * touch) continue;
      int code = meet(s, &placed, w->pair[k]);
      if (code) return code;
    }
  }
  return SB_OK;
}

int sb_terrain_points(SbStep* s, int terrain, int geom, double* out) {
  SbTerrainWork* w = &s->terrain;
  const SbTerrain* t = w->all.terrains + terrain;
  double pos[3], frame[9];
  if (!has_form(s, geom)) return 0;
  sb_frame_in_body(s, t->geom, t->pos, t->mat, pos, frame);
  SbPlaced placed = {t, pos, frame};
  if (find_points(s, &placed, geom)) return -1;
  for (int k = 0; k < w->patch.count; k++, out += 4) {
    sb_turn(frame, w->patch.normal[k], out);
    out[3] = w->patch.depth[k];
  }
  return w->patch.count;
}
