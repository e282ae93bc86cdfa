// What Choreonoid makes of the contacts of two links, for surfaces that ask for it:
//
//   sb_settle_faces    which face decides the normal of a mesh that lies askew
//   sb_share_depth     points of forms with few faces are as deep as the deepest (`shares_depth`)
//   sb_spread_points   tracks are pushed out slowly; so many points per pair of links and direction, far from each other (`keeps_spread`)
//
// The numpy twin is contact/reference/link_contacts.py.
#include <string.h>

#include "base/sb_law.h"
#include "base/sb_work.h"

// ---------------------------------------------------------------- normals

#define SB_PARALLEL 1e-12  // 1 - cosine below which two normals are one
#define SB_TWO_FACES 0.9   // cosine below which faces do not lie on each other

// How far a box or mesh reaches along a direction, from the world's origin.
static double reach_of(const SbStep* s, int geom, const double* way) {
  const mjModel* m = s->m;
  const double *pos = s->d->geom_xpos + 3 * geom, *mat = s->d->geom_xmat + 9 * geom;
  double local[3], most = -INFINITY;
  sb_turn_back(mat, way, local);
  if (m->geom_type[geom] == mjGEOM_BOX) {
    const double* half = m->geom_size + 3 * geom;
    most = fabs(local[0]) * half[0] + fabs(local[1]) * half[1] + fabs(local[2]) * half[2];
  } else {
    int mesh = m->geom_dataid[geom], at = m->mesh_graphadr[mesh];
    const int* hull = at < 0 ? NULL : m->mesh_graph + at;
    int count = hull ? hull[0] : m->mesh_vertnum[mesh];
    const float* points = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
    for (int k = 0; k < count; k++) {
      const float* p = points + 3 * (hull ? hull[2 + count + k] : k);
      double far = local[0] * p[0] + local[1] * p[1] + local[2] * p[2];
      if (far > most) most = far;
    }
  }
  return most + sb_dot(way, pos);
}

// Point of contact on the skin of geom 0 (side 1) or of geom 1 (side -1).
static void skin_point(const mjContact* con, int side, double* out) {
  for (int i = 0; i < 3; i++) out[i] = con->pos[i] - side * 0.5 * con->dist * con->frame[i];
}

// Outward normal of the face of a box or mesh that a direction comes out of most squarely; returns the cosine.
static double face_along(const SbStep* s, int geom, const double* way, double* normal) {
  const mjModel* m = s->m;
  const double* mat = s->d->geom_xmat + 9 * geom;
  double local[3], best[3] = {0}, most = -1;
  sb_turn_back(mat, way, local);
  if (m->geom_type[geom] == mjGEOM_BOX) {
    int axis = 0;
    for (int i = 1; i < 3; i++) {
      if (fabs(local[i]) > fabs(local[axis])) axis = i;
    }
    most = fabs(local[axis]);
    best[axis] = local[axis] < 0 ? -1 : 1;
  } else {
    int mesh = m->geom_dataid[geom];
    const mjtNum* normals = m->mesh_polynormal + 3 * m->mesh_polyadr[mesh];
    for (int k = 0; k < m->mesh_polynum[mesh]; k++) {
      double cosine = sb_dot(normals + 3 * k, local);
      if (cosine <= most) continue;
      most = cosine;
      memcpy(best, normals + 3 * k, sizeof(best));
    }
  }
  sb_turn(mat, best, normal);
  return most;
}

// MuJoCo gives faces of meshes that lie on each other up to 5 degrees askew the normal of the second, even
// where that is the bottom of a small body on a wide floor: what slides along it drives into the ground. Of the
// two normals that counts along which the bodies overlap less:
//
//            ____---|              |  overlap along the body's own normal: the whole of the floor
//      ----~~  body |                 under the body's plane
//  ______~~~~~~~~~~~|_______ floor    along the floor's: the lowest corner
//
// [begin, end): contacts of one pair, as MuJoCo has made them.
void sb_settle_faces(SbStep* s, int begin, int end) {
  const mjModel* m = s->m;
  mjContact* con = s->d->contact + begin;
  if (!sb_surface_of(s, con->geom[0], con->geom[1])->shares_depth) return;
  double way[2][3], normal[2][3];  // of each geom, outwards
  int is_face = 0, turn = 0;
  for (int side = 0; side < 2; side++) {
    int type = m->geom_type[con->geom[side]];
    if (type != mjGEOM_BOX && type != mjGEOM_MESH) return;
    for (int i = 0; i < 3; i++) way[side][i] = side ? -con->frame[i] : con->frame[i];
    double cosine = face_along(s, con->geom[side], way[side], normal[side]);
    if (cosine < SB_TWO_FACES) return;
    if (1 - cosine < SB_PARALLEL) {
      is_face++;
    } else {
      turn = side;
    }
  }
  // edges on edges have normals of their own; two parallel faces have one
  if (is_face != 1) return;

  double overlap[2], plane = 0;
  for (int side = 0; side < 2; side++) {
    double back[3], reach = reach_of(s, con->geom[side], normal[side]);
    for (int i = 0; i < 3; i++) back[i] = -normal[side][i];
    overlap[side] = reach + reach_of(s, con->geom[1 - side], back);
    if (side == turn) plane = reach;
  }
  if (overlap[turn] >= overlap[1 - turn]) return;
  const double* n = normal[turn];
  for (int k = begin; k < end; k++, con++) {
    double p[3];
    skin_point(con, turn ? 1 : -1, p);  // on the other's skin: it stays
    double depth = plane - sb_dot(n, p);
    for (int i = 0; i < 3; i++) {
      con->pos[i] = p[i] + 0.5 * depth * n[i];
      con->frame[i] = turn ? -n[i] : n[i];
    }
    con->dist = -depth;
    if (depth <= 0) con->exclude = 1;
  }
}

// ---------------------------------------------------------------- depths

// Triangles around a point that Choreonoid looks at: a box has twelve.
#define SB_FEW_FACES 12

// Whether the triangles around any point of a geom are all of it: a box, or a convex mesh of few faces.
static int has_few_faces(const mjModel* m, int geom) {
  if (m->geom_type[geom] == mjGEOM_BOX) return 1;
  if (m->geom_type[geom] != mjGEOM_MESH) return 0;
  int mesh = m->geom_dataid[geom], at = m->mesh_graphadr[mesh];
  return m->mesh_facenum[mesh] <= SB_FEW_FACES && at >= 0 &&
         m->mesh_graph[at + 1] == m->mesh_facenum[mesh];
}

// Make the contacts [begin, end) of two forms with few faces as deep as the deepest of them. Choreonoid takes the
// depth of a point from the triangles around it, which are the whole form: one that stands askew is pushed out
// evenly and stays so, where depths of their own would level it.
void sb_share_depth(SbStep* s, int begin, int end) {
  mjContact* con = s->d->contact;
  double least = 0;
  if (!has_few_faces(s->m, con[begin].geom[0]) || !has_few_faces(s->m, con[begin].geom[1])) return;
  for (int k = begin; k < end; k++) {
    if (!con[k].exclude) least = fmin(least, con[k].dist);
  }
  for (int k = begin; k < end; k++) {
    if (!con[k].exclude) con[k].dist = least;
  }
}

// ---------------------------------------------------------------- points

// [m] Depths within that are the same, and the first of the list counts, not in each step another one.
#define SB_SAME_DEPTH 1e-9
// Squared distances that differ by less than this share are the same, and the deepest point counts: where a
// wheel at the end of a belt is a little lower than the belt, both have a point there, and the belt's is in the air.
#define SB_SAME_FAR 0.02

// Cosine of 15 degrees: normals within that of the first one are one direction.
#define SB_ONE_WAY 0.966

// Squared distance of a contact from the nearest of order[0..kept), infinite where there is none.
static double far_from(const mjContact* con, const int* order, int kept, int k) {
  double least = INFINITY;
  for (int j = 0; j < kept; j++) {
    const double *p = con[order[j]].pos, *q = con[k].pos;
    double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, far = sb_dot(d, d);
    if (far < least) least = far;
  }
  return least;
}

// Put contacts into the list in the order in which they were chosen, at the places that they have: those that
// come first carry most (sb_contact_loads.c).
static void keep_in_turn(mjContact* con, int* order, int count) {
  for (int i = 0; i < count; i++) {
    int least = i;
    for (int j = i + 1; j < count; j++) {
      if (order[j] < order[least]) least = j;
    }
    int from = order[i], to = order[least];
    if (from == to) continue;
    mjContact moved = con[from];
    con[from] = con[to];
    con[to] = moved;
    order[least] = from;
    order[i] = to;
  }
}

// Keep the deepest of the contacts order[0..count) and then, one after the other, the one farthest from those
// kept, `limit` in all; returns how many were dropped.
static int keep_spread(mjContact* con, int* order, int count, int limit) {
  for (int kept = 0; kept < limit; kept++) {
    double most = 0, deepest = -INFINITY;
    int best = kept;
    for (int i = kept; i < count; i++) most = fmax(most, far_from(con, order, kept, order[i]));
    for (int i = kept; i < count; i++) {
      double far = far_from(con, order, kept, order[i]), depth = -con[order[i]].dist;
      int is_far = !kept || far >= (1 - SB_SAME_FAR) * most, later = order[i] > order[best];
      if (!is_far || depth < deepest - SB_SAME_DEPTH) continue;
      if (depth < deepest + SB_SAME_DEPTH && later) continue;
      deepest = depth;
      best = i;
    }
    int k = order[kept];
    order[kept] = order[best];
    order[best] = k;
  }
  for (int i = limit; i < count; i++) con[order[i]].exclude = 1;
  keep_in_turn(con, order, limit);
  return count - limit;
}

static int keeps_spread(const SbStep* s, const mjContact* con) {
  return con->geom[0] >= 0 && con->geom[1] >= 0 && !con->exclude &&
         sb_surface_of(s, con->geom[0], con->geom[1])->keeps_spread;
}

// Whether two contacts are of the same two bodies: 1, or -1 where these are the other way round; else 0.
static int same_bodies(const mjModel* m, const mjContact* one, const mjContact* two) {
  const int *a = one->geom, *b = two->geom, *of = m->geom_bodyid;
  if (of[a[0]] == of[b[0]] && of[a[1]] == of[b[1]]) return 1;
  return of[a[0]] == of[b[1]] && of[a[1]] == of[b[0]] ? -1 : 0;
}

// Of the contacts member[0..count) of two bodies, keep `limit` of each direction. `order` is scratch.
static void keep_of_each_way(SbStep* s, int* member, int count, int limit, int* order) {
  mjContact* con = s->d->contact;
  const mjContact* first = con + member[0];
  while (count > 0) {
    double way[3];
    int left = 0, chosen = 0;
    for (int i = 0; i < 3; i++) way[i] = con[member[0]].frame[i];
    int sign = same_bodies(s->m, first, con + member[0]);
    for (int k = 0; k < count; k++) {
      int turned = sign * same_bodies(s->m, first, con + member[k]);
      if (turned * sb_dot(way, con[member[k]].frame) >= SB_ONE_WAY) {
        order[chosen++] = member[k];
      } else {
        member[left++] = member[k];
      }
    }
    if (!chosen) return;  // a normal that is not a number
    if (chosen > limit) {
      int dropped = keep_spread(con, order, chosen, limit);
      sb_count_dropped(s, con[order[0]].geom[0], con[order[0]].geom[1], dropped);
    }
    count = left;
  }
}

// Choreonoid takes depths of tracks for no more than twice the rest depth: on an edge it lets them down into it
// where other links are pushed out.
static void limit_track_depth(const SbStep* s, mjContact* con) {
  if (!sb_runs_around(s, con->geom[0]) && !sb_runs_around(s, con->geom[1])) return;
  double most = 2 * sb_surface_of(s, con->geom[0], con->geom[1])->rest_depth;
  if (-con->dist > most) con->dist = -most;
}

int sb_spread_points(SbStep* s) {
  SbTerrainWork* w = &s->terrain;
  mjContact* con = s->d->contact;
  int count = s->d->ncon;
  if (!SB_RESERVE(&s->arena, w->mark, count) || !SB_RESERVE(&s->arena, s->order, 2 * count)) {
    return SB_NO_MEMORY;
  }
  memset(w->mark, 0, count * sizeof(*w->mark));
  for (int k = 0; k < count; k++) {
    if (w->mark[k] || !keeps_spread(s, con + k)) continue;
    int members = 0, limit = sb_surface_of(s, con[k].geom[0], con[k].geom[1])->max_contacts;
    for (int j = k; j < count; j++) {
      if (w->mark[j] || !keeps_spread(s, con + j) || !same_bodies(s->m, con + k, con + j)) continue;
      w->mark[j] = 1;
      s->order[members++] = j;
    }
    if (members > limit) keep_of_each_way(s, s->order, members, limit, s->order + count);
  }
  for (int k = 0; k < count && s->world->tracks; k++) {
    if (keeps_spread(s, con + k)) limit_track_depth(s, con + k);
  }
  return SB_OK;
}
