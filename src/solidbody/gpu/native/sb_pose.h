// What goes ahead of a step on a GPU: poses, the mass matrix and bias forces at the velocities of now, by small teams.
//
// The levels of a tree are a few bodies wide, so that a warp works on several worlds. The code is that of
// sb_kinematics.h, compiled once more for teams of another size that keep what they work out in shared memory, where
// there is room: velocities and sums take the place of poses, which are not read any more then.
#ifndef SB_POSE_H_
#define SB_POSE_H_

#undef SB_LANE
#undef SB_TEAM
#undef SB_HERE
#undef W_M
#undef W_QPOS
#undef W_QVEL
#undef SB_KINEMATICS_H_
#define SB_LANE ((int)(threadIdx.x % SB_POSE_TEAM))
#define SB_TEAM SB_POSE_TEAM
#define SB_HERE ((int)((blockIdx.x * blockDim.x + threadIdx.x) / SB_POSE_TEAM))
#define W_M W_MASS
#define W_QPOS (S_QPOS + (sb_long)SB_HERE * SB_NQ)
#define W_QVEL (S_QVEL + (sb_long)SB_HERE * SB_NV)

#ifdef SB_POSES_SHARED
#define SB_POSE_KEPT (19 * SB_BODIES + 6 * SB_JOINTS)
#define SB_POSE_SIZE (SB_POSE_KEPT + 10 * SB_BODIES + 6 * SB_NV + 3 * SB_TREES)
__shared__ double sb_poses[SB_POSE_SIZE * (32 / SB_POSE_TEAM)];
#define SB_POSES (sb_poses + threadIdx.x / SB_POSE_TEAM * SB_POSE_SIZE)
#endif

namespace sb_pose {
// Copies from shared memory what later kernels read.
SB_DEV void sb_hand_on(double* to, const double* from, int n) { SB_EACH(i, n) to[i] = from[i]; }

#ifdef SB_POSES_SHARED
// Where they are for the other kernels.
SB_DEV double* sb_far_xpos(SB_WORLD) { return W_XPOS; }
SB_DEV double* sb_far_xquat(SB_WORLD) { return W_XQUAT; }
SB_DEV double* sb_far_xmat(SB_WORLD) { return W_XMAT; }
SB_DEV double* sb_far_xipos(SB_WORLD) { return W_XIPOS; }
SB_DEV double* sb_far_cinert(SB_WORLD) { return W_CINERT; }
SB_DEV double* sb_far_cvel(SB_WORLD) { return W_CVEL; }
SB_DEV double* sb_far_cdof(SB_WORLD) { return W_CDOF; }
SB_DEV double* sb_far_com(SB_WORLD) { return W_COM; }
#undef W_XPOS
#undef W_XQUAT
#undef W_XMAT
#undef W_XIPOS
#undef W_ANCHOR
#undef W_AXIS
#undef W_CRB
#undef W_CVEL
#undef W_CACC
#undef W_CFRC
#undef W_CINERT
#undef W_CDOF
#undef W_COM
#define W_XPOS SB_POSES
#define W_XQUAT (SB_POSES + 3 * SB_BODIES)
#define W_XMAT (SB_POSES + 7 * SB_BODIES)
#define W_XIPOS (SB_POSES + 16 * SB_BODIES)
#define W_ANCHOR (SB_POSES + 19 * SB_BODIES)
#define W_AXIS (SB_POSES + 19 * SB_BODIES + 3 * SB_JOINTS)
#define W_CRB SB_POSES
#define W_CVEL SB_POSES
#define W_CACC (SB_POSES + 6 * SB_BODIES)
#define W_CFRC (SB_POSES + 12 * SB_BODIES)
#define W_CINERT (SB_POSES + SB_POSE_KEPT)
#define W_CDOF (SB_POSES + SB_POSE_KEPT + 10 * SB_BODIES)
#define W_COM (SB_POSES + SB_POSE_KEPT + 10 * SB_BODIES + 6 * SB_NV)
#endif

#include "sb_kinematics.h"

SB_DEV void sb_pose_world(SB_WORLD) {
  if (SB_DRIVES) {
    sb_drive(SB_W, S_MOTOR + (sb_long)SB_HERE * SB_AXES * MO_SIZE, S_PLACE + (sb_long)SB_HERE * 7 * SB_MOVERS, 1);
  }
  sb_make_poses(SB_W, W_QPOS);
#ifdef SB_POSES_SHARED
  if (!SB_FEW_POSES) {
    sb_hand_on(sb_far_xpos(SB_W), W_XPOS, 3 * SB_BODIES);
    sb_hand_on(sb_far_xquat(SB_W), W_XQUAT, 4 * SB_BODIES);
    sb_hand_on(sb_far_xmat(SB_W), W_XMAT, 9 * SB_BODIES);
    sb_hand_on(sb_far_xipos(SB_W), W_XIPOS, 3 * SB_BODIES);
    sb_hand_on(sb_far_cinert(SB_W), W_CINERT, 10 * SB_BODIES);
    SB_SYNC();
  }
  sb_hand_on(sb_far_cdof(SB_W), W_CDOF, 6 * SB_NV);
  sb_hand_on(sb_far_com(SB_W), W_COM, 3 * SB_TREES);
#endif
  sb_make_mass(SB_W);
  sb_make_bias(SB_W, W_QVEL, W_BIAS);
#ifdef SB_POSES_SHARED
  if (!SB_FEW_POSES) sb_hand_on(sb_far_cvel(SB_W), W_CVEL, 6 * SB_BODIES);
#endif
}
}  // namespace sb_pose

#endif  // SB_POSE_H_
