// Sensors of copies: advance to the steps in which samples matter, sample, and turn true values into readings.
//
//     steps      now . . . . . . . . . end
//     gyro           o   o   o   o   x        only the last sample is ever seen
//     accelerometer  o   o   o   v   x        and the velocity at the sample before it
//     GPS with memory x  x   x   x   x        noise that goes on needs all of them
//     bumper     x x x x x x x x x x x        feels every step
#include "batch/sb_batch_sensors.h"

#include <math.h>
#include <string.h>

#include "base/sb_rays.h"
#include "base/sb_sense.h"

static int64_t started(const SbBatch* b, int copy, int k) { return b->at.started[copy * b->at.sensor_count + k]; }
static double* memory_of(SbBatch* b, int copy, const SbSensor* sensor) {
  return b->at.memory + copy * b->at.memory_count + sensor->memory;
}
static double* value_of(SbBatch* b, int copy, const SbSensor* sensor) {
  return b->at.values + copy * b->at.value_count + sensor->value;
}

static int is_accelerating(const SbSensor* sensor) {
  return sensor->kind == SB_SENSE_ACCELERATION || sensor->kind == SB_SENSE_BOTH;
}
static int needs_forces(const SbSensor* sensor) {
  return sensor->kind >= SB_SENSE_FORCE && sensor->kind <= SB_SENSE_PUSH_VECTOR;
}
static int needs_all_samples(const SbSensor* sensor) {
  return sensor->kind == SB_SENSE_PLACE && sensor->noise > 0;
}

// The next step of (now, end] at which something has to be done for a sensor; after `end` if there is none.
// Sensors are sampled every period from the step on at which they were turned on (devices/core/clock.py).
static int64_t next_stop(const SbBatch* b, int copy, int k, int64_t now, int64_t end) {
  const SbSensor* sensor = b->tables.sensors + k;
  int64_t start = started(b, copy, k), period = sensor->period;
  if (sensor->kind == SB_SENSE_BUMPER) return now + 1;
  int64_t next = start + ((now - start) / period + 1) * period;
  if (next > end || needs_all_samples(sensor)) return next;
  int64_t last = start + (end - start) / period * period;
  return is_accelerating(sensor) && last > next ? last - period : last;
}

static int is_due(const SbBatch* b, int copy, int k, int64_t now) {
  int64_t past = now - started(b, copy, k);
  return past > 0 && past % b->tables.sensors[k].period == 0;
}

// ------------------------------------------------------------------ from true values to readings

static void finish(const SbBatchTables* t, const SbSensor* sensor, double* value, SbNoise* noise) {
  const SbCurve* curve = t->curves + sensor->curve_start;
  int has_noise = 0;
  for (int i = 0; i < sensor->curve_count; i++) has_noise |= curve[i].noise != 0;
  for (int i = 0; i < sensor->width; i++) {
    double x = value[i];
    if (sensor->curve_count) {
      double out = sb_through(&curve->input, &curve->output, 3, sensor->curve_count, x);
      if (has_noise) out = out * (1 + sb_through(&curve->input, &curve->noise, 3, sensor->curve_count, x) * sb_normal(noise));
      x = out;
    }
    x = sb_rounded(x, sensor->resolution);
    value[i] = sensor->hidden >> i & 1 ? NAN : x;
  }
}

static void finish_place(SbBatch* b, int copy, const SbSensor* sensor, double* value, double elapsed,
                         SbNoise* noise) {
  if (sensor->speed_noise > 0) value[3] *= 1 + sensor->speed_noise * sb_normal(noise);
  value[3] = sb_rounded(value[3], sensor->speed_resolution);
  if (sensor->noise > 0) {
    // one memory for all devices, as in Webots: first-order Gauss-Markov noise
    double *kept_noise = b->at.memory + copy * b->at.memory_count, kept = pow(sensor->correlation, elapsed);
    double share = sqrt(1 - kept * kept);
    for (int i = 0; i < 3; i++) {
      kept_noise[i] = kept * kept_noise[i] + share * sb_normal(noise);
      value[i] = (value[i] - sensor->extra[i]) + sensor->noise * kept_noise[i] + sensor->extra[i];
    }
  }
  for (int i = 0; i < 3; i++) value[i] = sb_rounded(value[i], sensor->resolution);
}

// Rotations by three small Euler angles, then axes left out, then steps.
static void finish_attitude(const SbSensor* sensor, const double turn[4], double* value, SbNoise* noise) {
  double q[4];
  memcpy(q, turn, sizeof(q));
  if (sensor->noise > 0) {
    double part[3][4] = {{0}}, zy[4], all[4], out[4];
    for (int k = 0; k < 3; k++) {
      double half = 0.5 * sensor->noise * sb_normal(noise);
      part[k][0] = cos(half);
      part[k][1 + k] = sin(half);
    }
    mju_mulQuat(zy, part[2], part[1]);
    mju_mulQuat(all, zy, part[0]);
    mju_mulQuat(out, q, all);
    memcpy(q, out, sizeof(q));
  }
  if (sensor->hidden) {
    double axis[3], whole = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), length;
    for (int i = 0; i < 3; i++) axis[i] = sensor->hidden >> i & 1 ? 0 : q[1 + i];
    length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    q[0] = length > 0 ? q[0] : 1;
    for (int i = 0; i < 3; i++) q[1 + i] = length > 0 ? axis[i] / length * whole : 0;
  }
  for (int i = 0; i < 4; i++) value[i] = sb_rounded(q[(i + 1) % 4], sensor->resolution);
}

// ------------------------------------------------------------------ forces

// Right after a step: what the link exerts on its parent, with the poses at the start of the step, world axes,
// moment about the link's origin (twin of sim/contacts.py); mj_rnePostConstraint has been called.
static void wrench_of(const SbBatch* b, int copy, int link, double force[3], double moment[3]) {
  const SbStep* s = b->steps[copy];
  const SbLink* row = sb_tables_of(b, copy)->links + link;
  const double *inside = s->d->cfrc_int + 6 * row->body;
  const double* centre = s->d->subtree_com + 3 * s->m->body_rootid[row->body];
  double origin[3], arm[3], turn[3];
  sb_link_origin(s, row, origin);
  for (int i = 0; i < 3; i++) arm[i] = centre[i] - origin[i];
  sb_cross(arm, inside + 3, turn);
  for (int i = 0; i < 3; i++) {
    force[i] = -inside[3 + i];
    moment[i] = -(inside[i] + turn[i]);
  }
}

static void work_out_forces(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double* after = s->total;  // scratch between steps
  for (int i = 0; i < m->nv; i++) {
    after[i] = d->qvel[i];
    d->qvel[i] -= m->opt.timestep * d->qacc[i];
  }
  mj_rnePostConstraint(m, d);
  memcpy(d->qvel, after, m->nv * sizeof(double));
}

static void read_force(SbBatch* b, int copy, const SbSensor* sensor) {
  const SbStep* s = b->steps[copy];
  const double* turn = s->d->xquat + 4 * sensor->body;
  double force[3], moment[3], q[4], back[4], arm[3], sweep[3], *value = value_of(b, copy, sensor);
  wrench_of(b, copy, sensor->link, force, moment);
  if (sensor->kind != SB_SENSE_FORCE) {  // in the axes of the pose that follows
    memcpy(memory_of(b, copy, sensor), force, sizeof(force));
    return;
  }
  mju_mulQuat(q, turn, sensor->rotation);
  mju_negQuat(back, q);
  mju_rotVecQuat(arm, sensor->position, turn);
  sb_cross(arm, force, sweep);
  for (int i = 0; i < 3; i++) moment[i] -= sweep[i];
  mju_rotVecQuat(value, force, back);
  mju_rotVecQuat(value + 3, moment, back);
}

static void read_push(SbBatch* b, int copy, const SbSensor* sensor, SbNoise* noise) {
  double q[4], back[4], local[3], *value = value_of(b, copy, sensor);
  mju_mulQuat(q, b->steps[copy]->d->xquat + 4 * sensor->body, sensor->rotation);
  mju_negQuat(back, q);
  mju_rotVecQuat(local, memory_of(b, copy, sensor), back);
  double push = -local[0] > 0 ? -local[0] : 0;
  for (int i = 0; i < 3; i++) value[i] = sensor->kind == SB_SENSE_PUSH ? push : local[i];
  finish(sb_tables_of(b, copy), sensor, value, noise);
}

// ------------------------------------------------------------------ everything else

// A bumper remembers every touch since it was read last.
static void feel(SbBatch* b, int copy, const SbSensor* sensor, const mjData* touching) {
  double* touched = memory_of(b, copy, sensor);
  for (int k = 0; k < touching->ncon && !*touched; k++) {
    const mjContact* con = touching->contact + k;
    if (con->exclude) continue;
    for (int i = 0; i < 2 * sensor->count; i++) {
      const int32_t* pair = b->tables.felt + sensor->first + i / 2 * 2;
      int geom = con->geom[i % 2];
      if (geom >= 0 && b->tables.geom_links[geom] == pair[0] && b->tables.geom_shapes[geom] == pair[1]) *touched = 1;
    }
  }
}

static void velocities(SbBatch* b, int copy, const SbSensor* sensor, SbSensePlace* at) {
  const SbStep* s = b->steps[copy];
  if (!s->state.flags->movers && !s->world->kinematics) {
    sb_velocity_at(s->m, s->d, sensor->body, at->p, at->v);
    memcpy(at->w, s->d->cvel + 6 * sensor->body, sizeof(at->w));
    return;
  }
  double twist[6], origin[3], arm[3];
  sb_batch_twist(b, copy, sensor->link, twist);
  sb_link_origin(s, sb_tables_of(b, copy)->links + sensor->link, origin);
  for (int i = 0; i < 3; i++) arm[i] = at->p[i] - origin[i];
  sb_cross(twist + 3, arm, at->v);
  for (int i = 0; i < 3; i++) {
    at->v[i] += twist[i];
    at->w[i] = twist[3 + i];
  }
}

static int has_velocity(const SbSensor* sensor) {
  return is_accelerating(sensor) || sensor->kind == SB_SENSE_TURN || sensor->kind == SB_SENSE_PLACE;
}

static void sample(SbBatch* b, int copy, const SbSensor* sensor, int64_t now, int is_first) {
  const SbStep* s = b->steps[copy];
  double h = s->m->opt.timestep, *memory = memory_of(b, copy, sensor), *value = value_of(b, copy, sensor);
  SbNoise noise = {b->at.key[copy], now, sensor->device, 0};
  SbSense plain = {.kind = sensor->kind, .body = sensor->body, .offset = sensor->offset, .memory = memory, .out = value};
  SbSensePlace at = {{0}, {0}, {0}, {0}};
  if (sensor->kind == SB_SENSE_BUMPER) {
    for (int i = 0; i < 3; i++) value[i] = *memory;
    *memory = 0;
    return;
  }
  if (sensor->kind == SB_SENSE_PUSH || sensor->kind == SB_SENSE_PUSH_VECTOR) {
    read_push(b, copy, sensor, &noise);
    return;
  }
  if (sensor->kind == SB_SENSE_AXIS) {
    value[0] = s->d->qpos[sensor->body];
    if (sensor->noise > 0) value[0] += sensor->noise * sb_normal(&noise);
    value[0] = sb_rounded(value[0], sensor->resolution);
    return;
  }
  memcpy(plain.position, sensor->position, sizeof(plain.position));
  memcpy(plain.rotation, sensor->rotation, sizeof(plain.rotation));
  memcpy(plain.extra, sensor->extra, sizeof(plain.extra));
  sb_sense_place(s->d, &plain, &at);
  if (sensor->kind == SB_SENSE_DISTANCE) {
    value[0] = sb_batch_distance(b, copy, sensor, &at);
    if (sensor->count) finish(sb_tables_of(b, copy), sensor, value, &noise);
    return;
  }
  if (has_velocity(sensor)) velocities(b, copy, sensor, &at);
  if (is_accelerating(sensor) && is_first) {
    memcpy(memory, at.v, sizeof(at.v));
    memory[3] = (double)now;
  }
  double elapsed = is_first ? h : ((double)now - memory[3]) * h;
  sb_sense_value(&plain, &at, elapsed);
  if (sensor->kind == SB_SENSE_PLACE) {
    finish_place(b, copy, sensor, value, elapsed, &noise);
  } else if (sensor->kind == SB_SENSE_ATTITUDE) {
    finish_attitude(sensor, at.q, value, &noise);
  } else {
    if (sensor->kind == SB_SENSE_HEIGHT && sensor->noise > 0) value[0] += sensor->noise * sb_normal(&noise);
    finish(sb_tables_of(b, copy), sensor, value, &noise);
  }
  memory[3] = (double)now;
}

int sb_batch_sample(SbBatch* b, int copy, int worker) {
  SbStep* s = b->steps[copy];
  const SbBatchTables* t = sb_tables_of(b, copy);
  int64_t now = b->at.clock[2 * copy];
  int any = 0, forces = 0, moves = 0, feels = 0;
  for (int k = 0; k < t->sensor_count; k++) {
    const SbSensor* sensor = t->sensors + k;
    feels |= sensor->kind == SB_SENSE_BUMPER;
    if (!is_due(b, copy, k, now)) continue;
    any = 1;
    moves |= has_velocity(sensor);
    if (!needs_forces(sensor)) continue;
    if (!forces++) work_out_forces(s);
    read_force(b, copy, sensor);
  }
  if (feels) {
    const mjData* touching = NULL;
    int code = sb_batch_touching(b, copy, worker, &touching);
    if (code) return code;
    for (int k = 0; k < t->sensor_count; k++) {
      if (t->sensors[k].kind == SB_SENSE_BUMPER) feel(b, copy, t->sensors + k, touching);
    }
  }
  if (!any) return SB_OK;
  sb_batch_refresh(b, copy, moves);
  for (int k = 0; k < t->sensor_count; k++) {
    if (t->sensors[k].kind != SB_SENSE_FORCE && is_due(b, copy, k, now)) sample(b, copy, t->sensors + k, now, 0);
  }
  return SB_OK;
}

int sb_batch_first_look(SbBatch* b, int copy, int first, int end) {
  const SbBatchTables* t = sb_tables_of(b, copy);
  if (first >= end) return SB_OK;
  sb_batch_refresh(b, copy, 1);
  for (int k = first; k < end; k++) {
    const SbSensor* sensor = t->sensors + k;
    memset(memory_of(b, copy, sensor), 0, SB_SENSE_MEMORY * sizeof(double));
    // nothing was accelerated, nothing pushed
    if (needs_forces(sensor) || sensor->kind == SB_SENSE_BUMPER) {
      memset(value_of(b, copy, sensor), 0, sensor->width * sizeof(double));
    } else {
      sample(b, copy, sensor, b->at.clock[2 * copy], 1);
    }
  }
  return SB_OK;
}

int sb_batch_advance(SbBatch* b, int copy, int worker, int64_t n) {
  SbStep* s = b->steps[copy];
  int64_t* clock = b->at.clock + 2 * copy;
  int64_t end = clock[0] + n;
  while (clock[0] < end) {
    int64_t stop = end;
    for (int k = 0; k < b->tables.sensor_count; k++) {
      int64_t next = next_stop(b, copy, k, clock[0], end);
      if (next < stop) stop = next;
    }
    int64_t before = s->stats.steps;
    int code = sb_run(s, (int)(stop - clock[0]));
    clock[0] += s->stats.steps - before;
    clock[1] = 0;
    if (code) return code;
    if (b->tables.sensor_count && (code = sb_batch_guarded_sample(b, copy, worker))) return code;
  }
  return SB_OK;
}
