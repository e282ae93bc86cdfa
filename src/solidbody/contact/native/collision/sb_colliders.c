// Cylinders on planes and boxes: which points ODE's colliders give, written anew.
#include "collision/sb_colliders.h"

#ifndef SB_NO_LIBC
#include <string.h>
#endif

#include "base/sb_law.h"

// [m] Depths below are rounding. A body set down exactly on another, as worlds often have it, touches
// with all its points or with none: one of two would tip it. As in ODE, caps do not touch then, and
// sides do.
#define SB_TOUCHING 1e-12

// ---------------------------------------------------------------- cylinder on plane
//
//   n ^        a, the axis       Each cap offers the point at its steepest radius m; a cap nearly
//     |   ____/                  parallel to the plane also the points at -m and at +-c, c square
//     |  |   /|                  to m. Points under the plane count, and stay on the cylinder.
//   __|__|__/_|____ plane
//      m <-o-> -m
//
// This is the rule of Webots, which replaced ODE's collider by its own. Debian's ODE 0.16.2 differs
// in that it gives four points only up to a tilt of 1e-5 rad or so (one point per cap beyond) and
// in that those four keep their azimuth in the world while the cylinder turns under them.

#define SB_CAP_SIN2 0.1       // sin^2 of the tilt up to which a cap has four points
#define SB_UPRIGHT_SIN2 1e-3  // sin^2 of the tilt up to which m, c are the cylinder's own y and x

SB_LOCAL void add_below_plane(SbManifold* out, const double* plane_pos, const double* centre,
                            double radius, const double* direction) {
  double p[3], down[3];
  for (int i = 0; i < 3; i++) {
    p[i] = centre[i] + radius * direction[i];
    down[i] = plane_pos[i] - p[i];
  }
  double depth = sb_dot(out->normal, down);
  if (!(depth > SB_TOUCHING)) return;
  memcpy(out->point[out->count], p, sizeof(p));
  out->depth[out->count] = depth;
  out->count++;
}

SB_OPEN void sb_cylinder_under_plane(const double* plane_pos, const double* pos, const double* x,
                             const double* y, const double* a, double radius, double half,
                             SbManifold* out) {
  double m[3], c[3];
  const double* n = out->normal;
  out->count = 0;
  double along = sb_dot(n, a);
  for (int i = 0; i < 3; i++) m[i] = along * a[i] - n[i];
  double sin2 = sb_dot(m, m);
  if (sin2 < SB_UPRIGHT_SIN2) {
    for (int i = 0; i < 3; i++) {
      m[i] = y[i];
      c[i] = x[i];
    }
  } else {
    double sine = sqrt(sin2);
    sb_cross(a, n, c);
    for (int i = 0; i < 3; i++) {
      m[i] /= sine;
      c[i] /= sine;
    }
  }
  // the lower cap first: a wheel's sweeps are fewer by a tenth when the deeper point comes first
  int lower = along > 0 ? -1 : 1;
  for (int k = 0; k < 2; k++) {
    double centre[3];
    int cap = k == 0 ? lower : -lower;
    for (int i = 0; i < 3; i++) centre[i] = pos[i] + cap * half * a[i];
    add_below_plane(out, plane_pos, centre, radius, m);
    if (sin2 < SB_CAP_SIN2) {
      add_below_plane(out, plane_pos, centre, radius, c);
      add_below_plane(out, plane_pos, centre, -radius, m);
      add_below_plane(out, plane_pos, centre, -radius, c);
    }
  }
}

SB_OPEN int sb_collide_plane_cylinder(const double* plane_pos, const double* plane_mat, const double* pos,
                              const double* mat, double radius, double half, SbManifold* out) {
  double axis[3][3];
  for (int i = 0; i < 3; i++) {
    out->normal[i] = plane_mat[3 * i + 2];
    for (int k = 0; k < 3; k++) axis[k][i] = mat[3 * i + k];
  }
  sb_cylinder_under_plane(plane_pos, pos, axis[0], axis[1], axis[2], radius, half, out);
  return 1;
}

// ---------------------------------------------------------------- points that matter
//
// A foot of many corners would fill a contact with one side of it only: of more than eight points,
// those that are outermost in eight directions, and the deepest if none of these is about as deep.

#define SB_MUCH_DEEPER 1.1

// Which of `count` points to keep: writes their indices, 9 at most, ascending.
SB_OPEN int sb_spread(const double (*point)[3], const double* depth, int count, const double* x,
              const double* y, int* kept) {
  static const double way[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                   {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
  unsigned char is_kept[SB_SPREAD_POINTS] = {0};
  int deep = 0, size = 0;
  double deepest = 0;
  for (int w = 0; w < 8; w++) {
    int best = 0;
    double far = 0;
    for (int k = 0; k < count; k++) {
      double reach = way[w][0] * sb_dot(x, point[k]) + way[w][1] * sb_dot(y, point[k]);
      if (k == 0 || reach > far) {
        far = reach;
        best = k;
      }
    }
    is_kept[best] = 1;
    if (depth[best] > deepest) deepest = depth[best];
  }
  for (int k = 1; k < count; k++) {
    if (depth[k] > depth[deep]) deep = k;
  }
  if (depth[deep] > SB_MUCH_DEEPER * deepest) is_kept[deep] = 1;
  for (int k = 0; k < count; k++) {
    if (is_kept[k]) kept[size++] = k;
  }
  return size;
}

// ---------------------------------------------------------------- cylinder on box
//
// All in the box's frame, where its faces are square to the axes. First the direction n along which
// the two overlap least, out of a set that holds every direction in which they can be apart:
//   3 face normals of the box; the axis a; a x (edge direction); a corner of the box against the
//   side; an edge of the box against the rim of a cap
// (n square to the edge and to the rim's tangent where the edge pierces the plane of the cap).
// n points from the box to the cylinder. Then the points:
//   |n.a| < 0.9   side: the line of the side that faces the box, as far as it is in the box; its
//                 two ends, on the cylinder, each with its own depth under the box's outermost plane
//   otherwise     cap: the box's face that faces the cylinder, cut by the cap's plane and by a
//                 prism of eight sides around the cylinder; its corners, on the box
//
// Depth of a cap's points: ODE measures how far each is inside the cylinder's outermost plane square
// to n. Where n is a face normal of the box, that is one depth for all, however the cylinder tilts:
// nothing rights it. A standing cylinder that was ever disturbed leans more and more until part of
// its foot lifts off, and then trembles for good (ODE itself: 0.01 rad/s, for r = 0.1 m at 8 ms).
// So by default a point's depth is no more than its distance to the cap, along n. Simulations that
// are to give ODE's own numbers get ODE's depths. Points, normal and greatest depth are the same.

#define SB_CAP_COSINE 0.9
#define SB_NO_AXIS 1e-6       // sine of two directions that count as parallel
#define SB_SAME_DEPTH 1e-12   // [m] a later axis must be better by more, so that n does not flicker
#define SB_SAME_POINT 1e-6    // [m] corners nearer to each other are one point

// cos and sin of the azimuths of the eight sides of the prism: 22.5 degrees and steps of 45
#define SB_C8 0.92387953251128674
#define SB_S8 0.38268343236508977
SB_TABLE double sb_prism_side[8][2] = {{SB_C8, SB_S8},   {SB_S8, SB_C8},   {-SB_S8, SB_C8},
                                    {-SB_C8, SB_S8},  {-SB_C8, -SB_S8}, {-SB_S8, -SB_C8},
                                    {SB_S8, -SB_C8},  {SB_C8, -SB_S8}};

typedef struct Overlap {
  double p[3];             // centre of the cylinder
  double x[3], y[3], a[3]; // its axes
  double radius, half;
  const double* box;       // half sizes of the box
  double n[3];             // best direction so far, from the box to the cylinder
  double depth;            // overlap along n
} Overlap;

SB_LOCAL double reach_of_cylinder(const Overlap* o, const double* direction) {
  double across[3];
  sb_cross(direction, o->a, across);
  return fabs(sb_dot(direction, o->a)) * o->half + o->radius * sqrt(sb_dot(across, across));
}

SB_LOCAL double reach_of_box(const Overlap* o, const double* direction) {
  return fabs(direction[0]) * o->box[0] + fabs(direction[1]) * o->box[1] +
         fabs(direction[2]) * o->box[2];
}

// Returns 0 if the two are apart along `direction`, which need not be a unit vector.
SB_LOCAL int try_direction(Overlap* o, const double* direction) {
  double length = sqrt(sb_dot(direction, direction)), unit[3];
  if (length < SB_NO_AXIS) return 1;
  for (int i = 0; i < 3; i++) unit[i] = direction[i] / length;
  double between = sb_dot(unit, o->p);
  double depth = reach_of_cylinder(o, unit) + reach_of_box(o, unit) - fabs(between);
  if (depth < 0) return 0;
  if (depth < o->depth - SB_SAME_DEPTH) {
    o->depth = depth;
    for (int i = 0; i < 3; i++) o->n[i] = between < 0 ? -unit[i] : unit[i];
  }
  return 1;
}

SB_LOCAL int try_corners(Overlap* o) {
  for (int k = 0; k < 8; k++) {
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = (k >> i & 1 ? o->box[i] : -o->box[i]) - o->p[i];
    double along = sb_dot(w, o->a);
    for (int i = 0; i < 3; i++) w[i] -= along * o->a[i];
    if (!try_direction(o, w)) return 0;
  }
  return 1;
}

// Edges of direction i (unit vector e): where each pierces the plane of a cap, the rim's tangent is
// u = a x (radius to that point), and u x e is square to both.
SB_LOCAL int try_edges(Overlap* o, int i) {
  int j = (i + 1) % 3, k = (i + 2) % 3;
  if (fabs(o->a[i]) < SB_NO_AXIS) return 1;
  for (int edge = 0; edge < 4; edge++) {
    for (int cap = -1; cap <= 1; cap += 2) {
      double q[3], u[3], direction[3];
      for (int c = 0; c < 3; c++) q[c] = -(o->p[c] + cap * o->half * o->a[c]);
      q[j] += edge & 1 ? o->box[j] : -o->box[j];
      q[k] += edge & 2 ? o->box[k] : -o->box[k];
      q[i] -= sb_dot(q, o->a) / o->a[i];
      sb_cross(o->a, q, u);
      double length = sqrt(sb_dot(u, u));
      if (length < SB_NO_AXIS) continue;
      direction[i] = 0;
      direction[j] = u[k] / length;
      direction[k] = -u[j] / length;
      if (!try_direction(o, direction)) return 0;
    }
  }
  return 1;
}

SB_LOCAL int find_direction(Overlap* o) {
  for (int i = 0; i < 3; i++) {
    double face[3] = {i == 0, i == 1, i == 2};
    if (!try_direction(o, face)) return 0;
  }
  if (!try_direction(o, o->a)) return 0;
  for (int i = 0; i < 3; i++) {
    double edge[3] = {i == 0, i == 1, i == 2}, across[3];
    sb_cross(o->a, edge, across);
    if (!try_direction(o, across)) return 0;
  }
  if (!try_corners(o)) return 0;
  for (int i = 0; i < 3; i++) {
    if (!try_edges(o, i)) return 0;
  }
  return 1;
}

SB_LOCAL void add_point(SbManifold* out, const double* p, double depth) {
  memcpy(out->point[out->count], p, 3 * sizeof(double));
  out->depth[out->count] = depth > 0 ? depth : 0;
  out->count++;
}

SB_LOCAL void add_side_points(const Overlap* o, double cosine, SbManifold* out) {
  double w[3], start[3], step[3], from = 0, to = 1;
  for (int i = 0; i < 3; i++) w[i] = o->n[i] - cosine * o->a[i];
  double length = sqrt(sb_dot(w, w));
  for (int i = 0; i < 3; i++) {
    start[i] = o->p[i] - o->radius * w[i] / length - o->half * o->a[i];
    step[i] = 2 * o->half * o->a[i];
  }
  for (int i = 0; i < 3; i++) {
    for (int side = -1; side <= 1; side += 2) {
      double first = o->box[i] + SB_TOUCHING - side * start[i], last = first - side * step[i];
      if (first < 0 && last < 0) return;
      if (first < 0 && first / (first - last) > from) from = first / (first - last);
      if (last < 0 && first / (first - last) < to) to = first / (first - last);
    }
  }
  if (from > to) return;
  double reach = reach_of_box(o, o->n);
  for (int end = 0; end < 2; end++) {
    double p[3], t = end ? to : from;
    for (int i = 0; i < 3; i++) p[i] = start[i] + t * step[i];
    add_point(out, p, reach - sb_dot(o->n, p));
  }
}

// Keep the part of a polygon where normal.(p - through) <= offset (Sutherland, Hodgman).
SB_LOCAL int cut(double polygon[][3], int count, const double* normal, const double* through,
               double offset) {
  double kept[SB_MAX_POINTS][3], inside_before = 0;
  int size = 0;
  for (int k = -1; k < count; k++) {
    const double* q = polygon[k < 0 ? count - 1 : k];
    double from[3];
    for (int i = 0; i < 3; i++) from[i] = q[i] - through[i];
    double inside = offset - sb_dot(normal, from);
    if (k >= 0) {
      const double* p = polygon[k > 0 ? k - 1 : count - 1];
      // a polygon that stays convex gains one corner per cut; rounding cannot make it gain more
      if (((inside_before > 0 && inside < 0) || (inside_before < 0 && inside > 0)) &&
          size < SB_MAX_POINTS) {
        double t = inside_before / (inside_before - inside);
        for (int i = 0; i < 3; i++) kept[size][i] = p[i] + t * (q[i] - p[i]);
        size++;
      }
      if (inside >= 0 && size < SB_MAX_POINTS) memcpy(kept[size++], q, sizeof(kept[0]));
    }
    inside_before = inside;
  }
  if (size) memcpy(polygon, kept, size * sizeof(kept[0]));
  return size;
}

SB_LOCAL int is_new(const SbManifold* out, const double* p) {
  for (int k = 0; k < out->count; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = p[i] - out->point[k][i];
    if (sb_dot(d, d) < SB_SAME_POINT * SB_SAME_POINT) return 0;
  }
  return 1;
}

SB_LOCAL void add_cap_points(const Overlap* o, double cosine, int ode_depths, SbManifold* out) {
  // the box's face that faces the cylinder
  double size[3] = {fabs(o->n[0]), fabs(o->n[1]), fabs(o->n[2])};
  int i = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  int j = (i + 1) % 3, k = (i + 2) % 3, count = 4;
  double polygon[SB_MAX_POINTS][3];
  for (int c = 0; c < 4; c++) {
    polygon[c][i] = o->n[i] > 0 ? o->box[i] : -o->box[i];
    polygon[c][j] = c == 0 || c == 3 ? o->box[j] : -o->box[j];
    polygon[c][k] = c < 2 ? o->box[k] : -o->box[k];
  }

  // cut by the plane of the cap that faces the box, then by the prism
  double outward[3];
  for (int c = 0; c < 3; c++) outward[c] = cosine > 0 ? -o->a[c] : o->a[c];
  count = cut(polygon, count, outward, o->p, o->half - SB_TOUCHING);
  for (int side = 0; side < 8 && count > 0; side++) {
    double normal[3];
    for (int c = 0; c < 3; c++) {
      normal[c] = sb_prism_side[side][0] * o->x[c] + sb_prism_side[side][1] * o->y[c];
    }
    count = cut(polygon, count, normal, o->p, o->radius);
  }

  double reach = reach_of_cylinder(o, o->n);
  for (int c = 0; c < count; c++) {
    double from[3];
    for (int d = 0; d < 3; d++) from[d] = o->p[d] - polygon[c][d];
    double depth = reach - sb_dot(o->n, from);
    double to_cap = (o->half + sb_dot(outward, from)) / fabs(cosine);
    if (!ode_depths && to_cap < depth) depth = to_cap;
    // corners that the cap's cut leaves have a depth of about SB_TOUCHING, and belong to the contact
    if (depth > 0 && is_new(out, polygon[c])) add_point(out, polygon[c], depth);
  }
}

SB_OPEN int sb_collide_cylinder_box(const double* pos, const double* mat, double radius, double half,
                            const double* box_pos, const double* box_mat, const double* box_half,
                            int ode_depths, SbManifold* out) {
  Overlap o;
  double between[3], column[3];
  o.radius = radius;
  o.half = half;
  o.box = box_half;
  o.depth = INFINITY;
  out->count = 0;
  for (int i = 0; i < 3; i++) between[i] = pos[i] - box_pos[i];
  sb_turn_back(box_mat, between, o.p);
  double* axes[3] = {o.x, o.y, o.a};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) column[i] = mat[3 * i + k];
    sb_turn_back(box_mat, column, axes[k]);
  }
  if (!find_direction(&o)) return 1;
  if (!(o.depth < INFINITY)) return 0;

  double cosine = sb_dot(o.n, o.a);
  if (fabs(cosine) < SB_CAP_COSINE) {
    add_side_points(&o, cosine, out);
  } else {
    add_cap_points(&o, cosine, ode_depths, out);
  }
  // they overlap, but the line or the face misses the other: the rim of a cap on an edge of the
  // box, mostly. ODE then has no contact at all
  if (!out->count) return o.depth < 2 * SB_TOUCHING;

  sb_turn(box_mat, o.n, out->normal);
  for (int i = 0; i < 3; i++) out->normal[i] = -out->normal[i];
  for (int k = 0; k < out->count; k++) {
    double p[3];
    sb_turn(box_mat, out->point[k], p);
    for (int i = 0; i < 3; i++) out->point[k][i] = box_pos[i] + p[i];
  }
  return 1;
}
