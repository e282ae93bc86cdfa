// Joints that close a loop: rows between two bodies, held by the scene's ERP and CFM.
//
//        z0   z1            rows along and about the axes of end 0, at the point of end 1:
//         \   /             ball    x y z            hinge   x y z, turns about x y
//    ------o o------        piston  x y              slider  x y,   turns about x y z
//    body 0   body 1        fixed   x y z, turns about x y z
//                           hinge2  x y z, turn about axis 1 x axis 2
#include <string.h>

#include "base/sb_work.h"

// Rows that nothing answers to [1/kg or 1/(kg m^2)] are left out: in a planar loop, those across
// the plane. Their error, if any, stays: no force could remove it.
#define SB_LEAST_RESPONSE 1e-9

int sb_chain(const mjModel* m, int dof, int* out) {
  int count = 0;
  for (int i = dof; i >= 0; i = m->dof_parentid[i]) out[count++] = i;
  for (int a = 0, b = count - 1; a < b; a++, b--) {
    int swap = out[a];
    out[a] = out[b];
    out[b] = swap;
  }
  return count;
}

static int body_chain(const mjModel* m, int body, int* out) {
  while (body > 0 && m->body_dofnum[body] == 0) body = m->body_parentid[body];
  return body > 0 ? sb_chain(m, m->body_dofadr[body] + m->body_dofnum[body] - 1, out) : 0;
}

// World frame of each end.
typedef struct Ends {
  double point[2][3];
  double axis[2][3][3];   // x, y, z of each end
  double quat[2][4];
} Ends;

static void find_ends(const SbStep* s, const SbLoop* loop, Ends* out) {
  for (int e = 0; e < 2; e++) {
    const double *pos = s->d->xpos + 3 * loop->body[e], *quat = s->d->xquat + 4 * loop->body[e];
    mju_rotVecQuat(out->point[e], loop->pos[e], quat);
    for (int i = 0; i < 3; i++) out->point[e][i] += pos[i];
    mju_mulQuat(out->quat[e], quat, loop->quat[e]);
    for (int i = 0; i < 3; i++) {
      double unit[3] = {i == 0, i == 1, i == 2};
      mju_rotVecQuat(out->axis[e][i], unit, out->quat[e]);
    }
  }
}

void sb_loop_turn(const SbStep* s, int k, double turn[4], double frame[4]) {
  double back[4];
  Ends at;
  find_ends(s, sb_loop(s, k), &at);
  mju_negQuat(back, at.quat[0]);
  mju_mulQuat(turn, back, at.quat[1]);
  memcpy(frame, at.quat[1], sizeof(at.quat[1]));
}

static double wrap_near(double angle, double near) {
  return angle - 2 * mjPI * round((angle - near) / (2 * mjPI));
}

static double angle_about(const double from[3], const double to[3], const double about[3]) {
  double n[3];
  sb_cross(from, to, n);
  return atan2(sb_dot(n, about), sb_dot(from, to) - sb_dot(from, about) * sb_dot(to, about));
}

// Angles of a hinge2 about axis 1 (z of end 0) and axis 2 (fixed in end 1), zero at the start,
// where both joint frames coincide.
static void hinge2_angles(const SbLoop* loop, const Ends* at, double out[2]) {
  double second[3], start[3], first[3], z[3] = {0, 0, 1};
  mju_rotVecQuat(second, loop->second, at->quat[1]);
  mju_rotVecQuat(start, loop->second, at->quat[0]);
  mju_rotVecQuat(first, z, at->quat[1]);
  out[0] = angle_about(start, second, at->axis[0][2]);
  out[1] = angle_about(at->axis[0][2], first, second);
}

void sb_read_loop(SbStep* s, int k) {
  const SbLoop* loop = sb_loop(s, k);
  if (loop->axis < 0 || loop->kind == SB_LOOP_NONE || loop->kind == SB_LOOP_BALL) return;
  Ends at;
  find_ends(s, loop, &at);
  double value[2] = {0, 0};
  int count = loop->kind == SB_LOOP_HINGE2 ? 2 : 1;
  if (loop->kind == SB_LOOP_HINGE) {
    value[0] = angle_about(at.axis[0][0], at.axis[1][0], at.axis[0][2]) - loop->turned;
  } else if (loop->kind == SB_LOOP_HINGE2) {
    hinge2_angles(loop, &at, value);
  } else {
    for (int i = 0; i < 3; i++) {
      value[0] += (at.point[1][i] - at.point[0][i]) * at.axis[0][2][i];
    }
  }
  for (int i = 0; i < count; i++) {
    double position = loop->start[i] + value[i], *last = &s->state.motors[loop->axis + i].position;
    if (loop->kind != SB_LOOP_SLIDER) position = wrap_near(position, *last);
    s->axis_position[loop->axis + i] = *last = position;
  }
}

// Jacobian of body 1 against body 0 at a point: six values per column, linear then angular.
static int pair_jacobian(SbStep* s, const SbLoop* loop, const double* point) {
  const mjModel* m = s->m;
  int *chain[2] = {s->chain, s->chain + m->nv + 1}, *column = s->pair_column, count = 0, i = 0, j = 0;
  int n0 = body_chain(m, loop->body[0], chain[0]), n1 = body_chain(m, loop->body[1], chain[1]);
  while (i < n0 || j < n1) {
    int a = i < n0 ? chain[0][i] : INT32_MAX, b = j < n1 ? chain[1][j] : INT32_MAX;
    int dof = a < b ? a : b, sign = (b == dof) - (a == dof);
    i += a == dof;
    j += b == dof;
    double* out = s->jacobian + 6 * count;
    const double* cdof = s->d->cdof + 6 * dof;
    const double* com = s->d->subtree_com + 3 * m->body_rootid[m->dof_bodyid[dof]];
    double arm[3] = {point[0] - com[0], point[1] - com[1], point[2] - com[2]};
    sb_cross(cdof, arm, out);
    for (int n = 0; n < 3; n++) {
      out[n] = sign * (out[n] + cdof[3 + n]);
      out[3 + n] = sign * cdof[n];
    }
    column[count++] = dof;
  }
  return count;
}

// The row of the Jacobian along (offset 0) or about (offset 3) a direction, into row_value.
static void along(SbStep* s, int count, const double* direction, int offset) {
  for (int j = 0; j < count; j++) {
    s->row_value[j] = sb_dot(s->jacobian + 6 * j + offset, direction);
  }
}

// All rows of a loop have the same columns; those from `first` on are of this one.
static int hold(SbStep* s, int k, int part, int first, int count, const double* direction, int offset,
                double error) {
  double velocity = 0, acceleration = 0;
  along(s, count, direction, offset);
  for (int j = 0; j < count; j++) {
    velocity += s->row_value[j] * s->d->qvel[s->pair_column[j]];
    acceleration += s->row_value[j] * s->d->qacc_smooth[s->pair_column[j]];
  }
  SbRow row = sb_row_bilateral(s->m->opt.timestep, error, s->world->erp, s->world->cfm);
  int at = sb_add_row(s, row, velocity, acceleration, count, s->pair_column, s->row_value,
                      s->rows.count > first);
  if (at < 0) return 0;
  if (s->rows.diagonal[at] < SB_LEAST_RESPONSE) {
    sb_drop_row(s);
    at = -1;
  }
  s->loop_row[6 * k + part] = at;
  return 1;
}

static int add_axes(SbStep* s, const SbLoop* loop, const Ends* at, int count) {
  const double* z = at->axis[0][2];
  for (int part = 0; loop->kind == SB_LOOP_BALL && part < 3; part++) {
    along(s, count, s->axis_direction + 3 * (loop->axis + part), 3);
    if (!sb_add_axis_rows(s, loop->axis + part, count, s->pair_column, s->row_value)) return 0;
  }
  if (loop->kind == SB_LOOP_BALL) return 1;
  if (loop->kind == SB_LOOP_HINGE || loop->kind == SB_LOOP_SLIDER) {
    along(s, count, z, loop->kind == SB_LOOP_HINGE ? 3 : 0);
    return sb_add_axis_rows(s, loop->axis, count, s->pair_column, s->row_value);
  }
  // w = a1' z + a2' u with k = z.u:   a1' = (z - k u).w/(1 - k^2), a2' = (u - k z).w/(1 - k^2)
  double u[3], direction[3];
  mju_rotVecQuat(u, loop->second, at->quat[1]);
  double cosine = sb_dot(z, u);
  for (int part = 0; part < 2; part++) {
    const double *one = part ? u : z, *two = part ? z : u;
    for (int i = 0; i < 3; i++) {
      direction[i] = (one[i] - cosine * two[i]) / (1 - cosine * cosine);
    }
    along(s, count, direction, 3);
    if (!sb_add_axis_rows(s, loop->axis + part, count, s->pair_column, s->row_value)) return 0;
  }
  return 1;
}

int sb_add_loop(SbStep* s, int k) {
  const SbLoop* loop = sb_loop(s, k);
  for (int i = 0; i < 6; i++) s->loop_row[6 * k + i] = -1;
  if (loop->kind == SB_LOOP_NONE) return 1;
  if (!sb_body_awake(s, loop->body[0]) || !sb_body_awake(s, loop->body[1])) return 1;
  Ends at;
  find_ends(s, loop, &at);
  int count = pair_jacobian(s, loop, at.point[1]), first = s->rows.count, ok = 1;
  if (count == 0) return 1;
  double gap[3], turn[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) gap[i] = at.point[1][i] - at.point[0][i];

  int slides = loop->kind == SB_LOOP_PISTON || loop->kind == SB_LOOP_SLIDER;
  for (int i = loop->kind == SB_LOOP_PLANE ? 2 : 0; i < (slides ? 2 : 3); i++) {
    ok &= hold(s, k, i, first, count, at.axis[0][i], 0, sb_dot(gap, at.axis[0][i]));
  }
  if (loop->kind == SB_LOOP_HINGE || loop->kind == SB_LOOP_PLANE) {
    sb_cross(at.axis[0][2], at.axis[1][2], turn);
    for (int i = 0; i < 2; i++) {
      ok &= hold(s, k, 3 + i, first, count, at.axis[0][i], 3, sb_dot(turn, at.axis[0][i]));
    }
  } else if (loop->kind == SB_LOOP_FIXED || loop->kind == SB_LOOP_SLIDER ||
             loop->kind == SB_LOOP_GRIP) {
    // twice the vector part of the turn from end 0 to end 1 is its angle, for small ones
    double back[4], q[4];
    mju_negQuat(back, at.quat[0]);
    mju_mulQuat(q, back, at.quat[1]);
    for (int i = 0; i < 3; i++) {
      ok &= hold(s, k, 3 + i, first, count, at.axis[0][i], 3, (q[0] < 0 ? -2 : 2) * q[1 + i]);
    }
  } else if (loop->kind == SB_LOOP_HINGE2) {
    double u[3], n[3], cosine = loop->second[2];
    mju_rotVecQuat(u, loop->second, at.quat[1]);
    sb_cross(at.axis[0][2], u, n);
    mju_normalize3(n);
    // the angle between the axes grows with a turn of body 1 about n
    double error = acos(fmax(-1, fmin(1, sb_dot(at.axis[0][2], u)))) - acos(cosine);
    ok &= hold(s, k, 3, first, count, n, 3, error);
  }
  if (loop->axis >= 0) ok &= add_axes(s, loop, &at, count);
  return ok;
}

// Efforts of motors in effort mode act on the bodies before the rows are solved.
void sb_push_loop(SbStep* s, int k) {
  const SbLoop* loop = sb_loop(s, k);
  if (loop->kind == SB_LOOP_NONE || loop->axis < 0) return;
  int parts = loop->kind == SB_LOOP_BALL ? 3 : loop->kind == SB_LOOP_HINGE2 ? 2 : 1;
  for (int part = 0; part < parts; part++) {
    double effort = s->state.motors[loop->axis + part].effort;
    if (effort == 0) continue;
    Ends at;
    find_ends(s, loop, &at);
    int count = pair_jacobian(s, loop, at.point[1]);
    double direction[3];
    if (loop->kind == SB_LOOP_BALL) {
      memcpy(direction, s->axis_direction + 3 * (loop->axis + part), sizeof(direction));
    } else if (part) {
      mju_rotVecQuat(direction, loop->second, at.quat[1]);
    } else {
      memcpy(direction, at.axis[0][2], sizeof(direction));
    }
    along(s, count, direction, loop->kind == SB_LOOP_SLIDER ? 0 : 3);
    for (int j = 0; j < count; j++) {
      s->d->qfrc_actuator[s->pair_column[j]] += effort * s->row_value[j];
    }
  }
}
