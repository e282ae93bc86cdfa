// Rays of distance sensors: the nearest thing that collides, as render/ray_intersections.py and render/tracing.py
// have it in 32 bits. Both sides of surfaces count.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sb_rays.h"
#include "batch/sb_batch_sensors.h"

typedef struct Hit {
  double t;
  const SbRayShape* shape;
  int triangle;
} Hit;

#define SB_RAY_DEPTH 64

static double hit_mesh(const SbBatchTables* t, const SbRayShape* shape, const double o[3], const double d[3],
                       double best, int* triangle) {
  int stack[SB_RAY_DEPTH], depth = 0;
  double found = SB_NO_HIT;
  stack[depth++] = shape->node;
  while (depth) {
    int at = stack[--depth];
    const SbMeshNode* node = t->ray_nodes + at;
    if (!sb_ray_meets_box(node->lo, node->hi, o, d, best)) continue;
    if (node->right && depth + 2 <= SB_RAY_DEPTH) {
      stack[depth++] = node->right;
      stack[depth++] = at + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      double hit = sb_ray_triangle(t->ray_triangles + 9 * k, o, d);
      if (hit <= 0 || hit >= best) continue;
      best = found = hit;
      *triangle = k;
    }
  }
  return found;
}

static double hit_shape(const SbBatchTables* t, const SbRayShape* shape, const double o[3], const double d[3],
                        double best, int* triangle) {
  if (shape->form == SB_RAY_MESH) return hit_mesh(t, shape, o, d, best, triangle);
  return sb_ray_form(shape->form, shape->size, o, d);
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
  sb_ray_normal(shape->form, size, at, n);
  if (shape->form == SB_RAY_MESH) {
    const double* corner = t->ray_triangles + 9 * hit->triangle;
    double e[3], f[3];
    for (int i = 0; i < 3; i++) {
      e[i] = corner[3 + i] - corner[i];
      f[i] = corner[6 + i] - corner[i];
    }
    sb_cross(e, f, n);
    blend_normals(t->ray_normals + 9 * hit->triangle, e, f, corner, at, n);
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
