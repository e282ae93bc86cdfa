// Parts of shapes below a plane.
//
// Polyhedra: each triangle is cut at the plane, and the tetrahedra that its parts form with a point
// of the plane add up to the volume below it: the lid lies in the plane and adds nothing. That holds
// for any closed mesh. Round shapes are cut into discs across their axis; the part of a disc below
// the plane is a circular segment, and the discs are added up by Gauss' rule.
#include "motion/sb_immersion.h"

#include <math.h>
#include <string.h>

#include "base/sb_law.h"
#include "base/sb_layout.h"

#define SB_PI 3.14159265358979323846

// ---------------------------------------------------------------- polyhedra

static const int BOX_CORNERS[12][3] = {  // bits x y z of the corners, outward
    {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static void box_triangle(const double half[3], int k, double out[9]) {
  for (int corner = 0; corner < 3; corner++) {
    for (int i = 0; i < 3; i++) {
      out[3 * corner + i] = (BOX_CORNERS[k][corner] >> i & 1) ? half[i] : -half[i];
    }
  }
}

static void add_triangle(const double a[3], const double b[3], const double c[3],
                         const double origin[3], const double* directions, SbWet* out,
                         double total[3]) {
  double u[3], v[3], w[3], normal[3], from_origin[3];
  for (int i = 0; i < 3; i++) {
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
    from_origin[i] = a[i] - origin[i];
  }
  sb_cross(u, v, normal);
  double volume = sb_dot(from_origin, normal) / 6;
  out->volume += volume;
  for (int i = 0; i < 3; i++) {
    w[i] = 0.25 * (a[i] + b[i] + c[i] + origin[i]);
    out->moment[i] += volume * w[i];
  }
  out->area += 0.5 * sqrt(sb_dot(normal, normal));
  for (int i = 0; directions && i < 3; i++) {
    double seen = 0.5 * sb_dot(normal, directions + 3 * i);
    out->projected[i] += 0.5 * fabs(seen);
    total[i] += seen;
  }
}

// Keep the part of a triangle below the plane: none, one or two triangles.
static void cut_triangle(const double* p, const double n[3], double offset, const double origin[3],
                         const double* directions, SbWet* out, double total[3]) {
  double height[3], polygon[4][3];
  int count = 0;
  for (int i = 0; i < 3; i++) height[i] = sb_dot(n, p + 3 * i) - offset;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (height[i] <= 0) memcpy(polygon[count++], p + 3 * i, 3 * sizeof(double));
    if ((height[i] <= 0) != (height[j] <= 0)) {
      double share = height[i] / (height[i] - height[j]);
      for (int k = 0; k < 3; k++) {
        polygon[count][k] = p[3 * i + k] + share * (p[3 * j + k] - p[3 * i + k]);
      }
      count++;
    }
  }
  for (int i = 2; i < count; i++) {
    add_triangle(polygon[0], polygon[i - 1], polygon[i], origin, directions, out, total);
  }
}

// The lid of a convex part has the area that closes the others: half of it counts as seen too.
static void add_lid(const double* directions, const double total[3], SbWet* out) {
  for (int i = 0; directions && i < 3; i++) out->projected[i] += 0.5 * fabs(total[i]);
}

void sb_wet_triangles(const double* triangles, int count, const double n[3], double offset,
                      const double directions[9], SbWet* out) {
  double origin[3] = {offset * n[0], offset * n[1], offset * n[2]}, total[3] = {0, 0, 0};
  memset(out, 0, sizeof(*out));
  for (int k = 0; k < count; k++) {
    cut_triangle(triangles + 9 * k, n, offset, origin, directions, out, total);
  }
  add_lid(directions, total, out);
}

// ---------------------------------------------------------------- round shapes

// Gauss-Legendre nodes and weights on [-1, 1], 16 points (half of them; the rest is symmetric).
static const double NODE[8] = {0.0950125098376374, 0.2816035507792589, 0.4580167776572274,
                               0.6178762444026438, 0.7554044083550030, 0.8656312023878318,
                               0.9445750230732326, 0.9894009349916499};
static const double WEIGHT[8] = {0.1894506104550685, 0.1826034150449236, 0.1691565193950025,
                                 0.1495959888165767, 0.1246289712555339, 0.0951585116824928,
                                 0.0622535239386479, 0.0271524594117541};

// A body of revolution about z under a plane: discs of radius R(z), cut at u <= t(z) along the
// plane's horizontal direction.
typedef struct Turned {
  double radius, half;   // of the tube
  double rho, nz, offset;  // plane: rho u + nz z <= offset
  int ball;              // -1, +1: the end ball at -half or +half; 0: the tube
} Turned;

static double disc_radius(const Turned* t, double z) {
  if (!t->ball) return t->radius;
  double x = z - t->ball * t->half, square = t->radius * t->radius - x * x;
  return square > 0 ? sqrt(square) : 0;
}

// Part of a disc below the plane: area, first moment along u, and angle of its rim.
static void disc_part(double radius, double t, double* area, double* moment, double* angle) {
  *area = *moment = *angle = 0;
  if (radius <= 0 || t <= -radius) return;
  if (t >= radius) {
    *area = SB_PI * radius * radius;
    *angle = 2 * SB_PI;
    return;
  }
  double half_angle = acos(-t / radius), chord = sqrt(radius * radius - t * t);
  *area = radius * radius * half_angle + t * chord;
  *moment = -2.0 / 3.0 * chord * chord * chord;
  *angle = 2 * half_angle;
}

typedef struct Sums {
  double volume, u, z, skin;
} Sums;

// Sum over z in [a, b], on which the rim is cut smoothly. The substitution z = mid - half cos(x)
// makes the square roots at both ends smooth.
static void add_piece(const Turned* t, double a, double b, Sums* out) {
  if (!(b > a)) return;
  for (int k = 0; k < 16; k++) {
    double x = 0.5 * SB_PI * (1 + (k < 8 ? -NODE[k] : NODE[k - 8]));
    double z = 0.5 * (a + b) - 0.5 * (b - a) * cos(x);
    double dz = 0.5 * (b - a) * sin(x) * 0.5 * SB_PI * WEIGHT[k % 8];
    double area, moment, angle, radius = disc_radius(t, z);
    disc_part(radius, (t->offset - t->nz * z) / t->rho, &area, &moment, &angle);
    out->volume += area * dz;
    out->u += moment * dz;
    out->z += z * area * dz;
    out->skin += t->radius * angle * dz;  // of a ball too: its zones are as wide as its equator
  }
}

// Where the plane passes the rim of the discs: (offset - nz z)^2 = rho^2 R(z)^2.
static int find_breaks(const Turned* t, double out[2]) {
  if (!t->ball) {
    if (t->nz == 0) return 0;
    out[0] = (t->offset - t->rho * t->radius) / t->nz;
    out[1] = (t->offset + t->rho * t->radius) / t->nz;
    return 2;
  }
  double k = t->ball * t->half, rho2 = t->rho * t->rho;
  double p = t->offset * t->nz + rho2 * k;
  double q = t->offset * t->offset + rho2 * (k * k - t->radius * t->radius);
  double square = p * p - q;
  if (square <= 0) return 0;
  out[0] = p - sqrt(square);
  out[1] = p + sqrt(square);
  return 2;
}

static void add_span(const Turned* t, double a, double b, Sums* out) {
  double at[4] = {a, a, b, b}, breaks[2];
  int count = find_breaks(t, breaks);
  if (count) {
    double low = fmin(breaks[0], breaks[1]), high = fmax(breaks[0], breaks[1]);
    at[1] = fmin(fmax(low, a), b);
    at[2] = fmin(fmax(high, a), b);
  }
  for (int i = 0; i < 3; i++) add_piece(t, at[i], at[i + 1], out);
}

static void wet_turned(int is_capsule, const double size[3], const double n[3], double offset,
                       SbWet* out) {
  double rho = sqrt(n[0] * n[0] + n[1] * n[1]), r = size[0], half = size[1];
  double ux = rho > 1e-12 ? n[0] / rho : 1, uy = rho > 1e-12 ? n[1] / rho : 0;
  // a plane straight across the axis is one that leans by a picometre
  Turned t = {r, half, rho > 1e-12 ? rho : 1e-12, n[2], offset, 0};
  Sums sums = {0, 0, 0, 0};
  add_span(&t, -half, half, &sums);
  for (int end = -1; end <= 1; end += 2) {
    if (is_capsule) {
      t.ball = end;
      if (end < 0) add_span(&t, -half - r, -half, &sums);
      if (end > 0) add_span(&t, half, half + r, &sums);
    } else {
      double area, moment, angle;
      disc_part(r, (offset - n[2] * end * half) / t.rho, &area, &moment, &angle);
      sums.skin += area;
    }
  }
  out->volume = sums.volume;
  out->moment[0] = sums.u * ux;
  out->moment[1] = sums.u * uy;
  out->moment[2] = sums.z;
  out->area = sums.skin;
}

static void wet_sphere(double r, const double n[3], double offset, SbWet* out) {
  double depth = fmax(0, fmin(2 * r, r + offset)), rest = 2 * r - depth;
  out->volume = SB_PI * depth * depth * (3 * r - depth) / 3;
  out->area = 2 * SB_PI * r * depth;
  // the centre of a cap lies 3 (2r - h)^2/(4 (3r - h)) from the sphere's
  double away = -SB_PI * depth * depth * rest * rest / 4;
  for (int i = 0; i < 3; i++) out->moment[i] = away * n[i];
}

// ---------------------------------------------------------------- all forms

void sb_extent(int form, const double size[3], const double* triangles, int count,
               const double n[3], double range[2]) {
  double reach = size[0];
  if (form == SB_FLUID_MESH) {
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int k = 0; k < 3 * count; k++) {
      double x = sb_dot(n, triangles + 3 * k);
      range[0] = fmin(range[0], x);
      range[1] = fmax(range[1], x);
    }
    return;
  }
  if (form == SB_FLUID_BOX) {
    reach = size[0] * fabs(n[0]) + size[1] * fabs(n[1]) + size[2] * fabs(n[2]);
  } else if (form == SB_FLUID_CAPSULE) {
    reach = size[0] + size[1] * fabs(n[2]);
  } else if (form == SB_FLUID_CYLINDER) {
    reach = size[0] * sqrt(n[0] * n[0] + n[1] * n[1]) + size[1] * fabs(n[2]);
  }
  range[0] = -reach;
  range[1] = reach;
}

void sb_wet_part(int form, const double size[3], const double* triangles, int count,
                 const double n[3], double offset, SbWet* out) {
  memset(out, 0, sizeof(*out));
  switch (form) {
    case SB_FLUID_SPHERE: wet_sphere(size[0], n, offset, out); break;
    case SB_FLUID_CAPSULE: wet_turned(1, size, n, offset, out); break;
    case SB_FLUID_CYLINDER: wet_turned(0, size, n, offset, out); break;
    case SB_FLUID_BOX: {
      double corners[12 * 9];
      for (int k = 0; k < 12; k++) box_triangle(size, k, corners + 9 * k);
      sb_wet_triangles(corners, 12, n, offset, NULL, out);
      break;
    }
    default: sb_wet_triangles(triangles, count, n, offset, NULL, out);
  }
}
