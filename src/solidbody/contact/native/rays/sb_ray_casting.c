// Rays through a scene of shapes, for machines without Warp: the forms, sides and 32-bit numbers of
// render/ray_intersections.py and render/tracing.py. It knows no simulation: contact/ray_casting.py gives the tables.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SB_NOTHING (-1.0f)
#define SB_LEAF 4       // triangles of a leaf
#define SB_DEEPEST 64   // of a tree that halves its triangles: 2^62 of them

enum { SB_SPHERE, SB_BOX, SB_CYLINDER, SB_CAPSULE, SB_CONE, SB_PLANE, SB_MESH };
enum { SB_TWO_SIDED = 4, SB_SIDE = 8, SB_TOP = 16, SB_BOTTOM = 32 };

typedef struct Node {
  float lo[3], hi[3];
  int32_t first, count;  // of a leaf; an inner node has count 0, its halves are the next one and `first`
} Node;

typedef struct SbRayMesh {
  const float* points;
  const int32_t* corners;
  int32_t* order;
  Node* nodes;
  int32_t node_count;
} SbRayMesh;

// One row per shape; contact/ray_casting.py has the same list.
typedef struct SbRayScene {
  int64_t count;
  const int32_t* kind;
  const float* inverse;  // 3 x 3, into the frame of the shape
  const float* origin;
  const float* size;
  const int32_t* flags;
  const int32_t* group;
  const float* low;  // box around the shape, in the world
  const float* high;
  const uint8_t* clear;  // light goes through it
  const SbRayMesh* const* mesh;
  const int32_t* corner;  // row of the first corner of its mesh
  const int32_t* has_normals;
  const float* corner_normal;
} SbRayScene;

typedef struct Hit {
  float t;
  int32_t shape, face;
  float u, v;
} Hit;

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const float a[3], const float b[3], float out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static float hit_sphere(float radius, const float o[3], const float d[3], float near, int both) {
  float a = dot(d, d), middle = -dot(o, d) / a, q[3];
  for (int i = 0; i < 3; i++) q[i] = o[i] + middle * d[i];
  float rest = radius * radius - dot(q, q);
  if (rest < 0) return SB_NOTHING;
  float half = sqrtf(rest / a);
  if (middle - half > near) return middle - half;
  return both && middle + half > near ? middle + half : SB_NOTHING;
}

static float hit_box(const float size[3], const float o[3], const float d[3], float near, int both) {
  float enter = -1e30f, leave = 1e30f;
  for (int k = 0; k < 3; k++) {
    if (d[k] != 0) {
      float a = (-size[k] - o[k]) / d[k], b = (size[k] - o[k]) / d[k];
      enter = fmaxf(enter, fminf(a, b));
      leave = fminf(leave, fmaxf(a, b));
    } else if (fabsf(o[k]) > size[k]) {
      return SB_NOTHING;
    }
  }
  if (enter > leave) return SB_NOTHING;
  if (enter > near) return enter;
  return both && leave > near ? leave : SB_NOTHING;
}

static float hit_disc(float z, float radius, const float o[3], const float d[3], float near, float best) {
  if (d[2] == 0) return best;
  float t = (z - o[2]) / d[2], x = o[0] + t * d[0], y = o[1] + t * d[1];
  return t > near && x * x + y * y <= radius * radius && (best < 0 || t < best) ? t : best;
}

// Outside faces only, unless both sides count: the side on the way in, a cap if we come from beyond it.
static float hit_cylinder(const float size[3], int flags, const float o[3], const float d[3], float near, int both) {
  float best = SB_NOTHING, a = d[0] * d[0] + d[1] * d[1];
  if (flags & SB_SIDE && a > 0) {
    float middle = -(o[0] * d[0] + o[1] * d[1]) / a, x = o[0] + middle * d[0], y = o[1] + middle * d[1];
    float rest = size[0] * size[0] - x * x - y * y;
    if (rest >= 0) {
      float half = sqrtf(rest / a), t = middle - half;
      if (t > near && fabsf(o[2] + t * d[2]) <= size[2]) best = t;
      t = middle + half;
      if (both && best < 0 && t > near && fabsf(o[2] + t * d[2]) <= size[2]) best = t;
    }
  }
  if (flags & SB_TOP && (both || d[2] < 0)) best = hit_disc(size[2], size[0], o, d, near, best);
  if (flags & SB_BOTTOM && (both || d[2] > 0)) best = hit_disc(-size[2], size[0], o, d, near, best);
  return best;
}

// x^2 + y^2 = k^2 (h - z)^2 with the apex at z = h; the outward normal is (x, y, k^2 (h - z)) up to a factor
static float hit_cone(const float size[3], int flags, const float o[3], const float d[3], float near, int both) {
  float best = SB_NOTHING, k = size[0] / (2 * size[2]), w = size[2] - o[2];
  float a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2];
  float b = o[0] * d[0] + o[1] * d[1] + k * k * w * d[2];
  float c = o[0] * o[0] + o[1] * o[1] - k * k * w * w, rest = b * b - a * c;
  if (flags & SB_SIDE && rest >= 0 && fabsf(a) > 1e-12f) {
    float root = sqrtf(rest);
    for (int n = 0; n < 2; n++) {
      float t = (-b + (n ? root : -root)) / a, x = o[0] + t * d[0], y = o[1] + t * d[1], z = o[2] + t * d[2];
      int outside = x * d[0] + y * d[1] + k * k * (size[2] - z) * d[2] < 0;
      if (t > near && fabsf(z) <= size[2] && (both || outside) && (best < 0 || t < best)) best = t;
    }
  }
  if (flags & SB_BOTTOM && (both || d[2] > 0)) best = hit_disc(-size[2], size[0], o, d, near, best);
  return best;
}

static float hit_capsule(const float size[3], int flags, const float o[3], const float d[3], float near, int both) {
  float best = hit_cylinder(size, flags & SB_SIDE, o, d, near, both), a = dot(d, d);
  for (int sign = 1; sign >= -1; sign -= 2) {
    if (!(flags & (sign > 0 ? SB_TOP : SB_BOTTOM))) continue;
    float from[3] = {o[0], o[1], o[2] - sign * size[2]}, middle = -dot(from, d) / a, q[3];
    for (int i = 0; i < 3; i++) q[i] = from[i] + middle * d[i];
    float rest = size[0] * size[0] - dot(q, q);
    if (rest < 0) continue;
    float half = sqrtf(rest / a), t = middle - half;
    if (t <= near || (o[2] + t * d[2]) * sign < size[2]) {
      // the far side of the ball, if the near one is inside the cylinder or behind us
      t = middle + half;
      if (!both || t <= near || (o[2] + t * d[2]) * sign < size[2]) continue;
    }
    if (best < 0 || t < best) best = t;
  }
  return best;
}

static float hit_plane(const float size[3], const float o[3], const float d[3], float near, int both) {
  if (d[2] == 0 || (d[2] > 0 && !both)) return SB_NOTHING;
  float t = -o[2] / d[2];
  if (t <= near || fabsf(o[0] + t * d[0]) > size[0] || fabsf(o[1] + t * d[1]) > size[1]) return SB_NOTHING;
  return t;
}

// Whether a ray meets a box between `near` and `best`, with what rounding may have cost.
static int meets(const float lo[3], const float hi[3], const float o[3], const float d[3], float near, float best) {
  float enter = near, leave = best;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (o[k] < lo[k] || o[k] > hi[k]) return 0;
      continue;
    }
    float a = (lo[k] - o[k]) / d[k], b = (hi[k] - o[k]) / d[k];
    enter = fmaxf(enter, fminf(a, b));
    leave = fminf(leave, fmaxf(a, b));
  }
  return enter <= leave + 1e-5f * (fabsf(leave) + 1e-3f);
}

// Whether a triangle is hit nearer than `hit`; u and v are the shares of its first two corners.
static int hit_triangle(const SbRayMesh* m, int face, const float o[3], const float d[3], float near, int both, Hit* hit) {
  const float *p[3], *a;
  for (int k = 0; k < 3; k++) p[k] = m->points + 3 * m->corners[3 * face + k];
  a = p[0];
  float e[3], f[3], s[3], n[3], q[3];
  for (int i = 0; i < 3; i++) {
    e[i] = p[1][i] - a[i];
    f[i] = p[2][i] - a[i];
    s[i] = o[i] - a[i];
  }
  cross(d, f, n);
  float scale = dot(e, n);
  // seen from behind: the determinant is negative
  if (scale == 0 || (scale < 0 && !both)) return 0;
  float u = dot(s, n) / scale;
  cross(s, e, q);
  float v = dot(d, q) / scale, t = dot(f, q) / scale;
  const float slack = -1e-6f;
  if (u < slack || v < slack || u + v > 1 - slack || !(t > near && t < hit->t)) return 0;
  hit->t = t;
  hit->face = face;
  hit->u = 1 - u - v;
  hit->v = u;
  return 1;
}

static int hit_mesh(const SbRayMesh* m, const float o[3], const float d[3], float near, int both, Hit* hit) {
  int32_t stack[SB_DEEPEST], depth = 0, found = 0;
  if (!m || !m->node_count) return 0;
  stack[depth++] = 0;
  while (depth) {
    int32_t at = stack[--depth];
    const Node* node = m->nodes + at;
    if (!meets(node->lo, node->hi, o, d, near, hit->t)) continue;
    if (!node->count) {
      stack[depth++] = node->first;
      stack[depth++] = at + 1;
      continue;
    }
    for (int32_t k = 0; k < node->count; k++) {
      found |= hit_triangle(m, m->order[node->first + k], o, d, near, both, hit);
    }
  }
  return found;
}

static void into(const SbRayScene* s, int64_t k, const float v[3], float out[3]) {
  const float* m = s->inverse + 9 * k;
  for (int i = 0; i < 3; i++) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

static void to_shape(const SbRayScene* s, int64_t k, const float o[3], float out[3]) {
  float from[3];
  for (int i = 0; i < 3; i++) from[i] = o[i] - s->origin[3 * k + i];
  into(s, k, from, out);
}

static Hit nearest(const SbRayScene* s, const float o[3], const float d[3], float near, float far, int mask, int skip,
                   int all_sides, int opaque_only) {
  Hit hit = {far, -1, 0, 0, 0};
  for (int64_t k = 0; k < s->count; k++) {
    int flags = s->flags[k];
    if (!(flags & mask) || (skip >= 0 && s->group[k] == skip) || (opaque_only && s->clear[k])) continue;
    if (!meets(s->low + 3 * k, s->high + 3 * k, o, d, near, hit.t)) continue;
    float a[3], b[3], t = SB_NOTHING;
    const float* size = s->size + 3 * k;
    int both = all_sides || flags & SB_TWO_SIDED;
    to_shape(s, k, o, a);
    into(s, k, d, b);
    switch (s->kind[k]) {
      case SB_SPHERE: t = hit_sphere(size[0], a, b, near, both); break;
      case SB_BOX: t = hit_box(size, a, b, near, both); break;
      case SB_CYLINDER: t = hit_cylinder(size, flags, a, b, near, both); break;
      case SB_CAPSULE: t = hit_capsule(size, flags, a, b, near, both); break;
      case SB_CONE: t = hit_cone(size, flags, a, b, near, both); break;
      case SB_PLANE: t = hit_plane(size, a, b, near, both); break;
      default:
        if (hit_mesh(s->mesh[k], a, b, near, both, &hit)) hit.shape = (int32_t)k;
        continue;
    }
    if (t > near && t < hit.t) {
      hit.t = t;
      hit.shape = (int32_t)k;
    }
  }
  return hit;
}

static void own_normal(const SbRayScene* s, const Hit* hit, const float p[3], float n[3]) {
  int32_t k = hit->shape;
  const float* size = s->size + 3 * k;
  float round = sqrtf(p[0] * p[0] + p[1] * p[1]);
  int best = 0;
  n[0] = n[1] = 0;
  n[2] = 1;
  switch (s->kind[k]) {
    case SB_SPHERE: memcpy(n, p, 3 * sizeof(float)); break;
    case SB_BOX:
      for (int i = 1; i < 3; i++) {
        if (fabsf(p[i] / size[i]) > fabsf(p[best] / size[best])) best = i;
      }
      n[2] = 0;
      n[best] = copysignf(1, p[best]);
      break;
    case SB_CYLINDER:
      if (fabsf(size[2] - fabsf(p[2])) < fabsf(size[0] - round)) {
        n[2] = copysignf(1, p[2]);
      } else {
        n[0] = p[0];
        n[1] = p[1];
        n[2] = 0;
      }
      break;
    case SB_CAPSULE:
      memcpy(n, p, 3 * sizeof(float));
      n[2] = p[2] - fmaxf(-size[2], fminf(size[2], p[2]));
      break;
    case SB_CONE:
      if (p[2] < -size[2] * 0.99999f && round * round < size[0] * size[0] * 0.9999f) {
        n[2] = -1;
      } else {
        n[0] = p[0];
        n[1] = p[1];
        n[2] = size[0] / (2 * size[2]) * round;
      }
      break;
    case SB_MESH:
      if (s->has_normals[k]) {
        const float* c = s->corner_normal + 3 * ((int64_t)s->corner[k] + 3 * hit->face);
        for (int i = 0; i < 3; i++) n[i] = c[i] * hit->u + c[3 + i] * hit->v + c[6 + i] * (1 - hit->u - hit->v);
      } else {
        const SbRayMesh* m = s->mesh[k];
        const float *a = m->points + 3 * m->corners[3 * hit->face], *b = m->points + 3 * m->corners[3 * hit->face + 1];
        const float* c = m->points + 3 * m->corners[3 * hit->face + 2];
        float e[3], f[3];
        for (int i = 0; i < 3; i++) {
          e[i] = b[i] - a[i];
          f[i] = c[i] - a[i];
        }
        cross(e, f, n);
      }
      break;
    default: break;
  }
}

// Follows n rays of the world. Distances are `far` where nothing is hit, shapes -1 there, and the rest 0. `place`
// is on a mesh: the shares of the first two corners of a face.
void sb_cast_rays(const SbRayScene* s, int64_t n, const float* origins, const float* directions, const float* near,
                  const float* far, const int32_t* skip, int mask, int all_sides, int opaque_only, float* distance,
                  int32_t* shape, float* normal, int32_t* face, float* place) {
  for (int64_t i = 0; i < n; i++) {
    const float *o = origins + 3 * i, *d = directions + 3 * i;
    Hit hit = nearest(s, o, d, near[i], far[i], mask, skip[i], all_sides, opaque_only);
    distance[i] = hit.t;
    shape[i] = hit.shape;
    face[i] = hit.face;
    place[2 * i] = hit.u;
    place[2 * i + 1] = hit.v;
    float* out = normal + 3 * i;
    memset(out, 0, 3 * sizeof(float));
    if (hit.shape < 0) continue;
    float at[3], p[3], own[3];
    for (int j = 0; j < 3; j++) at[j] = o[j] + hit.t * d[j];
    to_shape(s, hit.shape, at, p);
    own_normal(s, &hit, p, own);
    // normals go by the transposed inverse
    const float* m = s->inverse + 9 * hit.shape;
    for (int j = 0; j < 3; j++) out[j] = m[j] * own[0] + m[3 + j] * own[1] + m[6 + j] * own[2];
    float length = sqrtf(dot(out, out));
    if (length > 0) {
      for (int j = 0; j < 3; j++) out[j] /= length;
    }
  }
}

// ------------------------------------------------------------------------------------------ trees of triangles

static float middle_of(const SbRayMesh* m, int32_t face, int axis) {
  float sum = 0;
  for (int k = 0; k < 3; k++) sum += m->points[3 * m->corners[3 * face + k] + axis];
  return sum;
}

// Puts the faces with the smaller middles along an axis before the others: `k` of them (quickselect).
static void halve(SbRayMesh* m, int32_t* faces, int32_t count, int32_t k, int axis) {
  int32_t lo = 0, hi = count - 1;
  while (lo < hi) {
    float pivot = middle_of(m, faces[lo + (hi - lo) / 2], axis);
    int32_t i = lo, j = hi;
    while (i <= j) {
      while (middle_of(m, faces[i], axis) < pivot) i++;
      while (middle_of(m, faces[j], axis) > pivot) j--;
      if (i > j) break;
      int32_t keep = faces[i];
      faces[i++] = faces[j];
      faces[j--] = keep;
    }
    if (k <= j) {
      hi = j;
    } else if (k >= i) {
      lo = i;
    } else {
      return;
    }
  }
}

static void grow(SbRayMesh* m, int32_t first, int32_t count) {
  int32_t at = m->node_count++;
  Node* node = m->nodes + at;
  for (int i = 0; i < 3; i++) {
    node->lo[i] = FLT_MAX;
    node->hi[i] = -FLT_MAX;
  }
  for (int32_t k = 0; k < 3 * count; k++) {
    const float* p = m->points + 3 * m->corners[3 * m->order[first + k / 3] + k % 3];
    for (int i = 0; i < 3; i++) {
      node->lo[i] = fminf(node->lo[i], p[i]);
      node->hi[i] = fmaxf(node->hi[i], p[i]);
    }
  }
  node->first = first;
  node->count = count;
  if (count <= SB_LEAF) return;
  int axis = 0;
  for (int i = 1; i < 3; i++) {
    if (node->hi[i] - node->lo[i] > node->hi[axis] - node->lo[axis]) axis = i;
  }
  int32_t half = count / 2;
  halve(m, m->order + first, count, half, axis);
  node->count = 0;
  grow(m, first, half);
  node->first = m->node_count;
  grow(m, first + half, count - half);
}

void sb_free_ray_mesh(SbRayMesh* m) {
  if (!m) return;
  free(m->order);
  free(m->nodes);
  free(m);
}

// Returns a mesh with its tree; NULL without memory. Points (finite) and corners must stay where they are.
SbRayMesh* sb_new_ray_mesh(const float* points, const int32_t* corners, int32_t count) {
  SbRayMesh* m = calloc(1, sizeof(SbRayMesh));
  if (!m) return NULL;
  m->points = points;
  m->corners = corners;
  m->order = malloc((size_t)(count > 0 ? count : 1) * sizeof(int32_t));
  m->nodes = malloc((size_t)(count > 0 ? 2 * (int64_t)count : 1) * sizeof(Node));
  if (!m->order || !m->nodes) {
    sb_free_ray_mesh(m);
    return NULL;
  }
  for (int32_t k = 0; k < count; k++) m->order[k] = k;
  if (count > 0) grow(m, 0, count);
  return m;
}
