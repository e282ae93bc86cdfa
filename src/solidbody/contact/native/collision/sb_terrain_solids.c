// Boxes, cylinders and hulls on terrain.
//
// Two kinds of points:
//   corners of the body behind a face (a cylinder's as on a plane), pushed out along the normal of
//   the face: what ODE has on height fields, where a point is over the face that is above or below;
//   edges of the terrain that stick out and run through the body: both ends of the part inside,
//   pushed out along the direction that needs the least, out of
//     the body's faces, the direction square to the edge and to the body's own edge between the
//     faces where it enters and leaves; for cylinders the radii, and square to rim and edge.
#ifndef SB_NO_LIBC
#include <math.h>
#endif

#include "collision/sb_colliders.h"
#include "base/sb_law.h"
#include "collision/sb_terrain.h"
#include "collision/sb_terrain_limits.h"

// ---------------------------------------------------------------- corners on faces

// Radius of the largest ball around the centre of a body that is inside it.
SB_OPEN double sb_inner_radius(const SbSolid* b) {
  double least = b->form == SB_FORM_CYLINDER ? fmin(b->size[0], b->size[1]) : INFINITY;
  for (int k = 0; k < b->planes; k++) {
    double away = b->plane[4 * k + 3] - sb_dot(b->plane + 4 * k, b->p);
    if (away < least) least = away;
  }
  return least;
}

// Whether the way from p to a face, `depth` along its normal, leads through a face that looks the
// other way: then p has left what is behind the face again.
SB_OPEN int sb_is_out_again(const SbMeeting* m, const double* p, double depth, const SbTriangle* here) {
  for (int k = 0; k < m->candidates; k++) {
    const SbTriangle* other = m->all->triangles + m->candidate[k];
    double along = sb_dot(other->normal, here->normal), x[3];
    if (!(along < -SB_ON_SIDE)) continue;
    double t = (other->offset - sb_dot(other->normal, p)) / along;
    if (t < 0 || t > depth - SB_ON_SIDE) continue;
    for (int i = 0; i < 3; i++) x[i] = p[i] + t * here->normal[i];
    if (sb_over_face(other, x)) return 1;
  }
  return 0;
}

SB_LOCAL void corner_on_face(const SbMeeting* m, const double* p, double depth, int face) {
  const SbTriangle* f = m->all->triangles + face;
  if (!(depth > SB_TOUCHING) || !sb_over_face(f, p) || sb_is_hidden(m, p, depth, face)) return;
  // the end of a long post in a ring is far behind the ring's faces, and beyond the ring
  if (m->terrain->kind == SB_TERRAIN_MESH && depth > sb_inner_radius(m->body) &&
      sb_is_out_again(m, p, depth, f)) {
    return;
  }
  sb_patch_add(m->out, p, f->normal, depth);
}

// Whether all corners of a face are beyond the plane normal.x = offset.
SB_LOCAL int is_beyond(const SbTriangle* f, const double* normal, double offset) {
  return sb_dot(normal, f->corner[0]) > offset && sb_dot(normal, f->corner[1]) > offset &&
         sb_dot(normal, f->corner[2]) > offset;
}

// Whether a plane of the body has the whole face in front of it. A wall has corners far behind faces
// of a small mesh that does not touch it.
SB_LOCAL int is_apart(const SbSolid* b, const SbTriangle* f) {
  for (int k = 0; k < b->planes; k++) {
    if (is_beyond(f, b->plane + 4 * k, b->plane[4 * k + 3])) return 1;
  }
  if (b->form != SB_FORM_CYLINDER) return 0;
  for (int k = 0; k < 8; k++) {
    double normal[3];
    for (int i = 0; i < 3; i++) {
      normal[i] = sb_prism_side[k][0] * b->axis[0][i] + sb_prism_side[k][1] * b->axis[1][i];
    }
    if (is_beyond(f, normal, sb_dot(normal, b->p) + b->size[0])) return 1;
  }
  for (int side = -1; side <= 1; side += 2) {
    double normal[3];
    for (int i = 0; i < 3; i++) normal[i] = side * b->axis[2][i];
    if (is_beyond(f, normal, sb_dot(normal, b->p) + b->size[1])) return 1;
  }
  return 0;
}

// A box whose centre is behind a face. In ODE faces are one-sided but for boxes, of which the least
// overlap with the triangle counts, whichever side they are on: if none of the box's own axes has a
// smaller one, the face pushes the box away from its back.
SB_LOCAL void box_behind_face(const SbMeeting* m, const SbTriangle* f) {
  const SbSolid* b = m->body;
  double overlap = sb_dot(f->normal, b->p) - f->offset, back[3];
  for (int i = 0; i < 3; i++) {
    overlap += fabs(sb_dot(f->normal, b->axis[i])) * b->size[i];
    back[i] = -f->normal[i];
  }
  for (int k = 0; k < 6; k++) {
    const double* plane = b->plane + 4 * k;
    double nearest = INFINITY;
    for (int c = 0; c < 3; c++) nearest = fmin(nearest, sb_dot(plane, f->corner[c]));
    if (plane[3] - nearest < overlap - SB_ON_SIDE) return;
  }
  for (int k = 0; k < 8; k++) {
    const double* p = b->corner + 3 * k;
    double depth = sb_dot(f->normal, p) - f->offset;
    if (depth > SB_TOUCHING && sb_over_face(f, p)) sb_patch_add(m->out, p, back, depth);
  }
}

// The face of a box that looks most against the normal n: its direction. ODE's boxes meet planes with the
// four corners of that face.
SB_LOCAL void lower_face(const SbSolid* b, const double* n, double* down) {
  int most = 0;
  double reach[3];
  for (int k = 0; k < 3; k++) {
    reach[k] = b->size[k] * sb_dot(b->axis[k], n);
    if (fabs(reach[k]) > fabs(reach[most])) most = k;
  }
  for (int i = 0; i < 3; i++) down[i] = reach[most] > 0 ? -b->axis[most][i] : b->axis[most][i];
}

SB_LOCAL void solid_on_face(const SbMeeting* m, int face) {
  const SbTriangle* f = m->all->triangles + face;
  const SbSolid* b = m->body;
  // whole body in front of the face?
  double nearest = -f->offset;
  for (int i = 0; i < 3; i++) nearest += f->normal[i] * (f->normal[i] > 0 ? b->lo[i] : b->hi[i]);
  if (nearest > 0) return;
  if (m->terrain->kind == SB_TERRAIN_MESH) {
    if (is_apart(b, f)) return;
    if (!(sb_dot(f->normal, b->p) > f->offset)) {
      if (b->form == SB_FORM_BOX) box_behind_face(m, f);
      return;
    }
  }

  if (b->form == SB_FORM_CYLINDER) {
    SbManifold found;
    double on_plane[3];
    for (int i = 0; i < 3; i++) {
      found.normal[i] = f->normal[i];
      on_plane[i] = f->offset * f->normal[i];
    }
    sb_cylinder_under_plane(on_plane, b->p, b->axis[0], b->axis[1], b->axis[2], b->size[0],
                            b->size[1], &found);
    for (int k = 0; k < found.count; k++) corner_on_face(m, found.point[k], found.depth[k], face);
    return;
  }
  int only_lower = m->terrain->kind == SB_TERRAIN_ODE_HEIGHTS && b->form == SB_FORM_BOX;
  double down[3] = {0, 0, 0};
  if (only_lower) lower_face(b, f->normal, down);
  for (int k = 0; k < b->corners; k++) {
    const double* p = b->corner + 3 * k;
    if (only_lower && sb_dot(down, p) < sb_dot(down, b->p)) continue;
    corner_on_face(m, p, f->offset - sb_dot(f->normal, p), face);
  }
}

// ---------------------------------------------------------------- edges through bodies

// The part of an edge inside the body, and the best direction to push it out.
typedef struct Inside {
  const SbEdge* edge;
  double from, to;         // parameters on the edge
  int in, out;             // planes where it enters and leaves, -1: it begins or ends inside
  double p[2][3], middle[3];
  double n[3];             // from the terrain to the body
  double lowest;           // least n.x of the body
  double overlap;
  double least;            // overlap along any direction, in the cone of the edge or not
} Inside;

// Least value of n.x over the body.
SB_LOCAL double lowest_of(const SbSolid* b, const double* n) {
  if (b->form == SB_FORM_CYLINDER) {
    double across[3];
    sb_cross(n, b->axis[2], across);
    double reach = fabs(sb_dot(n, b->axis[2])) * b->size[1] +
                   b->size[0] * sqrt(sb_dot(across, across));
    return sb_dot(n, b->p) - reach;
  }
  double lowest = INFINITY;
  for (int k = 0; k < b->corners; k++) {
    double x = sb_dot(n, b->corner + 3 * k);
    if (x < lowest) lowest = x;
  }
  return lowest;
}

SB_LOCAL void keep_if_less(Inside* c, const double* n, double lowest) {
  double first = sb_dot(n, c->p[0]), last = sb_dot(n, c->p[1]);
  double overlap = (first > last ? first : last) - lowest;
  if (overlap < c->least) c->least = overlap;
  if (sb_dot(c->edge->c0, n) < -SB_SOLID_LEAN || sb_dot(c->edge->c1, n) < -SB_SOLID_LEAN) return;
  if (!(overlap < c->overlap - SB_TOUCHING)) return;
  c->overlap = overlap;
  c->lowest = lowest;
  for (int i = 0; i < 3; i++) c->n[i] = n[i];
}

// Try +-w, whichever points from the edge to the middle of the body.
SB_LOCAL void try_across(Inside* c, const SbSolid* b, const double* w) {
  double length = sqrt(sb_dot(w, w)), n[3], to[3];
  if (length < 1e-6) return;
  for (int i = 0; i < 3; i++) to[i] = b->p[i] - c->middle[i];
  double sign = sb_dot(w, to) < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) n[i] = sign * w[i] / length;
  keep_if_less(c, n, lowest_of(b, n));
}

// Narrow [from, to] to the side of a plane where normal.x <= offset; 0: nothing is left.
SB_LOCAL int narrow(Inside* c, const double* normal, double offset, int plane) {
  double start = sb_dot(normal, c->edge->start) - offset, step = sb_dot(normal, c->edge->step);
  if (fabs(step) < 1e-15) return start <= 0;
  double t = -start / step;
  if (step < 0 && t > c->from) {
    c->from = t;
    c->in = plane;
  }
  if (step > 0 && t < c->to) {
    c->to = t;
    c->out = plane;
  }
  return c->from < c->to;
}

SB_LOCAL int narrow_by_cylinder(Inside* c, const SbSolid* b) {
  const double* a = b->axis[2];
  double back[3], centre = sb_dot(a, b->p), w[3], u[3];
  for (int i = 0; i < 3; i++) back[i] = -a[i];
  if (!narrow(c, a, centre + b->size[1], 0) || !narrow(c, back, b->size[1] - centre, 1)) return 0;
  for (int i = 0; i < 3; i++) w[i] = c->edge->start[i] - b->p[i];
  double wa = sb_dot(w, a), ua = sb_dot(c->edge->step, a);
  for (int i = 0; i < 3; i++) {
    w[i] -= wa * a[i];
    u[i] = c->edge->step[i] - ua * a[i];
  }
  double uu = sb_dot(u, u), uw = sb_dot(u, w), ww = sb_dot(w, w) - b->size[0] * b->size[0];
  if (uu < 1e-15) return ww <= 0;
  double root = uw * uw - uu * ww;
  if (root <= 0) return 0;
  root = sqrt(root);
  double t0 = (-uw - root) / uu, t1 = (-uw + root) / uu;
  if (t0 > c->from) c->from = t0;
  if (t1 < c->to) c->to = t1;
  return c->from < c->to;
}

SB_LOCAL void try_faces(Inside* c, const SbSolid* b) {
  for (int k = 0; k < b->planes; k++) {
    const double* plane = b->plane + 4 * k;
    double n[3] = {-plane[0], -plane[1], -plane[2]};
    keep_if_less(c, n, -plane[3]);
  }
  if (c->in < 0 || c->out < 0) return;
  // square to the edge d and to the body's edge f x g: d x (f x g) = f (d.g) - g (d.f)
  const double *f = b->plane + 4 * c->in, *g = b->plane + 4 * c->out;
  double df = sb_dot(c->edge->step, f), dg = sb_dot(c->edge->step, g), w[3];
  double length = sqrt(sb_dot(c->edge->step, c->edge->step));
  for (int i = 0; i < 3; i++) w[i] = (f[i] * dg - g[i] * df) / length;
  try_across(c, b, w);
}

SB_LOCAL void try_cylinder(Inside* c, const SbSolid* b) {
  const double *a = b->axis[2], *d = c->edge->step;
  double w[3], length = sqrt(sb_dot(d, d)), back[3];
  for (int i = 0; i < 3; i++) back[i] = -a[i];
  keep_if_less(c, a, lowest_of(b, a));
  keep_if_less(c, back, lowest_of(b, back));
  sb_cross(a, d, w);
  for (int i = 0; i < 3; i++) w[i] /= length;
  try_across(c, b, w);
  for (int k = 0; k < 2; k++) {
    // radius through an end
    for (int i = 0; i < 3; i++) w[i] = b->p[i] - c->p[k][i];
    double along = sb_dot(w, a);
    for (int i = 0; i < 3; i++) w[i] -= along * a[i];
    try_across(c, b, w);
  }
  double da = sb_dot(d, a);
  if (fabs(da) < 1e-6 * length) return;
  for (int cap = -1; cap <= 1; cap += 2) {
    // where the edge pierces the plane of a cap: square to the edge and to the rim there
    double q[3], u[3];
    for (int i = 0; i < 3; i++) q[i] = c->edge->start[i] - (b->p[i] + cap * b->size[1] * a[i]);
    double t = -sb_dot(q, a) / da;
    for (int i = 0; i < 3; i++) q[i] += t * d[i];
    sb_cross(a, q, u);
    double radius = sqrt(sb_dot(u, u));
    if (radius < 1e-9) continue;
    sb_cross(u, d, w);
    for (int i = 0; i < 3; i++) w[i] /= radius * length;
    try_across(c, b, w);
  }
}

SB_LOCAL void edge_in_solid(const SbMeeting* m, const SbEdge* e) {
  const SbSolid* b = m->body;
  if (e->bend < SB_LEAST_BEND) return;
  for (int i = 0; i < 3; i++) {
    double last = e->start[i] + e->step[i];
    if ((e->start[i] < b->lo[i] && last < b->lo[i]) || (e->start[i] > b->hi[i] && last > b->hi[i])) {
      return;
    }
  }
  Inside c;
  c.edge = e;
  c.from = 0;
  c.to = 1;
  c.in = c.out = -1;
  c.overlap = c.least = INFINITY;
  if (b->form == SB_FORM_CYLINDER) {
    if (!narrow_by_cylinder(&c, b)) return;
  } else {
    for (int k = 0; k < b->planes; k++) {
      if (!narrow(&c, b->plane + 4 * k, b->plane[4 * k + 3], k)) return;
    }
  }
  for (int i = 0; i < 3; i++) {
    c.p[0][i] = e->start[i] + c.from * e->step[i];
    c.p[1][i] = e->start[i] + c.to * e->step[i];
    c.middle[i] = 0.5 * (c.p[0][i] + c.p[1][i]);
  }
  if (e->border && sb_border_goes_on(m, c.middle, e->c0)) return;
  if (b->form == SB_FORM_CYLINDER) {
    try_cylinder(&c, b);
  } else {
    try_faces(&c, b);
  }
  if (!(c.overlap <= SB_WAY_ROUND * c.least + SB_PATCH_SAME)) return;
  for (int k = 0; k < 2; k++) {
    double depth = sb_dot(c.n, c.p[k]) - c.lowest, p[3];
    for (int i = 0; i < 3; i++) p[i] = c.p[k][i] - depth * c.n[i];
    if (depth > SB_TOUCHING) sb_patch_add(m->out, p, c.n, depth);
  }
}

SB_OPEN void sb_collide_solid(const SbMeeting* m) {
  for (int c = 0; c < m->candidates; c++) solid_on_face(m, m->candidate[c]);
  for (int c = 0; c < m->candidates; c++) {
    const SbTriangle* f = m->all->triangles + m->candidate[c];
    for (int k = 0; k < f->edge_count; k++) edge_in_solid(m, m->all->edges + f->edge_start + k);
  }
}
