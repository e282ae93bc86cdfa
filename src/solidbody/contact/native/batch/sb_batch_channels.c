// What is read of a copy into bound arrays: axes, links, contact forces, held values of sensors.
#include <math.h>
#include <string.h>

#include "batch/sb_batch.h"

// Positions of bodies lag one step after the integrator: bring them up to date.
void sb_batch_refresh(SbBatch* b, int copy, int velocities) {
  SbStep* s = b->steps[copy];
  int64_t* is_fresh = b->at.clock + 2 * copy + 1;
  if (!*is_fresh) {
    mj_kinematics(s->m, s->d);
    mj_comPos(s->m, s->d);
    *is_fresh = 1;
  }
  if (velocities) mj_comVel(s->m, s->d);
}

void sb_link_origin(const SbStep* s, const SbLink* link, double out[3]) {
  const double *at = s->d->xpos + 3 * link->body, *turn = s->d->xmat + 9 * link->body, *r = link->offset;
  for (int i = 0; i < 3; i++) {
    out[i] = at[i] + (turn[3 * i] * r[0] + turn[3 * i + 1] * r[1] + turn[3 * i + 2] * r[2]);
  }
}

// A body without physics turns about `point` and goes along: MuJoCo takes it for static.
static void add_motion(double out[6], const double origin[3], const double point[3], const double linear[3],
                       const double angular[3]) {
  double arm[3], sweep[3];
  for (int i = 0; i < 3; i++) arm[i] = origin[i] - point[i];
  sb_cross(angular, arm, sweep);
  for (int i = 0; i < 3; i++) {
    out[i] += linear[i] + sweep[i];
    out[3 + i] += angular[i];
  }
}

// The axes of a kinematic joint as they stand now (twin of sim/kinematic_rates.py).
static void add_joint(const SbStep* s, const SbKinematic* joint, const double origin[3], double out[6]) {
  int above = s->m->body_parentid[joint->body];
  const double *frame = s->d->xmat + 9 * above, *base = s->d->xpos + 3 * above;
  double anchor[3], turned[4] = {1, 0, 0, 0};
  mju_mulMatVec3(anchor, frame, joint->anchor);
  for (int i = 0; i < 3; i++) anchor[i] += base[i];
  for (int k = 0; k < joint->axes; k++) {
    const SbMotorState* state = s->state.motors + joint->axis + k;
    double local[3], axis[3], along[3] = {0, 0, 0}, about[3] = {0, 0, 0};
    mju_rotVecQuat(local, joint->direction[k], turned);
    mju_mulMatVec3(axis, frame, local);
    for (int i = 0; i < 3; i++) *(joint->slides ? along + i : about + i) = state->velocity * axis[i];
    add_motion(out, origin, anchor, along, about);
    if (joint->slides) continue;
    double one[4], all[4];
    mju_axisAngle2Quat(one, joint->direction[k], state->position - joint->start[k]);
    mju_mulQuat(all, turned, one);
    memcpy(turned, all, sizeof(all));
  }
}

static void add_kinematic(const SbBatch* b, const SbStep* s, int link, const double origin[3], double out[6]) {
  int movers = s->state.flags->movers, joints = s->world->kinematics;
  for (int at = link; at >= 0;) {
    int body = b->tables.links[at].body, is_joint = 0;
    for (int k = 0; k < joints; k++) {
      if (s->tables.kinematics[k].body != body) continue;
      add_joint(s, s->tables.kinematics + k, origin, out);
      is_joint = 1;
    }
    for (int k = 0; k < movers && !is_joint; k++) {
      const SbMover* mover = s->state.movers + k;
      if (mover->body != body) continue;
      add_motion(out, origin, s->d->xpos + 3 * body, mover->linear, mover->angular);
    }
    // a link that floats does not go along with what is above it
    at = s->m->body_parentid[body] ? b->tables.links[at].parent : -1;
  }
}

void sb_batch_twist(SbBatch* b, int copy, int link, double out[6]) {
  const SbStep* s = b->steps[copy];
  const SbLink* row = sb_tables_of(b, copy)->links + link;
  const double *v = s->d->cvel + 6 * row->body, *centre = s->d->subtree_com + 3 * s->m->body_rootid[row->body];
  double origin[3], arm[3];
  sb_link_origin(s, row, origin);
  for (int i = 0; i < 3; i++) arm[i] = origin[i] - centre[i];
  sb_cross(v, arm, out);
  for (int i = 0; i < 3; i++) {
    out[i] = v[3 + i] + out[i];
    out[3 + i] = v[i];
  }
  if (s->state.flags->movers || s->world->kinematics) add_kinematic(b, s, link, origin, out);
}

// Sum of the contact forces of the last step: what the first link exerts on the second one, and back.
static void contact_force(const SbBatch* b, const SbStep* s, int link, double out[3]) {
  const mjData* d = s->d;
  memset(out, 0, 3 * sizeof(double));
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < d->ncon; k++) {
      const mjContact* con = d->contact + k;
      if (con->efc_address < 0 || con->geom[side] < 0 || b->tables.geom_links[con->geom[side]] != link) continue;
      const double* force = d->efc_force + con->efc_address;
      int rows = con->dim < 3 ? 1 : 3;
      for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int r = 0; r < rows; r++) sum += force[r] * con->frame[3 * r + i];
        out[i] += side ? sum : -sum;
      }
    }
  }
}

static double position_of(const SbStep* s, int row) {
  int kind = s->tables.axes[row].kind;
  if (kind == SB_AXIS_JOINT) return s->d->qpos[s->tables.axes[row].qpos];
  return kind == SB_AXIS_BALL ? s->axis_position[row] : s->state.motors[row].position;
}

static double velocity_of(const SbStep* s, int row) {
  const SbAxis* axis = s->tables.axes + row;
  if (axis->kind == SB_AXIS_JOINT) return s->d->qvel[axis->dof];
  if (axis->kind != SB_AXIS_BALL) return s->state.motors[row].velocity;
  double rate = 0;
  for (int i = 0; i < 3; i++) rate += s->axis_direction[3 * row + i] * s->d->qvel[axis->dof + i];
  return rate;
}

// 0 where the motor is in another mode, for positions where it is.
static double target_of(const SbStep* s, const SbOutput* row) {
  const SbCommand* told = s->state.commands + row->row;
  switch (row->kind) {
    case SB_READ_TARGET_VELOCITY: return told->mode == SB_MOTOR_VELOCITY ? told->target_velocity : 0;
    case SB_READ_TARGET_EFFORT: return told->mode == SB_MOTOR_EFFORT ? told->target_effort : 0;
    default: return told->mode == SB_MOTOR_POSITION ? told->target_position : position_of(s, row->row);
  }
}

static void read_one(SbBatch* b, int copy, const SbOutput* row, double* out) {
  const SbStep* s = b->steps[copy];
  const SbLink* link = sb_tables_of(b, copy)->links + row->row;
  switch (row->kind) {
    case SB_READ_POSITION: out[0] = position_of(s, row->row); break;
    case SB_READ_VELOCITY: out[0] = velocity_of(s, row->row); break;
    case SB_READ_EFFORT: out[0] = s->state.motors[row->row].effort; break;
    case SB_READ_REACTION: out[0] = s->state.motors[row->row].reaction; break;
    case SB_READ_TARGET_VELOCITY:
    case SB_READ_TARGET_POSITION:
    case SB_READ_TARGET_EFFORT: out[0] = target_of(s, row); break;
    case SB_READ_POSE:
      sb_link_origin(s, link, out);
      memcpy(out + 3, s->d->xquat + 4 * link->body, 4 * sizeof(double));
      break;
    case SB_READ_TWIST: sb_batch_twist(b, copy, row->row, out); break;
    case SB_READ_CENTRE: memcpy(out, s->d->xipos + 3 * link->body, 3 * sizeof(double)); break;
    case SB_READ_SENSOR:
      memcpy(out, b->at.values + copy * b->at.value_count + row->row, row->width * sizeof(double));
      break;
    case SB_READ_CONTACT_FORCE: contact_force(b, s, row->row, out); break;
  }
}

void sb_batch_outputs(SbBatch* b, int copy, const SbOutput* rows, int count) {
  SbStep* s = b->steps[copy];
  int poses = 0, twists = 0, axes = 0;
  for (int k = 0; k < count; k++) {
    int kind = rows[k].kind;
    twists |= kind == SB_READ_TWIST;
    poses |= kind == SB_READ_POSE || kind == SB_READ_CENTRE;
    axes |= kind <= SB_READ_VELOCITY || kind == SB_READ_TARGET_POSITION;
  }
  if (poses || twists) sb_batch_refresh(b, copy, twists);
  if (axes && s->world->balls) {
    if (s->world->loops) sb_batch_refresh(b, copy, 0);  // their positions follow from poses
    sb_read_axes(s);
  }
  for (int k = 0; k < count; k++) {
    read_one(b, copy, rows + k, rows[k].to + copy * rows[k].stride);
  }
}
