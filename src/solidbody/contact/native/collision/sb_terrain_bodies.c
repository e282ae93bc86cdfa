// Bodies in the frame of the terrain that they meet, and the triangles near them.
#include "collision/sb_terrain.h"

#ifndef SB_NO_LIBC
#include <math.h>
#include <string.h>
#endif

#include "base/sb_law.h"
#include "collision/sb_terrain_limits.h"

// ---------------------------------------------------------------- where a body is

SB_LOCAL void place_box(double* corner, double* planes, SbSolid* b) {
  double at[3];
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < 3; i++) at[i] = k >> i & 1 ? b->size[i] : -b->size[i];
    sb_turn_back(b->axis[0], at, corner + 3 * k);
    for (int i = 0; i < 3; i++) corner[3 * k + i] += b->p[i];
  }
  for (int k = 0; k < 6; k++) {
    double *plane = planes + 4 * k, sign = k & 1 ? -1 : 1;
    for (int i = 0; i < 3; i++) plane[i] = sign * b->axis[k / 2][i];
    plane[3] = sb_dot(plane, b->p) + b->size[k / 2];
  }
  b->corners = 8;
  b->planes = 6;
}

SB_LOCAL void place_hull(const SbCollision* all, const SbHull* hull, double* corner, double* planes, SbSolid* b) {
  for (int k = 0; k < hull->point_count; k++) {
    sb_turn_back(b->axis[0], all->hull_points + 3 * (hull->point_start + k), corner + 3 * k);
    for (int i = 0; i < 3; i++) corner[3 * k + i] += b->p[i];
  }
  for (int k = 0; k < hull->plane_count; k++) {
    const double* from = all->hull_planes + 4 * (hull->plane_start + k);
    double* plane = planes + 4 * k;
    sb_turn_back(b->axis[0], from, plane);
    plane[3] = sb_dot(plane, b->p) + from[3];
  }
  b->corners = hull->point_count;
  b->planes = hull->plane_count;
}

SB_LOCAL void set_bounds(SbSolid* b) {
  for (int i = 0; i < 3; i++) {
    double reach = b->size[0], a = b->axis[2][i];
    if (b->form == SB_FORM_CAPSULE) reach += fabs(a) * b->size[1];
    if (b->form == SB_FORM_CYLINDER) {
      double sine2 = 1 - a * a;
      reach = fabs(a) * b->size[1] + b->size[0] * sqrt(sine2 > 0 ? sine2 : 0);
    }
    b->lo[i] = b->p[i] - reach;
    b->hi[i] = b->p[i] + reach;
    if (b->corners) {
      b->lo[i] = b->hi[i] = b->corner[i];
      for (int k = 1; k < b->corners; k++) {
        double x = b->corner[3 * k + i];
        if (x < b->lo[i]) b->lo[i] = x;
        if (x > b->hi[i]) b->hi[i] = x;
      }
    }
  }
}

// Fill in what follows from a body's form, size and centre; mat: its rotation to the world, frame: that of the
// terrain. hull: of meshes. corner, plane: room for 3 and 4 numbers of each.
SB_OPEN void sb_place_solid(const SbCollision* all, const SbHull* hull, const double* mat, const double* frame,
                            double* corner, double* plane, SbSolid* b) {
  b->corners = b->planes = 0;
  b->corner = corner;
  b->plane = plane;
  for (int k = 0; k < 3; k++) {
    double column[3] = {mat[k], mat[3 + k], mat[6 + k]};
    sb_turn_back(frame, column, b->axis[k]);
  }
  if (b->form == SB_FORM_BOX) place_box(corner, plane, b);
  if (b->form == SB_FORM_MESH) place_hull(all, hull, corner, plane, b);
  set_bounds(b);
}

// ---------------------------------------------------------------- what is near it

SB_LOCAL int apart(const double* lo, const double* hi, const double* from, const double* to) {
  return lo[0] > to[0] || hi[0] < from[0] || lo[1] > to[1] || hi[1] < from[1] || lo[2] > to[2] ||
         hi[2] < from[2];
}

// Broad phase: triangles whose boxes in the AABB tree meet that of a body, ascending. Returns how many there are;
// those beyond `room` are not written.
SB_OPEN int sb_near_triangles(const SbCollision* all, const SbTerrain* t, const SbSolid* body, int* candidate,
                              int room) {
  const SbNode* nodes = all->nodes + t->node_start;
  int stack[64], depth = 0, count = 0;
  double top[3] = {body->hi[0], body->hi[1], body->hi[2]};
  // ground is solid: what has sunk into it lies below all triangles
  if (t->kind != SB_TERRAIN_MESH) top[2] = INFINITY;
  if (body->hi[2] < t->lo[2]) return 0;
  stack[depth++] = 0;
  while (depth) {
    int at = stack[--depth];
    const SbNode* node = nodes + at;
    if (apart(node->lo, node->hi, body->lo, top)) continue;
    if (!node->count) {
      // the near half of the list last, so that it is looked at first
      stack[depth++] = node->first;
      stack[depth++] = at + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; k++) {
      const SbTriangle* f = all->triangles + k;
      if (apart(f->lo, f->hi, body->lo, top)) continue;
      if (count < room) candidate[count] = k;
      count++;
    }
  }
  return count;
}

// A ball around the body, and the bounding box of the terrain.
SB_OPEN int sb_is_far(const SbTerrain* t, const double* centre, double radius) {
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double out = centre[i] < t->lo[i] ? t->lo[i] - centre[i]
                 : centre[i] > t->hi[i] ? centre[i] - t->hi[i] : 0;
    square += out * out;
  }
  return square > radius * radius;
}

// ODE lifts a body that is below all faces over and under its bounding box: by one point, as high as the
// lowest of them. Whether it does.
SB_OPEN int sb_lift_sunken(const SbMeeting* m) {
  double least = INFINITY, up[3] = {0, 0, 1};
  for (int k = 0; k < m->candidates; k++) {
    least = fmin(least, m->all->triangles[m->candidate[k]].lo[2]);
  }
  if (!(m->body->hi[2] < least)) return 0;
  double point[3] = {m->body->p[0], m->body->p[1], least};
  sb_patch_add(m->out, point, up, least - m->body->hi[2]);
  return 1;
}

SB_OPEN void sb_collide_body(const SbMeeting* m) {
  if (m->body->form == SB_FORM_SPHERE || m->body->form == SB_FORM_CAPSULE) {
    sb_collide_round(m);
  } else {
    sb_collide_solid(m);
  }
}
