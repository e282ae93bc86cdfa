// Motors: what velocity each wants in this step, and with how much effort.
#include "base/sb_work.h"

// Distance [rad] or [m] at which a kinematic motor has arrived.
#define SB_ARRIVED 1e-6

static double clamp(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

static double approach(double from, double to, double step) {
  return fabs(to - from) > step ? from + (to > from ? step : -step) : to;
}

// Velocity command of a motor in position or velocity mode:
//     V = p e + i * integral(e) + d * de/dt    limited by |target velocity|
// and its change by the acceleration. A rigid one goes where it is told at once.
static double command(const SbAxis* axis, const SbCommand* told, SbMotorState* motor, double position,
                      double h) {
  double velocity = told->target_velocity;
  if (told->mode == SB_MOTOR_POSITION) {
    double error = told->target_position - position;
    if (axis->rigid) return error / h;
    motor->integral += error * h;
    velocity = told->p * error + told->i * motor->integral + told->d * (error - motor->error) / h;
    motor->error = error;
    velocity = clamp(velocity, fabs(told->target_velocity));
  }
  return approach(motor->velocity, velocity, told->acceleration * h);
}

// Velocity at which a servo's row gives no effort: with the stiffness k and damping d, implicitly,
//     f = k (target - q - h v+) + d (w - v+)    cfm = 1/(h k + d),  c = (k (target - q) + d w) cfm
static double command_servo(const SbAxis* axis, const SbCommand* told, double position, double h) {
  if (told->mode == SB_MOTOR_VELOCITY) return told->target_velocity;
  double k = axis->servo_stiffness;
  return k * (told->target_position - position) / (h * k + axis->servo_damping);
}

// A motor that nothing resists: no controller, its speed changes by the acceleration (without one,
// or with more of it than effort, by the available effort), and it never overshoots its target.
static void command_kinematic(const SbAxis* axis, const SbCommand* told, SbMotorState* motor, double h) {
  double limit = told->acceleration <= told->available_effort ? told->acceleration
                                                              : told->available_effort;
  double velocity = 0, left = INFINITY;
  if (told->mode == SB_MOTOR_POSITION) {
    double error = told->target_position - motor->position;
    left = fabs(error);
    velocity = left < SB_ARRIVED ? 0 : copysign(told->target_velocity, error);
  } else if (told->mode == SB_MOTOR_VELOCITY) {
    velocity = told->target_velocity;
    left = velocity < 0 ? motor->position - axis->range_low : axis->range_high - motor->position;
    if (left < SB_ARRIVED) velocity = 0;
  }
  if (velocity == 0) {
    motor->velocity = 0;
    return;
  }
  if (axis->rigid && told->mode == SB_MOTOR_POSITION) {
    velocity = (told->target_position - motor->position) / h;
  } else if (!axis->rigid) {
    velocity = approach(motor->velocity, velocity, limit * h);
  }
  motor->velocity = velocity;
  double step = velocity * h;
  if (fabs(step) > left) step = copysign(left, step);
  motor->position += step;
}

// The surface of a track: the speed that its motor wants, or what a force makes of it in one step.
static void command_track(const SbTrack* track, const SbAxis* axis, const SbCommand* told,
                          SbMotorState* motor, double h) {
  if (told->mode == SB_MOTOR_EFFORT) {
    double effort = clamp(told->target_effort, told->available_effort);
    motor->velocity = (effort - told->brake * motor->velocity) * h / track->mass;
  } else if (told->mode == SB_MOTOR_NONE || told->available_effort <= 0) {
    motor->velocity = 0;
  } else {
    motor->velocity = command(axis, told, motor, motor->position, h);
  }
  // a belt of Choreonoid's has no position
  if (!track->around) motor->position += motor->velocity * h;
}

static void command_tracks(SbStep* s, int around) {
  for (int k = 0; k < s->world->tracks; k++) {
    int axis = s->tables.tracks[k].axis;
    if (s->tables.tracks[k].around != around) continue;
    command_track(s->tables.tracks + k, s->tables.axes + axis, s->state.commands + axis, s->state.motors + axis, s->m->opt.timestep);
  }
}

void sb_command_late_tracks(SbStep* s) { command_tracks(s, 0); }

void sb_command_surfaces(SbStep* s) {
  double h = s->m->opt.timestep;
  command_tracks(s, 1);
  for (int k = 0; k < s->world->axes; k++) {
    int kind = s->tables.axes[k].kind;
    if (kind == SB_AXIS_KINEMATIC || kind == SB_AXIS_PROPELLER) {
      command_kinematic(s->tables.axes + k, s->state.commands + k, s->state.motors + k, h);
    }
  }
}

void sb_command_motors(SbStep* s) {
  mjData* d = s->d;
  double h = s->m->opt.timestep;
  for (int k = 0; k < s->world->axes; k++) {
    const SbAxis* axis = s->tables.axes + k;
    const SbCommand* told = s->state.commands + k;
    if (axis->kind > SB_AXIS_LOOP) continue;
    if (axis->dof >= 0 && !sb_dof_awake(s, axis->dof)) continue;
    double velocity = 0, effort = axis->static_friction;
    int drives = told->mode == SB_MOTOR_VELOCITY || told->mode == SB_MOTOR_POSITION;
    s->state.motors[k].effort = 0;
    if (drives && told->available_effort > 0) {
      if (sb_servo_cfm(axis, told, h) > 0) {
        velocity = command_servo(axis, told, s->axis_position[k], h);
        effort = told->available_effort;
      } else {
        velocity = command(axis, told, s->state.motors + k, s->axis_position[k], h);
        if (told->available_effort > effort) effort = told->available_effort;
        if (axis->rigid) effort = INFINITY;
      }
    } else if (told->mode == SB_MOTOR_EFFORT) {
      double given = clamp(told->target_effort, told->available_effort);
      s->state.motors[k].effort = given;
      if (axis->kind == SB_AXIS_JOINT) {
        d->qfrc_actuator[axis->dof] += given;
      } else if (axis->kind == SB_AXIS_BALL) {
        for (int i = 0; i < 3; i++) {
          d->qfrc_actuator[axis->dof + i] += given * s->axis_direction[3 * k + i];
        }
      }
    }
    s->state.motors[k].velocity = velocity;
    s->axis_velocity[k] = velocity;
    s->axis_effort[k] = effort;
  }
  for (int k = 0; k < s->world->loops; k++) sb_push_loop(s, k);
}

// What motors and stops gave, for those who measure it.
void sb_note_efforts(SbStep* s) {
  const double* force = s->rows.force;
  for (int k = 0; k < s->world->axes; k++) {
    const int* row = s->axis_row + 4 * k;
    SbMotorState* motor = s->state.motors + k;
    if (s->tables.axes[k].kind > SB_AXIS_LOOP) continue;
    if (s->tables.axes[k].dof >= 0 && !sb_dof_awake(s, s->tables.axes[k].dof)) continue;
    if (row[0] >= 0) motor->effort += force[row[0]];
    motor->reaction = motor->effort;
    for (int i = 2; i < 4; i++) {
      if (row[i] >= 0) motor->reaction += force[row[i]];
    }
  }
}
