/* Devices on joints: motors, position sensors, brakes, and what they were called before. */

#include "client.h"

double limited(double value, double low, double high) { return fmax(low, fmin(high, value)); }

#define IS_LINEAR (d->facts.motor.linear ? WB_LINEAR : WB_ROTATIONAL)

/* ---------------------------------------------------------------------- motors */

/* Calls something for each motor that follows the commands of this one, which is named BASE::NAME. */
#define FOR_COUPLED(d, other)                                       \
  for (int k_ = 1; k_ <= robot.count; k_++)                         \
    for (Device *other = robot.devices[k_]; other; other = NULL)    \
      if (is_coupled(d, other))

static bool is_coupled(const Device *d, const Device *other) {
  if (d == other) return true;
  const char *name = d->facts.plain.name.data, *mark = strstr(name, "::");
  return mark && other->type == WB_NODE_ROTATIONAL_MOTOR &&
         !strncmp(name, other->facts.plain.name.data, (size_t)(mark + 2 - name));
}

/* What a motor tells of a command: its own as it was given, one to a coupled motor multiplied. */
static double share(const Device *d, const Device *other, double value) {
  return d == other ? value : value * other->facts.motor.multiplier;
}

static bool is_number(double value, const char *name, const char *function) {
  if (!isnan(value)) return true;
  complain("Error: %s() called with an invalid '%s' argument (NaN).", function, name);
  return false;
}

static bool is_positive(double value, const char *name, const char *function) {
  if (!is_number(value, name, function)) return false;
  if (value >= 0.0) return true;
  complain("Error: %s() called with negative '%s' argument.", function, name);
  return false;
}

void wb_motor_set_position(WbDeviceTag tag, double position) {
  DEVICE(ROTATIONAL_MOTOR);
  if (!d || !is_number(position, "position", __func__)) return;
  FOR_COUPLED(d, other) other->target = isinf(position) ? position : share(d, other, position);
  ORDER(MotorPosition, d->tag, position);
}

void wb_motor_set_velocity(WbDeviceTag tag, double velocity) {
  DEVICE(ROTATIONAL_MOTOR);
  if (!d || !is_number(velocity, "velocity", __func__)) return;
  if (velocity < 0.0 && !isinf(d->target)) {
    complain("Error: wb_motor_set_velocity() called with negative 'velocity' argument in position control mode (%g).",
             d->target);
    return;
  }
  FOR_COUPLED(d, other) other->velocity = share(d, other, velocity);
  ORDER(MotorVelocity, d->tag, velocity);
}

void wb_motor_set_acceleration(WbDeviceTag tag, double acceleration) {
  DEVICE(ROTATIONAL_MOTOR);
  if (!d || (acceleration != -1.0 && !is_positive(acceleration, "acceleration", __func__))) return;
  d->acceleration = acceleration;
  ORDER(MotorAcceleration, d->tag, acceleration);
}

static void set_effort(Device *d, double effort, const char *name, const char *function) {
  if (d && is_number(effort, name, function)) ORDER(MotorEffort, d->tag, effort);
}

static void set_available(Device *d, double effort, const char *name, const char *function) {
  if (!d || !is_positive(effort, name, function)) return;
  d->available = effort;
  ORDER(MotorAvailable, d->tag, effort);
}

static void enable_feedback(Device *d, int period, const char *function) {
  if (!d) return;
  if (period < 0) {
    complain("Error: %s() called with negative sampling period.", function);
    return;
  }
  d->feedback_period = period;
  ORDER(MotorFeedback, d->tag, period);
}

static double feedback(Device *d, const char *what, const char *function) {
  if (d && !d->feedback_period)
    complain("Error: %s() called for a disabled device! Please use: wb_motor_enable_%s_feedback().", function, what);
  return d ? d->feedback : NAN;
}

/* The same functions are there for forces and torques. */
#define EFFORT(word)                                                                  \
  void wb_motor_set_##word(WbDeviceTag tag, double value) {                           \
    DEVICE(ROTATIONAL_MOTOR);                                                         \
    set_effort(d, value, #word, __func__);                                            \
  }                                                                                   \
  void wb_motor_set_available_##word(WbDeviceTag tag, double value) {                 \
    DEVICE(ROTATIONAL_MOTOR);                                                         \
    set_available(d, value, #word, __func__);                                         \
  }                                                                                   \
  void wb_motor_enable_##word##_feedback(WbDeviceTag tag, int sampling_period) {      \
    DEVICE(ROTATIONAL_MOTOR);                                                         \
    enable_feedback(d, sampling_period, __func__);                                    \
  }                                                                                   \
  void wb_motor_disable_##word##_feedback(WbDeviceTag tag) {                          \
    DEVICE(ROTATIONAL_MOTOR);                                                         \
    enable_feedback(d, 0, __func__);                                                  \
  }                                                                                   \
  double wb_motor_get_##word##_feedback(WbDeviceTag tag) {                            \
    DEVICE(ROTATIONAL_MOTOR);                                                         \
    return feedback(d, #word, __func__);                                              \
  }                                                                                   \
  GET(int, wb_motor_get_##word##_feedback_sampling_period, ROTATIONAL_MOTOR, d->feedback_period, 0) \
  GET(double, wb_motor_get_available_##word, ROTATIONAL_MOTOR, d->available, NAN)     \
  GET(double, wb_motor_get_max_##word, ROTATIONAL_MOTOR, d->facts.motor.max_effort, NAN)
EFFORT(force)
EFFORT(torque)

void wb_motor_set_control_pid(WbDeviceTag tag, double p, double i, double d_gain) {
  DEVICE(ROTATIONAL_MOTOR);
  if (!d || !is_number(p, "p", __func__)) return;
  if (p <= 0.0) {
    complain("Error: %s() called with negative or zero 'p' argument.", __func__);
    return;
  }
  if (is_positive(i, "i", __func__) && is_positive(d_gain, "d", __func__)) ORDER(MotorPid, d->tag, p, i, d_gain);
}

GET(WbJointType, wb_motor_get_type, ROTATIONAL_MOTOR, IS_LINEAR, -1)
GET(double, wb_motor_get_target_position, ROTATIONAL_MOTOR, d->target, NAN)
GET(double, wb_motor_get_min_position, ROTATIONAL_MOTOR, d->facts.motor.min_position, NAN)
GET(double, wb_motor_get_max_position, ROTATIONAL_MOTOR, d->facts.motor.max_position, NAN)
GET(double, wb_motor_get_velocity, ROTATIONAL_MOTOR, d->velocity, NAN)
GET(double, wb_motor_get_max_velocity, ROTATIONAL_MOTOR, d->facts.motor.max_velocity, NAN)
GET(double, wb_motor_get_acceleration, ROTATIONAL_MOTOR, d->acceleration, NAN)
GET(double, wb_motor_get_multiplier, ROTATIONAL_MOTOR, d->facts.motor.multiplier, NAN)
GET(WbDeviceTag, wb_motor_get_brake, ROTATIONAL_MOTOR, (WbDeviceTag)d->facts.motor.brake, 0)
GET(WbDeviceTag, wb_motor_get_position_sensor, ROTATIONAL_MOTOR, (WbDeviceTag)d->facts.motor.position_sensor, 0)

/* ---------------------------------------------------------------------- position sensors and brakes */

GET(WbJointType, wb_position_sensor_get_type, POSITION_SENSOR, IS_LINEAR, -1)
GET(WbDeviceTag, wb_position_sensor_get_motor, POSITION_SENSOR, (WbDeviceTag)d->facts.positionSensor.motor, 0)
GET(WbDeviceTag, wb_position_sensor_get_brake, POSITION_SENSOR, (WbDeviceTag)d->facts.positionSensor.brake, 0)

GET(WbJointType, wb_brake_get_type, BRAKE, IS_LINEAR, -1)
GET(WbDeviceTag, wb_brake_get_motor, BRAKE, (WbDeviceTag)d->facts.brake.motor, 0)
GET(WbDeviceTag, wb_brake_get_position_sensor, BRAKE, (WbDeviceTag)d->facts.brake.position_sensor, 0)

void wb_brake_set_damping_constant(WbDeviceTag tag, double damping_constant) {
  DEVICE(BRAKE);
  if (d) ORDER(BrakeDamping, d->tag, damping_constant);
}

/* ---------------------------------------------------------------------- servos of before Webots 8 */

void wb_servo_set_position(WbDeviceTag tag, double position) { wb_motor_set_position(tag, position); }
void wb_servo_set_velocity(WbDeviceTag tag, double velocity) { wb_motor_set_velocity(tag, velocity); }
void wb_servo_set_acceleration(WbDeviceTag tag, double value) { wb_motor_set_acceleration(tag, value); }
void wb_servo_set_motor_force(WbDeviceTag tag, double force) { wb_motor_set_available_force(tag, force); }
void wb_servo_set_force(WbDeviceTag tag, double force) { wb_motor_set_force(tag, force); }
void wb_servo_set_control_p(WbDeviceTag tag, double p) { wb_motor_set_control_pid(tag, p, 0.0, 0.0); }
void wb_servo_enable_motor_force_feedback(WbDeviceTag tag, int ms) { wb_motor_enable_force_feedback(tag, ms); }
void wb_servo_disable_motor_force_feedback(WbDeviceTag tag) { wb_motor_disable_force_feedback(tag); }
double wb_servo_get_motor_force_feedback(WbDeviceTag tag) { return wb_motor_get_force_feedback(tag); }
WbJointType wb_servo_get_type(WbDeviceTag tag) { return wb_motor_get_type(tag); }
double wb_servo_get_target_position(WbDeviceTag tag) { return wb_motor_get_target_position(tag); }
double wb_servo_get_min_position(WbDeviceTag tag) { return wb_motor_get_min_position(tag); }
double wb_servo_get_max_position(WbDeviceTag tag) { return wb_motor_get_max_position(tag); }
int wb_servo_get_motor_force_feedback_sampling_period(WbDeviceTag tag) {
  return wb_motor_get_force_feedback_sampling_period(tag);
}

void wb_servo_enable_position(WbDeviceTag tag, int sampling_period) {
  WbDeviceTag sensor = wb_motor_get_position_sensor(tag);
  if (sensor) wb_position_sensor_enable(sensor, sampling_period);
}

void wb_servo_disable_position(WbDeviceTag tag) { wb_servo_enable_position(tag, 0); }

int wb_servo_get_position_sampling_period(WbDeviceTag tag) {
  WbDeviceTag sensor = wb_motor_get_position_sensor(tag);
  return sensor ? wb_position_sensor_get_sampling_period(sensor) : 0;
}

double wb_servo_get_position(WbDeviceTag tag) {
  WbDeviceTag sensor = wb_motor_get_position_sensor(tag);
  return sensor ? wb_position_sensor_get_value(sensor) : NAN;
}

/* Servos became motors, and kept these functions for a while. */
void wb_motor_enable_position(WbDeviceTag tag, int sampling_period) { wb_servo_enable_position(tag, sampling_period); }
void wb_motor_disable_position(WbDeviceTag tag) { wb_servo_disable_position(tag); }
int wb_motor_get_position_sampling_period(WbDeviceTag tag) { return wb_servo_get_position_sampling_period(tag); }
double wb_motor_get_position(WbDeviceTag tag) { return wb_servo_get_position(tag); }
void wb_motor_set_control_p(WbDeviceTag tag, double p) { wb_motor_set_control_pid(tag, p, 0.0, 0.0); }
void wb_motor_set_motor_force(WbDeviceTag tag, double force) { wb_motor_set_available_force(tag, force); }
void wb_motor_enable_motor_force_feedback(WbDeviceTag tag, int ms) { wb_motor_enable_force_feedback(tag, ms); }
void wb_motor_disable_motor_force_feedback(WbDeviceTag tag) { wb_motor_disable_force_feedback(tag); }
double wb_motor_get_motor_force_feedback(WbDeviceTag tag) { return wb_motor_get_force_feedback(tag); }
int wb_motor_get_motor_force_feedback_sampling_period(WbDeviceTag tag) {
  return wb_motor_get_force_feedback_sampling_period(tag);
}

/* ---------------------------------------------------------------------- robots with two wheels, until R2018 */

static Device *wheels[2], *encoders[2];
static double offsets[2], speeds[2];

static Device *named(const char *name) {
  for (int tag = 1; tag <= robot.count; tag++)
    if (!strcmp(robot.devices[tag]->facts.plain.name.data, name)) return robot.devices[tag];
  return NULL;
}

/* Finds the wheels when they are used first, and lets them stand. */
static bool has_wheels(const char *function) {
  if (robot.count && wheels[0] == named("left wheel motor") && wheels[0]) return true;
  wheels[0] = named("left wheel motor");
  wheels[1] = named("right wheel motor");
  encoders[0] = named("left wheel sensor");
  encoders[1] = named("right wheel sensor");
  if (!wheels[0] || !wheels[1]) {
    complain("Error: ignoring illegal call to %s() in a 'Robot' controller.", function);
    complain("Error: this function can only be used in a 'DifferentialWheels' controller.");
    wheels[0] = NULL;
    return false;
  }
  for (int k = 0; k < 2; k++) {
    wb_motor_set_position((WbDeviceTag)wheels[k]->tag, INFINITY);
    wb_motor_set_velocity((WbDeviceTag)wheels[k]->tag, 0.0);
  }
  return true;
}

#define WHEELS(result, function, value) \
  result function(void) {               \
    LOCK;                               \
    return has_wheels(__func__) ? (value) : 0; \
  }

void wb_differential_wheels_set_speed(double left, double right) {
  LOCK;
  if (!has_wheels(__func__)) return;
  if (isnan(left) || isnan(right)) {
    complain("Error: %s(): invalid NaN value passed as argument.", __func__);
    return;
  }
  double limit = wheels[0]->facts.motor.max_velocity, unit = robot.facts.speed_unit;
  speeds[0] = left;
  speeds[1] = right;
  for (int k = 0; k < 2; k++) wb_motor_set_velocity((WbDeviceTag)wheels[k]->tag, limited(speeds[k] * unit, -limit, limit));
}

WHEELS(double, wb_differential_wheels_get_left_speed, speeds[0])
WHEELS(double, wb_differential_wheels_get_right_speed, speeds[1])
WHEELS(double, wb_differential_wheels_get_max_speed, wheels[0]->facts.motor.max_velocity)
WHEELS(double, wb_differential_wheels_get_speed_unit, robot.facts.speed_unit)
WHEELS(int, wb_differential_wheels_get_encoders_sampling_period, encoders[0] ? encoders[0]->period : 0)

void wb_differential_wheels_enable_encoders(int sampling_period) {
  LOCK;
  for (int k = 0; has_wheels(__func__) && k < 2; k++)
    if (encoders[k]) enable(encoders[k], sampling_period, __func__);
}

void wb_differential_wheels_disable_encoders(void) { wb_differential_wheels_enable_encoders(0); }

static double counts(int side) {
  const Device *d = encoders[side];
  return d ? d->values[0] / d->facts.positionSensor.resolution : NAN;
}

static double encoder(int side, const char *function) {
  if (!has_wheels(function)) return NAN;
  if (encoders[side] && !encoders[side]->period)
    complain("Error: %s() called for a disabled device! Please use: wb_differential_wheels_enable_encoders().", function);
  return counts(side) - offsets[side];
}

double wb_differential_wheels_get_left_encoder(void) {
  LOCK;
  return encoder(0, __func__);
}

double wb_differential_wheels_get_right_encoder(void) {
  LOCK;
  return encoder(1, __func__);
}

void wb_differential_wheels_set_encoders(double left, double right) {
  LOCK;
  double values[2] = {left, right};
  if (!has_wheels(__func__)) return;
  if (isnan(left) || isnan(right)) {
    complain("Error: %s(): invalid NaN value passed as argument.", __func__);
    return;
  }
  for (int k = 0; k < 2; k++) offsets[k] = (isnan(counts(k)) ? 0.0 : counts(k)) - values[k];
}

void wbr_differential_wheels_set_encoders(double left, double right) { wb_differential_wheels_set_encoders(left, right); }
