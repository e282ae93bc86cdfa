// Shapes cut into convex parts: their contacts with one other shape count as those of one pair.
// Each part would bring its own points, and a ring of fifteen parts on a floor eighty of them; the
// law asks for max_contacts. Of more than that the outermost and deepest of each direction stay
// (sb_patch_choose), and of those the deepest.
#include <string.h>

#include "base/sb_law.h"
#include "collision/sb_terrain.h"
#include "base/sb_work.h"

// The shape that a geom belongs to: a group, or a number of its own.
static int shape_of(const SbStep* s, int geom) {
  int group = s->terrain.all.groups[geom];
  return group >= 0 ? group : s->m->ngeom + geom;
}

static int is_grouped(const SbStep* s, const mjContact* con) {
  const int32_t* groups = s->terrain.all.groups;
  return con->geom[0] >= 0 && con->geom[1] >= 0 && !con->exclude &&
         (groups[con->geom[0]] >= 0 || groups[con->geom[1]] >= 0) &&
         !sb_surface_of(s, con->geom[0], con->geom[1])->keeps_spread;  // those: sb_link_contacts.c
}

static void put(SbPatch* patch, int at, const mjContact* con) {
  memcpy(patch->point[at], con->pos, sizeof(patch->point[at]));
  memcpy(patch->normal[at], con->frame, sizeof(patch->normal[at]));
  patch->depth[at] = -con->dist;
}

// Keep the best `limit` of the contacts member[0..count); returns how many were dropped.
static int thin_out(SbStep* s, const int* member, int count, int limit) {
  SbPatch* patch = &s->terrain.patch;
  mjContact* con = s->d->contact;
  int index[SB_PATCH_POINTS], left = 0;
  unsigned char keep[SB_PATCH_POINTS];
  patch->count = 0;
  for (int k = 0; k < count; k++) {
    int at = patch->count;
    if (at < SB_PATCH_POINTS) {
      patch->count++;
    } else {
      // full: the shallowest gives way
      at = 0;
      for (int m = 1; m < SB_PATCH_POINTS; m++) {
        if (patch->depth[m] < patch->depth[at]) at = m;
      }
      int worse = -con[member[k]].dist > patch->depth[at] ? index[at] : member[k];
      con[worse].exclude = 1;
      if (worse == member[k]) continue;
    }
    put(patch, at, con + member[k]);
    index[at] = member[k];
  }
  sb_patch_choose(patch, keep);
  for (int k = 0; k < patch->count; k++) {
    if (!keep[k]) con[index[k]].exclude = 1;
    left += keep[k];
  }
  for (; left > limit; left--) {
    int worst = -1;
    for (int k = 0; k < patch->count; k++) {
      if (keep[k] && (worst < 0 || patch->depth[k] < patch->depth[worst])) worst = k;
    }
    keep[worst] = 0;
    con[index[worst]].exclude = 1;
  }
  return count - left;
}

int sb_thin_out_groups(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  mjContact* con = s->d->contact;
  int count = s->d->ncon;
  if (!w->all.group_count) return SB_OK;
  if (!SB_RESERVE(&s->arena, w->mark, count)) return SB_NO_MEMORY;
  memset(w->mark, 0, count * sizeof(*w->mark));
  for (int k = 0; k < count; k++) {
    if (w->mark[k] || !is_grouped(s, con + k)) continue;
    int one = shape_of(s, con[k].geom[0]), two = shape_of(s, con[k].geom[1]), members = 0;
    for (int m = k; m < count; m++) {
      if (w->mark[m] || !is_grouped(s, con + m) || shape_of(s, con[m].geom[0]) != one ||
          shape_of(s, con[m].geom[1]) != two) {
        continue;
      }
      w->mark[m] = 1;
      s->order[members++] = m;
    }
    int limit = sb_surface_of(s, con[k].geom[0], con[k].geom[1])->max_contacts;
    if (members > limit) {
      sb_count_dropped(s, con[k].geom[0], con[k].geom[1], thin_out(s, s->order, members, limit));
    }
  }
  return SB_OK;
}
