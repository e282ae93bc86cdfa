// Hollow meshes that move, among each other: convex parts, cut when their hulls first overlap.
//
// Cutting takes seconds, and most meshes of a robot never meet another. So a mesh is one geom, its hull, and
// its parts lie within that: where two hulls are apart, so are all parts. Of hulls that overlap MuJoCo's
// contacts are left out; those of the parts are found in a small model that holds only the two meshes. What a
// step does depends on poses alone, never on which meshes have been cut before.
#include <string.h>

#include "base/sb_work.h"

void sb_on_want(SbStep* s, SbWant want) { s->terrain.want = want; }

int sb_is_hollow(const SbStep* s, int geom) {
  return s->terrain.all.hollow_count && s->terrain.all.hollow[geom];
}

int sb_is_cut_pair(const SbStep* s, const int* geom) {
  return (sb_is_hollow(s, geom[0]) || sb_is_hollow(s, geom[1])) &&
         s->m->geom_type[geom[0]] == mjGEOM_MESH && s->m->geom_type[geom[1]] == mjGEOM_MESH;
}

int sb_give_pair(SbStep* s, int geom0, int geom1, const mjModel* m, mjData* d) {
  SbTerrainWork* w = &s->terrain;
  if (!SB_RESERVE(&s->arena, w->pair_model, w->pair_models + 1)) return SB_NO_MEMORY;
  w->pair_model[w->pair_models++] = (SbPairModel){{geom0, geom1}, m, d};
  return SB_OK;
}

// Number of the model of two geoms, -1 none; most often the one after the last that was asked for.
static int find_model(const SbTerrainWork* w, const int* geom, int after) {
  for (int k = 0; k < w->pair_models; k++) {
    int at = (after + 1 + k) % w->pair_models;
    const int* other = w->pair_model[at].geom;
    if (other[0] == geom[0] && other[1] == geom[1]) return at;
  }
  return -1;
}

static int want_pair(SbStep* s, const int* geom) {
  SbTerrainWork* w = &s->terrain;
  if (!SB_RESERVE(&s->arena, w->wanted_pair, 2 * w->wanted_pairs + 2)) return SB_NO_MEMORY;
  memcpy(w->wanted_pair + 2 * w->wanted_pairs++, geom, 2 * sizeof(int));
  return SB_OK;
}

// Note two hulls that overlap.
static int note_met(SbStep* s, const int* geom) {
  SbTerrainWork* w = &s->terrain;
  int low = geom[0] < geom[1] ? geom[0] : geom[1], high = geom[0] < geom[1] ? geom[1] : geom[0];
  if (w->met_count) {
    const int* last = w->met + 2 * (w->met_count - 1);
    if (last[0] == low && last[1] == high) return SB_OK;
  }
  if (!SB_RESERVE(&s->arena, w->met, 2 * w->met_count + 2) ||
      !SB_RESERVE(&s->arena, w->met_model, w->met_count + 1)) {
    return SB_NO_MEMORY;
  }
  w->met[2 * w->met_count] = low;
  w->met[2 * w->met_count++ + 1] = high;
  return SB_OK;
}

int sb_want_parts(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  const mjData* d = s->d;
  int code;
  w->met_count = w->wanted_pairs = 0;
  if (!w->all.hollow_count) return SB_OK;
  for (int k = 0; k < d->ncon; k++) {
    const int* geom = d->contact[k].geom;
    if (geom[0] < 0 || geom[1] < 0 || !sb_is_cut_pair(s, geom)) continue;
    if (sb_is_gripped(s, d->contact + k)) continue;  // what is joined does not collide
    if ((code = note_met(s, geom))) return code;
  }
  for (int k = 0, last = -1; k < w->met_count; k++) {
    last = w->met_model[k] = find_model(w, w->met + 2 * k, last);
    if (last < 0 && (code = want_pair(s, w->met + 2 * k))) return code;
  }
  if (!w->wanted_pairs) return SB_OK;
  if (!w->want || w->want(w->wanted_pair, w->wanted_pairs)) return SB_STOPPED;
  for (int k = 0, last = -1; k < w->met_count; k++) {
    last = w->met_model[k] = find_model(w, w->met + 2 * k, last);
    if (last < 0) return SB_STOPPED;
  }
  return SB_OK;
}

// Contacts of the parts of one pair of meshes.
static void collide_pair(SbStep* s, const SbPairModel* pair) {
  for (int k = 0; k < 2; k++) {
    int body = s->m->geom_bodyid[pair->geom[k]];
    memcpy(pair->d->qpos + 7 * k, s->d->xpos + 3 * body, 3 * sizeof(double));
    mju_mat2Quat(pair->d->qpos + 7 * k + 3, s->d->xmat + 9 * body);
  }
  mj_kinematics(pair->m, pair->d);
  mj_collision(pair->m, pair->d);
  for (int k = 0; k < pair->d->ncon; k++) {
    const mjContact* from = pair->d->contact + k;
    // bodies are counted from the world, which is 0
    int side0 = pair->m->geom_bodyid[from->geom[0]] - 1, side1 = 1 - side0;
    mjContact con = sb_new_contact(s, pair->geom[side0], pair->geom[side1]);
    memcpy(con.pos, from->pos, sizeof(con.pos));
    memcpy(con.frame, from->frame, sizeof(con.frame));
    con.dist = from->dist;
    memcpy(con.vert, from->geom, sizeof(con.vert));
    sb_place_point(s, &con);
    // without room MuJoCo counts a warning, which the step reports
    if (mj_addContact(s->m, s->d, &con)) return;
  }
}

void sb_collide_parts(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  for (int k = 0; k < w->met_count; k++) collide_pair(s, w->pair_model + w->met_model[k]);
}
