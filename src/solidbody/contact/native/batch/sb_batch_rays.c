// Rays of distance sensors: the nearest thing that collides, as render/ray_intersections.py and render/tracing.py
// have it in 32 bits. Both sides of surfaces count.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/sb_batch_sensors.h"

#define SB_NO_HIT (-1.0)
// cos(pi/8): greatest angle to the normal at which a surface sends sound back.
#define SB_LEAST_FACING 0.9238795325112867

typedef struct Hit {
  double t;
  const SbRayShape* shape;
  int triangle;
} Hit;

static double hit_sphere(double radius, const double o[3], const double d[3]) {
  double a = sb_dot(d, d), middle = -sb_dot(o, d) / a, q[3];
  for (int i = 0; i < 3; i++) q[i] = o[i] + middle * d[i];
  double rest = radius * radius - sb_dot(q, q);
  if (rest < 0) return SB_NO_HIT;
  double half = sqrt(rest / a);
  if (middle - half > 0) return middle - half;
  return middle + half > 0 ? middle + half : SB_NO_HIT;
}

static double hit_box(const double size[3], const double o[3], const double d[3]) {
  double enter = -INFINITY, leave = INFINITY;
  for (int k = 0; k < 3; k++) {
    if (d[k] != 0) {
      double a = (-size[k] - o[k]) / d[k], b = (size[k] - o[k]) / d[k];
      enter = fmax(enter, fmin(a, b));
      leave = fmin(leave, fmax(a, b));
    } else if (fabs(o[k]) > size[k]) {
      return SB_NO_HIT;
    }
  }
  if (enter > leave) return SB_NO_HIT;
  if (enter > 0) return enter;
  return leave > 0 ? leave : SB_NO_HIT;
}

static double hit_disc(double z, double radius, const double o[3], const double d[3], double best) {
  if (d[2] == 0) return best;
  double t = (z - o[2]) / d[2], x = o[0] + t * d[0], y = o[1] + t * d[1];
  return t > 0 && x * x + y * y <= radius * radius && (best < 0 || t < best) ? t : best;
}

static double hit_side(const double size[3], const double o[3], const double d[3]) {
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

static double hit_cylinder(const double size[3], const double o[3], const double d[3]) {
  double best = hit_side(size, o, d);
  best = hit_disc(size[2], size[0], o, d, best);
  return hit_disc(-size[2], size[0], o, d, best);
}

// x^2 + y^2 = k^2 (h - z)^2 with the apex at z = h
static double hit_cone(const double size[3], const double o[3], const double d[3]) {
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
  return hit_disc(-size[2], size[0], o, d, best);
}

static double hit_capsule(const double size[3], const double o[3], const double d[3]) {
  double best = hit_side(size, o, d), a = sb_dot(d, d);
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

static double hit_plane(const double size[3], const double o[3], const double d[3]) {
  if (d[2] == 0) return SB_NO_HIT;
  double t = -o[2] / d[2];
  if (t <= 0 || fabs(o[0] + t * d[0]) > size[0] || fabs(o[1] + t * d[1]) > size[1]) return SB_NO_HIT;
  return t;
}

static double hit_triangle(const double v[9], const double o[3], const double d[3]) {
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

static int meets_box(const SbMeshNode* node, const double o[3], const double d[3], double best) {
  double enter = 0, leave = best;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (o[k] < node->lo[k] || o[k] > node->hi[k]) return 0;
      continue;
    }
    double a = (node->lo[k] - o[k]) / d[k], b = (node->hi[k] - o[k]) / d[k];
    enter = fmax(enter, fmin(a, b));
    leave = fmin(leave, fmax(a, b));
  }
  // what rounding may have cost
  return enter <= leave * (1 + 1e-12) + 1e-12;
}

#define SB_RAY_DEPTH 64

static double hit_mesh(const SbBatchTables* t, const SbRayShape* shape, const double o[3], const double d[3],
                       double best, int* triangle) {
  int stack[SB_RAY_DEPTH], depth = 0;
  double found = SB_NO_HIT;
  stack[depth++] = shape->node;
  while (depth) {
    int at = stack[--depth];
    const SbMeshNode* node = t->ray_nodes + at;
    if (!meets_box(node, o, d, best)) continue;
    if (node->right && depth + 2 <= SB_RAY_DEPTH) {
      stack[depth++] = node->right;
      stack[depth++] = at + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      double hit = hit_triangle(t->ray_triangles + 9 * k, o, d);
      if (hit <= 0 || hit >= best) continue;
      best = found = hit;
      *triangle = k;
    }
  }
  return found;
}

static double hit_shape(const SbBatchTables* t, const SbRayShape* shape, const double o[3], const double d[3],
                        double best, int* triangle) {
  switch (shape->form) {
    case SB_RAY_SPHERE: return hit_sphere(shape->size[0], o, d);
    case SB_RAY_BOX: return hit_box(shape->size, o, d);
    case SB_RAY_CYLINDER: return hit_cylinder(shape->size, o, d);
    case SB_RAY_CAPSULE: return hit_capsule(shape->size, o, d);
    case SB_RAY_CONE: return hit_cone(shape->size, o, d);
    case SB_RAY_PLANE: return hit_plane(shape->size, o, d);
    default: return hit_mesh(t, shape, o, d, best, triangle);
  }
}

// Into the shape's own frame.
static void to_shape(const SbBatchTables* t, const SbStep* s, const SbRayShape* shape, const double p[3],
                     const double v[3], double o[3], double d[3]) {
  const SbLink* link = t->links + shape->link;
  const double* turn = s->d->xmat + 9 * link->body;
  double at[3], from[3], along[3];
  sb_link_origin(s, link, at);
  for (int i = 0; i < 3; i++) at[i] = p[i] - at[i];
  mju_mulMatTVec3(from, turn, at);
  mju_mulMatTVec3(along, turn, v);
  for (int i = 0; i < 3; i++) from[i] -= shape->origin[i];
  mju_mulMatVec3(o, shape->inverse, from);
  mju_mulMatVec3(d, shape->inverse, along);
}

// Whether a ray passes the ball around a shape before `best`.
static int passes(const SbBatchTables* t, const SbStep* s, const SbRayShape* shape, const double p[3],
                  const double v[3], double best) {
  if (!isfinite(shape->radius)) return 1;
  const SbLink* link = t->links + shape->link;
  const double *turn = s->d->xmat + 9 * link->body, *base = s->d->xpos + 3 * link->body;
  double c[3], along = 0, square = 0;
  for (int i = 0; i < 3; i++) c[i] = link->offset[i] + shape->centre[i];
  for (int i = 0; i < 3; i++) {
    double to = base[i] + turn[3 * i] * c[0] + turn[3 * i + 1] * c[1] + turn[3 * i + 2] * c[2] - p[i];
    along += to * v[i];
    square += to * to;
  }
  double radius = shape->radius * (1 + 1e-9) + 1e-12;
  return square - along * along <= radius * radius && along + radius >= 0 && along - radius <= best;
}

static Hit nearest(const SbBatchTables* t, const SbStep* s, const SbSensor* sensor, const double p[3],
                   const double v[3]) {
  Hit hit = {sensor->reach, NULL, -1};
  for (int k = 0; k < t->ray_shape_count; k++) {
    const SbRayShape* shape = t->ray_shapes + k;
    if ((sensor->skip >= 0 && shape->group == sensor->skip) || (sensor->goes_through_clear && shape->is_clear)) continue;
    if (!passes(t, s, shape, p, v, hit.t)) continue;
    double o[3], d[3];
    int triangle = -1;
    to_shape(t, s, shape, p, v, o, d);
    double far = hit_shape(t, shape, o, d, hit.t, &triangle);
    if (far > 0 && far < hit.t) hit = (Hit){far, shape, triangle};
  }
  return hit;
}

// The normal at a point of a triangle whose corners have normals: their mean by the areas opposite to them.
static void blend_normals(const double own[9], const double e[3], const double f[3], const double corner[3],
                          const double at[3], double n[3]) {
  double sum[3], s[3], a[3], b[3], area = sb_dot(n, n);
  if (!(own[0] || own[1] || own[2]) || area <= 0) return;
  for (int i = 0; i < 3; i++) s[i] = at[i] - corner[i];
  sb_cross(s, f, a);
  sb_cross(e, s, b);
  double u = sb_dot(a, n) / area, v = sb_dot(b, n) / area;
  for (int i = 0; i < 3; i++) sum[i] = (1 - u - v) * own[i] + u * own[3 + i] + v * own[6 + i];
  memcpy(n, sum, sizeof(sum));
}

// Cosine between the surface and the ray.
static double facing(const SbBatchTables* t, const SbStep* s, const Hit* hit, const double p[3], const double v[3]) {
  const SbRayShape* shape = hit->shape;
  double o[3], d[3], at[3], n[3] = {0, 0, 1}, local[3], world[3];
  const double* size = shape->size;
  to_shape(t, s, shape, p, v, o, d);
  for (int i = 0; i < 3; i++) at[i] = o[i] + hit->t * d[i];
  double round = sqrt(at[0] * at[0] + at[1] * at[1]);
  int best = 0;
  switch (shape->form) {
    case SB_RAY_SPHERE: memcpy(n, at, sizeof(n)); break;
    case SB_RAY_BOX:
      for (int i = 1; i < 3; i++) {
        if (fabs(at[i] / size[i]) > fabs(at[best] / size[best])) best = i;
      }
      n[2] = 0;
      n[best] = copysign(1, at[best]);
      break;
    case SB_RAY_CYLINDER:
      if (fabs(size[2] - fabs(at[2])) < fabs(size[0] - round)) {
        n[2] = copysign(1, at[2]);
      } else {
        n[0] = at[0];
        n[1] = at[1];
        n[2] = 0;
      }
      break;
    case SB_RAY_CAPSULE:
      memcpy(n, at, sizeof(n));
      n[2] = at[2] - fmax(-size[2], fmin(size[2], at[2]));
      break;
    case SB_RAY_CONE:
      if (at[2] < -size[2] * 0.99999 && round * round < size[0] * size[0] * 0.9999) {
        n[2] = -1;
      } else {
        n[0] = at[0];
        n[1] = at[1];
        n[2] = size[0] / (2 * size[2]) * round;
      }
      break;
    case SB_RAY_MESH: {
      const double* corner = t->ray_triangles + 9 * hit->triangle;
      double e[3], f[3];
      for (int i = 0; i < 3; i++) {
        e[i] = corner[3 + i] - corner[i];
        f[i] = corner[6 + i] - corner[i];
      }
      sb_cross(e, f, n);
      blend_normals(t->ray_normals + 9 * hit->triangle, e, f, corner, at, n);
      break;
    }
  }
  // normals go by the transposed inverse
  mju_mulMatTVec3(local, shape->inverse, n);
  mju_mulMatVec3(world, s->d->xmat + 9 * t->links[shape->link].body, local);
  mju_normalize3(world);
  return -sb_dot(world, v);
}

double sb_batch_distance(SbBatch* b, int copy, const SbSensor* sensor, const SbSensePlace* at) {
  const SbStep* s = b->steps[copy];
  const SbBatchTables* t = sb_tables_of(b, copy);
  double mean = 0, heard = sensor->reach;
  for (int k = 0; k < sensor->count; k++) {
    const SbSensorRay* ray = t->rays + sensor->first + k;
    double v[3];
    mju_rotVecQuat(v, ray->direction, at->q);
    Hit hit = nearest(t, s, sensor, at->p, v);
    mean += ray->weight * hit.t;
    if (!sensor->is_sonar || !hit.shape || hit.t >= heard) continue;
    if (fabs(facing(t, s, &hit, at->p, v)) > SB_LEAST_FACING) heard = hit.t;
  }
  return sensor->is_sonar ? heard : mean;
}
