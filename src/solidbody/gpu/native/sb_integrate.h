// Velocities and positions: Coriolis forces of the middle of the step, gyroscopic torques, the integrator, damping,
// momenta of trees that float or turn far. The rules are those of contact/native/motion/.
#ifndef SB_INTEGRATE_H_
#define SB_INTEGRATE_H_

#define SB_MAX_ANGULAR_SPEED 10000.0
#define SB_SMOOTH_CHANGE 2.0
#define SB_CORRECTION 0.4
#define SB_FAR_TURN 0.3
#define SB_FAR_WHEEL_TURN 1.0
#define SB_GYRO_GAIN 1.0
#define SB_GYRO_ITERATIONS 12
#define SB_GYRO_SAME 1e-14

// What a tree is in this step.
enum { SB_TOUCHED = 1, SB_DRIVEN = 2, SB_CENTERED = 4, SB_FAR = 8, SB_FLOATS = 16, SB_GROUNDED = 32 };

// x = M^-1 b, for all trees; M is not changed.
SB_BIG void sb_solve_mass(SB_WORLD, const double* b, double* x) {
  SB_EACH(i, SB_NV) W_KEEP[i] = W_Q[i];
  SB_SYNC();
  SB_EACH(i, SB_NV) {
    W_Q[i] = b[i];
    W_SOFT[i] = 0;
    for (int k = 3 * i; k < 3 * i + 3; k++) W_STIFF[k] = 0;
  }
  SB_SYNC();
  sb_solve_set(SB_W, SB_UNITS);
  SB_EACH(i, SB_NV) {
    x[i] = W_D[i];
    W_Q[i] = W_KEEP[i];
  }
  SB_SYNC();
}

// ---------------------------------------------------------------- Coriolis

SB_DEV void sb_mark_trees(SB_WORLD, int contacts) {
  SB_EACH(t, SB_TREES) {
    int mark = 0;
    for (int k = 0; k < contacts; k++) {
      int one = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM0]], two = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM1]];
      if (one != t && two != t) continue;
      mark |= SB_TOUCHED;
      if (one < 0 || two < 0) mark |= SB_GROUNDED;
    }
    for (int k = 0; k < SB_AXES; k++) {
      const double* axis = M_AXIS + AX_SIZE * k;
      const double* told = W_COMMAND + CM_SIZE * k;
      if (M_AXIS_INT[AI_SIZE * k + AI_TREE] != t || M_AXIS_INT[AI_SIZE * k + AI_DOF] < 0) continue;
      if (told[CM_MODE] != SB_MOTOR_NONE || axis[AX_FRICTION] > 0 || axis[AX_SPRING] > 0 || axis[AX_DAMPING] > 0 ||
          told[CM_BRAKE] > 0) {
        mark |= SB_DRIVEN;
      }
    }
    for (int k = 0; k < SB_LOOPS; k++) {
      for (int e = 0; e < 2; e++) {
        int b = M_LOOP_INT[LI_SIZE * k + LI_BODY + e];
        if (b >= 0 && M_BODY_TREE[b] == t) mark |= SB_DRIVEN;
      }
    }
    W_MARK[t] = mark;
  }
  SB_SYNC();
}

SB_DEV int sb_sleeps(SB_WORLD, int tree) { return SB_SLEEPS && W_REST[2 * tree + 1] == SB_ASLEEP; }

SB_DEV int sb_turns_far(SB_WORLD, int tree) {
  for (int i = M_TREE_DOF[tree]; i < M_TREE_DOF[tree + 1]; i++) {
    // 0: moves along, 1: turns, 2: a wheel about its axis
    double turn = M_DOF_TURNS[i] ? SB_H * fabs(W_QVEL[i]) : 0;
    if (turn > SB_FAR_WHEEL_TURN || (turn > SB_FAR_TURN && M_DOF_TURNS[i] != 2)) return 1;
  }
  return 0;
}

SB_DEV int sb_is_smooth(SB_WORLD, int tree) {
  double speed = 0, change = 0;
  for (int i = M_TREE_DOF[tree]; i < M_TREE_DOF[tree + 1]; i++) {
    speed = sb_max(speed, fabs(W_QVEL[i]));
    change = sb_max(change, fabs(SB_H * W_QACC[i]));
  }
  return change <= SB_SMOOTH_CHANGE * speed;
}

// Bias forces of the step; velocities of bodies are those of now afterwards. On a GPU sb_pose.h has begun with them.
#ifdef SB_CUDA
#define SB_GOES_AHEAD 1
#else
#define SB_GOES_AHEAD 0
#endif
// Whether the kernels after sb_pose.h read nothing of bodies unless a tree turns far: then poses are made once more.
#define SB_FEW_POSES (!SB_MIDDLE_CORIOLIS && !SB_SLEEPS && !SB_TRACKS && !SB_LOOPS && !SB_SINGLES && \
                       !SB_PROPELLERS)
SB_BIG void sb_center_coriolis(SB_WORLD) {
  int any = 0, free = 0;
  double half = 0.5 * SB_H;
  SB_EACH(t, SB_TREES) {
    int mark = W_MARK[t];
    if (sb_sleeps(SB_W, t) || M_TREE_SINGLE[t]) continue;
    if (sb_turns_far(SB_W, t)) {
      mark |= SB_FAR;
      any = 1;
    } else if (SB_MIDDLE_CORIOLIS && !(mark & SB_TOUCHED) && sb_is_smooth(SB_W, t)) {
      mark |= SB_CENTERED;
      any = 1;
      free |= !(mark & SB_DRIVEN);
    }
    W_MARK[t] = mark;
  }
  SB_SYNC();
  any = sb_team_any(any);
  free = sb_team_any(free);
  if (any) {
    SB_EACH(i, SB_NV) {
      int mark = W_MARK[M_DOF_TREE[i]];
      W_TRIAL[i] = mark & SB_FAR ? 0 : mark & SB_CENTERED ? W_QVEL[i] + half * W_QACC[i] : W_QVEL[i];
    }
    SB_SYNC();
    if (SB_GOES_AHEAD && SB_FEW_POSES) sb_make_poses(SB_W, W_QPOS);
    sb_make_bias(SB_W, W_TRIAL, W_BIAS);
  } else if (!SB_GOES_AHEAD || SB_SLEEPS) {
    sb_make_bias(SB_W, W_QVEL, W_BIAS);
  }
  if (SB_MIDDLE_CORIOLIS && free) {
    SB_EACH(i, SB_NV) W_RHS[i] = -W_BIAS[i];
    SB_SYNC();
    sb_solve_mass(SB_W, W_RHS, W_RHS);
    SB_EACH(i, SB_NV) {
      int mark = W_MARK[M_DOF_TREE[i]];
      double share = mark & SB_DRIVEN ? 0 : SB_CORRECTION;
      W_TRIAL[i] = W_QVEL[i];
      if (mark & SB_CENTERED) W_TRIAL[i] += half * ((1 - share) * W_QACC[i] + share * W_RHS[i]);
      if (mark & SB_FAR) W_TRIAL[i] = 0;
    }
    SB_SYNC();
    sb_make_bias(SB_W, W_TRIAL, W_BIAS);
  }
  if (any) sb_make_velocities(SB_W, W_QVEL, 0);
}

// ---------------------------------------------------------------- gyroscopic torque

SB_DEV void sb_gyro_matrix(const double inertia[3], const double w[3], double k, double a[9]) {
  double l[3] = {inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
  a[0] = inertia[0];
  a[1] = k * (l[2] - w[2] * inertia[1]);
  a[2] = k * (w[1] * inertia[2] - l[1]);
  a[3] = k * (w[2] * inertia[0] - l[2]);
  a[4] = inertia[1];
  a[5] = k * (l[0] - w[0] * inertia[2]);
  a[6] = k * (l[1] - w[1] * inertia[0]);
  a[7] = k * (w[0] * inertia[1] - l[0]);
  a[8] = inertia[2];
}

SB_DEV void sb_solve_any3(double x[3], const double a[9], const double b[3]) {
  double c[9];
  sb_cross(a + 3, a + 6, c);
  sb_cross(a + 6, a, c + 3);
  sb_cross(a, a + 3, c + 6);
  double det = sb_dot(a, c);
  for (int i = 0; i < 3; i++) x[i] = (b[0] * c[i] + b[1] * c[3 + i] + b[2] * c[6 + i]) / det;
}

SB_BIG void sb_spin_change(const double inertia[3], const double w[3], double h, double change[3]) {
  double a[9], l[3], torque[3], off[3], step[3], middle[3], first[3], rest = 1;
  for (int i = 0; i < 3; i++) l[i] = inertia[i] * w[i];
  sb_cross(w, l, torque);
  for (int i = 0; i < 3; i++) off[i] = -h * torque[i];
  sb_gyro_matrix(inertia, w, h, a);
  sb_solve_any3(first, a, off);
  sb_copy(change, first, 3);
  double size = sqrt(sb_dot(w, w));
  for (int k = 0; k < SB_GYRO_ITERATIONS && rest > SB_GYRO_SAME * size; k++) {
    for (int i = 0; i < 3; i++) {
      middle[i] = w[i] + 0.5 * change[i];
      l[i] = inertia[i] * middle[i];
    }
    sb_cross(middle, l, torque);
    for (int i = 0; i < 3; i++) off[i] = inertia[i] * change[i] + h * torque[i];
    sb_gyro_matrix(inertia, middle, 0.5 * h, a);
    sb_solve_any3(step, a, off);
    for (int i = 0; i < 3; i++) change[i] -= step[i];
    rest = sqrt(sb_dot(step, step));
  }
  if (!(rest <= 1e-9 * size)) sb_copy(change, first, 3);
}

SB_DEV void sb_body_inertia_frame(SB_WORLD, int b, double r[9]) {
  double quat[4];
  sb_mul_quat(quat, W_XQUAT + 4 * b, M_BODY_IQUAT + 4 * b);
  sb_quat_to_mat(r, quat);
}

// Bodies by themselves that spin so fast that the explicit torque would add energy: sb_thrust.c.
SB_DEV void sb_apply_gyro(SB_WORLD) {
  double most = SB_GYRO_GAIN * SB_H;
  SB_EACH(t, SB_TREES) {
    int b = M_TREE_BODIES[M_TREE_BODY[t]], dof = M_TREE_DOF[t];
    const double *turn = W_CVEL + 6 * b, *inertia = M_BODY_INERTIA + 3 * b;
    if (!M_TREE_SINGLE[t] || 2 * SB_H * SB_H * sb_dot(turn, turn) <= most || sb_sleeps(SB_W, t)) continue;
    double mat[9], w[3], l[3], explicit_torque[3], change[3], torque[3], world[3], gain = 0, energy = 0;
    sb_body_inertia_frame(SB_W, b, mat);
    sb_turn_back(mat, turn, w);
    for (int i = 0; i < 3; i++) l[i] = inertia[i] * w[i];
    sb_cross(w, l, explicit_torque);
    for (int i = 0; i < 3; i++) {
      gain += SB_H * SB_H * explicit_torque[i] * explicit_torque[i] / inertia[i];
      energy += inertia[i] * w[i] * w[i];
    }
    if (!(gain > most * energy)) continue;
    sb_spin_change(inertia, w, SB_H, change);
    for (int i = 0; i < 3; i++) torque[i] = inertia[i] * change[i] / SB_H + explicit_torque[i];
    sb_turn(mat, torque, world);
    for (int k = 0; k < 6; k++) W_Q[dof + k] += SB_H * sb_dot(W_CDOF + 6 * (dof + k), world);
  }
  SB_SYNC();
}

// ---------------------------------------------------------------- propellers

enum { PI_BODY, PI_AXIS, PI_SIZE };
enum { PR_POINT, PR_WAY = 3, PR_LOCAL = 6, PR_THRUST = 9, PR_TORQUE = 11, PR_MOST = 13, PR_SIZE };

// Thrust and torque of shafts, with the rate that they have now: sb_thrust.c.
SB_DEV void sb_apply_thrust(SB_WORLD) {
  for (int k = 0; k < SB_PROPELLERS; k++) {
    const double* p = M_PROPELLER + PR_SIZE * k;
    int b = M_PROPELLER_INT[PI_SIZE * k + PI_BODY], axis = M_PROPELLER_INT[PI_SIZE * k + PI_AXIS];
    double point[3], way[3], v[3], arm[3], *motor = W_MOTOR + MO_SIZE * axis;
    if (b < 0 || M_BODY_TREE[b] < 0 || sb_sleeps(SB_W, M_BODY_TREE[b])) continue;
    sb_turn(W_XMAT + 9 * b, p + PR_POINT, point);
    sb_turn(W_XMAT + 9 * b, p + PR_WAY, way);
    for (int i = 0; i < 3; i++) point[i] += W_XPOS[3 * b + i];
    sb_velocity_at_point(SB_W, b, point, v);
    double rate = motor[MO_VELOCITY], size = fabs(rate), advance = sb_dot(v, p + PR_LOCAL);
    double thrust = p[PR_THRUST] * size * rate - p[PR_THRUST + 1] * size * advance;
    double torque = p[PR_TORQUE] * size * rate - p[PR_TORQUE + 1] * size * advance;
    torque = sb_max(-p[PR_MOST], sb_min(p[PR_MOST], torque));
    sb_sub3(arm, point, W_COM + 3 * M_BODY_TREE[b]);
    SB_EACH(i, SB_NV) {
      if (!sb_carries(SB_W, b, i)) continue;
      const double* c = W_CDOF + 6 * i;
      double at[3];
      sb_cross(c, arm, at);
      for (int n = 0; n < 3; n++) at[n] += c[3 + n];
      W_Q[i] += SB_H * (thrust * sb_dot(at, way) - torque * sb_dot(c, way));
    }
    SB_SYNC();
    if (SB_LANE == 0) motor[MO_EFFORT] = motor[MO_REACTION] = fabs(thrust) + fabs(torque);
  }
  SB_SYNC();
}

// ---------------------------------------------------------------- momenta

enum { MM_MOMENTUM, MM_COM = 6, MM_MASS = 9, MM_AT, MM_MAT = 13, MM_ENERGY = 22, MM_SIZE };
enum { LM_MOMENTUM, LM_ENERGY = 6, LM_SIZE };

// Momenta (angular about the centre of mass, linear), moments of inertia about it, mass.
SB_BIG void sb_sum_tree(SB_WORLD, int tree, double momentum[6], double inertia[9], double* mass) {
  const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double own[6];
  sb_zero(momentum, 6);
  sb_zero(inertia, 9);
  *mass = 0;
  for (int k = M_TREE_BODY[tree]; k < M_TREE_BODY[tree + 1]; k++) {
    int b = M_TREE_BODIES[k];
    const double* c = W_CINERT + 10 * b;
    sb_momentum_of(own, c, W_CVEL + 6 * b);
    for (int i = 0; i < 6; i++) momentum[i] += own[i];
    for (int i = 0; i < 9; i++) inertia[i] += c[place[i]];
    *mass += c[9];
  }
}

SB_DEV double sb_energy_of(SB_WORLD, int tree) {
  double momentum[6], sum = 0;
  for (int k = M_TREE_BODY[tree]; k < M_TREE_BODY[tree + 1]; k++) {
    int b = M_TREE_BODIES[k];
    sb_momentum_of(momentum, W_CINERT + 10 * b, W_CVEL + 6 * b);
    sum += 0.5 * sb_dot6(momentum, W_CVEL + 6 * b);
  }
  for (int i = M_TREE_DOF[tree]; i < M_TREE_DOF[tree + 1]; i++) sum += 0.5 * M_ARMATURE[i] * W_QVEL[i] * W_QVEL[i];
  return sum;
}

// Before positions move, of trees that float: what is not yet known of their momenta is added by sb_end_momenta.
SB_DEV void sb_note_momenta(SB_WORLD) {
  SB_EACH(t, SB_TREES) {
    int mark = W_MARK[t], root = M_TREE_BODIES[M_TREE_BODY[t]];
    double* out = W_MOMENTUM + MM_SIZE * t;
    if (!SB_MIDDLE_CORIOLIS || !M_TREE_FLOATS[t] || mark & SB_GROUNDED || sb_sleeps(SB_W, t)) continue;
    W_MARK[t] = mark | SB_FLOATS;
    double inertia[9];
    sb_sum_tree(SB_W, t, out, inertia, out + MM_MASS);
    sb_copy(out + MM_COM, W_COM + 3 * t, 3);
    sb_copy(out + MM_AT, W_XPOS + 3 * root, 3);
    sb_copy(out + MM_MAT, W_XMAT + 9 * root, 9);
  }
  SB_SYNC();
}

// W_RHS: what the velocities have changed by.
SB_DEV void sb_end_momenta(SB_WORLD) {
  SB_EACH(t, SB_TREES) {
    int dof = M_TREE_DOF[t];
    double* out = W_MOMENTUM + MM_SIZE * t;
    if (!(W_MARK[t] & SB_FLOATS)) continue;
    double push[3], local[3], torque[3], about[3], com[3], mass = out[MM_MASS];
    sb_copy(com, out + MM_COM, 3);
    sb_cross(com, out + 3, about);
    for (int k = 0; k < 6; k++) {
      double sum = SB_H * W_BIAS[dof + k];
      for (int i = dof; i < M_TREE_DOF[t + 1]; i++) sum += W_M[(dof + k) * SB_NVS + i] * W_RHS[i];
      if (k < 3) push[k] = sum; else local[k - 3] = sum;
    }
    for (int k = 0; k < 3; k++) out[k] += about[k];
    sb_turn(out + MM_MAT, local, torque);
    sb_cross(out + MM_AT, push, about);
    for (int k = 0; k < 3; k++) {
      out[k] += torque[k] + about[k];
      out[3 + k] += push[k];
      push[k] = SB_H * mass * M_GRAVITY[k];
    }
    sb_cross(com, push, about);
    for (int k = 0; k < 3; k++) {
      out[k] += about[k];
      out[3 + k] += push[k];
      out[MM_COM + k] = com[k] + SB_H * out[3 + k] / mass;
    }
  }
  SB_SYNC();
}

// Momenta of links at the poses before the step, of trees that turn far.
SB_DEV void sb_note_links(SB_WORLD) {
  SB_EACH(t, SB_TREES) {
    if (W_MARK[t] & SB_FAR) W_MOMENTUM[MM_SIZE * t + MM_ENERGY] = sb_energy_of(SB_W, t);
  }
  SB_EACH(b, SB_BODIES) {
    if (M_BODY_TREE[b] < 0 || !(W_MARK[M_BODY_TREE[b]] & SB_FAR)) continue;
    double *out = W_LINK + LM_SIZE * b, mat[9], arm[3], local[3], around[3];
    const double* v = W_CVEL + 6 * b;
    sb_body_inertia_frame(SB_W, b, mat);
    sb_sub3(arm, W_XIPOS + 3 * b, W_COM + 3 * M_BODY_TREE[b]);
    sb_cross(v, arm, around);
    sb_turn_back(mat, v, local);
    for (int k = 0; k < 3; k++) {
      local[k] *= M_BODY_INERTIA[3 * b + k];
      out[3 + k] = M_BODY_MASS[b] * (v[3 + k] + around[k]);
    }
    sb_turn(mat, local, out);
    out[LM_ENERGY] = sb_dot(out, v);
  }
  SB_SYNC();
}

// v+ from the momenta of the links, at the poses after the step. W_CFRC: sums over what hangs on a body.
SB_BIG void sb_join_links(SB_WORLD) {
  for (int level = SB_LEVELS - 1; level >= 0; level--) {
    int first = M_LEVEL[level];
    SB_EACH(k, M_LEVEL[level + 1] - first) {
      int b = first + k;
      double *sum = W_CFRC + 6 * b, *own = W_LINK + LM_SIZE * b, mat[9], arm[3], about[3], local[3], energy = 0;
      if (M_BODY_TREE[b] < 0 || !(W_MARK[M_BODY_TREE[b]] & SB_FAR)) continue;
      const double* inertia = M_BODY_INERTIA + 3 * b;
      sb_sub3(arm, W_XIPOS + 3 * b, W_COM + 3 * M_BODY_TREE[b]);
      sb_cross(arm, own + 3, about);
      sb_body_inertia_frame(SB_W, b, mat);
      sb_turn_back(mat, own, local);
      for (int i = 0; i < 3; i++) energy += local[i] * local[i] / sb_max(SB_SHORT, inertia[i]);
      double scale = energy > own[LM_ENERGY] ? sqrt(own[LM_ENERGY] / energy) : 1;
      for (int i = 0; i < 3; i++) {
        sum[i] = own[i] * scale + about[i];
        sum[3 + i] = own[3 + i];
      }
      for (int c = M_BODY_CHILD[b]; c < M_BODY_CHILD[b] + M_BODY_CHILDREN[b]; c++) {
        for (int i = 0; i < 6; i++) sum[i] += W_CFRC[6 * c + i];
      }
    }
    SB_SYNC();
  }
  SB_EACH(i, SB_NV) {
    int far = W_MARK[M_DOF_TREE[i]] & SB_FAR;
    W_RHS[i] = far ? sb_dot6(W_CDOF + 6 * i, W_CFRC + 6 * M_DOF_BODY[i]) + M_ARMATURE[i] * W_QVEL[i] : 0;
  }
  SB_SYNC();
  sb_solve_mass(SB_W, W_RHS, W_RHS);
  SB_EACH(i, SB_NV) {
    if (W_MARK[M_DOF_TREE[i]] & SB_FAR) W_QVEL[i] = W_RHS[i];
  }
  SB_SYNC();
}

SB_BIG void sb_restore_momenta(SB_WORLD) {
  sb_make_velocities(SB_W, W_QVEL, 0);
  SB_EACH(t, SB_TREES) {
    if (!(W_MARK[t] & SB_FLOATS)) continue;
    int root = M_TREE_BODIES[M_TREE_BODY[t]];
    const double *wanted = W_MOMENTUM + MM_SIZE * t, *com = wanted + MM_COM;
    double now[6], inertia[9], mass, about[3], twist[3], turn[3], arm[3], shift[3], local[3];
    double *v = W_QVEL + M_TREE_DOF[t], *q = W_QPOS + M_TREE_QPOS[t];
    sb_sum_tree(SB_W, t, now, inertia, &mass);
    sb_cross(com, wanted + 3, about);
    for (int k = 0; k < 3; k++) {
      twist[k] = wanted[k] - about[k] - now[k];
      arm[k] = W_XPOS[3 * root + k] - W_COM[3 * t + k];
      q[k] += com[k] - W_COM[3 * t + k];
    }
    sb_solve3(turn, inertia, twist);
    sb_cross(turn, arm, shift);
    sb_turn_back(W_XMAT + 9 * root, turn, local);
    for (int k = 0; k < 3; k++) {
      v[k] += (wanted[3 + k] - now[3 + k]) / mass + shift[k];
      v[3 + k] += local[k];
    }
  }
  SB_SYNC();
  int far = 0;
  SB_EACH(t, SB_TREES) far |= (W_MARK[t] & SB_FLOATS) && (W_MARK[t] & SB_FAR);
  if (!sb_team_any(far)) return;
  // links slow down against each other until the tree has no more energy than its links carried
  sb_make_velocities(SB_W, W_QVEL, 0);
  SB_EACH(t, SB_TREES) {
    if (!(W_MARK[t] & SB_FLOATS) || !(W_MARK[t] & SB_FAR)) continue;
    int root = M_TREE_BODIES[M_TREE_BODY[t]], dofs = M_TREE_DOF[t + 1] - M_TREE_DOF[t];
    const double* wanted = W_MOMENTUM + MM_SIZE * t;
    double now[6], inertia[9], mass, about[3], spin[3], turn[3], arm[3], around[3], local[3];
    double* v = W_QVEL + M_TREE_DOF[t];
    sb_sum_tree(SB_W, t, now, inertia, &mass);
    sb_cross(wanted + MM_COM, wanted + 3, about);
    sb_sub3(spin, wanted, about);
    sb_solve3(turn, inertia, spin);
    sb_sub3(arm, W_XPOS + 3 * root, W_COM + 3 * t);
    sb_cross(turn, arm, around);
    sb_turn_back(W_XMAT + 9 * root, turn, local);
    double rigid = 0.5 * (sb_dot(wanted + 3, wanted + 3) / mass + sb_dot(spin, turn));
    double inner = sb_energy_of(SB_W, t) - rigid, allowed = wanted[MM_ENERGY] - rigid;
    if (inner <= allowed || inner <= 0) continue;
    double share = allowed > 0 ? sqrt(allowed / inner) : 0;
    for (int k = 0; k < 3; k++) {
      double still = wanted[3 + k] / mass + around[k];
      v[k] = still + share * (v[k] - still);
      v[3 + k] = local[k] + share * (v[3 + k] - local[k]);
    }
    for (int i = 6; i < dofs; i++) v[i] *= share;
  }
  SB_SYNC();
}

// ---------------------------------------------------------------- positions

// q <- normalise(q + h/2 q (0, w)): ODE's update.
SB_DEV void sb_rotate_as_ode(double* q, const double* w, double h) {
  double k = 0.5 * h, o[4];
  o[0] = q[0] + k * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  o[1] = q[1] + k * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  o[2] = q[2] + k * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]);
  o[3] = q[3] + k * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
  double scale = 1 / sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3]);
  for (int i = 0; i < 4; i++) q[i] = scale * o[i];
}

SB_DEV void sb_rotate_exactly(double* q, const double* w, double h) {
  double axis[3] = {w[0], w[1], w[2]}, turn[4];
  double angle = h * sb_normalize3(axis);
  sb_axis_angle(turn, axis, angle);
  sb_normalize4(q);
  sb_mul_quat(q, q, turn);
}

SB_DEV void sb_turn_joint(SB_WORLD, double* q, const double* w) {
  if (SB_ODE_ROTATION) {
    sb_rotate_as_ode(q, w, SB_H);
  } else {
    sb_rotate_exactly(q, w, SB_H);
  }
}

// Bodies lose a share of their momentum per step; W_RHS: velocities to change by.
SB_BIG void sb_damp(SB_WORLD) {
  SB_EACH(i, SB_NV) W_RHS[i] = 0;
  SB_SYNC();
  // poses are those before the step; W_CVEL: of the velocities after it
  int any = 0;
  for (int k = 0; k < SB_DAMPERS; k++) any |= M_DAMPER_INT[2 * k + 1] < 0;
  if (any) {
    sb_make_poses(SB_W, W_QPOS);
    sb_make_velocities(SB_W, W_QVEL, 0);
  }
  for (int k = 0; k < SB_DAMPERS; k++) {
    int b = M_DAMPER_INT[2 * k], dof = M_DAMPER_INT[2 * k + 1];
    double linear = M_DAMPER[2 * k], angular = M_DAMPER[2 * k + 1];
    if (dof >= 0) {
      SB_EACH(i, 6) W_QVEL[dof + i] *= 1 - (i < 3 ? linear : angular);
      continue;
    }
    double mat[9], local[3], moment[3], v[3];
    const double* w = W_CVEL + 6 * b;
    sb_body_inertia_frame(SB_W, b, mat);
    sb_velocity_at_point(SB_W, b, W_XIPOS + 3 * b, v);
    sb_turn_back(mat, w, local);
    for (int i = 0; i < 3; i++) local[i] *= angular * M_BODY_INERTIA[3 * b + i];
    sb_turn(mat, local, moment);
    SB_EACH(i, SB_NV) {
      if (!sb_carries(SB_W, b, i)) continue;
      double arm[3], at[3];
      const double* c = W_CDOF + 6 * i;
      sb_sub3(arm, W_XIPOS + 3 * b, W_COM + 3 * M_BODY_TREE[b]);
      sb_cross(c, arm, at);
      for (int n = 0; n < 3; n++) at[n] += c[3 + n];
      W_RHS[i] -= linear * M_BODY_MASS[b] * sb_dot(at, v) + sb_dot(c, moment);
    }
  }
  SB_SYNC();
  if (!any) return;
  sb_solve_mass(SB_W, W_RHS, W_RHS);
  SB_EACH(i, SB_NV) W_QVEL[i] += W_RHS[i];
  SB_SYNC();
}

SB_DEV void sb_move(SB_WORLD) {
  SB_EACH(i, SB_NV) {
    W_QACC[i] = W_D[i] / SB_H;
    W_TRIAL[i] = W_QVEL[i];
    W_QVEL[i] += W_D[i];
  }
  SB_SYNC();
  SB_EACH(j, SB_JOINTS) {
    double* w = W_QVEL + M_JOINT_DOF[j] + 3;
    if (M_JOINT_TYPE[j] != SB_JOINT_FREE) continue;
    double square = sb_dot(w, w);
    if (square <= SB_MAX_ANGULAR_SPEED * SB_MAX_ANGULAR_SPEED) continue;
    double scale = SB_MAX_ANGULAR_SPEED / sqrt(square);
    for (int i = 0; i < 3; i++) w[i] *= scale;
  }
  SB_SYNC();
  int floats = 0, far = 0;
  SB_EACH(t, SB_TREES) {
    floats |= W_MARK[t] & SB_FLOATS;
    far |= W_MARK[t] & SB_FAR;
  }
  floats = SB_MIDDLE_CORIOLIS && sb_team_any(floats);
  far = sb_team_any(far);
  SB_EACH(i, SB_NQ) W_NEXT_QPOS[i] = W_QPOS[i];
  SB_SYNC();
  SB_EACH(j, SB_JOINTS) {
    double *q = W_NEXT_QPOS + M_JOINT_QPOS[j];
    const double* v = W_QVEL + M_JOINT_DOF[j];
    if (M_JOINT_TYPE[j] == SB_JOINT_FREE) {
      for (int i = 0; i < 3; i++) q[i] += SB_H * v[i];
      sb_turn_joint(SB_W, q + 3, v + 3);
    } else if (M_JOINT_TYPE[j] == SB_JOINT_BALL) {
      sb_turn_joint(SB_W, q, v);
    } else if (M_JOINT_TYPE[j] == SB_JOINT_HINGE && SB_ODE_ROTATION) {
      q[0] += 2 * atan(0.5 * SB_H * v[0]);
    } else {
      q[0] += SB_H * v[0];
    }
  }
  SB_SYNC();
  if (SB_DAMPERS) sb_damp(SB_W);
  if (floats) {
    SB_EACH(i, SB_NV) W_RHS[i] = W_QVEL[i] - W_TRIAL[i];
    SB_SYNC();
    sb_end_momenta(SB_W);
  }
  if (far) {
    sb_make_poses(SB_W, W_QPOS);
    sb_make_velocities(SB_W, W_QVEL, 0);
    sb_note_links(SB_W);
  }
  SB_EACH(i, SB_NQ) W_QPOS[i] = W_NEXT_QPOS[i];
  SB_SYNC();
  if (!floats && !far) return;
  sb_make_poses(SB_W, W_QPOS);
  if (far) {
    sb_make_mass(SB_W);
    sb_join_links(SB_W);
  }
  if (floats) sb_restore_momenta(SB_W);
}

#endif  // SB_INTEGRATE_H_
