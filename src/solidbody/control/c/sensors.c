/* Sensors that tell numbers, and what all devices have. */

#include "client.h"

/* ---------------------------------------------------------------------- all devices */

void enable(Device *d, int period, const char *function) {
  if (period < 0) {
    complain("Error: %s() called with negative sampling period.", function);
    return;
  }
  d->since = fmin(d->since, robot.time);
  d->period = period;
  ORDER(SensorEnable, d->tag, period);
}

/* What was set does not hold any more, and what was sampled is gone; a device that is on stays on. */
void device_reset(Device *d) {
  for (int k = 0; k < 8; k++) d->values[k] = NAN;
  switch (d->type) {
    case WB_NODE_ROTATIONAL_MOTOR:
      d->target = d->facts.motor.target_position;
      d->velocity = d->facts.motor.max_velocity;
      d->acceleration = d->facts.motor.acceleration;
      d->available = d->facts.motor.max_effort;
      d->feedback = NAN;
      break;
    case WB_NODE_CONNECTOR: d->is_on = d->facts.connector.is_on; break;
    case WB_NODE_VACUUM_GRIPPER: d->is_on = d->facts.gripper.is_on; break;
    default: break;
  }
  images_reset(d);
  packets_clear(d);
  sounds_told(d, (List){0}, false);
  echoes_told(d, (List){0});
  d->presence = d->led = 0;
  d->waiting = 0;
  if (!d->engine) d->engine = "pico";
  if (!d->language) d->language = "en-US";
}

void hear_report(Device *d, uint16_t number, Reader *r) {
  const Layout *layout = layout_of(number);
  union {
    ReportImage image;
    ReportCamera camera;
    ReportPackets packets;
    ReportWaiting waiting;
    ReportEchoes echoes;
    ReportPresence presence;
    ReportPlaying playing;
  } report;
  if (!layout || layout->size > sizeof report || !read_fields(r, layout, &report)) {
    r->failed = true;
    return;
  }
  switch (number) {
    case M_ReportImage: image_told(d, report.image.number); break;
    case M_ReportCamera:
      if (report.camera.image.is) image_told(d, report.camera.image.value);
      if (report.camera.objects.is) d->objects_told = report.camera.objects.value;
      if (report.camera.segments.is) d->segments.told = report.camera.segments.value;
      break;
    case M_ReportWaiting: d->waiting = report.waiting.count; break;
    case M_ReportPresence: d->presence = report.presence.presence; break;
    case M_ReportPlaying: sounds_told(d, report.playing.sounds, report.playing.speaks); break;
    case M_ReportPackets: packets_told(d, report.packets.packets); break;
    case M_ReportEchoes: echoes_told(d, report.echoes.echoes); break;
    default: r->failed = true;
  }
}

GET(const char *, wb_device_get_name, NO_NODE, d->facts.plain.name.data, "")
GET(const char *, wb_device_get_model, NO_NODE, d->facts.plain.model.data, "")
GET(WbNodeType, wb_device_get_node_type, NO_NODE, d->node_type, WB_NODE_NO_NODE)
WbNodeType wb_device_get_type(WbDeviceTag tag) { return wb_device_get_node_type(tag); }

/* ---------------------------------------------------------------------- sensors */

static const double *doubles_at(List list) { return (const double *)(const void *)list.items.at; }

#define VALUES(word, function, node, first)                    \
  const double *function(WbDeviceTag tag) {                    \
    DEVICE(node);                                              \
    if (d) is_on(d, word, __func__);                           \
    return d ? d->values + (first) : NULL;                     \
  }
#define VALUE(word, node)                            \
  SENSOR(word, node)                                 \
  double wb_##word##_get_value(WbDeviceTag tag) {    \
    DEVICE(node);                                    \
    if (d) is_on(d, #word, __func__);                \
    return d ? d->values[0] : NAN;                   \
  }
#define TABLE(word, node, kind)                                                                     \
  GET(int, wb_##word##_get_lookup_table_size, node, (int)d->facts.kind.table.count / 3, 0)          \
  GET(const double *, wb_##word##_get_lookup_table, node, doubles_at(d->facts.kind.table), NULL)

SENSOR(accelerometer, ACCELEROMETER)
VALUES("accelerometer", wb_accelerometer_get_values, ACCELEROMETER, 0)
TABLE(accelerometer, ACCELEROMETER, lookup)

SENSOR(compass, COMPASS)
VALUES("compass", wb_compass_get_values, COMPASS, 0)
TABLE(compass, COMPASS, lookup)

SENSOR(gyro, GYRO)
VALUES("gyro", wb_gyro_get_values, GYRO, 0)
TABLE(gyro, GYRO, lookup)

VALUE(altimeter, ALTIMETER)
VALUE(light_sensor, LIGHT_SENSOR)
TABLE(light_sensor, LIGHT_SENSOR, lookup)
VALUE(position_sensor, POSITION_SENSOR)

VALUE(distance_sensor, DISTANCE_SENSOR)
TABLE(distance_sensor, DISTANCE_SENSOR, distanceSensor)
GET(double, wb_distance_sensor_get_min_value, DISTANCE_SENSOR, d->facts.distanceSensor.min_value, NAN)
GET(double, wb_distance_sensor_get_max_value, DISTANCE_SENSOR, d->facts.distanceSensor.max_value, NAN)
GET(double, wb_distance_sensor_get_aperture, DISTANCE_SENSOR, d->facts.distanceSensor.aperture, NAN)
GET(WbDistanceSensorType, wb_distance_sensor_get_type, DISTANCE_SENSOR, d->facts.distanceSensor.kind, -1)

SENSOR(touch_sensor, TOUCH_SENSOR)
TABLE(touch_sensor, TOUCH_SENSOR, touchSensor)
GET(WbTouchSensorType, wb_touch_sensor_get_type, TOUCH_SENSOR, d->facts.touchSensor.kind, -1)

static bool is_touch(Device *d, bool wants_vector, const char *function) {
  if ((d->facts.touchSensor.kind == WB_TOUCH_SENSOR_FORCE3D) == wants_vector) return is_on(d, "touch_sensor", function), true;
  const char *kind = wants_vector ? "\"force-3d\"" : "\"bumper\" or \"force\"";
  complain("Error: %s() must be used with a TouchSensor of type %s", function, kind);
  complain("Error: you should use wb_touch_sensor_get_value%s() instead.", wants_vector ? "" : "s");
  return false;
}

double wb_touch_sensor_get_value(WbDeviceTag tag) {
  DEVICE(TOUCH_SENSOR);
  return d && is_touch(d, false, __func__) ? d->values[0] : NAN;
}

const double *wb_touch_sensor_get_values(WbDeviceTag tag) {
  DEVICE(TOUCH_SENSOR);
  return d && is_touch(d, true, __func__) ? d->values : NULL;
}

SENSOR(gps, GPS)
VALUES("gps", wb_gps_get_values, GPS, 0)
VALUES("gps", wb_gps_get_speed_vector, GPS, 4)
GET(WbGpsCoordinateSystem, wb_gps_get_coordinate_system, GPS, d->facts.gps.system, -1)

double wb_gps_get_speed(WbDeviceTag tag) {
  DEVICE(GPS);
  if (d) is_on(d, "gps", __func__);
  return d ? d->values[3] : NAN;
}

/* The text is the program's to free, as in Webots. */
const char *wb_gps_convert_to_degrees_minutes_seconds(double decimal_degrees) {
  char *text = malloc(64);
  double minutes = (decimal_degrees - trunc(decimal_degrees)) * 60.0;
  double seconds = (minutes - trunc(minutes)) * 60.0;
  snprintf(text, 64, "%d\u00b0 %d\u2032 %d\u2033", (int)limited(decimal_degrees, -1e9, 1e9), (int)minutes, (int)seconds);
  return text;
}

SENSOR(inertial_unit, INERTIAL_UNIT)
VALUES("inertial_unit", wb_inertial_unit_get_quaternion, INERTIAL_UNIT, 0)
GET(double, wb_inertial_unit_get_noise, INERTIAL_UNIT, d->facts.inertialUnit.noise, NAN)

const double *wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag) {
  DEVICE(INERTIAL_UNIT);
  if (!d) return NULL;
  is_on(d, "inertial_unit", __func__);
  double x = d->values[0], y = d->values[1], z = d->values[2], w = d->values[3];
  double sines[3] = {w * x + y * z, w * y - z * x, w * z + x * y}, cosine = 1 - 2 * (x * x + y * y);
  if (d->facts.inertialUnit.y_up) {
    sines[0] = w * x - y * z;
    sines[1] = x * y + z * w;
    sines[2] = w * y - x * z;
    cosine = 1 - 2 * (x * x + z * z);
  }
  d->angles[0] = atan2(2 * sines[0], cosine);
  d->angles[1] = isnan(x) ? NAN : asin(fmax(-1.0, fmin(1.0, 2 * sines[1])));
  d->angles[2] = atan2(2 * sines[2], 1 - 2 * (y * y + z * z));
  return d->angles;
}

/* ---------------------------------------------------------------------- radars */

SENSOR(radar, RADAR)
GET(double, wb_radar_get_min_range, RADAR, d->facts.radar.min_range, NAN)
GET(double, wb_radar_get_max_range, RADAR, d->facts.radar.max_range, NAN)
GET(double, wb_radar_get_horizontal_fov, RADAR, d->facts.radar.horizontal_fov, NAN)
GET(double, wb_radar_get_vertical_fov, RADAR, d->facts.radar.vertical_fov, NAN)

void echoes_told(Device *d, List echoes) {
  free(d->targets);
  d->target_count = (int)echoes.count;
  d->targets = echoes.count ? calloc(echoes.count, sizeof *d->targets) : NULL;
  for (int k = 0; k < d->target_count; k++) {
    double values[4];
    read_doubles(&echoes.items, values, 4);
    d->targets[k] = (WbRadarTarget){values[0], values[1], values[2], values[3]};
  }
}

int wb_radar_get_number_of_targets(WbDeviceTag tag) {
  DEVICE(RADAR);
  if (d) is_on(d, "radar", __func__);
  return d ? d->target_count : 0;
}

const WbRadarTarget *wb_radar_get_targets(WbDeviceTag tag) {
  DEVICE(RADAR);
  if (d) is_on(d, "radar", __func__);
  return d ? d->targets : NULL;
}

const WbRadarTarget *wb_radar_get_target(WbDeviceTag tag, int index) {
  DEVICE(RADAR);
  return d && index >= 0 && index < d->target_count ? &d->targets[index] : NULL;
}
