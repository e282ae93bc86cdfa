// Motors: what velocity each wants in this step, and with how much effort.
#include "sb_work.h"

static double clamp(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

// Velocity command of a motor in position or velocity mode:
//     V = p e + i * integral(e) + d * de/dt    limited by |target velocity|
// and its change by the acceleration.
static double command(const SbAxis* axis, SbMotorState* motor, double position, double h) {
  double velocity;
  if (axis->mode == SB_MOTOR_POSITION) {
    double error = axis->target_position - position;
    motor->integral += error * h;
    velocity = axis->p * error + axis->i * motor->integral + axis->d * (error - motor->error) / h;
    motor->error = error;
    velocity = clamp(velocity, fabs(axis->target_velocity));
  } else {
    velocity = axis->target_velocity;
  }
  double change = velocity - motor->velocity, limit = axis->acceleration * h;
  return fabs(change) > limit ? motor->velocity + (change > 0 ? limit : -limit) : velocity;
}

void sb_command_motors(SbStep* s) {
  mjData* d = s->d;
  double h = s->m->opt.timestep;
  for (int k = 0; k < s->world->axes; k++) {
    const SbAxis* axis = s->axes + k;
    double velocity = 0, effort = axis->static_friction;
    int drives = axis->mode == SB_MOTOR_VELOCITY || axis->mode == SB_MOTOR_POSITION;
    if (drives && axis->available_effort > 0) {
      velocity = command(axis, s->motors + k, d->qpos[axis->qpos], h);
      if (axis->available_effort > effort) effort = axis->available_effort;
    } else if (axis->mode == SB_MOTOR_EFFORT) {
      d->qfrc_actuator[axis->dof] += clamp(axis->target_effort, axis->available_effort);
    }
    s->motors[k].velocity = velocity;
    s->axis_velocity[k] = velocity;
    s->axis_effort[k] = effort;
  }
}
