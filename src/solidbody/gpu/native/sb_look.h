// What batches read of a world between steps, and what they tell its motors: items that each have a place in an array
// of all worlds.
#ifndef SB_LOOK_H_
#define SB_LOOK_H_

// Kinds of items. The sensors are those of contact/native/base/sb_sensors.c.
enum { SB_LOOK_QPOS, SB_LOOK_QVEL, SB_LOOK_MOTOR, SB_LOOK_FORCE, SB_LOOK_POSE, SB_LOOK_TWIST, SB_LOOK_COM,
       SB_LOOK_ACCELERATION, SB_LOOK_TURN, SB_LOOK_BOTH, SB_LOOK_ATTITUDE, SB_LOOK_DIRECTION, SB_LOOK_PLACE,
       SB_LOOK_HEIGHT, SB_LOOK_SPEED, SB_LOOK_VELOCITY, SB_LOOK_DISTANCE, SB_LOOK_TOUCH, SB_LOOK_RAW };
// Where: a column, or a body (-1: it stands still); rays, the group that they do not meet, SB_IS_SONAR ...; rows of the
// look-up table; components that are left out, a bit each; how many numbers look-up table and steps are for; the
// device whose noise it has.
enum {
  IT_KIND, IT_WHERE, IT_FIRST, IT_COUNT, IT_SKIP, IT_FLAGS, IT_CURVE, IT_CURVE_ROWS, IT_HIDDEN, IT_WIDTH, IT_DEVICE,
  IT_SIZE
};
// Pose in the body's frame, of still ones in the world; reach of rays; step of readings, NaN: none; noise.
enum { IR_POS, IR_QUAT = 3, IR_EXTRA = 7, IR_OFFSET = 10, IR_REACH, IR_STEP, IR_NOISE, IR_SIZE };

#include "sb_sight.h"

typedef struct SbItems {
  int count;
  const int* ints;            // IT_SIZE per item
  const double* reals;        // IR_SIZE per item
  double* const* array;       // of each item: its first number in world 0
  const int* stride;          // numbers from one world to the next
  double* memory;             // 3 per world and item: velocity at the last reading
  double elapsed;             // since then; 0: nothing was accelerated
  const uint64_t* key;        // of the noise of each world
  int64_t* clock;             // steps of each world since its start
  int64_t steps;              // since the last reading
  const double* raw;          // of each world: what sensors have seen (render/world_sense_kernels.py)
  int64_t raw_width;
  SbSight sight;
} SbItems;

// From true values to readings.
SB_DEV void sb_finish(const SbItems* items, int k, double* value, SbNoise* noise) {
  const int* item = items->ints + IT_SIZE * k;
  const double *curve = items->sight.curves + 3 * item[IT_CURVE], none = items->reals[IR_SIZE * k + IR_STEP];
  int rows = item[IT_CURVE_ROWS], has_noise = 0;
  for (int i = 0; i < rows; i++) has_noise |= curve[3 * i + 2] != 0;
  for (int i = 0; i < item[IT_WIDTH]; i++) {
    double x = value[i];
    if (rows) value[i] = sb_through(curve, curve + 1, 3, rows, x);
    if (has_noise) value[i] *= 1 + sb_through(curve, curve + 2, 3, rows, x) * sb_normal(noise);
    value[i] = sb_rounded(value[i], none);
    if (item[IT_HIDDEN] >> i & 1) value[i] = INFINITY - INFINITY;
  }
}

// Turns an attitude by three small Euler angles.
SB_DEV void sb_shake(double noise_size, double q[4], SbNoise* noise) {
  double part[3][4], zy[4], all[4];
  for (int k = 0; k < 3; k++) {
    double half = 0.5 * noise_size * sb_normal(noise);
    sb_zero(part[k], 4);
    part[k][0] = cos(half);
    part[k][1 + k] = sin(half);
  }
  sb_mul_quat(zy, part[2], part[1]);
  sb_mul_quat(all, zy, part[0]);
  sb_mul_quat(q, q, all);
}

// Axes of an attitude that are left out.
SB_DEV void sb_hide_axes(int hidden, double q[4]) {
  double axis[3], whole = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 3; i++) axis[i] = hidden >> i & 1 ? 0 : q[1 + i];
  double length = sqrt(sb_dot(axis, axis));
  q[0] = length > 0 ? q[0] : 1;
  for (int i = 0; i < 3; i++) q[1 + i] = length > 0 ? axis[i] / length * whole : 0;
}

SB_DEV void sb_look_at(SB_WORLD, int w, const SbItems* items, int k, const double* motor, const double* force) {
  int kind = items->ints[IT_SIZE * k], where = items->ints[IT_SIZE * k + 1];
  const double* real = items->reals + IR_SIZE * k;
  double *out = items->array[k] + (sb_long)w * items->stride[k], p[3], q[4], v[3], spin[3] = {0, 0, 0}, back[4];
  SbNoise noise = {0, 0, items->ints[IT_SIZE * k + IT_DEVICE], 0};
  if (items->key) {
    noise.key = items->key[w];
    noise.step = items->clock[w];
  }
  if (kind == SB_LOOK_QPOS) {
    out[0] = W_QPOS[where];
    if (real[IR_NOISE] > 0) out[0] += real[IR_NOISE] * sb_normal(&noise);
    sb_finish(items, k, out, &noise);
    return;
  }
  if (kind == SB_LOOK_RAW) {
    const int* item = items->ints + IT_SIZE * k;
    out[0] = item[IT_COUNT] ? items->raw[w * items->raw_width + item[IT_FIRST]] : 0;
    if (item[IT_COUNT]) sb_finish(items, k, out, &noise);
    return;
  }
  if (kind == SB_LOOK_QVEL) { out[0] = W_QVEL[where]; return; }
  if (kind == SB_LOOK_MOTOR) {
    out[0] = motor[where];
    sb_finish(items, k, out, &noise);
    return;
  }
  if (kind == SB_LOOK_TOUCH) {
    const int* item = items->ints + IT_SIZE * k;
    if (!(items->elapsed > 0) || !S_ACTIVE[w] || S_FAILED[w]) return;
    int touched = 0;
    for (int i = item[IT_FIRST]; i < item[IT_FIRST] + item[IT_COUNT]; i++) {
      touched |= S_TOUCH[(sb_long)w * SB_GEOMS + items->sight.felt_geoms[i]] != 0;
    }
    for (int i = 0; i < 3; i++) out[i] = touched;
    return;
  }
  if (kind == SB_LOOK_FORCE) {
    for (int i = 0; i < 3; i++) out[i] = where < 0 ? 0 : force[3 * where + i];
    return;
  }
  if (where < 0) {
    sb_copy(p, real + IR_POS, 3);
    sb_copy(q, real + IR_QUAT, 4);
  } else {
    sb_turn(W_XMAT + 9 * where, real + IR_POS, p);
    for (int i = 0; i < 3; i++) p[i] += W_XPOS[3 * where + i];
    sb_mul_quat(q, W_XQUAT + 4 * where, real + IR_QUAT);
    sb_copy(spin, W_CVEL + 6 * where, 3);
  }
  sb_velocity_at_point(SB_W, where, p, v);
  sb_conjugate(back, q);
  if (kind == SB_LOOK_POSE) {
    sb_copy(out, p, 3);
    sb_copy(out + 3, q, 4);
  } else if (kind == SB_LOOK_TWIST) {
    sb_copy(out, v, 3);
    sb_copy(out + 3, spin, 3);
  } else if (kind == SB_LOOK_COM) {
    sb_copy(out, where < 0 ? p : W_XIPOS + 3 * where, 3);
  } else if (kind == SB_LOOK_ACCELERATION || kind == SB_LOOK_BOTH) {
    double change[3], *last = items->memory + 3 * ((sb_long)w * items->count + k);
    for (int i = 0; i < 3; i++) {
      change[i] = (items->elapsed > 0 ? (v[i] - last[i]) / items->elapsed : 0) - real[IR_EXTRA + i];
      last[i] = v[i];
    }
    sb_rotate_by(out, change, back);
    if (kind == SB_LOOK_BOTH) sb_rotate_by(out + 3, spin, back);
  } else if (kind == SB_LOOK_TURN) {
    sb_rotate_by(out, spin, back);
  } else if (kind == SB_LOOK_ATTITUDE) {
    if (real[IR_NOISE] > 0) sb_shake(real[IR_NOISE], q, &noise);
    if (items->ints[IT_SIZE * k + IT_HIDDEN]) sb_hide_axes(items->ints[IT_SIZE * k + IT_HIDDEN], q);
    sb_copy(out, q + 1, 3);
    out[3] = q[0];
    for (int i = 0; i < 4; i++) out[i] = sb_rounded(out[i], real[IR_STEP]);
    return;
  } else if (kind == SB_LOOK_DISTANCE) {
    const int* item = items->ints + IT_SIZE * k;
    out[0] = sb_distance(SB_W, &items->sight, item, real[IR_REACH], p, q);
    if (!item[IT_COUNT]) return;
  } else if (kind == SB_LOOK_DIRECTION) {
    sb_rotate_by(out, real + IR_EXTRA, back);
  } else if (kind == SB_LOOK_PLACE) {
    for (int i = 0; i < 3; i++) out[i] = p[i] + real[IR_EXTRA + i];
  } else if (kind == SB_LOOK_HEIGHT) {
    out[0] = sb_dot(p, real + IR_EXTRA) + real[IR_OFFSET];
    if (real[IR_NOISE] > 0) out[0] += real[IR_NOISE] * sb_normal(&noise);
  } else if (kind == SB_LOOK_SPEED) {
    out[0] = sqrt(sb_dot(v, v));
    if (real[IR_NOISE] > 0) out[0] *= 1 + real[IR_NOISE] * sb_normal(&noise);
  } else {
    sb_copy(out, v, 3);
  }
  sb_finish(items, k, out, &noise);
}

SB_DEV void sb_look_world(SB_WORLD, int w, const SbItems* items) {
  SB_ENTER(w);
  if (items->key && items->steps && SB_LANE == 0 && S_ACTIVE[w] && !S_FAILED[w]) items->clock[w] += items->steps;
  SB_EACH(i, SB_NQ) W_QPOS[i] = S_QPOS[(sb_long)w * SB_NQ + i];
  SB_EACH(i, SB_NV) W_QVEL[i] = S_QVEL[(sb_long)w * SB_NV + i];
  SB_SYNC();
  if (SB_DRIVES) {
    sb_drive(SB_W, S_MOTOR + (sb_long)w * SB_AXES * MO_SIZE, S_PLACE + (sb_long)w * 7 * SB_MOVERS, 0);
  }
  sb_make_poses(SB_W, W_QPOS);
  sb_make_velocities(SB_W, W_QVEL, 0);
  const double *motor = S_MOTOR + (sb_long)w * SB_AXES * MO_SIZE, *force = S_FORCE + (sb_long)w * SB_BODIES * 3;
  SB_EACH(k, items->count) sb_look_at(SB_W, w, items, k, motor, force);
  if (!items->sight.felt || !(items->elapsed > 0) || !S_ACTIVE[w] || S_FAILED[w]) return;
  SB_SYNC();
  SB_EACH(g, SB_GEOMS) S_TOUCH[(sb_long)w * SB_GEOMS + g] = 0;
}

// What bumpers have touched since they were read last: contacts of the present poses (sb_batch_look_ahead.c).
SB_DEV void sb_feel_world(SB_WORLD, int w, const SbItems* items) {
  if (S_FAILED[w] || !S_ACTIVE[w]) return;
  signed char* touch = S_TOUCH + (sb_long)w * SB_GEOMS;
  SB_ENTER(w);
  SB_EACH(i, SB_NQ) W_QPOS[i] = S_QPOS[(sb_long)w * SB_NQ + i];
  SB_EACH(i, SB_TREES * 2) W_REST[i] = S_REST[(sb_long)w * SB_TREES * 2 + i];
  SB_SYNC();
  if (SB_DRIVES) {
    sb_drive(SB_W, S_MOTOR + (sb_long)w * SB_AXES * MO_SIZE, S_PLACE + (sb_long)w * 7 * SB_MOVERS, 0);
  }
  sb_make_poses(SB_W, W_QPOS);
  SB_EACH(pair, SB_PAIRS) {
    int g0 = M_PAIR_GEOMS[2 * pair], g1 = M_PAIR_GEOMS[2 * pair + 1];
    if (!items->sight.felt[g0] && !items->sight.felt[g1]) continue;
    if (!sb_near(SB_W, g0, g1) || (SB_SLEEPS && sb_rests(SB_W, g0) && sb_rests(SB_W, g1))) continue;
    SbHits hits;
    hits.count = 0;
    sb_collide_pair(SB_W, g0, g1, &hits);
    if (!hits.count) continue;
    sb_choose_points(SB_W, M_PAIR_SURFACE[2 * pair], 0, &hits);
    if (hits.count) touch[g0] = touch[g1] = 1;
  }
#ifndef SB_NO_GROUND
  SB_EACH(k, SB_GROUND_PAIRS) {
    const int* pair = M_GROUND_PAIR + GP_SIZE * k;
    int g0 = pair[GP_GEOM0], g1 = pair[GP_GEOM1];
    if (!items->sight.felt[g0] && !items->sight.felt[g1]) continue;
    if (SB_SLEEPS && sb_rests(SB_W, g0) && sb_rests(SB_W, g1)) continue;
    if (sb_ground::sb_touches_ground(SB_W, pair)) touch[g0] = touch[g1] = 1;
  }
#endif
}

// Fields of a command: greatest speed, lowest and highest position, multiplier, trees that it wakes.
enum { TL_SPEED, TL_LOW, TL_HIGH, TL_MULTIPLIER, TL_TREES, TL_END = TL_TREES + 2 };

// Commands of bound arrays; the kind of an item is the mode of its motor. As sb_batch_commands.c.
SB_DEV void sb_tell_world(SB_WORLD, int w, const SbItems* items) {
  SB_EACH(k, items->count) {
    int mode = items->ints[IT_SIZE * k], axis = items->ints[IT_SIZE * k + 1], wakes = 1;
    double* told = S_COMMAND + ((sb_long)w * SB_AXES + axis) * CM_SIZE;
    const double* limit = items->reals + IR_SIZE * k;
    double value = items->array[k][(sb_long)w * items->stride[k]] * limit[TL_MULTIPLIER];
    if (!(value - value == 0)) {
      S_FAILED[w] = 1;
      continue;
    }
    if (mode == SB_MOTOR_VELOCITY) {
      told[CM_VELOCITY] = sb_clamp(value, limit[TL_SPEED]);
    } else if (mode == SB_MOTOR_POSITION) {
      double goal = sb_max(limit[TL_LOW], sb_min(value, limit[TL_HIGH]));
      int is_new = told[CM_MODE] != SB_MOTOR_POSITION;
      wakes = is_new || told[CM_POSITION] != goal;
      if (is_new) told[CM_VELOCITY] = limit[TL_SPEED];
      told[CM_POSITION] = goal;
    } else {
      told[CM_EFFORT] = value;
    }
    told[CM_MODE] = mode;
    for (int i = TL_TREES; wakes && i < TL_END; i++) {
      if (limit[i] < 0) continue;
      double* rest = S_REST + ((sb_long)w * SB_TREES + (int)limit[i]) * 2;
      rest[0] = 0;
      rest[1] = SB_RESTLESS;
    }
  }
}

#endif  // SB_LOOK_H_
