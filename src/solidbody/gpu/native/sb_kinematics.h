// Poses, inertias and velocities of the bodies that move, level by level of their trees.
#ifndef SB_KINEMATICS_H_
#define SB_KINEMATICS_H_

enum { SB_JOINT_FREE, SB_JOINT_BALL, SB_JOINT_SLIDE, SB_JOINT_HINGE };  // as MuJoCo numbers them

#include "sb_drives.h"

SB_DEV void sb_place_body(SB_WORLD, const double* qpos, int b) {
  double *pos = W_XPOS + 3 * b, *quat = W_XQUAT + 4 * b, *mat = W_XMAT + 9 * b;
  int parent = M_BODY_PARENT[b], joint = M_BODY_JOINT[b], end = joint + M_BODY_JOINTS[b];
  if (joint < end && M_JOINT_TYPE[joint] == SB_JOINT_FREE) {
    const double* q = qpos + M_JOINT_QPOS[joint];
    sb_copy(pos, q, 3);
    sb_copy(quat, q + 3, 4);
    sb_normalize4(quat);
    for (int i = 0; i < 3; i++) W_ANCHOR[3 * joint + i] = pos[i];
  } else {
    double own_pos[3], own_quat[4];
    if (SB_KINS && M_BODY_KIN[b] >= 0) {
      sb_driven_pose(SB_W, M_BODY_KIN[b], own_pos, own_quat);
    } else {
      sb_copy(own_pos, M_BODY_POS + 3 * b, 3);
      sb_copy(own_quat, M_BODY_QUAT + 4 * b, 4);
    }
    if (parent < 0) {
      sb_copy(pos, own_pos, 3);
      sb_copy(quat, own_quat, 4);
    } else {
      sb_turn(W_XMAT + 9 * parent, own_pos, pos);
      for (int i = 0; i < 3; i++) pos[i] += W_XPOS[3 * parent + i];
      sb_mul_quat(quat, W_XQUAT + 4 * parent, own_quat);
    }
    for (int j = joint; j < end; j++) {
      double *axis = W_AXIS + 3 * j, *anchor = W_ANCHOR + 3 * j, turn[4], arm[3];
      const double* q = qpos + M_JOINT_QPOS[j];
      sb_rotate_by(axis, M_JOINT_AXIS + 3 * j, quat);
      sb_rotate_by(anchor, M_JOINT_POS + 3 * j, quat);
      for (int i = 0; i < 3; i++) anchor[i] += pos[i];
      if (M_JOINT_TYPE[j] == SB_JOINT_SLIDE) {
        for (int i = 0; i < 3; i++) pos[i] += axis[i] * (q[0] - M_JOINT_REST[j]);
        continue;
      }
      if (M_JOINT_TYPE[j] == SB_JOINT_BALL) {
        sb_copy(turn, q, 4);
        sb_normalize4(turn);
      } else {
        sb_axis_angle(turn, M_JOINT_AXIS + 3 * j, q[0] - M_JOINT_REST[j]);
      }
      sb_mul_quat(quat, quat, turn);
      sb_rotate_by(arm, M_JOINT_POS + 3 * j, quat);
      for (int i = 0; i < 3; i++) pos[i] = anchor[i] - arm[i];
    }
    sb_normalize4(quat);
  }
  sb_quat_to_mat(mat, quat);
  double* com = W_XIPOS + 3 * b;
  sb_turn(mat, M_BODY_IPOS + 3 * b, com);
  for (int i = 0; i < 3; i++) com[i] += pos[i];
}

// Inertia of a body about the centre of mass of its tree.
SB_DEV void sb_make_inertia(SB_WORLD, int b) {
  double r[9], quat[4], off[3], *c = W_CINERT + 10 * b, mass = M_BODY_MASS[b];
  if (M_BODY_TREE[b] < 0) {
    sb_zero(c, 10);
    return;
  }
  const double *com = W_COM + 3 * M_BODY_TREE[b], *moment = M_BODY_INERTIA + 3 * b;
  sb_mul_quat(quat, W_XQUAT + 4 * b, M_BODY_IQUAT + 4 * b);
  sb_quat_to_mat(r, quat);
  sb_sub3(off, W_XIPOS + 3 * b, com);
  double t[6] = {0, 0, 0, 0, 0, 0};
  for (int k = 0; k < 3; k++) {
    double x = r[k], y = r[3 + k], z = r[6 + k], own = moment[k];
    t[0] += own * x * x;
    t[1] += own * y * y;
    t[2] += own * z * z;
    t[3] += own * x * y;
    t[4] += own * x * z;
    t[5] += own * y * z;
  }
  double x = off[0], y = off[1], z = off[2];
  c[0] = t[0] + mass * (y * y + z * z);
  c[1] = t[1] + mass * (x * x + z * z);
  c[2] = t[2] + mass * (x * x + y * y);
  c[3] = t[3] - mass * x * y;
  c[4] = t[4] - mass * x * z;
  c[5] = t[5] - mass * y * z;
  for (int i = 0; i < 3; i++) c[6 + i] = mass * off[i];
  c[9] = mass;
}

// Motion of a dof: angular velocity, and linear velocity at the centre of mass of the tree.
SB_DEV void sb_make_dofs(SB_WORLD, int j) {
  int dof = M_JOINT_DOF[j], b = M_JOINT_BODY[j], type = M_JOINT_TYPE[j];
  double arm[3], *out = W_CDOF + 6 * dof;
  sb_sub3(arm, W_COM + 3 * M_BODY_TREE[b], W_ANCHOR + 3 * j);
  if (type == SB_JOINT_SLIDE) {
    sb_zero(out, 3);
    sb_copy(out + 3, W_AXIS + 3 * j, 3);
    return;
  }
  if (type == SB_JOINT_HINGE) {
    sb_copy(out, W_AXIS + 3 * j, 3);
    sb_cross(out, arm, out + 3);
    return;
  }
  if (type == SB_JOINT_FREE) {
    sb_zero(out, 18);
    for (int i = 0; i < 3; i++) out[6 * i + 3 + i] = 1;
    out += 18;
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) out[6 * k + i] = W_XMAT[9 * b + 3 * i + k];
    sb_cross(out + 6 * k, arm, out + 6 * k + 3);
  }
}

// Everything that follows from positions but the mass matrix.
SB_BIG void sb_make_poses(SB_WORLD, const double* qpos) {
  for (int level = 0; level < SB_LEVELS; level++) {
    int first = M_LEVEL[level];
    SB_EACH(k, M_LEVEL[level + 1] - first) sb_place_body(SB_W, qpos, first + k);
    SB_SYNC();
  }
  SB_EACH(t, SB_TREES) {
    double sum[3] = {0, 0, 0}, mass = 0;
    for (int k = M_TREE_BODY[t]; k < M_TREE_BODY[t + 1]; k++) {
      int b = M_TREE_BODIES[k];
      for (int i = 0; i < 3; i++) sum[i] += M_BODY_MASS[b] * W_XIPOS[3 * b + i];
      mass += M_BODY_MASS[b];
    }
    for (int i = 0; i < 3; i++) W_COM[3 * t + i] = sum[i] / mass;
  }
  SB_SYNC();
  SB_EACH(b, SB_BODIES) sb_make_inertia(SB_W, b);
  SB_EACH(j, SB_JOINTS) sb_make_dofs(SB_W, j);
  SB_EACH(g, SB_GEOMS) {
    int b = M_GEOM_BODY[g];
    double quat[4], *pos = W_GPOS + 3 * g;
    if (b < 0) {
      sb_copy(pos, M_GEOM_POS + 3 * g, 3);
      sb_quat_to_mat(W_GMAT + 9 * g, M_GEOM_QUAT + 4 * g);
      continue;
    }
    sb_turn(W_XMAT + 9 * b, M_GEOM_POS + 3 * g, pos);
    for (int i = 0; i < 3; i++) pos[i] += W_XPOS[3 * b + i];
    sb_mul_quat(quat, W_XQUAT + 4 * b, M_GEOM_QUAT + 4 * g);
    sb_quat_to_mat(W_GMAT + 9 * g, quat);
  }
  SB_SYNC();
}

// M, dense and symmetric: composite inertias from the leaves, then each dof against its ancestors.
SB_BIG void sb_make_mass(SB_WORLD) {
  for (int level = SB_LEVELS - 1; level >= 0; level--) {
    int first = M_LEVEL[level];
    SB_EACH(k, M_LEVEL[level + 1] - first) {
      int b = first + k;
      double* sum = W_CRB + 10 * b;
      sb_copy(sum, W_CINERT + 10 * b, 10);
      for (int c = M_BODY_CHILD[b]; c < M_BODY_CHILD[b] + M_BODY_CHILDREN[b]; c++) {
        for (int i = 0; i < 10; i++) sum[i] += W_CRB[10 * c + i];
      }
    }
    SB_SYNC();
  }
  SB_EACH(e, SB_NV * SB_NVS) W_M[e] = 0;
  SB_SYNC();
  SB_EACH(i, SB_NV) {
    double f[6];
    sb_momentum_of(f, W_CRB + 10 * M_DOF_BODY[i], W_CDOF + 6 * i);
    for (int j = i; j >= 0; j = M_DOF_PARENT[j]) {
      double x = sb_dot6(W_CDOF + 6 * j, f);
      if (i == j) x += M_ARMATURE[i];
      W_M[i * SB_NVS + j] = x;
      W_M[j * SB_NVS + i] = x;
    }
  }
  SB_SYNC();
}

// Velocity of a body at velocities v, and what its acceleration is without qacc (Coriolis, gravity).
SB_DEV void sb_move_body(SB_WORLD, const double* v, int b, int forces) {
  int parent = M_BODY_PARENT[b];
  double vel[6], acc[6], dot[6];
  if (parent < 0) {
    sb_zero(vel, 6);
    sb_zero(acc, 3);
    for (int i = 0; i < 3; i++) acc[3 + i] = -M_GRAVITY[i];
  } else {
    sb_copy(vel, W_CVEL + 6 * parent, 6);
    sb_copy(acc, W_CACC + 6 * parent, 6);
  }
  for (int j = M_BODY_JOINT[b]; j < M_BODY_JOINT[b] + M_BODY_JOINTS[b]; j++) {
    int type = M_JOINT_TYPE[j], dof = M_JOINT_DOF[j], first = 0, count = 1;
    if (type == SB_JOINT_FREE) {
      for (int k = 0; k < 3; k++) vel[3 + k] += v[dof + k];
      first = 3;
      count = 6;
    } else if (type == SB_JOINT_BALL) {
      count = 3;
    }
    if (forces) {
      for (int k = first; k < count; k++) {
        sb_cross_motion(dot, vel, W_CDOF + 6 * (dof + k));
        for (int i = 0; i < 6; i++) acc[i] += dot[i] * v[dof + k];
      }
    }
    for (int k = first; k < count; k++) {
      for (int i = 0; i < 6; i++) vel[i] += W_CDOF[6 * (dof + k) + i] * v[dof + k];
    }
  }
  sb_copy(W_CVEL + 6 * b, vel, 6);
  if (!forces) return;
  double p[6], *f = W_CFRC + 6 * b;
  sb_copy(W_CACC + 6 * b, acc, 6);
  sb_momentum_of(f, W_CINERT + 10 * b, acc);
  sb_momentum_of(p, W_CINERT + 10 * b, vel);
  sb_add_cross_force(f, vel, p);
}

SB_BIG void sb_make_velocities(SB_WORLD, const double* v, int forces) {
  for (int level = 0; level < SB_LEVELS; level++) {
    int first = M_LEVEL[level];
    SB_EACH(k, M_LEVEL[level + 1] - first) sb_move_body(SB_W, v, first + k, forces);
    SB_SYNC();
  }
}

// Forces that hold qacc at 0 at velocities v.
SB_BIG void sb_make_bias(SB_WORLD, const double* v, double* bias) {
  sb_make_velocities(SB_W, v, 1);
  for (int level = SB_LEVELS - 2; level >= 0; level--) {
    int first = M_LEVEL[level];
    SB_EACH(k, M_LEVEL[level + 1] - first) {
      int b = first + k;
      for (int c = M_BODY_CHILD[b]; c < M_BODY_CHILD[b] + M_BODY_CHILDREN[b]; c++) {
        for (int i = 0; i < 6; i++) W_CFRC[6 * b + i] += W_CFRC[6 * c + i];
      }
    }
    SB_SYNC();
  }
  SB_EACH(i, SB_NV) bias[i] = sb_dot6(W_CDOF + 6 * i, W_CFRC + 6 * M_DOF_BODY[i]);
  SB_SYNC();
  if (!SB_SPRINGS) return;
  // springs that pull where the step begins, as MuJoCo's
  SB_EACH(j, SB_JOINTS) {
    double stiffness = M_JOINT_SPRING[2 * j], rest = M_JOINT_SPRING[2 * j + 1];
    if (stiffness) bias[M_JOINT_DOF[j]] += stiffness * (W_QPOS[M_JOINT_QPOS[j]] - rest);
  }
  SB_SYNC();
}

// Velocity of body b at a point of the world.
SB_DEV void sb_velocity_at_point(SB_WORLD, int b, const double point[3], double out[3]) {
  double arm[3];
  if (b < 0 || M_BODY_TREE[b] < 0) {
    sb_zero(out, 3);
    return;
  }
  sb_sub3(arm, point, W_COM + 3 * M_BODY_TREE[b]);
  sb_cross(W_CVEL + 6 * b, arm, out);
  for (int i = 0; i < 3; i++) out[i] += W_CVEL[6 * b + 3 + i];
}

#endif  // SB_KINEMATICS_H_
