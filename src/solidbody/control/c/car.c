/* Cars and their drivers: the same rules as in client/vehicle/{chassis,drive,driver}.py, in the same order.
 *
 * A car that steers by the angle a turns about a point on the line of its rear axle. With the wheelbase L and
 * the track w, cot(right) = cot(a) - w/2L and cot(left) = cot(a) + w/2L; positive angles are to the right. */

#pragma GCC visibility push(default)
#include <webots/brake.h>
#include <webots/camera.h>
#include <webots/device.h>
#include <webots/display.h>
#include <webots/led.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>
#include <webots/vehicle/car.h>
#include <webots/vehicle/driver.h>
#pragma GCC visibility pop

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define RPM (60.0 / (2.0 * PI)) /* turns per minute of 1 rad/s */
#define KMH 3.6                 /* km/h of 1 m/s */
#define STRONGEST 50.0          /* [rad/s^2] a wheel that speeds up more than this has lost the ground */
#define TURNED_BACK 0.1         /* [rad] an indicator goes off when the steering wheel turns back by this */
#define SPEEDOMETER 220.0       /* [km/h] end of the scale */
#define TACHOMETER 11000.0      /* [1/min] */
#define NUMBERS 20              /* values that come before the gear ratios in customData */
#define MAX_GEARS 100

enum { FRONT_LIGHTS, REAR_LIGHTS, ANTIFOG_LIGHTS, BACKWARDS_LIGHTS, BRAKE_LIGHTS, RIGHT_LIGHTS, LEFT_LIGHTS, LIGHTS };

static const char *const WHEELS[4] = {"right_front", "left_front", "right_rear", "left_rear"};
/* LEDs that a car may have; one is spelt in two ways */
static const char *const NAMES[LIGHTS][2] = {
  {"front_lights", NULL},
  {"rear_lights", NULL},
  {"antifog_lights", NULL},
  {"backwards_lights", NULL},
  {"brake_lights", "brake_ligths"},
  {"right_indicators", "interior_right_indicators"},
  {"left_indicators", "interior_left_indicators"},
};

static struct {
  bool is_car;
  double wheelbase, track_front, track_rear, radii[2], brake_coefficient;
  WbuCarEngineType engine;
  double max_torque, max_power, min_rpm, max_rpm, coefficients[3], split_ratio, split_rpm;
  int gear_count;
  double gear_ratios[MAX_GEARS];
  WbuCarType type;
  WbDeviceTag steering[2], steering_sensors[2], wheels[4], sensors[4], brakes[4], lights[LIGHTS][2];
  WbDeviceTag steering_wheel, lever, wipers[2], wiper_sensor, speed_needle, rpm_needle;
  double indicator_period;
  bool has_limited_slip, indicator_stops_itself;
  double positions[4], speeds[4], acceleration, slips[3];
  /* what the driver wants */
  WbuDriverControlMode control;
  double angle, cruising, throttle, brake, indicator_angle;
  int gear;
  WbuDriverIndicatorState indicator;
  bool has_hazard, has_dipped;
  WbuDriverWiperMode wiper_mode;
} car;

static WbDeviceTag device(const char *name) {
  for (int i = 0; i < wb_robot_get_number_of_devices(); i++) {
    const WbDeviceTag tag = wb_robot_get_device_by_index(i);
    if (strcmp(wb_device_get_name(tag), name) == 0)
      return tag;
  }
  return 0;
}

static WbDeviceTag part(const char *first, const char *second, bool is_needed) {
  char name[64];
  snprintf(name, sizeof name, "%s%s", first, second);
  const WbDeviceTag tag = device(name);
  if (!tag && is_needed) {
    fprintf(stderr, "Error: Any car should have a device named '%s'.\n", name);
    exit(1);
  }
  return tag;
}

/* ---------------------------------------------------------------------- what the PROTO writes */

static double clamped(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

/* Whether the text is that of a car; fills in what it says if it is. */
static bool read_dimensions(const char *text) {
  double values[NUMBERS + MAX_GEARS] = {0};
  char engine = 0;
  int count = 0;
  while (*text && count < NUMBERS + (int)clamped(values[18], 0, MAX_GEARS)) {
    char *end = (char *)text;
    if (count == 7)
      engine = *text;
    else
      values[count] = strtod(text, &end);
    if (end == text) {
      if (count != 7 && count != 19) /* the one before the ratios may be a text */
        return 0;
      end += strcspn(text, " ");
    }
    text = end + strspn(end, " ");
    count++;
  }
  const int gears = (int)values[18];
  if (gears < 2 || gears > MAX_GEARS || count < NUMBERS + gears)
    return 0;
  car.wheelbase = values[0];
  car.track_front = values[1];
  car.track_rear = values[2];
  car.radii[0] = values[3];
  car.radii[1] = values[4];
  car.brake_coefficient = values[5];
  car.engine = engine == 'E' ? WBU_CAR_ELECTRIC_ENGINE :
               engine == 'P' ? WBU_CAR_PARALLEL_HYBRID_ENGINE :
               engine == 'S' ? WBU_CAR_POWER_SPLIT_HYBRID_ENGINE :
                               WBU_CAR_COMBUSTION_ENGINE;
  car.max_torque = values[8];
  car.max_power = values[9];
  car.min_rpm = values[10];
  car.max_rpm = values[11];
  memcpy(car.coefficients, values + 12, sizeof car.coefficients);
  car.split_ratio = values[15];
  car.split_rpm = values[16];
  car.gear_count = gears;
  memcpy(car.gear_ratios, values + NUMBERS, (size_t)gears * sizeof(double));
  return 1;
}

static void show_mirror(const char *side, int step) {
  const WbDeviceTag display = part(side, "_display", 0), camera = part(side, "_camera", 0);
  if (!display || !camera || wb_display_get_width(display) != wb_camera_get_width(camera) ||
      wb_display_get_height(display) != wb_camera_get_height(camera))
    return;
  wb_camera_enable(camera, (40 + step - 1) / step * step);
  wb_display_attach_camera(display, camera);
}

void wbu_car_init() {
  if (car.is_car)
    return;
  wb_robot_init();
  if (!read_dimensions(wb_robot_get_custom_data())) {
    fprintf(stderr, "Error: Only nodes based on the 'Car' node can use the car library.\n");
    exit(1);
  }
  car.is_car = 1;
  static const char *const sides[2] = {"right", "left"};
  for (int i = 0; i < 2; i++) {
    car.steering[i] = part(sides[i], "_steer", 1);
    car.steering_sensors[i] = part(sides[i], "_steer_sensor", 1);
    car.wipers[i] = part(sides[i], "_wiper_motor", 0);
  }
  for (int i = 0; i < 4; i++) {
    car.wheels[i] = part(WHEELS[i], "_wheel", 0);
    car.sensors[i] = part(WHEELS[i], "_sensor", 1);
    car.brakes[i] = part(WHEELS[i], "_brake", 1);
  }
  for (int i = 0; i < LIGHTS; i++)
    for (int j = 0; j < 2; j++)
      car.lights[i][j] = NAMES[i][j] ? device(NAMES[i][j]) : 0;
  car.steering_wheel = device("steering_wheel_motor");
  car.lever = device("indicator_lever_motor");
  if (!car.wipers[0] || !car.wipers[1])
    car.wipers[0] = car.wipers[1] = 0;
  car.wiper_sensor = device("wiper_sensor");
  car.rpm_needle = device("rpm_needle_motor");
  car.speed_needle = device("speed_needle_motor");
  const bool front = car.wheels[0] && car.wheels[1], rear = car.wheels[2] && car.wheels[3];
  if (!front && !rear) {
    fprintf(stderr, "Error: this car does not have the required motors\n");
    exit(1);
  }
  car.type = front && rear ? WBU_CAR_FOUR_BY_FOUR : front ? WBU_CAR_TRACTION : WBU_CAR_PROPULSION;
  car.indicator_period = 0.34;
  car.has_limited_slip = car.indicator_stops_itself = 1;
  car.control = UNDEFINED_CONTROL_MODE;
  const int step = (int)wb_robot_get_basic_time_step();
  for (int i = 0; i < 2; i++)
    wb_position_sensor_enable(car.steering_sensors[i], step);
  for (int i = 0; i < 4; i++)
    wb_position_sensor_enable(car.sensors[i], step);
  if (car.wiper_sensor)
    wb_position_sensor_enable(car.wiper_sensor, step);
  for (int i = 0; i < 4; i++)
    if (car.wheels[i]) {
      wb_motor_set_position(car.wheels[i], INFINITY);
      wb_motor_set_velocity(car.wheels[i], 0.0);
    }
  show_mirror("rear", step);
  show_mirror("left_wing", step);
  show_mirror("right_wing", step);
}

void wbu_car_cleanup() {
  memset(&car, 0, sizeof car);
}

static bool is_ready(const char *function) {
  if (!car.is_car)
    fprintf(stderr, "Error: %s() called before wbu_car_init() or wbu_driver_init()\n", function);
  return car.is_car;
}
#define READY is_ready(__func__)

static void set_light(int light, bool state) {
  for (int i = 0; i < 2; i++)
    if (car.lights[light][i])
      wb_led_set(car.lights[light][i], state ? 1 : 0);
}

static bool light(int light) {
  for (int i = 0; i < 2; i++)
    if (car.lights[light][i] && wb_led_get(car.lights[light][i]))
      return 1;
  return 0;
}

/* How fast the wheels turn; `step` seconds have passed. */
static void measure(double step) {
  double positions[4];
  for (int i = 0; i < 4; i++) {
    positions[i] = wb_position_sensor_get_value(car.sensors[i]);
    if (positions[i] != positions[i])
      return; /* the first sample is still to come */
  }
  car.acceleration = 0.0;
  for (int i = 0; i < 4; i++) {
    const double speed = (positions[i] - car.positions[i]) / step;
    const double change = (speed - car.speeds[i]) / step;
    if (fabs(change) > fabs(car.acceleration) || i == 0)
      car.acceleration = change;
    car.speeds[i] = speed;
    car.positions[i] = positions[i];
  }
}

/* ---------------------------------------------------------------------- steering, gears, differentials */

static void steering_angles(double angle, double out[2]) {
  if (angle == 0.0) {
    out[0] = out[1] = 0.0;
    return;
  }
  const double cot = 1.0 / tan(angle), part = car.track_front / (2.0 * car.wheelbase);
  out[0] = atan(1.0 / (cot - part));
  out[1] = atan(1.0 / (cot + part));
}

/* How turning divides speed: right of the front, right of the rear, front of the whole. */
static void divide(double angle, double out[3]) {
  if (angle == 0.0) {
    out[0] = out[1] = out[2] = 0.5;
    return;
  }
  double angles[2];
  steering_angles(angle, angles);
  const double right = car.wheelbase / sin(angles[0]), left = car.wheelbase / sin(angles[1]);
  const double middle = car.wheelbase / tan(angle), outer = car.wheelbase / sin(angle);
  out[0] = right / (left + right);
  out[1] = (middle - 0.5 * car.track_rear) / (2.0 * middle);
  out[2] = car.radii[1] / car.radii[0] * outer / (outer + middle);
}

/* Add up how far each pair of speeds is apart, between -1 and 1. */
static void watch_slip() {
  const double *v = car.speeds;
  const double pairs[3][2] = {{v[0], v[1]}, {v[2], v[3]}, {v[0] + v[1], v[2] + v[3]}};
  for (int i = 0; i < 3; i++) {
    const double both = pairs[i][0] + pairs[i][1];
    car.slips[i] = clamped(both != 0.0 ? car.slips[i] + 2.0 * pairs[i][0] / both - 1.0 : 0.0, -1.0, 1.0);
  }
}

static void share_torque(double torque) {
  double parts[3];
  divide(car.angle, parts);
  if (car.has_limited_slip) {
    watch_slip();
    for (int i = 0; i < 3; i++)
      parts[i] *= 1.0 - car.slips[i];
  }
  const double front = parts[0], rear = parts[1];
  const double central = car.type == WBU_CAR_TRACTION ? 1.0 : car.type == WBU_CAR_PROPULSION ? 0.0 : parts[2];
  const double torques[4] = {torque * front * central, torque * (1.0 - front) * central,
                             torque * rear * (1.0 - central), torque * (1.0 - rear) * (1.0 - central)};
  for (int i = 0; i < 4; i++)
    if (car.wheels[i])
      wb_motor_set_torque(car.wheels[i], torques[i]);
}

static double ratio() {
  return car.gear_ratios[car.gear > 0 ? car.gear : 0]; /* that of the reverse gear is negative */
}

static double engine_rpm() {
  if (car.gear == 0)
    return 0.0;
  const double sum = car.speeds[0] + car.speeds[1] + car.speeds[2] + car.speeds[3];
  return fmin(fabs(sum / 4.0 * RPM * ratio()), car.max_rpm);
}

static double engine_torque(double rpm) {
  const double burns = fmax(rpm, car.min_rpm), *k = car.coefficients;
  double torque = 0.0;
  if (car.engine == WBU_CAR_COMBUSTION_ENGINE || (car.engine == WBU_CAR_PARALLEL_HYBRID_ENGINE && burns == rpm))
    torque += k[0] + burns * (k[1] + burns * k[2]);
  if (car.engine == WBU_CAR_POWER_SPLIT_HYBRID_ENGINE && burns == rpm)
    torque += (1.0 - car.split_ratio) * (k[0] + car.split_rpm * (k[1] + car.split_rpm * k[2]));
  if (car.engine != WBU_CAR_COMBUSTION_ENGINE)
    torque += rpm != 0.0 ? fmin(car.max_power * RPM / rpm, car.max_torque) : car.max_torque;
  return torque;
}

/* The torque behind the gearbox [N*m], negative in the reverse gear. */
static double output_torque() {
  const double rpm = engine_rpm();
  if (car.gear == 0 || rpm >= car.max_rpm)
    return 0.0;
  double torque = engine_torque(rpm) * car.throttle * ratio();
  if (fabs(car.acceleration) > STRONGEST)
    torque *= STRONGEST / fabs(car.acceleration);
  return torque;
}

/* ---------------------------------------------------------------------- cars */

WbuCarType wbu_car_get_type() {
  return READY ? car.type : WBU_CAR_TRACTION;
}
WbuCarEngineType wbu_car_get_engine_type() {
  return READY ? car.engine : WBU_CAR_COMBUSTION_ENGINE;
}
double wbu_car_get_track_front() {
  return READY ? car.track_front : NAN;
}
double wbu_car_get_track_rear() {
  return READY ? car.track_rear : NAN;
}
double wbu_car_get_wheelbase() {
  return READY ? car.wheelbase : NAN;
}
double wbu_car_get_front_wheel_radius() {
  return READY ? car.radii[0] : NAN;
}
double wbu_car_get_rear_wheel_radius() {
  return READY ? car.radii[1] : NAN;
}

static bool is_wheel(int wheel, const char *function) {
  const bool known = wheel >= 0 && wheel < WBU_CAR_WHEEL_NB;
  if (!known)
    fprintf(stderr, "Error: %s() called with a wheel that no car has: %d\n", function, wheel);
  return known;
}
double wbu_car_get_wheel_encoder(WbuCarWheelIndex wheel) {
  return READY && is_wheel((int)wheel, __func__) ? wb_position_sensor_get_value(car.sensors[wheel]) : NAN;
}
double wbu_car_get_wheel_speed(WbuCarWheelIndex wheel) {
  return READY && is_wheel((int)wheel, __func__) ? car.speeds[wheel] : NAN;
}
double wbu_car_get_right_steering_angle() {
  return READY ? wb_position_sensor_get_value(car.steering_sensors[0]) : NAN;
}
double wbu_car_get_left_steering_angle() {
  return READY ? wb_position_sensor_get_value(car.steering_sensors[1]) : NAN;
}
void wbu_car_set_right_steering_angle(double angle) {
  if (READY)
    wb_motor_set_position(car.steering[0], angle);
}
void wbu_car_set_left_steering_angle(double angle) {
  if (READY)
    wb_motor_set_position(car.steering[1], angle);
}
void wbu_car_set_indicator_period(double period) {
  if (READY)
    car.indicator_period = period;
}
double wbu_car_get_indicator_period() {
  return READY ? car.indicator_period : NAN;
}
bool wbu_car_get_backwards_lights() {
  return READY && light(BACKWARDS_LIGHTS);
}
bool wbu_car_get_brake_lights() {
  return READY && light(BRAKE_LIGHTS);
}
void wbu_car_enable_limited_slip_differential(bool enable) {
  car.has_limited_slip = enable ? 1 : 0;
}
void wbu_car_enable_indicator_auto_disabling(bool enable) {
  car.indicator_stops_itself = enable ? 1 : 0;
}

/* ---------------------------------------------------------------------- drivers */

bool wbu_driver_initialization_is_possible() {
  wb_robot_init();
  return car.is_car || read_dimensions(wb_robot_get_custom_data());
}
void wbu_driver_init() {
  wbu_car_init();
}
void wbu_driver_cleanup() {
  wbu_car_cleanup();
  wb_robot_cleanup();
}

static void blink() {
  const bool is_on = (int)(wb_robot_get_time() / car.indicator_period) % 2 == 0;
  set_light(RIGHT_LIGHTS, is_on && (car.has_hazard || car.indicator == RIGHT));
  set_light(LEFT_LIGHTS, is_on && (car.has_hazard || car.indicator == LEFT));
}

static void move_wipers(double position) {
  for (int i = 0; i < 2; i++)
    wb_motor_set_position(car.wipers[i], position);
}

static void wipe() {
  if (!car.wipers[0] || !car.wiper_sensor || car.wiper_mode == DOWN)
    return;
  const double position = wb_position_sensor_get_value(car.wiper_sensor);
  const double low = wb_motor_get_min_position(car.wipers[0]), high = wb_motor_get_max_position(car.wipers[0]);
  if (position == low)
    move_wipers(high);
  if (position == high || (car.wiper_mode == SLOW && (int)wb_robot_get_time() % 4 != 0))
    move_wipers(low);
}

static void turn_needle(WbDeviceTag needle, double share) {
  if (needle)
    wb_motor_set_position(needle, fmin(share, 1.0) * wb_motor_get_max_position(needle));
}

int wbu_driver_step() {
  if (!READY)
    return -1;
  blink();
  wipe();
  const bool is_reverse = car.control == SPEED ? car.cruising < 0.0 : car.gear == -1;
  set_light(BACKWARDS_LIGHTS, is_reverse && car.control != UNDEFINED_CONTROL_MODE);
  if (car.control == TORQUE)
    share_torque(output_torque());
  if (car.brake > 0.0) /* with the same torque at any speed: damping times speed */
    for (int i = 0; i < 4; i++)
      if (car.speeds[i] != 0.0)
        wb_brake_set_damping_constant(car.brakes[i], fabs(car.brake * car.brake_coefficient / car.speeds[i]));
  const double before = wb_robot_get_time();
  const int status = wb_robot_step((int)wb_robot_get_basic_time_step());
  if (wb_robot_get_time() > before) {
    measure(wb_robot_get_time() - before);
    turn_needle(car.speed_needle, fabs(wbu_driver_get_current_speed()) / SPEEDOMETER);
    turn_needle(car.rpm_needle, engine_rpm() / TACHOMETER);
  }
  return status;
}

static void stop_indicator() {
  const double sign = car.indicator == RIGHT ? 1.0 : car.indicator == LEFT ? -1.0 : 0.0;
  if (sign == 0.0 || !car.indicator_stops_itself)
    return;
  const double turned = sign * (car.angle - car.indicator_angle);
  if (turned > 0.0)
    car.indicator_angle = car.angle;
  else if (turned <= -TURNED_BACK)
    wbu_driver_set_indicator(OFF);
}

void wbu_driver_set_steering_angle(double angle) {
  if (!READY)
    return;
  if (angle != angle) {
    fprintf(stderr, "Warning: wbu_driver_set_steering_angle() called with NaN\n");
    return;
  }
  double angles[2];
  car.angle = angle;
  steering_angles(angle, angles);
  wb_motor_set_position(car.steering[0], angles[0]);
  wb_motor_set_position(car.steering[1], angles[1]);
  if (car.steering_wheel)
    wb_motor_set_position(car.steering_wheel, 10.0 * angle);
  if (car.control == SPEED)
    wbu_driver_set_cruising_speed(car.cruising);
  stop_indicator();
}
double wbu_driver_get_steering_angle() {
  return READY ? 0.5 * (wb_position_sensor_get_value(car.steering_sensors[0]) +
                        wb_position_sensor_get_value(car.steering_sensors[1])) :
                 NAN;
}

void wbu_driver_set_cruising_speed(double speed) {
  if (!READY)
    return;
  double parts[3];
  divide(car.angle, parts);
  const double central = car.type == WBU_CAR_FOUR_BY_FOUR ? parts[2] : 0.5;
  const double sides[4] = {parts[0], 1.0 - parts[0], parts[1], 1.0 - parts[1]};
  for (int i = 0; i < 4; i++)
    if (car.wheels[i]) {
      const double end = i < 2 ? central : 1.0 - central;
      wb_motor_set_velocity(car.wheels[i], 4.0 * (speed / KMH) * sides[i] * end / car.radii[i / 2]);
      if (car.control == TORQUE)
        wb_motor_set_position(car.wheels[i], INFINITY);
    }
  car.cruising = speed;
  car.control = SPEED;
}
double wbu_driver_get_target_cruising_speed() {
  return READY ? car.cruising : NAN;
}
double wbu_driver_get_current_speed() {
  if (!READY)
    return NAN;
  const double front = 0.5 * (car.speeds[0] + car.speeds[1]) * car.radii[0];
  const double rear = 0.5 * (car.speeds[2] + car.speeds[3]) * car.radii[1];
  return KMH * (car.type == WBU_CAR_FOUR_BY_FOUR ? 0.5 * (front + rear) :
                car.type == WBU_CAR_TRACTION     ? front :
                                                   rear);
}

static double share(const char *name, double value) {
  if (value >= 0.0 && value <= 1.0)
    return value;
  const int limit = value < 0.0 ? 0 : 1;
  fprintf(stderr, "Warning: '%s' should be %s or equal to %d, used %d instead.\n", name,
          limit ? "smaller" : "bigger", limit, limit);
  return limit;
}
void wbu_driver_set_throttle(double throttle) {
  if (!READY)
    return;
  car.throttle = share("throttle", throttle);
  car.control = TORQUE;
}
double wbu_driver_get_throttle() {
  return READY ? car.throttle : NAN;
}
void wbu_driver_set_brake_intensity(double intensity) {
  if (!READY)
    return;
  car.brake = share("intensity", intensity);
  set_light(BRAKE_LIGHTS, car.brake > 0.0);
  if (car.brake == 0.0)
    for (int i = 0; i < 4; i++)
      wb_brake_set_damping_constant(car.brakes[i], 0.0);
}
double wbu_driver_get_brake_intensity() {
  return READY ? car.brake : NAN;
}
WbuDriverControlMode wbu_driver_get_control_mode() {
  return READY ? car.control : UNDEFINED_CONTROL_MODE;
}

void wbu_driver_set_gear(int gear) {
  if (!READY)
    return;
  const int last = car.gear_count - 1;
  if (gear > last)
    fprintf(stderr, "Warning: this car has only %d gears.\n", last);
  else if (gear < -1)
    fprintf(stderr, "Warning: Minimum gear value is -1\n");
  car.gear = gear < -1 ? -1 : gear > last ? last : gear;
}
static bool has_engine(const char *function) {
  if (car.control == SPEED)
    fprintf(stderr, "Warning: %s() means nothing while the car drives at a cruising speed\n", function);
  return car.control != SPEED;
}
int wbu_driver_get_gear() {
  return READY && has_engine(__func__) ? car.gear : 0;
}
int wbu_driver_get_gear_number() {
  return READY ? car.gear_count : 0;
}
double wbu_driver_get_rpm() {
  return READY && has_engine(__func__) ? engine_rpm() : 0.0;
}

void wbu_driver_set_indicator(WbuDriverIndicatorState state) {
  if (!READY)
    return;
  car.indicator = state;
  car.indicator_angle = car.angle;
  if (car.lever)
    wb_motor_set_position(car.lever, state == RIGHT ? wb_motor_get_max_position(car.lever) :
                                     state == LEFT  ? wb_motor_get_min_position(car.lever) :
                                                      0.0);
}
WbuDriverIndicatorState wbu_driver_get_indicator() {
  return car.indicator;
}
void wbu_driver_set_hazard_flashers(bool state) {
  car.has_hazard = state ? 1 : 0;
}
bool wbu_driver_get_hazard_flashers() {
  return car.has_hazard;
}
void wbu_driver_set_dipped_beams(bool state) {
  if (!READY)
    return;
  car.has_dipped = state ? 1 : 0;
  set_light(FRONT_LIGHTS, car.has_dipped);
  set_light(REAR_LIGHTS, car.has_dipped);
}
bool wbu_driver_get_dipped_beams() {
  return car.has_dipped;
}
void wbu_driver_set_antifog_lights(bool state) {
  if (READY)
    set_light(ANTIFOG_LIGHTS, state);
}
bool wbu_driver_get_antifog_lights() {
  return READY && light(ANTIFOG_LIGHTS);
}
void wbu_driver_set_wiper_mode(WbuDriverWiperMode mode) {
  if (!READY)
    return;
  if ((int)mode < DOWN || (int)mode > FAST) {
    fprintf(stderr, "Error: %s(): %d is none of DOWN, SLOW, NORMAL, FAST\n", __func__, (int)mode);
    return;
  }
  if (!car.wipers[0])
    return;
  car.wiper_mode = mode;
  for (int i = 0; i < 2; i++)
    wb_motor_set_velocity(car.wipers[i], mode == FAST ? 4.0 : 2.0);
  if (mode == DOWN)
    move_wipers(wb_motor_get_min_position(car.wipers[0]));
}
WbuDriverWiperMode wbu_driver_get_wiper_mode() {
  return car.wiper_mode;
}

void wbu_driver_set_brake(double brake) {
  fprintf(stderr, "Warning: wbu_driver_set_brake() is deprecated, use wbu_driver_set_brake_intensity() instead\n");
  wbu_driver_set_brake_intensity(brake);
}
double wbu_driver_get_brake() {
  fprintf(stderr, "Warning: wbu_driver_get_brake() is deprecated, use wbu_driver_get_brake_intensity() instead\n");
  return wbu_driver_get_brake_intensity();
}
void wbu_driver_set_wipers_mode(WbuDriverWiperMode mode) {
  wbu_driver_set_wiper_mode(mode);
}
WbuDriverWiperMode wbu_driver_get_wipers_mode() {
  return wbu_driver_get_wiper_mode();
}
