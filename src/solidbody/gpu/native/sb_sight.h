// What distance sensors see: the nearest thing that collides. The rules are those of contact/native/batch/sb_batch_rays.c,
// the forms those of contact/native/base/sb_rays.h.
#ifndef SB_SIGHT_H_
#define SB_SIGHT_H_

enum { SI_FORM, SI_BODY, SI_GROUP, SI_CLEAR, SI_NODE, SI_INTS };   // ints of a shape; body -1: it stands still
enum { SR_SIZES, SR_INVERSE = 3, SR_ORIGIN = 12, SR_CENTRE = 15, SR_RADIUS = 18, SR_AT, SR_TURN = 22, SR_REALS = 31 };
enum { NI_FIRST, NI_COUNT, NI_RIGHT, NI_INTS };                    // ints of a node of a mesh's tree; reals: lo, hi
enum { SB_IS_SONAR = 1, SB_GOES_THROUGH_CLEAR = 2 };
#define SB_RAY_DEPTH 64

// What rays meet, and the rays and look-up tables of sensors.
typedef struct SbSight {
  int shapes;
  const int *shape_ints, *node_ints;
  const double *shape_reals, *nodes, *triangles, *normals, *rays, *curves;
  const int *felt, *felt_geoms;   // of each geom whether a bumper feels it; the geoms of all bumpers
} SbSight;

typedef struct SbSeen {
  double t;
  int shape, triangle;   // -1: none
} SbSeen;

SB_DEV void sb_shape_frame(SB_WORLD, const SbSight* t, int shape, const double** at, const double** turn) {
  int b = t->shape_ints[SI_INTS * shape + SI_BODY];
  const double* real = t->shape_reals + SR_REALS * shape;
  *at = b < 0 ? real + SR_AT : W_XPOS + 3 * b;
  *turn = b < 0 ? real + SR_TURN : W_XMAT + 9 * b;
}

SB_DEV void sb_into_shape(SB_WORLD, const SbSight* t, int shape, const double p[3], const double v[3], double o[3],
                          double d[3]) {
  const double *real = t->shape_reals + SR_REALS * shape, *base, *turn;
  double at[3], from[3], along[3];
  sb_shape_frame(SB_W, t, shape, &base, &turn);
  sb_sub3(at, p, base);
  sb_turn_back(turn, at, from);
  sb_turn_back(turn, v, along);
  for (int i = 0; i < 3; i++) from[i] -= real[SR_ORIGIN + i];
  sb_turn(real + SR_INVERSE, from, o);
  sb_turn(real + SR_INVERSE, along, d);
}

// Whether a ray passes the ball around a shape before `best`.
SB_DEV int sb_passes(SB_WORLD, const SbSight* t, int shape, const double p[3], const double v[3], double best) {
  const double *real = t->shape_reals + SR_REALS * shape, *base, *turn;
  double radius = real[SR_RADIUS], c[3], along = 0, square = 0;
  if (!(radius < INFINITY)) return 1;
  sb_shape_frame(SB_W, t, shape, &base, &turn);
  sb_turn(turn, real + SR_CENTRE, c);
  for (int i = 0; i < 3; i++) {
    double to = base[i] + c[i] - p[i];
    along += to * v[i];
    square += to * to;
  }
  radius = radius * (1 + 1e-9) + 1e-12;
  return square - along * along <= radius * radius && along + radius >= 0 && along - radius <= best;
}

SB_BIG double sb_see_mesh(const SbSight* t, int root, const double o[3], const double d[3], double best, int* triangle) {
  int stack[SB_RAY_DEPTH], depth = 0;
  double found = SB_NO_HIT;
  stack[depth++] = root;
  while (depth) {
    int at = stack[--depth];
    const int* node = t->node_ints + NI_INTS * at;
    if (!sb_ray_meets_box(t->nodes + 6 * at, t->nodes + 6 * at + 3, o, d, best)) continue;
    if (node[NI_RIGHT] && depth + 2 <= SB_RAY_DEPTH) {
      stack[depth++] = node[NI_RIGHT];
      stack[depth++] = at + 1;
      continue;
    }
    for (int k = node[NI_FIRST]; k < node[NI_FIRST] + node[NI_COUNT]; k++) {
      double hit = sb_ray_triangle(t->triangles + 9 * k, o, d);
      if (hit <= 0 || hit >= best) continue;
      best = found = hit;
      *triangle = k;
    }
  }
  return found;
}

SB_BIG SbSeen sb_see(SB_WORLD, const SbSight* t, int skip, int flags, double reach, const double p[3], const double v[3]) {
  SbSeen seen = {reach, -1, -1};
  for (int k = 0; k < t->shapes; k++) {
    const int* shape = t->shape_ints + SI_INTS * k;
    if (skip >= 0 && shape[SI_GROUP] == skip) continue;
    if ((flags & SB_GOES_THROUGH_CLEAR) && shape[SI_CLEAR]) continue;
    if (!sb_passes(SB_W, t, k, p, v, seen.t)) continue;
    double o[3], d[3], far;
    int triangle = -1;
    sb_into_shape(SB_W, t, k, p, v, o, d);
    if (shape[SI_FORM] == SB_RAY_MESH) {
      far = sb_see_mesh(t, shape[SI_NODE], o, d, seen.t, &triangle);
    } else {
      far = sb_ray_form(shape[SI_FORM], t->shape_reals + SR_REALS * k + SR_SIZES, o, d);
    }
    if (!(far > 0 && far < seen.t)) continue;
    seen.t = far;
    seen.shape = k;
    seen.triangle = triangle;
  }
  return seen;
}

// Cosine between the surface and the ray.
SB_BIG double sb_facing(SB_WORLD, const SbSight* t, const SbSeen* seen, const double p[3], const double v[3]) {
  const double *real = t->shape_reals + SR_REALS * seen->shape, *base, *turn;
  double o[3], d[3], at[3], n[3], local[3], world[3];
  int form = t->shape_ints[SI_INTS * seen->shape + SI_FORM];
  sb_into_shape(SB_W, t, seen->shape, p, v, o, d);
  for (int i = 0; i < 3; i++) at[i] = o[i] + seen->t * d[i];
  sb_ray_normal(form, real + SR_SIZES, at, n);
  if (form == SB_RAY_MESH) {
    const double *corner = t->triangles + 9 * seen->triangle, *own = t->normals + 9 * seen->triangle;
    double e[3], f[3], s[3], a[3], b[3];
    sb_sub3(e, corner + 3, corner);
    sb_sub3(f, corner + 6, corner);
    sb_sub3(s, at, corner);
    sb_cross(e, f, n);
    double area = sb_dot(n, n);
    if ((own[0] || own[1] || own[2]) && area > 0) {
      sb_cross(s, f, a);
      sb_cross(e, s, b);
      double u = sb_dot(a, n) / area, w = sb_dot(b, n) / area;
      for (int i = 0; i < 3; i++) n[i] = (1 - u - w) * own[i] + u * own[3 + i] + w * own[6 + i];
    }
  }
  sb_turn_back(real + SR_INVERSE, n, local);  // normals go by the transposed inverse
  sb_shape_frame(SB_W, t, seen->shape, &base, &turn);
  sb_turn(turn, local, world);
  sb_normalize3(world);
  return -sb_dot(world, v);
}

// What a distance sensor at p, turned by q, measures before its look-up table.
SB_BIG double sb_distance(SB_WORLD, const SbSight* t, const int* item, double reach, const double p[3], const double q[4]) {
  double mean = 0, heard = reach;
  int sonar = item[IT_FLAGS] & SB_IS_SONAR;
  for (int k = 0; k < item[IT_COUNT]; k++) {
    const double* ray = t->rays + 4 * (item[IT_FIRST] + k);
    double v[3];
    sb_rotate_by(v, ray, q);
    SbSeen seen = sb_see(SB_W, t, item[IT_SKIP], item[IT_FLAGS], reach, p, v);
    mean += ray[3] * seen.t;
    if (!sonar || seen.shape < 0 || seen.t >= heard) continue;
    if (fabs(sb_facing(SB_W, t, &seen, p, v)) > SB_LEAST_FACING) heard = seen.t;
  }
  return sonar ? heard : mean;
}

#endif  // SB_SIGHT_H_
