// Rows of the law: motors, springs and stops of joints, joints that close loops, contacts.
#ifndef SB_ROWS_H_
#define SB_ROWS_H_

// How a dense row that is no contact's acts: along or about a direction between two bodies, or on three dofs.
enum { SB_ALONG, SB_ABOUT, SB_ON_DOFS };
#define SB_LEAST_COSINE 0.05   // see sb_joint_axes.c

// ---------------------------------------------------------------- motors

SB_DEV double sb_clamp(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

SB_DEV double sb_motor_speed(int rigid, const double* told, double* motor, double position, double h) {
  double velocity = told[CM_VELOCITY];
  if (told[CM_MODE] == SB_MOTOR_POSITION) {
    double error = told[CM_POSITION] - position;
    if (rigid) return error / h;
    motor[MO_INTEGRAL] += error * h;
    velocity = told[CM_P] * error + told[CM_I] * motor[MO_INTEGRAL] + told[CM_D] * (error - motor[MO_ERROR]) / h;
    motor[MO_ERROR] = error;
    velocity = sb_clamp(velocity, fabs(told[CM_VELOCITY]));
  }
  double step = told[CM_ACCELERATION] * h, from = motor[MO_VELOCITY];
  return fabs(velocity - from) > step ? from + (velocity > from ? step : -step) : velocity;
}

SB_DEV void sb_command_tracks(SB_WORLD, int around) {
  SB_EACH(t, SB_TRACKS) {
    int axis = M_TRACK_AXIS[t];
    double *motor = W_MOTOR + MO_SIZE * axis;
    const double* told = W_COMMAND + CM_SIZE * axis;
    if (M_TRACK_AROUND[t] != around) continue;
    if (told[CM_MODE] == SB_MOTOR_EFFORT) {
      double effort = sb_clamp(told[CM_EFFORT], told[CM_AVAILABLE]);
      motor[MO_VELOCITY] = (effort - told[CM_BRAKE] * motor[MO_VELOCITY]) * SB_H / M_TRACK_MASS[t];
    } else if (told[CM_MODE] == SB_MOTOR_NONE || told[CM_AVAILABLE] <= 0) {
      motor[MO_VELOCITY] = 0;
    } else {
      motor[MO_VELOCITY] = sb_motor_speed(M_AXIS_INT[AI_SIZE * axis + AI_RIGID], told, motor, motor[MO_POSITION], SB_H);
    }
    if (!around) motor[MO_POSITION] += motor[MO_VELOCITY] * SB_H;
  }
  SB_SYNC();
}

// Softness of a servo's row, 1/(h k + d); 0 where the motor is none or does not pull.
SB_DEV double sb_servo_cfm(SB_WORLD, const double* axis, const double* told) {
  int holds = told[CM_MODE] == SB_MOTOR_POSITION;
  double pull = (holds ? SB_H * axis[AX_SERVO_STIFFNESS] : 0) + axis[AX_SERVO_DAMPING];
  return pull > 0 && (holds || told[CM_MODE] == SB_MOTOR_VELOCITY) ? 1 / pull : 0;
}

// Velocity at which a servo's row gives no effort.
SB_DEV double sb_servo_speed(SB_WORLD, const double* axis, const double* told, double position) {
  if (told[CM_MODE] == SB_MOTOR_VELOCITY) return told[CM_VELOCITY];
  double k = axis[AX_SERVO_STIFFNESS];
  return k * (told[CM_POSITION] - position) / (SB_H * k + axis[AX_SERVO_DAMPING]);
}

// Speed and effort of the motor row of each axis.
SB_DEV void sb_command_motors(SB_WORLD) {
  SB_EACH(k, SB_AXES) {
    const int* axis = M_AXIS_INT + AI_SIZE * k;
    double *motor = W_MOTOR + MO_SIZE * k, velocity = 0, effort = M_AXIS[AX_SIZE * k + AX_FRICTION];
    const double* told = W_COMMAND + CM_SIZE * k;
    if (axis[AI_KIND] > SB_AXIS_LOOP) continue;
    if (SB_SLEEPS && axis[AI_TREE] >= 0 && W_REST[2 * axis[AI_TREE] + 1] == SB_ASLEEP) {
      W_AXIS_EFFORT[k] = 0;
      continue;
    }
    int drives = told[CM_MODE] == SB_MOTOR_VELOCITY || told[CM_MODE] == SB_MOTOR_POSITION;
    motor[MO_EFFORT] = 0;
    if (drives && told[CM_AVAILABLE] > 0 && sb_servo_cfm(SB_W, M_AXIS + AX_SIZE * k, told) > 0) {
      velocity = sb_servo_speed(SB_W, M_AXIS + AX_SIZE * k, told, W_AXIS_POSITION[k]);
      effort = told[CM_AVAILABLE];
    } else if (drives && told[CM_AVAILABLE] > 0) {
      velocity = sb_motor_speed(axis[AI_RIGID], told, motor, W_AXIS_POSITION[k], SB_H);
      if (told[CM_AVAILABLE] > effort) effort = told[CM_AVAILABLE];
      if (axis[AI_RIGID]) effort = INFINITY;
    } else if (told[CM_MODE] == SB_MOTOR_EFFORT) {
      motor[MO_EFFORT] = sb_clamp(told[CM_EFFORT], told[CM_AVAILABLE]);
    }
    motor[MO_VELOCITY] = velocity;
    W_AXIS_EFFORT[k] = effort;
  }
  SB_SYNC();
}

// ---------------------------------------------------------------- where axes stand

SB_DEV double sb_signed_angle(const double from[3], const double to[3], const double about[3]) {
  double n[3];
  sb_cross(from, to, n);
  return atan2(sb_dot(n, about), sb_dot(from, to));
}

SB_DEV double sb_angle_about(const double from[3], const double to[3], const double about[3]) {
  double n[3];
  sb_cross(from, to, n);
  return atan2(sb_dot(n, about), sb_dot(from, to) - sb_dot(from, about) * sb_dot(to, about));
}

SB_DEV double sb_near_turn(double angle, double last) {
  return angle + 2 * SB_PI * round((last - angle) / (2 * SB_PI));
}

typedef struct SbEnds {
  double point[2][3], quat[2][4], axis[2][9];   // axis: columns x, y, z
} SbEnds;

SB_BIG void sb_find_ends(SB_WORLD, int loop, SbEnds* at) {
  const int* body = M_LOOP_INT + LI_SIZE * loop + LI_BODY;
  const double* real = M_LOOP + LR_SIZE * loop;
  for (int e = 0; e < 2; e++) {
    double pos[3] = {0, 0, 0}, quat[4] = {1, 0, 0, 0};
    if (body[e] >= 0) {
      sb_copy(pos, W_XPOS + 3 * body[e], 3);
      sb_copy(quat, W_XQUAT + 4 * body[e], 4);
    }
    sb_rotate_by(at->point[e], real + LR_POS + 3 * e, quat);
    for (int i = 0; i < 3; i++) at->point[e][i] += pos[i];
    sb_mul_quat(at->quat[e], quat, real + LR_QUAT + 4 * e);
    sb_quat_to_mat(at->axis[e], at->quat[e]);
  }
}

SB_DEV void sb_set_spec(SB_WORLD, int row, int how, int b0, int b1, const double direction[3], const double* point) {
  sb_copy(W_SPEC + 6 * row, direction, 3);
  if (point) sb_copy(W_SPEC + 6 * row + 3, point, 3);
  W_SPEC_INT[3 * row] = how;
  W_SPEC_INT[3 * row + 1] = b0;
  W_SPEC_INT[3 * row + 2] = b1;
}

// A bilateral row of a loop; its target is kept beside it.
SB_DEV void sb_hold(SB_WORLD, int loop, int part, int how, const double direction[3], const double point[3],
                    double error) {
  const int* table = M_LOOP_INT + LI_SIZE * loop;
  int row = table[LI_ROW] + part, r = SB_UNITS + row;
  sb_set_spec(SB_W, row, how, table[LI_BODY], table[LI_BODY + 1], direction, point);
  SbRow law = sb_row_bilateral(SB_H, error, SB_WORLD_ERP, SB_WORLD_CFM);
  W_C[r] = law.c;
  W_STIFF[r] = SB_H / law.cfm;
  W_LO[r] = -INFINITY;
  W_HI[r] = INFINITY;
}

// Directions of an axis of a dense row, in all its (up to) four rows.
SB_DEV void sb_axis_spec(SB_WORLD, int axis, int how, int b0, int b1, const double direction[3], const double* point) {
  int row = M_AXIS_INT[AI_SIZE * axis + AI_ROW];
  for (int part = 0; part < 4; part++) sb_set_spec(SB_W, row + part, how, b0, b1, direction, point);
}

SB_BIG void sb_read_loop(SB_WORLD, int k) {
  const int* table = M_LOOP_INT + LI_SIZE * k;
  const double* real = M_LOOP + LR_SIZE * k;
  int kind = table[LI_KIND], b0 = table[LI_BODY], b1 = table[LI_BODY + 1], axis = table[LI_AXIS];
  SbEnds at;
  double gap[3], turn[3], x[3][3], z1[3], x1[3];
  sb_find_ends(SB_W, k, &at);
  sb_sub3(gap, at.point[1], at.point[0]);
  for (int i = 0; i < 3; i++) sb_column(at.axis[0], i, x[i]);
  sb_column(at.axis[1], 2, z1);
  sb_column(at.axis[1], 0, x1);
  const double *z = x[2], *point = at.point[1];
  int slides = kind == SB_LOOP_PISTON || kind == SB_LOOP_SLIDER;
  for (int i = kind == SB_LOOP_PLANE ? 2 : 0; i < (slides ? 2 : 3); i++) {
    sb_hold(SB_W, k, i, SB_ALONG, x[i], point, sb_dot(gap, x[i]));
  }
  if (kind == SB_LOOP_HINGE || kind == SB_LOOP_PLANE) {
    sb_cross(z, z1, turn);
    for (int i = 0; i < 2; i++) sb_hold(SB_W, k, 3 + i, SB_ABOUT, x[i], point, sb_dot(turn, x[i]));
  } else if (kind == SB_LOOP_FIXED || kind == SB_LOOP_SLIDER) {
    double back[4], q[4];
    sb_conjugate(back, at.quat[0]);
    sb_mul_quat(q, back, at.quat[1]);
    for (int i = 0; i < 3; i++) sb_hold(SB_W, k, 3 + i, SB_ABOUT, x[i], point, (q[0] < 0 ? -2 : 2) * q[1 + i]);
  }
  double second[3];
  sb_rotate_by(second, real + LR_SECOND, at.quat[1]);
  if (kind == SB_LOOP_HINGE2) {
    double n[3];
    sb_cross(z, second, n);
    sb_normalize3(n);
    double error = acos(sb_max(-1.0, sb_min(1.0, sb_dot(z, second)))) - acos(real[LR_SECOND + 2]);
    sb_hold(SB_W, k, 3, SB_ABOUT, n, point, error);
  }
  if (axis < 0 || kind == SB_LOOP_BALL) return;
  double value[2] = {0, 0};
  if (kind == SB_LOOP_HINGE) {
    value[0] = sb_angle_about(x[0], x1, z) - real[LR_TURNED];
  } else if (kind == SB_LOOP_HINGE2) {
    double start[3], first[3], up[3] = {0, 0, 1};
    sb_rotate_by(start, real + LR_SECOND, at.quat[0]);
    sb_rotate_by(first, up, at.quat[1]);
    value[0] = sb_angle_about(start, second, z);
    value[1] = sb_angle_about(z, first, second);
  } else {
    value[0] = sb_dot(gap, z);
  }
  for (int i = 0; i < (kind == SB_LOOP_HINGE2 ? 2 : 1); i++) {
    double position = real[LR_START + i] + value[i], *last = W_MOTOR + MO_SIZE * (axis + i) + MO_POSITION;
    if (kind != SB_LOOP_SLIDER) position = sb_near_turn(position, *last);
    W_AXIS_POSITION[axis + i] = *last = position;
  }
  if (kind == SB_LOOP_HINGE || kind == SB_LOOP_SLIDER) {
    sb_axis_spec(SB_W, axis, kind == SB_LOOP_HINGE ? SB_ABOUT : SB_ALONG, b0, b1, z, point);
  } else if (kind == SB_LOOP_HINGE2) {
    double cosine = sb_dot(z, second), direction[3];
    for (int part = 0; part < 2; part++) {
      const double *one = part ? second : z, *two = part ? z : second;
      for (int i = 0; i < 3; i++) direction[i] = (one[i] - cosine * two[i]) / (1 - cosine * cosine);
      sb_axis_spec(SB_W, axis + part, SB_ABOUT, b0, b1, direction, point);
    }
  }
}

// Euler angles of a ball joint and the rows that are their rates: see sb_joint_axes.c.
SB_BIG void sb_read_ball(SB_WORLD, int k) {
  int axis = M_BALL_INT[BI_SIZE * k + BI_AXIS], loop = M_BALL_INT[BI_SIZE * k + BI_LOOP];
  const double* ball = M_BALL + BR_SIZE * k;
  double q[4], frame[4] = {1, 0, 0, 0}, back[4], u1[3], u2[3], out2[3], row[3][3];
  SbEnds at;
  if (loop < 0) {
    sb_copy(q, W_QPOS + M_AXIS_INT[AI_SIZE * axis + AI_QPOS], 4);
    sb_normalize4(q);
  } else {
    sb_find_ends(SB_W, loop, &at);
    sb_conjugate(back, at.quat[0]);
    sb_mul_quat(q, back, at.quat[1]);
    sb_copy(frame, at.quat[1], 4);
  }
  const double *first = ball + BR_FIRST, *middle = ball + BR_SECOND, *u3 = ball + BR_THIRD, *start = ball + BR_START;
  sb_conjugate(back, q);
  sb_rotate_by(u1, first, back);
  double sine = sb_dot(u1, u3), at_start = sb_dot(first, u3);
  sb_cross(u3, u1, u2);
  double *one = W_MOTOR + MO_SIZE * axis + MO_POSITION, *last = one + 2 * MO_SIZE, *angle = W_AXIS_POSITION + axis;
  int singular = sb_normalize3(u2) < SB_LEAST_COSINE;
  if (singular) {
    double turn[4];
    sb_axis_angle(turn, u3, start[2] - *last);
    sb_rotate_by(u2, middle, turn);
  }
  sb_rotate_by(out2, u2, q);
  angle[0] = *one = sb_near_turn(start[0] + sb_signed_angle(middle, out2, first), *one);
  angle[1] = start[1] + asin(sb_max(-1.0, sb_min(1.0, sine))) - asin(sb_max(-1.0, sb_min(1.0, at_start)));
  if (!singular) *last = sb_near_turn(start[2] - sb_signed_angle(middle, u2, u3), *last);
  angle[2] = *last;
  double square = 1 - sine * sine;
  for (int i = 0; i < 3; i++) {
    row[0][i] = singular ? u1[i] : (u1[i] - sine * u3[i]) / square;
    row[1][i] = u2[i];
    row[2][i] = singular ? 0 : (u3[i] - sine * u1[i]) / square;
  }
  for (int part = 0; part < 3; part++) {
    if (loop < 0) {
      sb_axis_spec(SB_W, axis + part, SB_ON_DOFS, M_AXIS_INT[AI_SIZE * axis + AI_DOF], 0, row[part], 0);
    } else {
      double world[3];
      const int* table = M_LOOP_INT + LI_SIZE * loop;
      sb_rotate_by(world, row[part], frame);
      sb_axis_spec(SB_W, axis + part, SB_ABOUT, table[LI_BODY], table[LI_BODY + 1], world, at.point[1]);
    }
  }
}

SB_DEV void sb_read_axes(SB_WORLD) {
  SB_EACH(k, SB_AXES) {
    const int* axis = M_AXIS_INT + AI_SIZE * k;
    W_AXIS_POSITION[k] = axis[AI_KIND] == SB_AXIS_JOINT ? W_QPOS[axis[AI_QPOS]] : W_MOTOR[MO_SIZE * k + MO_POSITION];
  }
  SB_SYNC();
  SB_EACH(k, SB_LOOPS) sb_read_loop(SB_W, k);
  SB_SYNC();
  SB_EACH(k, SB_BALLS) sb_read_ball(SB_W, k);
  SB_SYNC();
}

// ---------------------------------------------------------------- rows

SB_DEV int sb_carries(SB_WORLD, int body, int dof) {
  return body >= 0 ? M_BODY_MASK[SB_WORDS * body + dof / 32] >> (dof & 31) & 1 : 0;
}

// Entries of a dense row; lanes share the dofs.
SB_BIG void sb_fill_row(SB_WORLD, int row, int how, int b0, int b1, const double* direction, const double* point) {
  double* j = sb_dense(SB_W, row);
  SB_EACH(i, SB_NVS) {
    j[i] = 0;
    if (i >= SB_NV) continue;
    if (how == SB_ON_DOFS) {
      if (i >= b0 && i < b0 + 3) j[i] = direction[i - b0];
      continue;
    }
    int sign = sb_carries(SB_W, b1, i) - sb_carries(SB_W, b0, i);
    if (!sign) continue;
    const double* dof = W_CDOF + 6 * i;
    if (how == SB_ABOUT) {
      j[i] = sign * sb_dot(direction, dof);
      continue;
    }
    double arm[3], v[3];
    sb_sub3(arm, point, W_COM + 3 * M_BODY_TREE[M_DOF_BODY[i]]);
    sb_cross(dof, arm, v);
    for (int k = 0; k < 3; k++) v[k] += dof[3 + k];
    j[i] = sign * sb_dot(direction, v);
  }
}

// Entries of dof i in the rows of a contact: normal, tangents; then spin about the normal, rolling about the tangents.
// `at`: point, normal, tangents.
SB_INLINE void sb_fill_contact(SB_WORLD, int i, int b0, int b1, int row, int dim, const double at[12]) {
  int sign = i < SB_NV ? sb_carries(SB_W, b1, i) - sb_carries(SB_W, b0, i) : 0;
  double arm[3], v[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
  if (sign) {
    const double* dof = W_CDOF + 6 * i;
    sb_copy(turn, dof, 3);
    sb_sub3(arm, at, W_COM + 3 * M_DOF_TREE[i]);
    sb_cross(dof, arm, v);
    for (int n = 0; n < 3; n++) v[n] += dof[3 + n];
  }
  for (int j = 0; j < dim; j++) {
    const double* x = j < 3 ? v : turn;
    int part = j % 3;
    double sum = part == 0 ? sb_dot(at + 3, x) : part == 1 ? sb_dot(at + 6, x) : sb_dot(at + 9, x);
    sb_dense(SB_W, row + j)[i] = sign * sum;
  }
}

SB_DEV void sb_put_row(SB_WORLD, int r, SbRow row, double speed) {
  W_C[r] = row.c - speed;
  W_STIFF[r] = SB_H / row.cfm;
  W_LO[r] = row.lo * SB_H;
  W_HI[r] = row.hi * SB_H;
}

// Motor, spring and stops of an axis: motor row, stops, and the spring of a unit row on the diagonal.
SB_BIG void sb_put_axis(SB_WORLD, int k, int motor, int low, int high, int spring, int dof, double v) {
  const double *axis = M_AXIS + AX_SIZE * k, *told = W_COMMAND + CM_SIZE * k;
  double q = W_AXIS_POSITION[k], damping = axis[AX_DAMPING] + told[CM_BRAKE], stiffness = axis[AX_SPRING];
  double effort = W_AXIS_EFFORT[k], velocity = W_MOTOR[MO_SIZE * k + MO_VELOCITY], rest = axis[AX_REST];
  double lowest = axis[AX_LOW], highest = axis[AX_HIGH];
  int rigid = M_AXIS_INT[AI_SIZE * k + AI_RIGID];
  double servo = effort > 0 ? sb_servo_cfm(SB_W, axis, told) : 0;
  W_STIFF[motor] = W_STIFF[low] = W_STIFF[high] = 0;
  if (effort > 0) {
    double cfm = servo > 0 ? servo : rigid ? 0 : SB_WORLD_CFM;
    sb_put_row(SB_W, motor, sb_row_motor(velocity, effort, cfm), v);
  }
  if (q <= lowest) {
    sb_put_row(SB_W, low, sb_row_stop(SB_H, 1, q - lowest, v, axis[AX_ERP], axis[AX_CFM], axis[AX_BOUNCE]), v);
  }
  if (q >= highest) {
    sb_put_row(SB_W, high, sb_row_stop(SB_H, -1, q - highest, v, axis[AX_ERP], axis[AX_CFM], axis[AX_BOUNCE]), v);
  }
  if (spring >= 0) W_STIFF[spring] = 0;
  if (!(stiffness > 0 || damping > 0)) return;
  SbRow row = sb_row_spring(SB_H, q - rest, stiffness, damping);
  if (spring >= 0) {
    sb_put_row(SB_W, spring, row, v);
  } else {
    W_SOFT[dof] = SB_H / row.cfm;
    W_Q[dof] += SB_H / row.cfm * (row.c - v);
  }
}

// All rows. Returns their number.
SB_DEV int sb_make_rows(SB_WORLD, int contacts) {
  SB_EACH(i, SB_NV) W_SOFT[i] = 0;
  SB_EACH(r, SB_UNITS) W_STIFF[r] = W_C[r] = W_LO[r] = W_HI[r] = 0;
  SB_SYNC();
  SB_EACH(k, SB_AXES) {
    const int* axis = M_AXIS_INT + AI_SIZE * k;
    int dof = axis[AI_DOF];
    if (axis[AI_KIND] != SB_AXIS_JOINT) continue;
    if (SB_SLEEPS && W_REST[2 * axis[AI_TREE] + 1] == SB_ASLEEP) continue;
    W_Q[dof] += SB_H * W_MOTOR[MO_SIZE * k + MO_EFFORT];
    sb_put_axis(SB_W, k, 3 * dof, 3 * dof + 1, 3 * dof + 2, -1, dof, W_QVEL[dof]);
  }
  // rows of loops and of axes with Jacobians of their own
  for (int row = 0; row < SB_FIXED; row++) {
    const int* spec = W_SPEC_INT + 3 * row;
    sb_fill_row(SB_W, row, spec[0], spec[1], spec[2], W_SPEC + 6 * row, W_SPEC + 6 * row + 3);
  }
  SB_SYNC();
  SB_EACH(k, SB_AXES) {
    const int* axis = M_AXIS_INT + AI_SIZE * k;
    int row = axis[AI_ROW], r = SB_UNITS + row;
    if (axis[AI_KIND] != SB_AXIS_BALL && axis[AI_KIND] != SB_AXIS_LOOP) continue;
    for (int i = 0; i < 4; i++) W_LO[r + i] = W_HI[r + i] = W_C[r + i] = 0;
    sb_put_axis(SB_W, k, r, r + 2, r + 3, r + 1, -1, sb_row_times(SB_W, r, W_QVEL));
  }
  SB_EACH(k, SB_LOOPS) {
    for (int r = SB_UNITS + M_LOOP_INT[LI_SIZE * k + LI_ROW], end = r + 6; r < end; r++) {
      if (W_STIFF[r] > 0) W_C[r] -= sb_row_times(SB_W, r, W_QVEL);
    }
  }
  SB_SYNC();
  if (SB_FIXED) {
    SB_EACH(i, SB_NV) {
      for (int k = 0; k < SB_AXES; k++) {
        const int* axis = M_AXIS_INT + AI_SIZE * k;
        if (axis[AI_KIND] != SB_AXIS_BALL && axis[AI_KIND] != SB_AXIS_LOOP) continue;
        W_Q[i] += SB_H * W_MOTOR[MO_SIZE * k + MO_EFFORT] * sb_dense(SB_W, axis[AI_ROW])[i];
      }
    }
  }
  // contacts: a lane has one of them and shows it to the others
  int end = SB_FIXED, last = SB_FIXED, lost = 0;
  SB_ROLLED
  for (int first = 0; first < contacts; first += SB_TEAM) {
    int k = first + SB_LANE, here = k < contacts, dim = 0, b0 = -1, b1 = -1, surface = 0;
    int* con_int = W_CONTACT_INT + K_SIZE * k;
    const double* con = W_CONTACT + C_SIZE * k;
    double at[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, depth = 0, speed[2] = {0, 0}, slip[2] = {0, 0};
    if (here) {
      dim = con_int[K_DIM];
      surface = con_int[K_SURFACE];
      b0 = M_GEOM_BODY[con_int[K_GEOM0]];
      b1 = M_GEOM_BODY[con_int[K_GEOM1]];
      sb_copy(at, con + C_POINT, 3);
      sb_copy(at + 3, con + C_NORMAL, 9);
      depth = con[C_DEPTH];
      sb_copy(speed, con + C_SPEED, 2);
      sb_copy(slip, con + C_SLIP, 2);
    }
    // a contact without room for its rows has none; its pair is counted
    int place = sb_team_places(dim, &end), row = here && place + dim <= SB_MAX_DENSE ? place : -1;
    if (here) con_int[K_ROW] = row;
    lost += sb_team_sum(here && row < 0);
    last += sb_team_sum(row < 0 ? 0 : dim);
    SB_ROLLED
    for (int c = 0; c < SB_TEAM && first + c < contacts; c++) {
      double its[12];
      int its_row = sb_team_int_from(row, c), its_dim = sb_team_int_from(dim, c);
      int one = sb_team_int_from(b0, c), two = sb_team_int_from(b1, c);
      for (int n = 0; n < 12; n++) its[n] = sb_team_from(at[n], c);
      if (its_row < 0) continue;
      SB_EACH(i, SB_NVS) sb_fill_contact(SB_W, i, one, two, its_row, its_dim, its);
    }
    SB_SYNC();
    SB_ROLLED
    for (int j = 0; row >= 0 && j < dim; j++) {
      int r = SB_UNITS + row + j;
      double v = sb_row_times(SB_W, r, W_QVEL);
      if (j == 0) {
        const double* s = M_SURFACE + surface;
        sb_put_row(SB_W, r, sb_row_normal(SB_H, depth, v, s[SR_ERP * SB_SURFACES], s[SR_CFM * SB_SURFACES],
                                          s[SR_BOUNCE * SB_SURFACES], s[SR_BOUNCE_VELOCITY * SB_SURFACES],
                                          s[SR_REST * SB_SURFACES], s[SR_SCALE * SB_SURFACES]), v);
      } else {
        sb_put_row(SB_W, r, j == 1 ? sb_row_friction(speed[0], slip[0], SB_WORLD_CFM)
                          : j == 2 ? sb_row_friction(speed[1], slip[1], SB_WORLD_CFM)
                                   : sb_row_rolling(SB_WORLD_CFM), v);
        W_LO[r] = W_HI[r] = 0;
      }
    }
    SB_SYNC();
  }
  if (SB_LANE == 0) W_STAT[ST_LOST] += lost;
  SB_SYNC();
  return SB_UNITS + last;
}

// Bounds of friction from the normal impulses of the first phase; returns whether there is any.
SB_DEV int sb_bound_friction(SB_WORLD, int contacts) {
  int any = 0;
  SB_EACH(k, contacts) {
    const int* con_int = W_CONTACT_INT + K_SIZE * k;
    if (con_int[K_ROW] < 0) continue;
    int r = SB_UNITS + con_int[K_ROW], dim = con_int[K_DIM];
    double mu[5];
    sb_copy(mu, W_CONTACT + C_SIZE * k + C_MU, 5);
    SB_UNROLL
    for (int j = 1; j < 6; j++) {
      if (j >= dim) continue;
      double bound = sb_friction_bound(mu[j - 1], W_P[r]);
      W_HI[r + j] = bound;
      W_LO[r + j] = -bound;
      any |= bound > 0;
    }
  }
  SB_SYNC();
  return sb_team_any(any);
}

#endif  // SB_ROWS_H_
