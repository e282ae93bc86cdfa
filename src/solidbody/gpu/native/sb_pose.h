// What goes ahead of a step on a GPU: poses, the mass matrix and bias forces at the velocities of now, by small teams.
//
// The levels of a tree are a few bodies wide, so that a warp works on several worlds. The code is that of
// sb_kinematics.h, compiled once more for teams of another size.
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

namespace sb_pose {
#include "sb_kinematics.h"

SB_DEV void sb_pose_world(SB_WORLD) {
  sb_make_poses(SB_W, W_QPOS);
  sb_make_mass(SB_W);
  sb_make_bias(SB_W, W_QVEL, W_BIAS);
}
}  // namespace sb_pose

#endif  // SB_POSE_H_
