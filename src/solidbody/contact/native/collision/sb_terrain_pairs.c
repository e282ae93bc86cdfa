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

static void place_body(SbStep* s, int g, const double* frame, const double* centre, SbSolid* b) {
  const mjModel* m = s->m;
  SbTerrainWork* w = &s->terrain;
  b->form = sb_form_of(m->geom_type[g]);
  memcpy(b->p, centre, sizeof(b->p));
  memcpy(b->size, m->geom_size + 3 * g, sizeof(b->size));
  const SbHull* hull = b->form == SB_FORM_MESH ? w->all.hulls + w->hull_of[g] : NULL;
  sb_place_solid(&w->all, hull, s->d->geom_xmat + 9 * g, frame, w->corner, w->plane, b);
}

// ---------------------------------------------------------------- each step

// Terrain at `pos`, turned by `frame`, as one looks for its contacts with a geom.
typedef struct SbPlaced {
  const SbTerrain* t;
  const double *pos, *frame;
} SbPlaced;

// Triangles near a body; 0 if there are none, -1 without memory.
static int near_triangles(SbStep* s, const SbTerrain* t, const SbSolid* body) {
  SbTerrainWork* w = &s->terrain;
  int room = w->candidate_room, count = sb_near_triangles(&w->all, t, body, w->candidate, room);
  if (count <= room) return count;
  if (!SB_RESERVE(&s->arena, w->candidate, count)) return -1;
  w->candidate_room = count;
  return sb_near_triangles(&w->all, t, body, w->candidate, count);
}

// Whether geom g may be near the terrain; places it.
static int place_near(SbStep* s, const SbPlaced* at, int g, SbSolid* body) {
  double between[3], centre[3];
  for (int i = 0; i < 3; i++) between[i] = s->d->geom_xpos[3 * g + i] - at->pos[i];
  sb_turn_back(at->frame, between, centre);
  if (sb_is_far(at->t, centre, s->m->geom_rbound[g])) return 0;
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
  int is_sunken = at->t->kind == SB_TERRAIN_ODE_HEIGHTS && sb_lift_sunken(&meeting);
  if (!is_sunken && w->skin_of[g] >= 0) code = meet_skin(s, at, g, &meeting);
  if (!is_sunken && w->skin_of[g] < 0) sb_collide_body(&meeting);
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
