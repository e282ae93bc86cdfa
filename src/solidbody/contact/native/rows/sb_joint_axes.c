// Axes of joints: where each stands, and the rows of its motor, spring and stops.
#include <string.h>

#include "base/sb_work.h"

// Least |cos| of the middle Euler angle of a ball joint at which the rates of the outer two are
// still told apart. Below it the first axis has both, u1.w = a1' + s a3', and the third rests.
#define SB_LEAST_COSINE 0.05

static double signed_angle(const double from[3], const double to[3], const double about[3]) {
  double n[3];
  sb_cross(from, to, n);
  return atan2(sb_dot(n, about), sb_dot(from, to));
}

// Of the angles that turn as far, the one nearest to `last`: a motor that turns on does not start anew.
static double unwrapped(double angle, double last) {
  return angle + 2 * mjPI * round((last - angle) / (2 * mjPI));
}

// Euler angles and the rows of the child's angular velocity that are their rates. With unit axes
// u1 (of the parent), u3 (of the child), u2 = u3 x u1/c, s = u1.u3, c = |u3 x u1|, all in the
// child's frame:   w = a1' u1 + a2' u2 + a3' u3   gives
//     a1' = (u1 - s u3).w/c^2    a2' = u2.w    a3' = (u3 - s u1).w/c^2
static void read_ball(SbStep* s, const SbBall* ball) {
  double q[4], frame[4] = {1, 0, 0, 0}, back[4], u1[3], u2[3], out2[3];
  if (ball->loop < 0) {
    memcpy(q, s->d->qpos + s->tables.axes[ball->axis].qpos, sizeof(q));
  } else {
    sb_loop_turn(s, ball->loop, q, frame);
  }
  const double* u3 = ball->third;
  mju_negQuat(back, q);
  mju_rotVecQuat(u1, ball->first, back);
  double sine = sb_dot(u1, u3), at_start = sb_dot(ball->first, u3);
  sb_cross(u3, u1, u2);
  double *first = &s->state.motors[ball->axis].position, *last = &s->state.motors[ball->axis + 2].position;
  int is_singular = mju_normalize3(u2) < SB_LEAST_COSINE;
  if (is_singular) {
    // only the sum of the outer angles is known here: the third is what it last was
    double turn[4];
    mju_axisAngle2Quat(turn, u3, ball->start[2] - *last);
    mju_rotVecQuat(u2, ball->second, turn);
  }
  mju_rotVecQuat(out2, u2, q);
  double* angle = s->axis_position + ball->axis;
  angle[0] = *first = unwrapped(ball->start[0] + signed_angle(ball->second, out2, ball->first), *first);
  angle[1] = ball->start[1] + asin(fmax(-1, fmin(1, sine))) - asin(fmax(-1, fmin(1, at_start)));
  if (!is_singular) *last = unwrapped(ball->start[2] - signed_angle(ball->second, u2, u3), *last);
  angle[2] = *last;
  double square = 1 - sine * sine, *row = s->axis_direction + 3 * ball->axis;
  for (int i = 0; i < 3; i++) {
    row[i] = is_singular ? u1[i] : (u1[i] - sine * u3[i]) / square;
    row[3 + i] = u2[i];
    row[6 + i] = is_singular ? 0 : (u3[i] - sine * u1[i]) / square;
  }
  if (ball->loop < 0) return;
  for (int part = 0; part < 3; part++) {
    double local[3];
    memcpy(local, row + 3 * part, sizeof(local));
    mju_rotVecQuat(row + 3 * part, local, frame);
  }
}

void sb_read_axes(SbStep* s) {
  for (int k = 0; k < s->world->axes; k++) {
    const SbAxis* axis = s->tables.axes + k;
    if (axis->kind == SB_AXIS_JOINT) {
      s->axis_position[k] = s->d->qpos[axis->qpos];
    } else if (axis->kind != SB_AXIS_BALL && axis->kind != SB_AXIS_LOOP) {
      s->axis_position[k] = s->state.motors[k].position;
    }
  }
  for (int k = 0; k < s->world->balls; k++) read_ball(s, s->tables.balls + k);
  for (int k = 0; k < s->world->loops; k++) sb_read_loop(s, k);
}

// Where the rows of one axis come from: a Jacobian, and its products with the velocity and with
// the acceleration without constraints.
typedef struct Source {
  int first;  // of its rows, which all have these columns
  int count;
  const int* column;
  const double* value;
  double velocity, acceleration;
} Source;

static int add(SbStep* s, const Source* from, SbRow row) {
  return sb_add_row(s, row, from->velocity, from->acceleration, from->count, from->column,
                    from->value, s->rows.count > from->first);
}

// Softness of the row of a motor: a servo gives way as its stiffness and damping do.
static double motor_cfm(const SbStep* s, int k) {
  const SbAxis* axis = s->tables.axes + k;
  double servo = sb_servo_cfm(axis, s->state.commands + k, s->m->opt.timestep);
  return servo > 0 ? servo : axis->rigid ? 0 : s->world->cfm;
}

static int add_rows(SbStep* s, int k, const Source* from) {
  const SbAxis* axis = s->tables.axes + k;
  double h = s->m->opt.timestep, q = s->axis_position[k], v = from->velocity;
  double damping = axis->damping + s->state.commands[k].brake;
  int *out = s->axis_row + 4 * k, ok = 1;
  if (s->axis_effort[k] > 0) {
    out[0] = add(s, from, sb_row_motor(s->axis_velocity[k], s->axis_effort[k], motor_cfm(s, k)));
    ok &= out[0] >= 0;
  }
  if (axis->spring > 0 || damping > 0) {
    out[1] = add(s, from, sb_row_spring(h, q - axis->spring_rest, axis->spring, damping));
    ok &= out[1] >= 0;
  }
  if (q <= axis->stop_low) {
    out[2] = add(s, from, sb_row_stop(h, 1, q - axis->stop_low, v, axis->stop_erp, axis->stop_cfm,
                                      axis->stop_bounce));
    ok &= out[2] >= 0;
  }
  if (q >= axis->stop_high) {
    out[3] = add(s, from, sb_row_stop(h, -1, q - axis->stop_high, v, axis->stop_erp,
                                      axis->stop_cfm, axis->stop_bounce));
    ok &= out[3] >= 0;
  }
  return ok;
}

// A unit Jacobian on one dof; its columns are the dof and its ancestors.
static int add_joint_rows(SbStep* s, int k) {
  int dof = s->tables.axes[k].dof, width = s->m->M_rownnz[dof];
  Source from = {s->rows.count, width, s->m->M_colind + s->m->M_rowadr[dof], s->unit, s->d->qvel[dof],
                 s->d->qacc_smooth[dof]};
  s->unit[width - 1] = 1;
  int ok = add_rows(s, k, &from);
  s->unit[width - 1] = 0;
  return ok;
}

// Three dofs at the end of a chain.
static int add_ball_rows(SbStep* s, int k) {
  int dof = s->tables.axes[k].dof, width = sb_chain(s->m, dof + 2, s->pair_column);
  const double* row = s->axis_direction + 3 * k;
  Source from = {s->rows.count, width, s->pair_column, s->row_value, 0, 0};
  memset(s->row_value, 0, width * sizeof(double));
  for (int i = 0; i < 3; i++) {
    s->row_value[width - 3 + i] = row[i];
    from.velocity += row[i] * s->d->qvel[dof + i];
    from.acceleration += row[i] * s->d->qacc_smooth[dof + i];
  }
  return add_rows(s, k, &from);
}

int sb_add_axis_rows(SbStep* s, int k, int count, const int* column, const double* value) {
  Source from = {s->rows.count, count, column, value, 0, 0};
  for (int j = 0; j < count; j++) {
    from.velocity += value[j] * s->d->qvel[column[j]];
    from.acceleration += value[j] * s->d->qacc_smooth[column[j]];
  }
  return add_rows(s, k, &from);
}

int sb_make_axis_rows(SbStep* s) {
  for (int k = 0; k < 4 * s->world->axes; k++) s->axis_row[k] = -1;
  for (int k = 0; k < s->world->axes; k++) {
    int ok = 1;
    if (s->tables.axes[k].kind > SB_AXIS_BALL || !sb_dof_awake(s, s->tables.axes[k].dof)) continue;
    if (s->tables.axes[k].kind == SB_AXIS_JOINT) ok = add_joint_rows(s, k);
    if (s->tables.axes[k].kind == SB_AXIS_BALL) ok = add_ball_rows(s, k);
    if (!ok) return 0;
  }
  for (int k = 0; k < s->world->loops; k++) {
    if (!sb_add_loop(s, k)) return 0;
  }
  return 1;
}
