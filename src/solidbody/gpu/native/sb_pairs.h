// Contact points of two geoms, where MuJoCo's colliders have them: midway between the skins, the normal from
// geom 0 to geom 1. The forms of a pair ascend: plane, sphere, capsule, cylinder, box. Cylinders on planes and boxes
// have ODE's points, from `contact/native/collision/sb_colliders.c`, the same source as the native step.
#ifndef SB_PAIRS_H_
#define SB_PAIRS_H_

#define SB_POINTS 24       // two boxes whose edges coincide have that many until equal ones are dropped
#define SB_SHORT 1e-15     // lengths below are zero, as in MuJoCo

typedef struct SbHits {
  double normal[SB_POINTS][3];
  double point[SB_POINTS][3];
  double depth[SB_POINTS];
  int count;
} SbHits;

// A geom where it is now; mat row-major.
typedef struct SbSolid {
  const double *pos, *mat, *size;
} SbSolid;

SB_DEV double* sb_new_hit(SbHits* out, const double n[3], double dist) {
  int k = out->count < SB_POINTS - 1 ? out->count++ : out->count - 1;
  sb_copy(out->normal[k], n, 3);
  out->depth[k] = -dist;
  return out->point[k];
}

SB_DEV void sb_column(const double* mat, int k, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = mat[3 * i + k];
}

// ---------------------------------------------------------------- planes

SB_DEV void sb_plane_ball(const SbSolid* plane, const double centre[3], double radius, double margin,
                          SbHits* out) {
  double n[3], from[3];
  sb_column(plane->mat, 2, n);
  sb_sub3(from, centre, plane->pos);
  double height = sb_dot(from, n), dist = height - radius;
  if (height > margin + radius) return;
  double* p = sb_new_hit(out, n, dist);
  for (int i = 0; i < 3; i++) p[i] = centre[i] - n[i] * (dist / 2 + radius);
}

SB_DEV void sb_plane_capsule(const SbSolid* plane, const SbSolid* body, double margin, SbHits* out) {
  double axis[3], end[3];
  sb_column(body->mat, 2, axis);
  for (int side = 1; side >= -1; side -= 2) {
    for (int i = 0; i < 3; i++) end[i] = body->pos[i] + side * body->size[1] * axis[i];
    sb_plane_ball(plane, end, body->size[0], margin, out);
  }
}

// The first four corners that are on the lower side of the box and reach the plane.
SB_DEV void sb_plane_box(const SbSolid* plane, const SbSolid* body, double margin, SbHits* out) {
  double n[3], from[3];
  sb_column(plane->mat, 2, n);
  sb_sub3(from, body->pos, plane->pos);
  double height = sb_dot(from, n);
  for (int k = 0; k < 8 && out->count < 4; k++) {
    double local[3], corner[3];
    for (int i = 0; i < 3; i++) local[i] = k >> i & 1 ? body->size[i] : -body->size[i];
    sb_turn(body->mat, local, corner);
    double below = sb_dot(n, corner), dist = height + below;
    if (dist > margin || below > 0) continue;
    double* p = sb_new_hit(out, n, dist);
    for (int i = 0; i < 3; i++) p[i] = corner[i] + body->pos[i] - n[i] * dist / 2;
  }
}

// ---------------------------------------------------------------- balls and capsules

// z0, z1: own axes, which give a normal where the centres coincide.
SB_BIG void sb_two_balls(const double a[3], double ra, const double* mat0, const double b[3], double rb,
                         const double* mat1, double margin, SbHits* out) {
  double n[3];
  sb_sub3(n, b, a);
  double apart = sqrt(sb_dot(n, n)), dist = apart - ra - rb;
  if (apart > margin + ra + rb) return;
  if (sb_normalize3(n) < SB_SHORT) {
    double z0[3], z1[3];
    sb_column(mat0, 2, z0);
    sb_column(mat1, 2, z1);
    sb_cross(z0, z1, n);
    sb_normalize3(n);
  }
  double* p = sb_new_hit(out, n, dist);
  for (int i = 0; i < 3; i++) p[i] = a[i] + n[i] * (ra + dist / 2);
}

SB_DEV double sb_within(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

SB_DEV void sb_ball_capsule(const SbSolid* ball, const SbSolid* rod, double margin, SbHits* out) {
  double axis[3], from[3], near[3];
  sb_column(rod->mat, 2, axis);
  for (int i = 0; i < 3; i++) axis[i] *= rod->size[1];
  sb_sub3(from, ball->pos, rod->pos);
  double x = sb_within(sb_dot(axis, from) / sb_dot(axis, axis), 1);
  for (int i = 0; i < 3; i++) near[i] = axis[i] * x + rod->pos[i];
  sb_two_balls(ball->pos, ball->size[0], ball->mat, near, rod->size[0], rod->mat, margin, out);
}

// Nearest points x, y (-1..1) of two rods from the scalar products of their half axes a, b and of the way
// between their centres: aa, -ab, bb, u = -a.w, v = b.w.
typedef struct SbRods {
  double aa, ab, bb, u, v;
} SbRods;

SB_DEV void sb_capsules_at(const SbSolid* one, const SbSolid* two, const double a[3], const double b[3],
                           double x, double y, double margin, SbHits* out) {
  double p[3], q[3];
  for (int i = 0; i < 3; i++) {
    p[i] = a[i] * x + one->pos[i];
    q[i] = b[i] * y + two->pos[i];
  }
  sb_two_balls(p, one->size[0], one->mat, q, two->size[0], two->mat, margin, out);
}

SB_BIG void sb_two_capsules(const SbSolid* one, const SbSolid* two, double margin, SbHits* out) {
  double a[3], b[3], w[3];
  sb_column(one->mat, 2, a);
  sb_column(two->mat, 2, b);
  for (int i = 0; i < 3; i++) {
    a[i] *= one->size[1];
    b[i] *= two->size[1];
  }
  sb_sub3(w, one->pos, two->pos);
  double aa = sb_dot(a, a), ab = -sb_dot(a, b), bb = sb_dot(b, b), u = -sb_dot(a, w), v = sb_dot(b, w);
  double det = aa * bb - ab * ab;
  if (fabs(det) >= SB_SHORT) {
    double x = (bb * u - ab * v) / det, y = (aa * v - ab * u) / det;
    if (fabs(x) > 1) {
      x = x > 0 ? 1 : -1;
      y = (v - ab * x) / bb;
    }
    if (fabs(y) > 1) {
      y = y > 0 ? 1 : -1;
      x = sb_within((u - ab * y) / aa, 1);
    }
    sb_capsules_at(one, two, a, b, x, y, margin, out);
    return;
  }
  // parallel: the ends of one, then those of the other, until two touch
  for (int end = 1; end >= -1; end -= 2) {
    sb_capsules_at(one, two, a, b, end, sb_within((v - end * ab) / bb, 1), margin, out);
  }
  for (int end = 1; end >= -1 && out->count < 2; end -= 2) {
    sb_capsules_at(one, two, a, b, sb_within((u - end * ab) / aa, 1), end, margin, out);
  }
}

SB_DEV void sb_ball_cylinder(const SbSolid* ball, const SbSolid* can, double margin, SbHits* out) {
  double axis[3], from[3], across[3], n[3];
  sb_column(can->mat, 2, axis);
  sb_sub3(from, ball->pos, can->pos);
  double along = sb_dot(from, axis), radius = can->size[0], half = can->size[1], r = ball->size[0];
  for (int i = 0; i < 3; i++) across[i] = from[i] - along * axis[i];
  double far = sqrt(sb_dot(across, across)), over = fabs(along) - half, beside = far - radius, dist;
  if (over > 0 && beside > 0) {
    // the rim
    double rim[3];
    for (int i = 0; i < 3; i++) {
      rim[i] = can->pos[i] + axis[i] * (along > 0 ? half : -half) + across[i] * (radius / far);
    }
    double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sb_two_balls(ball->pos, r, none, rim, 0, none, margin, out);
    return;
  }
  if (over > beside) {
    dist = over - r;
    for (int i = 0; i < 3; i++) n[i] = along > 0 ? -axis[i] : axis[i];
  } else {
    dist = beside - r;
    for (int i = 0; i < 3; i++) n[i] = -across[i];
    sb_normalize3(n);
  }
  if (dist > margin) return;
  double* p = sb_new_hit(out, n, dist);
  for (int i = 0; i < 3; i++) p[i] = ball->pos[i] + n[i] * (r + dist / 2);
}

// ---------------------------------------------------------------- boxes

SB_BIG void sb_ball_box_at(const double centre[3], double r, const SbSolid* box, double margin, SbHits* out) {
  double from[3], c[3], near[3], n[3], local[3];
  sb_sub3(from, centre, box->pos);
  sb_turn_back(box->mat, from, c);
  for (int i = 0; i < 3; i++) {
    near[i] = sb_within(c[i], box->size[i]);
    n[i] = near[i] - c[i];
  }
  double apart = sqrt(sb_dot(n, n));
  if (apart - r > margin) return;
  if (apart > SB_SHORT) {
    for (int i = 0; i < 3; i++) {
      n[i] /= apart;
      local[i] = 0.5 * (near[i] + c[i] + n[i] * r);
    }
  } else {
    // inside: towards the nearest face
    double least = INFINITY;
    int axis = 0, side = 1;
    for (int i = 0; i < 3; i++) {
      for (int s = -1; s <= 1; s += 2) {
        double gap = fabs(s * box->size[i] - c[i]);
        if (gap < least) {
          least = gap;
          axis = i;
          side = s;
        }
      }
    }
    for (int i = 0; i < 3; i++) n[i] = i == axis ? -side : 0;
    for (int i = 0; i < 3; i++) local[i] = c[i] + n[i] * (r - least) / 2;
    apart = -least;
  }
  double world[3];
  sb_turn(box->mat, n, world);
  double* p = sb_new_hit(out, world, apart - r);
  sb_turn(box->mat, local, p);
  for (int i = 0; i < 3; i++) p[i] += box->pos[i];
}

// A capsule on a box touches by the ball at the point of its axis that is nearest to the box, and by a second
// ball farther along the axis where that runs along a face or an edge. All in the box's frame: p centre of the
// capsule, a its half axis; places on the axis are -1 .. 1.
typedef struct SbNearest {
  double square;         // squared distance
  double place;          // on the axis
  double on_edge;        // on the edge of the box, -1 .. 1
  int kind;              // 0 face, 1 edge, 2 corner, -1 nothing
  int face, edge, corner;  // axis of the face (-1: inside), axis of the edge, signs of the corner as bits
} SbNearest;

SB_DEV void sb_nearest_end(const double p[3], const double a[3], const double* size, SbNearest* best) {
  for (int end = -1; end <= 1; end += 2) {
    double square = 0;
    int outside = 0, face = -1;
    for (int i = 0; i < 3; i++) {
      double x = p[i] + end * a[i], off = fabs(x) - size[i];
      if (off > 0) {
        outside++;
        face = i;
        square += off * off;
      }
    }
    if (outside > 1 || !(square < best->square)) continue;
    best->square = square;
    best->place = end;
    best->kind = 0;
    best->face = face;
  }
}

// Edge `axis` whose other two signs are in `bits`.
SB_DEV void sb_nearest_on_edge(const double p[3], const double a[3], const double* size, int axis, int bits,
                               SbNearest* best) {
  double w[3], aa = sb_dot(a, a), ee = size[axis] * size[axis], ea = -size[axis] * a[axis];
  for (int i = 0; i < 3; i++) w[i] = (i == axis ? 0 : bits >> i & 1 ? size[i] : -size[i]) - p[i];
  double u = -size[axis] * w[axis], v = sb_dot(a, w), det = ee * aa - ea * ea;
  if (fabs(det) < SB_SHORT) return;
  double x = (aa * u - ea * v) / det, y = (ee * v - ea * u) / det;
  int end = 0;  // of the edge that was reached
  if (fabs(x) > 1) {
    end = x > 0 ? 1 : -1;
    x = end;
    y = (v - end * ea) / aa;
  }
  if (fabs(y) > 1) {
    y = y > 0 ? 1 : -1;
    x = (u - y * ea) / ee;
    if (fabs(x) > 1) {
      end = x > 0 ? 1 : -1;
      x = end;
    }
  }
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double d = w[i] - a[i] * y + (i == axis ? size[axis] * x : 0);
    square += d * d;
  }
  if (!(square < best->square - SB_SHORT)) return;
  best->square = square;
  best->place = y;
  best->on_edge = x;
  best->kind = end ? 2 : 1;
  best->edge = axis;
  best->corner = bits + (end > 0 ? 1 << axis : 0);
}

SB_DEV double sb_least(double a, double b) { return b < a ? b : a; }

// How far along the axis the second ball is from the first, which may be nothing; SB_NO_BALL: there is none.
#define SB_NO_BALL -4.0
SB_DEV double sb_second_ball(const double p[3], const double a[3], const double* size, const SbNearest* at) {
  int along = 0;
  for (int i = 0; i < 3; i++) along |= (a[i] > 0) << i;
  if (at->kind == 0) {
    if (at->face < 0) return SB_NO_BALL;
    double way = at->place < 0 ? 1 : -1, far = 2;
    for (int i = 0; i < 3; i++) {
      if (i == at->face) continue;
      double from = p[i] - way * a[i];
      for (int side = 1; side >= -1; side -= 2) {
        double e = (side * size[i] - from) / a[i] * way;
        if (e > 0 && e < far) far = e;
      }
    }
    return far * way;
  }
  int same = along ^ at->corner;
  if (at->kind == 2) {
    if (same == 0 || same == 7) return SB_NO_BALL;
    double way = 1, ahead = 1 - at->place, behind = 1 + at->place;
    if (same == 3 || same == 5 || same == 6) {
      way = -1;
      same = 7 - same;
      double swap = ahead;
      ahead = behind;
      behind = swap;
    }
    int axis = same == 1 ? 0 : same == 2 ? 1 : 2, one = (axis + 1) % 3, two = (axis + 2) % 3;
    if (a[axis] * a[axis] > 0.5 * sb_dot(a, a)) return way * sb_least(ahead, 2 * size[axis] / fabs(a[axis]));
    return -way * sb_least(sb_least(behind, 2 * size[one] / fabs(a[one])), 2 * size[two] / fabs(a[two]));
  }
  same &= 7 - (1 << at->edge);
  if (same != 1 && same != 2 && same != 4) return SB_NO_BALL;
  int one = (at->edge + 1) % 3, two = (at->edge + 2) % 3;
  // of the two faces at the edge the one that the axis is flatter over
  int across = fabs(a[one]) > fabs(a[two]) ? one : two;
  int goes = same >> across & 1;
  double way = goes ? 1 : -1, far = goes ? 1 - at->place : 1 + at->place;
  far = sb_least(far, 2 * size[across] / fabs(a[across]));
  double left = (along >> at->edge & 1) == goes ? 1 - at->on_edge : 1 + at->on_edge;
  return way * sb_least(far, size[at->edge] * left / fabs(a[at->edge]));
}

SB_BIG void sb_capsule_box(const SbSolid* rod, const SbSolid* box, double margin, SbHits* out) {
  double from[3], axis[3], p[3], a[3], centre[3], world[3];
  sb_sub3(from, rod->pos, box->pos);
  sb_turn_back(box->mat, from, p);
  sb_column(rod->mat, 2, axis);
  sb_turn_back(box->mat, axis, a);
  for (int i = 0; i < 3; i++) a[i] *= rod->size[1];
  SbNearest best = {INFINITY, 0, 0, -1, 0, 0, 0};
  sb_nearest_end(p, a, box->size, &best);
  for (int k = 0; k < 3; k++) {
    for (int bits = 0; bits < 8; bits++) {
      if (!(bits >> k & 1)) sb_nearest_on_edge(p, a, box->size, k, bits, &best);
    }
  }
  if (best.kind < 0) return;
  double second = sb_second_ball(p, a, box->size, &best);
  for (int k = 0; k < (second > SB_NO_BALL ? 2 : 1); k++) {
    for (int i = 0; i < 3; i++) centre[i] = p[i] + a[i] * (best.place + k * second);
    sb_turn(box->mat, centre, world);
    for (int i = 0; i < 3; i++) world[i] += box->pos[i];
    sb_ball_box_at(world, rod->size[0], box, margin, out);
  }
}

// Two boxes. The axis of least overlap decides, a face before an edge where they are about the same:
//   a face of one   the face of the other that is most opposed to it is cut by the four planes at its
//                   borders; corners of what is left that lie below the face count
//   two edges       the point midway between their nearest points
#define SB_PARALLEL 1e-12      // sine^2 of edges that are parallel: their cross product is noise
#define SB_SAME_SIGN 1e-10     // part of the axis along an edge below which both of its sides support it
#define SB_SAME_CORNER 1e-20   // squared distance of equal corners, as a share of the face
#define SB_EDGE_BIAS 1e-6      // an edge must be better by this share
#define SB_ALIAS 0.99          // cosine to the best face from which an edge must be better
#define SB_ALIAS_SHARE 0.05    // by this share of the face's depth
#define SB_BOX_CORNERS 8

typedef struct SbBoxes {
  const SbSolid *one, *two;
  double rot[9];            // axes of box 1 in those of box 0, as columns
  double to1[3], to0[3];    // centre of each in the frame of the other
} SbBoxes;

// Keep what lies at sign * x[axis] <= limit; returns the number of corners.
SB_DEV int sb_cut_polygon(double polygon[][3], int count, int axis, double sign, double limit) {
  double kept[SB_BOX_CORNERS][3];
  int size = 0;
  for (int k = 0; k < count; k++) {
    const double *p = polygon[k], *q = polygon[k + 1 < count ? k + 1 : 0];
    double dp = sign * p[axis] - limit, dq = sign * q[axis] - limit;
    if (dp <= 0 && size < SB_BOX_CORNERS) sb_copy(kept[size++], p, 3);
    if (((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) && size < SB_BOX_CORNERS) {
      double t = dp / (dp - dq);
      for (int i = 0; i < 3; i++) kept[size][i] = p[i] + t * (q[i] - p[i]);
      size++;
    }
  }
  for (int k = 0; k < size; k++) sb_copy(polygon[k], kept[k], 3);
  return size;
}

SB_BIG void sb_box_face(const SbBoxes* b, int second, int axis, double margin, SbHits* out) {
  const SbSolid *base = second ? b->two : b->one, *top = second ? b->one : b->two;
  const double *to = second ? b->to0 : b->to1, *size = base->size, *other = top->size;
  int place[3] = {(axis + 1) % 3, (axis + 2) % 3, axis}, faces = 0, count = 4, kept = 0;
  double r[9], polygon[SB_BOX_CORNERS][3], sign = to[axis] >= 0 ? 1 : -1;
  for (int i = 0; i < 9; i++) r[i] = second ? b->rot[3 * (i % 3) + i / 3] : b->rot[i];
  for (int k = 1; k < 3; k++) {
    if (fabs(r[3 * axis + k]) > fabs(r[3 * axis + faces])) faces = k;
  }
  double opposed = sign * r[3 * axis + faces] > 0 ? -1 : 1;
  int u = (faces + 1) % 3, v = (faces + 2) % 3;
  for (int k = 0; k < 4; k++) {
    double su = k == 0 || k == 3 ? 1 : -1, sv = k < 2 ? 1 : -1;
    for (int i = 0; i < 3; i++) {
      const double* row = r + 3 * place[i];
      double x = to[place[i]] + opposed * other[faces] * row[faces] + su * other[u] * row[u] + sv * other[v] * row[v];
      polygon[k][i] = i < 2 ? x : sign * x - size[axis];
    }
  }
  for (int k = 0; k < 4; k++) count = sb_cut_polygon(polygon, count, k / 2, k % 2 ? -1 : 1, size[place[k / 2]]);
  double same = SB_SAME_CORNER * (size[place[0]] * size[place[0]] + size[place[1]] * size[place[1]]), n[3];
  sb_column(base->mat, axis, n);
  for (int i = 0; i < 3; i++) n[i] *= second ? -sign : sign;
  for (int k = 0; k < count; k++) {
    int is_new = polygon[k][2] <= margin;
    for (int q = 0; q < kept && is_new; q++) {
      double x = polygon[q][0] - polygon[k][0], y = polygon[q][1] - polygon[k][1];
      is_new = !(x * x + y * y < same);
    }
    if (!is_new) continue;
    double local[3], *p = sb_new_hit(out, n, polygon[k][2]);
    local[place[0]] = polygon[k][0];
    local[place[1]] = polygon[k][1];
    local[axis] = sign * (size[axis] + 0.5 * polygon[k][2]);
    sb_turn(base->mat, local, p);
    for (int i = 0; i < 3; i++) p[i] += base->pos[i];
    sb_copy(polygon[kept++], polygon[k], 3);
  }
}

SB_BIG void sb_box_edges(const SbBoxes* b, int i, int j, double n[3], double margin, SbHits* out) {
  const double *rot = b->rot, *size0 = b->one->size, *size1 = b->two->size;
  double m[3], way[3] = {rot[j], rot[3 + j], rot[6 + j]}, best = INFINITY, w0[3] = {0, 0, 0}, w1[3] = {0, 0, 0};
  if (sb_dot(n, b->to1) < 0) {
    for (int k = 0; k < 3; k++) n[k] = -n[k];
  }
  sb_turn_back(rot, n, m);
  int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  // where the axis does not say which of two edges supports it, the nearer one does
  int open0 = fabs(n[i1]) < SB_SAME_SIGN ? i1 : fabs(n[i2]) < SB_SAME_SIGN ? i2 : -1;
  int open1 = fabs(m[j1]) < SB_SAME_SIGN ? j1 : fabs(m[j2]) < SB_SAME_SIGN ? j2 : -1;
  double cosine = way[i], square = 1 - cosine * cosine;
  for (int choice = 0; choice < 4; choice++) {
    int flip0 = choice & 1, flip1 = choice >> 1;
    if ((flip0 && open0 < 0) || (flip1 && open1 < 0)) continue;
    double c0[3] = {0, 0, 0}, local[3] = {0, 0, 0}, c1[3], e[3], gap[3];
    c0[i1] = n[i1] >= 0 ? size0[i1] : -size0[i1];
    c0[i2] = n[i2] >= 0 ? size0[i2] : -size0[i2];
    local[j1] = m[j1] >= 0 ? -size1[j1] : size1[j1];
    local[j2] = m[j2] >= 0 ? -size1[j2] : size1[j2];
    if (flip0) c0[open0] = -c0[open0];
    if (flip1) local[open1] = -local[open1];
    sb_turn(rot, local, c1);
    for (int k = 0; k < 3; k++) {
      c1[k] += b->to1[k];
      e[k] = c1[k] - c0[k];
    }
    double d0 = e[i], d1 = sb_dot(way, e), s = square >= SB_SHORT ? (d0 - cosine * d1) / square : 0;
    s = sb_within(s, size0[i]);
    double t = sb_within(cosine * s - d1, size1[j]);
    s = sb_within(d0 + cosine * t, size0[i]);
    c0[i] = s;
    for (int k = 0; k < 3; k++) {
      c1[k] += way[k] * t;
      gap[k] = c1[k] - c0[k];
    }
    double far = sb_dot(gap, gap);
    if (!(far < best)) continue;
    best = far;
    sb_copy(w0, c0, 3);
    sb_copy(w1, c1, 3);
  }
  double gap[3], middle[3], world[3];
  sb_sub3(gap, w1, w0);
  double dist = sb_dot(gap, n);
  if (dist > margin) return;
  for (int k = 0; k < 3; k++) middle[k] = 0.5 * (w0[k] + w1[k]);
  sb_turn(b->one->mat, n, world);
  double* p = sb_new_hit(out, world, dist);
  sb_turn(b->one->mat, middle, p);
  for (int k = 0; k < 3; k++) p[k] += b->one->pos[k];
}

SB_BIG void sb_two_boxes(const SbSolid* one, const SbSolid* two, double margin, SbHits* out) {
  SbBoxes b;
  const double *size0 = one->size, *size1 = two->size;
  double way[3], most = -INFINITY, axis[3] = {0, 0, 0};
  int code = -1;
  b.one = one;
  b.two = two;
  sb_sub3(way, two->pos, one->pos);
  sb_turn_back(one->mat, way, b.to1);
  for (int i = 0; i < 3; i++) way[i] = -way[i];
  sb_turn_back(two->mat, way, b.to0);
  for (int i = 0; i < 9; i++) {
    b.rot[i] = 0;
    for (int k = 0; k < 3; k++) b.rot[i] += one->mat[3 * k + i / 3] * two->mat[3 * k + i % 3];
  }
  const double* rot = b.rot;
  // faces of box 0, then of box 1; the gap between the boxes is greatest
  for (int k = 0; k < 6; k++) {
    int second = k > 2, i = k % 3;
    double reach = 0;
    for (int n = 0; n < 3; n++) {
      reach += second ? fabs(rot[3 * n + i]) * size0[n] : fabs(rot[3 * i + n]) * size1[n];
    }
    double gap = fabs(second ? b.to0[i] : b.to1[i]) - (second ? size1[i] : size0[i]) - reach;
    if (gap > margin) return;
    if (gap > most) {
      most = gap;
      code = k;
    }
  }
  double face_gap = most;
  int face = code;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      double n[3], square = rot[3 * i2 + j] * rot[3 * i2 + j] + rot[3 * i1 + j] * rot[3 * i1 + j];
      if (square < SB_PARALLEL) continue;
      double scale = 1 / sqrt(square);
      n[i] = 0;
      n[i1] = -rot[3 * i2 + j] * scale;
      n[i2] = rot[3 * i1 + j] * scale;
      double m1 = n[i1] * rot[3 * i1 + j1] + n[i2] * rot[3 * i2 + j1];
      double m2 = n[i1] * rot[3 * i1 + j2] + n[i2] * rot[3 * i2 + j2];
      double gap = fabs(n[i1] * b.to1[i1] + n[i2] * b.to1[i2]) - size0[i1] * fabs(n[i1]) - size0[i2] * fabs(n[i2]) -
                   size1[j1] * fabs(m1) - size1[j2] * fabs(m2);
      if (gap > margin) return;
      if (gap - SB_EDGE_BIAS * fabs(gap) > most && gap > face_gap) {
        most = gap;
        code = 6 + 3 * i + j;
        sb_copy(axis, n, 3);
      }
    }
  }
  if (code >= 6) {
    double local[3];
    sb_turn_back(rot, axis, local);
    double cosine = fabs(face < 3 ? axis[face] : local[face - 3]);
    if (cosine > SB_ALIAS && most < face_gap + SB_ALIAS_SHARE * fabs(face_gap) + SB_SHORT) code = face;
  }
  if (code >= 6) {
    sb_box_edges(&b, (code - 6) / 3, (code - 6) % 3, axis, margin, out);
  } else {
    sb_box_face(&b, code > 2, code % 3, margin, out);
  }
}

// A cap's rim on an edge of a box, where neither the side's line nor the cap's face meets the box: one point, the
// cylinder's deepest, along the direction in which they overlap least. (The native step takes MuJoCo's answer.)
SB_BIG void sb_rim_on_edge(const SbSolid* can, const SbSolid* box, SbHits* out) {
  Overlap o;
  double between[3], axis[3], n[3], across[3];
  o.radius = can->size[0];
  o.half = can->size[1];
  o.box = box->size;
  o.depth = INFINITY;
  sb_sub3(between, can->pos, box->pos);
  sb_turn_back(box->mat, between, o.p);
  double* axes[3] = {o.x, o.y, o.a};
  for (int k = 0; k < 3; k++) {
    sb_column(can->mat, k, axis);
    sb_turn_back(box->mat, axis, axes[k]);
  }
  if (!find_direction(&o) || !(o.depth < INFINITY)) return;
  sb_turn(box->mat, o.n, n);
  sb_column(can->mat, 2, axis);
  double along = sb_dot(n, axis);
  for (int i = 0; i < 3; i++) across[i] = n[i] - along * axis[i];
  double length = sqrt(sb_dot(across, across));
  for (int i = 0; i < 3; i++) n[i] = -n[i];
  double* p = sb_new_hit(out, n, -o.depth);
  for (int i = 0; i < 3; i++) {
    p[i] = can->pos[i] - (along > 0 ? o.half : -o.half) * axis[i];
    if (length > SB_SHORT) p[i] -= o.radius * across[i] / length;
  }
}

#endif  // SB_PAIRS_H_
