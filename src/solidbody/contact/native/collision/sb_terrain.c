// Spheres and capsules on terrain, and what solids (sb_terrain_solids.c) share with them.
//
// A round body touches where the distance from its axis to the terrain has a local minimum: over a
// face, at an edge that sticks out, or at a corner. So nothing inside a smooth surface can catch
// it: edges that are flat or hollow have no minimum, whatever the triangles look like. The Python
// twin is contact/reference/terrain.py: same operations, same order, same bits.
#include "collision/sb_terrain.h"

#ifndef SB_NO_LIBC
#include <math.h>
#include <string.h>
#endif

#include "collision/sb_colliders.h"
#include "base/sb_law.h"
#include "collision/sb_terrain_limits.h"

// ---------------------------------------------------------------- shared

SB_OPEN void sb_patch_add(SbPatch* out, const double* point, const double* normal, double depth) {
  int at = out->count;
  for (int k = 0; k < out->count; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = point[i] - out->point[k][i];
    if (sb_dot(d, d) < SB_PATCH_SAME * SB_PATCH_SAME) return;
  }
  if (at == SB_PATCH_POINTS) {
    // full: the shallowest gives way
    at = 0;
    for (int k = 1; k < SB_PATCH_POINTS; k++) {
      if (out->depth[k] < out->depth[at]) at = k;
    }
    if (!(depth > out->depth[at])) return;
  } else {
    out->count++;
  }
  memcpy(out->point[at], point, 3 * sizeof(double));
  memcpy(out->normal[at], normal, 3 * sizeof(double));
  out->depth[at] = depth;
}

// Of more than eight points with about the same normal, those that matter (sb_spread): keep[k] is 1
// for those and for all others.
SB_OPEN void sb_patch_choose(const SbPatch* patch, unsigned char* keep) {
  unsigned char seen[SB_PATCH_POINTS] = {0};
  for (int k = 0; k < patch->count; k++) keep[k] = 0;
  for (int k = 0; k < patch->count; k++) {
    if (seen[k]) continue;
    double point[SB_PATCH_POINTS][3], depth[SB_PATCH_POINTS], x[3], y[3];
    int member[SB_PATCH_POINTS], kept[9], count = 0;
    for (int m = k; m < patch->count; m++) {
      if (seen[m] || sb_dot(patch->normal[k], patch->normal[m]) < SB_SAME_NORMAL) continue;
      memcpy(point[count], patch->point[m], sizeof(point[0]));
      depth[count] = patch->depth[m];
      member[count++] = m;
      seen[m] = 1;
    }
    if (count <= SB_FEW_POINTS) {
      for (int m = 0; m < count; m++) keep[member[m]] = 1;
      continue;
    }
    sb_tangent(patch->normal[k], x);
    sb_cross(patch->normal[k], x, y);
    int size = sb_spread((const double(*)[3])point, depth, count, x, y, kept);
    for (int m = 0; m < size; m++) keep[member[kept[m]]] = 1;
  }
}

SB_OPEN void sb_patch_thin_out(SbPatch* out) {
  unsigned char keep[SB_PATCH_POINTS];
  int size = 0;
  sb_patch_choose(out, keep);
  for (int k = 0; k < out->count; k++) {
    if (!keep[k]) continue;
    if (size < k) {
      memcpy(out->point[size], out->point[k], sizeof(out->point[k]));
      memcpy(out->normal[size], out->normal[k], sizeof(out->normal[k]));
      out->depth[size] = out->depth[k];
    }
    size++;
  }
  out->count = size;
}

SB_OPEN int sb_over_face(const SbTriangle* face, const double* p) {
  for (int k = 0; k < 3; k++) {
    if (sb_dot(face->side[k], p) < face->side[k][3] - SB_ON_SIDE) return 0;
  }
  return 1;
}

// Whether the point p, `depth` behind face number `face` of a mesh, leaves the mesh sooner through
// another face that lies behind this one. Then this one is the flank of something that the body
// stands on: without this test, a box on the border of a table would also be pushed sideways.
SB_OPEN int sb_is_hidden(const SbMeeting* m, const double* p, double depth, int face) {
  if (m->terrain->kind != SB_TERRAIN_MESH) return 0;
  const SbTriangle* here = m->all->triangles + face;
  for (int k = 0; k < m->candidates; k++) {
    const SbTriangle* other = m->all->triangles + m->candidate[k];
    double below = other->offset - sb_dot(other->normal, p);
    if (below < 0 || below >= depth - SB_ON_SIDE) continue;
    if (!(sb_dot(other->normal, m->body->p) > other->offset)) continue;
    if (!(sb_dot(here->normal, other->centre) < here->offset - SB_ON_SIDE)) continue;
    if (sb_over_face(other, p)) return 1;
  }
  return 0;
}

// Whether a face goes on from the point q of a border in direction `away`, or nearly: neighbours
// that do not share both corners of their edge.
SB_OPEN int sb_border_goes_on(const SbMeeting* m, const double* q, const double* away) {
  for (int k = 0; k < m->candidates; k++) {
    const SbTriangle* other = m->all->triangles + m->candidate[k];
    if (fabs(sb_dot(other->normal, q) - other->offset) > SB_PATCH_SAME) continue;
    double to[3];
    for (int i = 0; i < 3; i++) to[i] = other->centre[i] - q[i];
    if (sb_dot(to, away) > SB_ON_SIDE && sb_over_face(other, q)) return 1;
  }
  return 0;
}

// ---------------------------------------------------------------- round bodies

SB_LOCAL int on_mesh(const SbMeeting* m) {
  return m->terrain->kind == SB_TERRAIN_MESH && m->body->form == SB_FORM_SPHERE;
}

// Contact of the ball about `centre` with the terrain at `q`; w = centre - q.
SB_LOCAL void add_ball(const SbMeeting* m, const double* centre, const double* q, const double* w,
                     double length) {
  double r = m->body->size[0], n[3], p[3];
  for (int i = 0; i < 3; i++) {
    n[i] = w[i] / length;
    p[i] = on_mesh(m) ? q[i] : centre[i] - r * n[i];
  }
  sb_patch_add(m->out, p, n, r - length);
}

SB_LOCAL void ball_on_face(const SbMeeting* m, const double* centre, int face) {
  const SbTriangle* f = m->all->triangles + face;
  const SbSolid* b = m->body;
  double r = b->size[0], height = sb_dot(f->normal, centre) - f->offset;
  if (!(r - height > SB_TOUCHING)) return;
  double q[3], p[3];
  for (int i = 0; i < 3; i++) {
    q[i] = centre[i] - height * f->normal[i];
    p[i] = on_mesh(m) ? q[i] : centre[i] - r * f->normal[i];
  }
  if (m->terrain->kind == SB_TERRAIN_ODE_HEIGHTS) {
    if (!sb_over_face(f, p)) return;
  } else if (height >= 0) {
    if (!sb_over_face(f, q)) return;
  } else {
    // the axis is under the face: only in the ground, or with the body's middle still in front
    int in_front = sb_dot(f->normal, b->p) > f->offset;
    if (m->terrain->kind == SB_TERRAIN_MESH) {
      if (!in_front) return;
      // where the axis goes through the plane, it must be near the face
      double below = -height, above = sb_dot(f->normal, b->p) - f->offset;
      for (int i = 0; i < 3; i++) {
        double x = (above * centre[i] + below * b->p[i]) / (above + below);
        if (x < f->lo[i] - r || x > f->hi[i] + r) return;
      }
    }
    if (!sb_over_face(f, centre) || sb_is_hidden(m, centre, -height, face)) return;
  }
  sb_patch_add(m->out, p, f->normal, r - height);
}

SB_LOCAL void ball_on_edge(const SbMeeting* m, const SbEdge* e, const double* centre, double t) {
  double q[3], w[3];
  for (int i = 0; i < 3; i++) {
    q[i] = e->start[i] + t * e->step[i];
    w[i] = centre[i] - q[i];
  }
  double length = sqrt(sb_dot(w, w)), slack = -SB_LEAN * length;
  if (length < SB_ON_SIDE || !(m->body->size[0] - length > SB_TOUCHING)) return;
  if (sb_dot(e->c0, w) < slack || sb_dot(e->c1, w) < slack) return;
  if (e->border && sb_border_goes_on(m, q, w)) return;
  add_ball(m, centre, q, w, length);
}

SB_LOCAL void round_on_edge(const SbMeeting* m, const SbEdge* e, double end[2][3], int ends) {
  const SbSolid* b = m->body;
  const double* a = b->axis[2];
  double square = sb_dot(e->step, e->step), w[3];
  if (ends == 2) {
    // where axis and edge come nearest, between their ends
    double along = sb_dot(a, e->step), det = square - along * along, half = b->size[1];
    if (det > SB_PARALLEL * square) {
      for (int i = 0; i < 3; i++) w[i] = b->p[i] - e->start[i];
      double ws = sb_dot(w, e->step), wa = sb_dot(w, a);
      double s = (along * ws - square * wa) / det, t = (ws + s * along) / square;
      if (-half < s && s < half && t > 0 && t < 1) {
        double centre[3];
        for (int i = 0; i < 3; i++) centre[i] = b->p[i] + s * a[i];
        ball_on_edge(m, e, centre, t);
      }
    }
  }
  for (int k = 0; k < ends; k++) {
    for (int i = 0; i < 3; i++) w[i] = end[k][i] - e->start[i];
    double t = sb_dot(w, e->step) / square;
    if (!(t > 0 && t < 1)) continue;
    if (ends == 2) {
      // nearest here only if going inwards along the axis leads away from the edge
      double inwards = 0;
      for (int i = 0; i < 3; i++) {
        inwards += (k == 0 ? a[i] : -a[i]) * (end[k][i] - (e->start[i] + t * e->step[i]));
      }
      if (inwards < -SB_TOUCHING) continue;
    }
    ball_on_edge(m, e, end[k], t);
  }
}

SB_LOCAL void round_on_peak(const SbMeeting* m, const SbPeak* peak) {
  const SbSolid* b = m->body;
  double half = b->form == SB_FORM_CAPSULE ? b->size[1] : 0, w[3], centre[3];
  for (int i = 0; i < 3; i++) w[i] = peak->point[i] - b->p[i];
  double s = sb_dot(w, b->axis[2]);
  s = s < -half ? -half : s > half ? half : s;
  for (int i = 0; i < 3; i++) {
    centre[i] = b->p[i] + s * b->axis[2][i];
    w[i] = centre[i] - peak->point[i];
  }
  double length = sqrt(sb_dot(w, w));
  if (length < SB_ON_SIDE || !(b->size[0] - length > SB_TOUCHING)) return;
  for (int k = 0; k < peak->spoke_count; k++) {
    if (sb_dot(m->all->spokes + 3 * (peak->spoke_start + k), w) > SB_LEAN * length) return;
  }
  if (sb_border_goes_on(m, peak->point, w)) return;
  add_ball(m, centre, peak->point, w, length);
}

SB_OPEN void sb_collide_round(const SbMeeting* m) {
  const SbSolid* b = m->body;
  double end[2][3];
  int ends = b->form == SB_FORM_CAPSULE ? 2 : 1;
  for (int k = 0; k < ends; k++) {
    double s = ends == 1 ? 0 : k == 0 ? -b->size[1] : b->size[1];
    for (int i = 0; i < 3; i++) end[k][i] = b->p[i] + s * b->axis[2][i];
  }
  for (int c = 0; c < m->candidates; c++) {
    const SbTriangle* f = m->all->triangles + m->candidate[c];
    for (int k = 0; k < ends; k++) ball_on_face(m, end[k], m->candidate[c]);
    for (int k = 0; k < f->edge_count; k++) {
      round_on_edge(m, m->all->edges + f->edge_start + k, end, ends);
    }
    for (int k = 0; k < f->peak_count; k++) round_on_peak(m, m->all->peaks + f->peak_start + k);
  }
}
