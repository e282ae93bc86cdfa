// Links without physics: those that joints drive, and those that have a velocity. See sb_motors.c and sb_motion.c.
// Included by sb_kinematics.h, and compiled with it once more for teams of another size.

enum { KI_AXIS, KI_AXES, KI_SLIDES, KI_SIZE };  // KI_AXES 0: it has a velocity, KI_AXIS is its row of W_PLACE
enum { KR_ANCHOR, KR_DIRECTION = 3, KR_START = 12, KR_POS = 15, KR_QUAT = 18, KR_BASE = 22, KR_TURN = 25, KR_SIZE = 29 };

enum { DV_SPEED, DV_POSITION, DV_SHOWN, DV_SIZE };

#define SB_ARRIVED 1e-6  // [rad] or [m] see sb_motors.c

// Speed and position of a motor that nothing resists.
SB_DEV void sb_drive_axis(SB_WORLD, int k, const double* motor, double* out) {
  const double *axis = M_AXIS + AX_SIZE * k, *told = W_COMMAND + CM_SIZE * k;
  double position = motor[MO_POSITION], velocity = 0, left = INFINITY, error = told[CM_POSITION] - position;
  double limit = told[CM_ACCELERATION] <= told[CM_AVAILABLE] ? told[CM_ACCELERATION] : told[CM_AVAILABLE];
  int rigid = M_AXIS_INT[AI_SIZE * k + AI_RIGID], holds = told[CM_MODE] == SB_MOTOR_POSITION;
  if (holds) {
    left = fabs(error);
    double speed = fabs(told[CM_VELOCITY]);
    velocity = left < SB_ARRIVED ? 0 : error < 0 ? -speed : speed;
  } else if (told[CM_MODE] == SB_MOTOR_VELOCITY) {
    velocity = told[CM_VELOCITY];
    left = velocity < 0 ? position - axis[AX_RANGE_LOW] : axis[AX_RANGE_HIGH] - position;
    if (left < SB_ARRIVED) velocity = 0;
  }
  if (velocity != 0) {
    if (rigid && holds) {
      velocity = error / SB_H;
    } else if (!rigid) {
      double from = motor[MO_VELOCITY], step = limit * SB_H;
      if (fabs(velocity - from) > step) velocity = from + (velocity > from ? step : -step);
    }
    double step = velocity * SB_H;
    if (fabs(step) > left) step = step < 0 ? -left : left;
    position += step;
  }
  out[DV_SPEED] = velocity;
  out[DV_POSITION] = position;
}

// A link that has a velocity, one step on.
SB_DEV void sb_carry_mover(SB_WORLD, int k) {
  double *at = W_PLACE + 7 * k, axis[3], turn[4], speed;
  const double* mover = M_MOVER + 6 * k;
  sb_copy(axis, mover + 3, 3);
  for (int i = 0; i < 3; i++) at[i] += SB_H * mover[i];
  speed = sb_normalize3(axis);
  if (!(speed > 0)) return;
  sb_axis_angle(turn, axis, speed * SB_H);
  sb_mul_quat(at + 3, turn, at + 3);
  sb_normalize4(at + 3);
}

// Whether something moves a link, or what carries it: that wakes what it touches.
SB_DEV void sb_mark_driven(SB_WORLD) {
  for (int b = 0; b < SB_BODIES; b++) {
    int kin = M_BODY_KIN[b], parent = M_BODY_PARENT[b], moved = parent >= 0 && W_DRIVEN[parent];
    if (kin >= 0) {
      const int* row = M_KIN_INT + KI_SIZE * kin;
      moved |= row[KI_AXES] == 0;
      for (int i = 0; i < row[KI_AXES]; i++) moved |= W_DRIVE[DV_SIZE * (row[KI_AXIS] + i) + DV_SPEED] != 0;
    }
    W_DRIVEN[b] = moved;
  }
}

// Where motors and movers are in this step, from where they were; moves 0: they stay there. What moves late (as in
// Webots) does so when contacts have been found: until the step is over it shows where it was.
SB_BIG void sb_drive(SB_WORLD, const double* motors, const double* places, int moves) {
  SB_EACH(k, SB_AXES) {
    const double* motor = motors + MO_SIZE * k;
    if (M_AXIS_INT[AI_SIZE * k + AI_KIND] < SB_AXIS_KINEMATIC) continue;
    double* out = W_DRIVE + DV_SIZE * k;
    out[DV_SPEED] = motor[MO_VELOCITY];
    out[DV_POSITION] = motor[MO_POSITION];
    if (moves) sb_drive_axis(SB_W, k, motor, out);
    out[DV_SHOWN] = SB_LATE ? motor[MO_POSITION] : out[DV_POSITION];
  }
  SB_EACH(k, SB_MOVERS) {
    sb_copy(W_PLACE + 7 * k, places + 7 * k, 7);
    if (moves) sb_carry_mover(SB_W, k);
    sb_copy(W_PLACE + 7 * (SB_MOVERS + k), SB_LATE ? places + 7 * k : W_PLACE + 7 * k, 7);
  }
  SB_SYNC();
  if (SB_SLEEPS && SB_LANE == 0) sb_mark_driven(SB_W);
  SB_SYNC();
}

// Pose of such a link in what carries it, the last axis first: each is carried by those before it.
SB_DEV void sb_driven_pose(SB_WORLD, int k, double pos[3], double quat[4]) {
  const int* row = M_KIN_INT + KI_SIZE * k;
  const double* real = M_KIN + KR_SIZE * k;
  double turn[4], arm[3], at[3];
  if (row[KI_AXES] == 0) {
    const double* shown = W_PLACE + 7 * (SB_MOVERS + row[KI_AXIS]);
    sb_copy(pos, shown, 3);
    sb_copy(quat, shown + 3, 4);
    return;
  }
  sb_copy(pos, real + KR_POS, 3);
  sb_copy(quat, real + KR_QUAT, 4);
  for (int i = row[KI_AXES] - 1; i >= 0; i--) {
    const double* axis = real + KR_DIRECTION + 3 * i;
    double moved = W_DRIVE[DV_SIZE * (row[KI_AXIS] + i) + DV_SHOWN] - real[KR_START + i];
    if (row[KI_SLIDES]) {
      for (int n = 0; n < 3; n++) pos[n] += moved * axis[n];
      continue;
    }
    sb_axis_angle(turn, axis, moved);
    sb_mul_quat(quat, turn, quat);
    sb_sub3(arm, pos, real + KR_ANCHOR);
    sb_rotate_by(pos, arm, turn);
    for (int n = 0; n < 3; n++) pos[n] += real[KR_ANCHOR + n];
  }
  // what carries it may stand still somewhere
  sb_rotate_by(at, pos, real + KR_TURN);
  for (int n = 0; n < 3; n++) pos[n] = at[n] + real[KR_BASE + n];
  sb_mul_quat(quat, real + KR_TURN, quat);
}
