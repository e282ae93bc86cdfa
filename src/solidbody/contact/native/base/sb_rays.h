// Rays and readings: where a ray meets a form, its normal there, look-up tables, steps. Used by the sensors of
// batches (batch/sb_batch_rays.c, sb_batch_sensors.c) and, compiled once more, by those of graphics cards (gpu/native).
#ifndef SB_RAYS_H_
#define SB_RAYS_H_

#include "base/sb_law.h"

#ifdef SB_NO_LIBC
enum { SB_RAY_SPHERE, SB_RAY_BOX, SB_RAY_CYLINDER, SB_RAY_CAPSULE, SB_RAY_CONE, SB_RAY_PLANE, SB_RAY_MESH };
#else
#include "base/sb_layout.h"
#endif

#define SB_NO_HIT (-1.0)
// cos(pi/8): greatest angle to the normal at which a surface sends sound back.
#define SB_LEAST_FACING 0.9238795325112867

SB_FN double sb_greater(double a, double b) { return a > b ? a : b; }
SB_FN double sb_lesser(double a, double b) { return a < b ? a : b; }

SB_FN double sb_ray_sphere(double radius, const double o[3], const double d[3]) {
  double a = sb_dot(d, d), middle = -sb_dot(o, d) / a, q[3];
  for (int i = 0; i < 3; i++) q[i] = o[i] + middle * d[i];
  double rest = radius * radius - sb_dot(q, q);
  if (rest < 0) return SB_NO_HIT;
  double half = sqrt(rest / a);
  if (middle - half > 0) return middle - half;
  return middle + half > 0 ? middle + half : SB_NO_HIT;
}

SB_FN double sb_ray_box(const double size[3], const double o[3], const double d[3]) {
  double enter = -INFINITY, leave = INFINITY;
  for (int k = 0; k < 3; k++) {
    if (d[k] != 0) {
      double a = (-size[k] - o[k]) / d[k], b = (size[k] - o[k]) / d[k];
      enter = sb_greater(enter, sb_lesser(a, b));
      leave = sb_lesser(leave, sb_greater(a, b));
    } else if (fabs(o[k]) > size[k]) {
      return SB_NO_HIT;
    }
  }
  if (enter > leave) return SB_NO_HIT;
  if (enter > 0) return enter;
  return leave > 0 ? leave : SB_NO_HIT;
}

SB_FN double sb_ray_disc(double z, double radius, const double o[3], const double d[3], double best) {
  if (d[2] == 0) return best;
  double t = (z - o[2]) / d[2], x = o[0] + t * d[0], y = o[1] + t * d[1];
  return t > 0 && x * x + y * y <= radius * radius && (best < 0 || t < best) ? t : best;
}

SB_FN double sb_ray_side(const double size[3], const double o[3], const double d[3]) {
  double a = d[0] * d[0] + d[1] * d[1];
  if (a <= 0) return SB_NO_HIT;
  double middle = -(o[0] * d[0] + o[1] * d[1]) / a, x = o[0] + middle * d[0], y = o[1] + middle * d[1];
  double rest = size[0] * size[0] - x * x - y * y;
  if (rest < 0) return SB_NO_HIT;
  double half = sqrt(rest / a), t = middle - half;
  if (t > 0 && fabs(o[2] + t * d[2]) <= size[2]) return t;
  t = middle + half;
  return t > 0 && fabs(o[2] + t * d[2]) <= size[2] ? t : SB_NO_HIT;
}

SB_FN double sb_ray_cylinder(const double size[3], const double o[3], const double d[3]) {
  double best = sb_ray_side(size, o, d);
  best = sb_ray_disc(size[2], size[0], o, d, best);
  return sb_ray_disc(-size[2], size[0], o, d, best);
}

// x^2 + y^2 = k^2 (h - z)^2 with the apex at z = h
SB_FN double sb_ray_cone(const double size[3], const double o[3], const double d[3]) {
  double best = SB_NO_HIT, k = size[0] / (2 * size[2]), w = size[2] - o[2];
  double a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2];
  double b = o[0] * d[0] + o[1] * d[1] + k * k * w * d[2];
  double c = o[0] * o[0] + o[1] * o[1] - k * k * w * w, rest = b * b - a * c;
  if (rest >= 0 && fabs(a) > 1e-12) {
    double root = sqrt(rest);
    for (int n = 0; n < 2; n++) {
      double t = (-b + (n ? root : -root)) / a, z = o[2] + t * d[2];
      if (t > 0 && fabs(z) <= size[2] && (best < 0 || t < best)) best = t;
    }
  }
  return sb_ray_disc(-size[2], size[0], o, d, best);
}

SB_FN double sb_ray_capsule(const double size[3], const double o[3], const double d[3]) {
  double best = sb_ray_side(size, o, d), a = sb_dot(d, d);
  for (int sign = 1; sign >= -1; sign -= 2) {
    double from[3] = {o[0], o[1], o[2] - sign * size[2]}, middle = -sb_dot(from, d) / a, q[3];
    for (int i = 0; i < 3; i++) q[i] = from[i] + middle * d[i];
    double rest = size[0] * size[0] - sb_dot(q, q);
    if (rest < 0) continue;
    double half = sqrt(rest / a);
    for (int n = 0; n < 2; n++) {
      double t = middle + (n ? half : -half);
      if (t > 0 && (o[2] + t * d[2]) * sign >= size[2] && (best < 0 || t < best)) best = t;
    }
  }
  return best;
}

SB_FN double sb_ray_plane(const double size[3], const double o[3], const double d[3]) {
  if (d[2] == 0) return SB_NO_HIT;
  double t = -o[2] / d[2];
  if (t <= 0 || fabs(o[0] + t * d[0]) > size[0] || fabs(o[1] + t * d[1]) > size[1]) return SB_NO_HIT;
  return t;
}

SB_FN double sb_ray_triangle(const double v[9], const double o[3], const double d[3]) {
  double e[3], f[3], p[3], s[3], q[3];
  for (int i = 0; i < 3; i++) {
    e[i] = v[3 + i] - v[i];
    f[i] = v[6 + i] - v[i];
    s[i] = o[i] - v[i];
  }
  sb_cross(d, f, p);
  double scale = sb_dot(e, p);
  if (scale == 0) return SB_NO_HIT;
  double a = sb_dot(s, p) / scale;
  if (a < 0 || a > 1) return SB_NO_HIT;
  sb_cross(s, e, q);
  double b = sb_dot(d, q) / scale;
  if (b < 0 || a + b > 1) return SB_NO_HIT;
  double t = sb_dot(f, q) / scale;
  return t > 0 ? t : SB_NO_HIT;
}

SB_FN int sb_ray_meets_box(const double lo[3], const double hi[3], const double o[3], const double d[3], double best) {
  double enter = 0, leave = best;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (o[k] < lo[k] || o[k] > hi[k]) return 0;
      continue;
    }
    double a = (lo[k] - o[k]) / d[k], b = (hi[k] - o[k]) / d[k];
    enter = sb_greater(enter, sb_lesser(a, b));
    leave = sb_lesser(leave, sb_greater(a, b));
  }
  // what rounding may have cost
  return enter <= leave * (1 + 1e-12) + 1e-12;
}

// The first hit of a form that is no mesh, in its own frame.
SB_FN double sb_ray_form(int form, const double size[3], const double o[3], const double d[3]) {
  if (form == SB_RAY_SPHERE) return sb_ray_sphere(size[0], o, d);
  if (form == SB_RAY_BOX) return sb_ray_box(size, o, d);
  if (form == SB_RAY_CYLINDER) return sb_ray_cylinder(size, o, d);
  if (form == SB_RAY_CAPSULE) return sb_ray_capsule(size, o, d);
  if (form == SB_RAY_CONE) return sb_ray_cone(size, o, d);
  return sb_ray_plane(size, o, d);
}

// The outward normal, of any length, at a point of a form that is no mesh.
SB_FN void sb_ray_normal(int form, const double size[3], const double at[3], double n[3]) {
  double round = sqrt(at[0] * at[0] + at[1] * at[1]);
  int best = 0;
  n[0] = n[1] = 0;
  n[2] = 1;
  if (form == SB_RAY_SPHERE || form == SB_RAY_CAPSULE) {
    for (int i = 0; i < 3; i++) n[i] = at[i];
    if (form == SB_RAY_CAPSULE) n[2] = at[2] - sb_greater(-size[2], sb_lesser(size[2], at[2]));
  } else if (form == SB_RAY_BOX) {
    for (int i = 1; i < 3; i++) {
      if (fabs(at[i] / size[i]) > fabs(at[best] / size[best])) best = i;
    }
    n[2] = 0;
    n[best] = at[best] < 0 ? -1 : 1;
  } else if (form == SB_RAY_CYLINDER) {
    int on_cap = fabs(size[2] - fabs(at[2])) < fabs(size[0] - round);
    n[0] = on_cap ? 0 : at[0];
    n[1] = on_cap ? 0 : at[1];
    n[2] = !on_cap ? 0 : at[2] < 0 ? -1 : 1;
  } else if (form == SB_RAY_CONE) {
    int on_cap = at[2] < -size[2] * 0.99999 && round * round < size[0] * size[0] * 0.9999;
    n[0] = on_cap ? 0 : at[0];
    n[1] = on_cap ? 0 : at[1];
    n[2] = on_cap ? -1 : size[0] / (2 * size[2]) * round;
  }
}

// What a row of look-up tables is read as: inputs, and outputs beside them, `stride` numbers apart.
SB_FN double sb_through(const double* input, const double* output, int stride, int count, double x) {
  if (x != x) return x;
  if (x < input[0]) return output[0];
  if (x >= input[stride * (count - 1)]) return output[stride * (count - 1)];
  int j = 0;
  while (j + 2 < count && input[stride * (j + 1)] <= x) j++;
  if (input[stride * j] == x) return output[stride * j];
  double slope = (output[stride * (j + 1)] - output[stride * j]) / (input[stride * (j + 1)] - input[stride * j]);
  return slope * (x - input[stride * j]) + output[stride * j];
}

// To the nearest multiple of a step, halves away from zero; NaN: as it is.
SB_FN double sb_rounded(double x, double step) {
  if (step != step) return x;
  double ratio = x / step, whole = floor(fabs(ratio) + 0.5);
  return step * (ratio < 0 ? -whole : whole);
}

#endif  // SB_RAYS_H_
