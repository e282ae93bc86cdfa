// One step of one world by a team of lanes, compiled by Warp for a GPU or for the processor.
//
// `base/sb_law.h` and `collision/sb_colliders.c` are those of the native step. Names that begin with M_ are tables of the
// model, W_ working memory of the world, SB_ counts and constants: `gpu/layout.py` writes them, for a GPU as numbers,
// so that loops unroll, for the processor as fields, so that one compilation serves all models.
#ifndef SB_STEP_WORLD_H_
#define SB_STEP_WORLD_H_

#define SB_NO_LIBC
#define SB_PI 3.14159265358979323846
// What functions are given. On a GPU the world is that of the block, its solver works in shared memory.
#ifdef SB_CUDA
#define SB_HERE ((int)blockIdx.x)
#define SB_WORLD const SbModel* m
#define SB_W m
#else
#define SB_WORLD const SbModel *m, double *ws
#define SB_W m, ws
#endif
// Before anything is read of a world: tables may be its own (`layout.VARIED`).
#ifdef SB_CUDA
#define SB_ENTER(w)
#else
#define SB_ENTER(w) W_HEAD[1] = (w)
#endif
#ifdef SB_SHARED
__shared__ SB_ALIGNED double ws[SB_SHARED];
#endif
#define SB_LOCAL SB_DEV
#define SB_OPEN SB_BIG
#ifdef SB_CUDA
#define SB_TABLE static __constant__ const
#else
#define SB_TABLE static const
#define memcpy __builtin_memcpy
#endif

#include "base/sb_law.h"
#include "base/sb_rays.h"
#include "batch/sb_noise.h"
#include "collision/sb_colliders.c"
#include "sb_fields.h"
#include "sb_algebra.h"
// in a namespace of their own: sb_pose.h has them once more
namespace sb_step {
#include "sb_kinematics.h"
}
using namespace sb_step;
#include "sb_pairs.h"
#ifndef SB_NO_GROUND
#include "sb_ground.h"
#endif
#include "sb_contacts.h"
#include "sb_solver.h"
#include "sb_rows.h"
#include "sb_integrate.h"

// ---------------------------------------------------------------- sleeping: see sb_sleep.c

SB_DEV int sb_all_rest(SB_WORLD) {
  int moves = 0;
  SB_EACH(t, SB_TREES) moves |= W_REST[2 * t + 1] != SB_ASLEEP;
  SB_EACH(i, SB_NV) moves |= W_QVEL[i] != 0;
  if (SB_TRACKS || SB_DRIVES) {
    SB_EACH(k, SB_AXES) {
      moves |= M_AXIS_INT[AI_SIZE * k + AI_KIND] > SB_AXIS_LOOP && W_COMMAND[CM_SIZE * k + CM_MODE] != SB_MOTOR_NONE;
    }
  }
  moves |= SB_MOVERS > 0;
  return SB_TREES > 0 && !sb_team_any(moves);
}

SB_DEV void sb_fall_asleep(SB_WORLD) {
  SB_EACH(t, SB_TREES) {
    if (W_REST[2 * t + 1] != SB_READY) continue;
    W_REST[2 * t + 1] = SB_ASLEEP;
    for (int i = M_TREE_DOF[t]; i < M_TREE_DOF[t + 1]; i++) W_QVEL[i] = W_QACC[i] = 0;
  }
  SB_SYNC();
}

// Wakes sleepers that something awake touches or holds; returns whether there were any.
SB_DEV int sb_wake_touched(SB_WORLD, int contacts) {
  int woke = 0;
  if (SB_LANE == 0) {
    for (int k = 0; k < contacts + SB_LOOPS; k++) {
      int one, two;
      if (SB_DRIVES && k < contacts) {
        // what no force moves wakes what it touches while it moves
        for (int side = 0; side < 2; side++) {
          int g = W_CONTACT_INT[K_SIZE * k + K_GEOM0 + side], tree = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM1 - side]];
          if (M_GEOM_TREE[g] >= 0 || sb_rests(SB_W, g) || tree < 0 || W_REST[2 * tree + 1] != SB_ASLEEP) continue;
          W_REST[2 * tree] = 0;
          W_REST[2 * tree + 1] = SB_RESTLESS;
          woke = 1;
        }
      }
      if (k < contacts) {
        one = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM0]];
        two = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM1]];
      } else {
        int b0 = M_LOOP_INT[LI_SIZE * (k - contacts) + LI_BODY], b1 = M_LOOP_INT[LI_SIZE * (k - contacts) + LI_BODY + 1];
        one = b0 < 0 ? -1 : M_BODY_TREE[b0];
        two = b1 < 0 ? -1 : M_BODY_TREE[b1];
      }
      if (one < 0 || two < 0) continue;
      int sleeps0 = W_REST[2 * one + 1] == SB_ASLEEP, sleeps1 = W_REST[2 * two + 1] == SB_ASLEEP;
      if (sleeps0 == sleeps1) continue;
      int tree = sleeps0 ? one : two;
      W_REST[2 * tree] = 0;
      W_REST[2 * tree + 1] = SB_RESTLESS;
      woke = 1;
    }
  }
  SB_SYNC();
  return sb_team_any(woke);
}

SB_DEV int sb_is_idle(SB_WORLD, int t) {
  for (int k = M_TREE_BODY[t]; k < M_TREE_BODY[t + 1]; k++) {
    int b = M_TREE_BODIES[k];
    double v[3];
    const double* w = W_CVEL + 6 * b;
    if (sb_dot(w, w) > SB_SLEEP_ANGULAR * SB_SLEEP_ANGULAR) return 0;
    sb_velocity_at_point(SB_W, b, W_XIPOS + 3 * b, v);
    if (sb_dot(v, v) > SB_SLEEP_LINEAR * SB_SLEEP_LINEAR) return 0;
  }
  return 1;
}

SB_DEV void sb_count_idle(SB_WORLD, int contacts) {
  SB_EACH(t, SB_TREES) {
    double* rest = W_REST + 2 * t;
    W_ISLAND[t] = t;
    if (rest[1] == SB_ASLEEP) continue;
    rest[0] = !M_TREE_AWAKE[t] && sb_is_idle(SB_W, t) ? rest[0] + SB_H : 0;
    rest[1] = rest[0] > SB_SLEEP_TIME - 0.5 * SB_H ? SB_READY : SB_RESTLESS;
  }
  SB_SYNC();
  if (SB_LANE == 0) {
    // trees that rows tie together sleep together
    int changed = 1;
    while (changed) {
      changed = 0;
      for (int k = 0; k < contacts + SB_LOOPS; k++) {
        int one, two;
        if (k < contacts) {
          one = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM0]];
          two = M_GEOM_TREE[W_CONTACT_INT[K_SIZE * k + K_GEOM1]];
        } else {
          int b0 = M_LOOP_INT[LI_SIZE * (k - contacts) + LI_BODY], b1 = M_LOOP_INT[LI_SIZE * (k - contacts) + LI_BODY + 1];
          one = b0 < 0 ? -1 : M_BODY_TREE[b0];
          two = b1 < 0 ? -1 : M_BODY_TREE[b1];
        }
        if (one < 0 || two < 0 || W_REST[2 * one + 1] == W_REST[2 * two + 1]) continue;
        if (W_REST[2 * one + 1] == SB_ASLEEP || W_REST[2 * two + 1] == SB_ASLEEP) continue;
        W_REST[2 * one + 1] = W_REST[2 * two + 1] = SB_RESTLESS;
        changed = 1;
      }
    }
  }
  SB_SYNC();
}

// ---------------------------------------------------------------- memory of sides

// A row whose bounds are equal carries nothing; a side without a bound is none.
SB_DEV int sb_possible_side(SB_WORLD, int r, int side) {
  if (!(W_HI[r] > W_LO[r])) return SB_DOWN;
  if ((side == SB_UP && !(W_HI[r] < INFINITY)) || (side == SB_DOWN && !(W_LO[r] > -INFINITY))) return SB_FREE;
  return side;
}

#define SB_MOST_DIM 6
#define SB_AT_ONCE 4

// Sides of the last step: of rows that are always there by number, of contacts by key. What is read of the card's memory
// is read before anything is written: it is waited for together.
SB_DEV void sb_recall(SB_WORLD, const signed char* sides, const int* keys, int contacts, int phase) {
  int known = keys[0], fixed = SB_UNITS + SB_FIXED;
  const signed char* mine = sides + phase * (fixed + SB_MAX_DENSE);
  SB_ROLLED
  for (int first = SB_LANE; first < fixed; first += SB_AT_ONCE * SB_TEAM) {
    int side[SB_AT_ONCE];
    SB_UNROLL
    for (int i = 0; i < SB_AT_ONCE; i++) {
      int r = first + i * SB_TEAM;
      side[i] = known < 0 || r >= fixed ? SB_FREE : mine[r];
    }
    SB_UNROLL
    for (int i = 0; i < SB_AT_ONCE; i++) {
      int r = first + i * SB_TEAM;
      if (r < fixed) W_SIDE[r] = (unsigned char)sb_possible_side(SB_W, r, side[i]);
    }
  }
  SB_EACH(k, contacts) {
    const int* con = W_CONTACT_INT + K_SIZE * k;
    int found = -1, key = con[K_KEY], row = con[K_ROW], dim = con[K_DIM], side[SB_MOST_DIM];
    for (int i = 0; i < known; i++) {
      if (keys[1 + 2 * i] == key) found = keys[2 + 2 * i];
    }
    SB_UNROLL
    for (int j = 0; j < SB_MOST_DIM; j++) side[j] = found < 0 || j >= dim ? SB_FREE : mine[fixed + found + j];
    SB_UNROLL
    for (int j = 0; j < SB_MOST_DIM; j++) {
      int r = SB_UNITS + row + j;
      if (row >= 0 && j < dim) W_SIDE[r] = (unsigned char)sb_possible_side(SB_W, r, side[j]);
    }
  }
  SB_SYNC();
}

SB_DEV void sb_remember(SB_WORLD, signed char* sides, int rows, int phase) {
  signed char* mine = sides + phase * (SB_UNITS + SB_FIXED + SB_MAX_DENSE);
  // dense rows of contacts follow the fixed ones without a gap
  SB_EACH(r, rows) mine[r] = (signed char)W_SIDE[r];
}

SB_DEV void sb_remember_keys(SB_WORLD, int* keys, int contacts) {
  SB_EACH(k, contacts) {
    keys[1 + 2 * k] = W_CONTACT_INT[K_SIZE * k + K_ROW] < 0 ? -1 : W_CONTACT_INT[K_SIZE * k + K_KEY];
    keys[2 + 2 * k] = W_CONTACT_INT[K_SIZE * k + K_ROW] - SB_FIXED;
  }
  if (SB_LANE == 0) keys[0] = contacts;
}

// ---------------------------------------------------------------- what a step tells

SB_DEV void sb_note_efforts(SB_WORLD) {
  SB_EACH(k, SB_AXES) {
    const int* axis = M_AXIS_INT + AI_SIZE * k;
    double* motor = W_MOTOR + MO_SIZE * k;
    if (axis[AI_KIND] > SB_AXIS_LOOP) continue;
    if (SB_SLEEPS && axis[AI_TREE] >= 0 && W_REST[2 * axis[AI_TREE] + 1] == SB_ASLEEP) continue;
    int unit = axis[AI_KIND] == SB_AXIS_JOINT, row = unit ? 3 * axis[AI_DOF] : SB_UNITS + axis[AI_ROW];
    int low = row + (unit ? 1 : 2);
    double effort = motor[MO_EFFORT], reaction;
    if (W_STIFF[row] > 0) effort += W_P[row] / SB_H;
    reaction = effort;
    for (int i = low; i < low + 2; i++) {
      if (W_STIFF[i] > 0) reaction += W_P[i] / SB_H;
    }
    motor[MO_EFFORT] = effort;
    motor[MO_REACTION] = reaction;
  }
  SB_SYNC();
}

// Sum of the contact forces on each body, world: a lane has a body, and a contact that it shows to the others.
SB_DEV void sb_sum_forces(SB_WORLD, double* out, int contacts) {
  SB_ROLLED
  for (int base = 0; base < SB_BODIES; base += SB_TEAM) {
    int b = base + SB_LANE;
    double sum[3] = {0, 0, 0};
    SB_ROLLED
    for (int first = 0; first < contacts; first += SB_TEAM) {
      int k = first + SB_LANE, b0 = -1, b1 = -1;
      double f[3] = {0, 0, 0};
      if (k < contacts && W_CONTACT_INT[K_SIZE * k + K_ROW] >= 0) {
        const int* con_int = W_CONTACT_INT + K_SIZE * k;
        const double *con = W_CONTACT + C_SIZE * k, *p = W_P + SB_UNITS + con_int[K_ROW];
        b0 = M_GEOM_BODY[con_int[K_GEOM0]];
        b1 = M_GEOM_BODY[con_int[K_GEOM1]];
        for (int i = 0; i < 3; i++) {
          f[i] = con[C_NORMAL + i] * p[0];
          if (con_int[K_DIM] > 1) f[i] += con[C_T1 + i] * p[1] + con[C_T2 + i] * p[2];
        }
      }
      SB_ROLLED
      for (int c = 0; c < SB_TEAM && first + c < contacts; c++) {
        int sign = (sb_team_int_from(b1, c) == b) - (sb_team_int_from(b0, c) == b);
        for (int i = 0; i < 3; i++) {
          double its = sb_team_from(f[i], c);
          if (sign) sum[i] += sign * its / SB_H;
        }
      }
    }
    if (b < SB_BODIES) sb_copy(out + 3 * b, sum, 3);
  }
}

// ---------------------------------------------------------------- the step

// Until the forces that do not depend on rows are known; W_HEAD: the number of contacts, -1 if everything rests.
SB_DEV void sb_begin_world(SB_WORLD, int w) {
  if (S_FAILED[w] || !S_ACTIVE[w]) return;
  SB_ENTER(w);
  const double *qpos = S_QPOS + (sb_long)w * SB_NQ, *qvel = S_QVEL + (sb_long)w * SB_NV;
  const double *qacc = S_QACC + (sb_long)w * SB_NV, *motor = S_MOTOR + (sb_long)w * SB_AXES * MO_SIZE;
  const double* rest = S_REST + (sb_long)w * SB_TREES * 2;
  const int* stat = S_STAT + (sb_long)w * ST_SIZE;
  int contacts = -1;
  sb_expect(W_GPOS, 24 * SB_GEOMS);
  sb_expect(W_GMAT, 72 * SB_GEOMS);
  SB_EACH(i, SB_NQ) W_QPOS[i] = qpos[i];
  SB_EACH(i, SB_NV) {
    W_QVEL[i] = qvel[i];
    W_QACC[i] = qacc[i];
  }
  SB_EACH(i, SB_AXES * MO_SIZE) W_MOTOR[i] = motor[i];
  SB_EACH(i, SB_TREES * 2) W_REST[i] = rest[i];
  SB_EACH(i, ST_SIZE) W_STAT[i] = stat[i];
  SB_SYNC();
  if (!(SB_SLEEPS && sb_all_rest(SB_W))) {
    sb_command_tracks(SB_W, 1);
#ifdef SB_CUDA
    // from sb_pose_world
    if (SB_MIDDLE_CORIOLIS) SB_EACH(e, SB_NV * SB_NVS) W_M[e] = W_MASS[e];
#else
    if (SB_DRIVES) sb_drive(SB_W, W_MOTOR, S_PLACE + (sb_long)w * 7 * SB_MOVERS, 1);
    sb_make_poses(SB_W, W_QPOS);
    sb_make_mass(SB_W);
    if (SB_GROUND_PAIRS) sb_ground::sb_meet_all(SB_W);
#endif
#ifndef SB_NO_GROUND
    if (SB_GROUND_PAIRS && SB_LANE == 0) {
      W_STAT[ST_LOST] += W_MET_INT[MT_LOST];
      W_STAT[ST_DROPPED] += W_MET_INT[MT_DROPPED];
    }
#endif
    if (SB_DRIVES) {
      SB_EACH(k, SB_AXES) {
        if (M_AXIS_INT[AI_SIZE * k + AI_KIND] < SB_AXIS_KINEMATIC) continue;
        W_MOTOR[MO_SIZE * k + MO_VELOCITY] = W_DRIVE[DV_SIZE * k + DV_SPEED];
        W_MOTOR[MO_SIZE * k + MO_POSITION] = W_DRIVE[DV_SIZE * k + DV_POSITION];
      }
      SB_SYNC();
    }
    if (SB_SLEEPS) sb_fall_asleep(SB_W);
    do {
      contacts = sb_find_contacts(SB_W);
    } while (SB_SLEEPS && sb_wake_touched(SB_W, contacts));
    sb_command_tracks(SB_W, 0);
    sb_mark_trees(SB_W, contacts);
    sb_center_coriolis(SB_W);
    if (SB_SLEEPS) sb_count_idle(SB_W, contacts);
    sb_note_momenta(SB_W);
    SB_EACH(i, SB_NV) W_Q[i] = sb_sleeps(SB_W, M_DOF_TREE[i]) ? 0 : -SB_H * W_BIAS[i];
    SB_SYNC();
    if (SB_PROPELLERS) sb_apply_thrust(SB_W);
    sb_apply_gyro(SB_W);
  }
  if (SB_LANE == 0) W_HEAD[0] = contacts;
  SB_SYNC();
}

// Rows, both phases, the new state.
SB_DEV void sb_end_world(SB_WORLD, int w) {
  if (S_FAILED[w] || !S_ACTIVE[w]) return;
  signed char* sides = S_SIDES + (sb_long)w * 2 * (SB_UNITS + SB_FIXED + SB_MAX_DENSE);
  int* keys = S_KEYS + (sb_long)w * (1 + 2 * SB_MAX_CONTACTS);
  int contacts = W_HEAD[0];
  if (contacts >= 0) {
#ifdef SB_CUDA
    sb_expect(W_CONTACT, 8 * C_SIZE * SB_MAX_CONTACTS);
    sb_expect(W_CONTACT_INT, 4 * K_SIZE * SB_MAX_CONTACTS);
    sb_expect(W_CDOF, 48 * SB_NV);
    sb_expect(W_QVEL, 8 * SB_NV);
    sb_expect(W_Q, 8 * SB_NV);
    sb_expect(W_QPOS, 8 * SB_NQ);
    sb_expect(W_MOTOR, 8 * MO_SIZE * SB_AXES);
    sb_expect(W_COMMAND, 8 * CM_SIZE * SB_AXES);
    sb_expect(sides, 2 * (SB_UNITS + SB_FIXED + SB_MAX_DENSE));
    sb_expect(keys, 4 * (1 + 2 * SB_MAX_CONTACTS));
    sb_fetch(W_M, W_MASS, (SB_NV * SB_NVS + 1) / 2);
#endif
    SB_EACH(i, 3 * SB_FIXED) W_SPEC_INT[i] = 0;
    SB_EACH(i, SB_UNITS + SB_MAX_DENSE) W_STIFF[i] = 0;
    SB_SYNC();
    sb_read_axes(SB_W);
    sb_command_motors(SB_W);
    int rows = sb_make_rows(SB_W, contacts);

    sb_recall(SB_W, sides, keys, contacts, 0);
    int pivots = sb_solve_phase(SB_W, rows), unsolved = pivots < 0, more = 0;
    sb_remember(SB_W, sides, rows, 0);
    if (sb_bound_friction(SB_W, contacts)) {
      sb_recall(SB_W, sides, keys, contacts, 1);
      more = sb_solve_phase(SB_W, rows);
      unsolved |= more < 0;
    }
    sb_remember(SB_W, sides, rows, 1);
    sb_remember_keys(SB_W, keys, contacts);
    sb_note_efforts(SB_W);
    sb_sum_forces(SB_W, S_FORCE + (sb_long)w * SB_BODIES * 3, contacts);
    if (SB_LANE == 0) {
      W_STAT[ST_PIVOTS] = (pivots < 0 ? -pivots : pivots) + (more < 0 ? -more : more);
      W_STAT[ST_UNSOLVED] += unsolved;
      W_STAT[ST_CONTACTS] = contacts;
    }
    SB_SYNC();
    sb_move(SB_W);
  }

  // a world that is no longer finite stays as it was
  double sum = 0;
  SB_EACH(i, SB_NQ) sum += W_QPOS[i] * 0;
  SB_EACH(i, SB_NV) sum += W_QVEL[i] * 0;
  if (sb_team_any(!(sum == 0))) {
    if (SB_LANE == 0) S_FAILED[w] = 1;
    return;
  }
  double *qpos = S_QPOS + (sb_long)w * SB_NQ, *qvel = S_QVEL + (sb_long)w * SB_NV, *qacc = S_QACC + (sb_long)w * SB_NV;
  double *motor = S_MOTOR + (sb_long)w * SB_AXES * MO_SIZE, *rest = S_REST + (sb_long)w * SB_TREES * 2;
  int* stat = S_STAT + (sb_long)w * ST_SIZE;
  SB_EACH(i, SB_NQ) qpos[i] = W_QPOS[i];
  SB_EACH(i, SB_NV) {
    qvel[i] = W_QVEL[i];
    qacc[i] = W_QACC[i];
  }
  SB_EACH(i, SB_AXES * MO_SIZE) motor[i] = W_MOTOR[i];
  SB_EACH(i, SB_TREES * 2) rest[i] = W_REST[i];
  if (contacts >= 0) SB_EACH(i, 7 * SB_MOVERS) S_PLACE[(sb_long)w * 7 * SB_MOVERS + i] = W_PLACE[i];
  if (SB_LANE == 0) W_STAT[ST_STEPS]++;
  SB_SYNC();
  SB_EACH(i, ST_SIZE) stat[i] = W_STAT[i];
}

// The whole step; on a GPU its halves are kernels of their own, so that warps share the code that they run.
SB_DEV void sb_step_world(SB_WORLD, int w) {
  sb_begin_world(SB_W, w);
  sb_end_world(SB_W, w);
}

#include "sb_look.h"
#ifdef SB_CUDA
#include "sb_pose.h"
#endif

#endif  // SB_STEP_WORLD_H_
