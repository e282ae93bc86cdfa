/* Motions: positions of motors over time, from `.motion` files (see motion.py beside the Python library). */

#include "client.h"

struct WbMotionStructPrivate {
  WbMotionRef next;
  int motor_count, pose_count;
  WbDeviceTag *motors; /* 0 = the robot has none of that name */
  int *times;          /* [ms] */
  double *positions;   /* pose by pose; NaN = none */
  int elapsed;
  bool plays, loops, reverses;
};

static WbMotionRef motions;

/* ---------------------------------------------------------------------- reading */

/* Reads [[minutes:]seconds:]milliseconds; -1 = it is no time. */
static int parse_time(const char *text) {
  int parts[3] = {0}, count = 0, at = 0, used = 0;
  while (count < 3 && sscanf(text + at, "%9d%n", &parts[count], &used) == 1 && text[at] != '-' && text[at] != '+') {
    count++;
    at += used;
    if (text[at] != ':') break;
    at++;
  }
  if (!count || text[at] || (at && text[at - 1] == ':')) return -1;
  static const int factors[3] = {1, 1000, 60000};
  long long total = 0;
  for (int k = 0; k < count; k++) total += (long long)parts[count - 1 - k] * factors[k];
  return total > 2000000000 ? -1 : (int)total;
}

static char *trimmed(char *text) {
  while (*text == ' ' || *text == '\t') text++;
  size_t size = strlen(text);
  while (size && strchr(" \t\r", text[size - 1])) text[--size] = 0;
  return text;
}

/* Reads a pose; returns what is wrong, NULL = nothing. */
static const char *parse_pose(WbMotionRef motion, char *line) {
  char *cell = wbu_string_strsep(&line, ",");
  int time = parse_time(trimmed(cell));
  if (time < 0) return "expected a time as [[minutes:]seconds:]milliseconds";
  if (motion->pose_count && time <= motion->times[motion->pose_count - 1]) return "illegal (non-increasing) time sequence";
  if (!wbu_string_strsep(&line, ",")) return "pose name expected";
  size_t count = (size_t)motion->pose_count;
  motion->times = realloc(motion->times, (count + 1) * sizeof *motion->times);
  motion->positions = realloc(motion->positions, (count + 1) * (size_t)motion->motor_count * sizeof(double));
  motion->times[count] = time;
  for (int k = 0; k < motion->motor_count; k++) {
    cell = wbu_string_strsep(&line, ",");
    if (!cell) return "missing data";
    cell = trimmed(cell);
    char *end;
    double value = strtod(cell, &end);
    bool is_none = !strcmp(cell, "*");
    if (!is_none && (end == cell || *end || !isfinite(value))) return "expected a number or \"*\"";
    motion->positions[count * (size_t)motion->motor_count + (size_t)k] = is_none ? NAN : value;
  }
  if (line && *trimmed(line)) return "unexpected extra data";
  motion->pose_count++;
  return NULL;
}

static void add_motor(WbMotionRef motion, const char *name, const char *filename) {
  WbDeviceTag found = 0;
  for (int tag = 1; tag <= robot.count && !found; tag++)
    if (!strcmp(robot.devices[tag]->facts.plain.name.data, name)) found = (WbDeviceTag)tag;
  if (found && robot.devices[found]->type != WB_NODE_ROTATIONAL_MOTOR) found = 0;
  if (!found)
    complain("Warning: wbu_motion_new(): ignoring joint '%s', specified in file '%s', but not found in this robot.", name, filename);
  motion->motors = realloc(motion->motors, (size_t)(motion->motor_count + 1) * sizeof *motion->motors);
  motion->motors[motion->motor_count++] = found;
}

static const char *parse(WbMotionRef motion, char *text, const char *filename, int *line) {
  char *row = wbu_string_strsep(&text, "\n");
  char *cell = wbu_string_strsep(&row, ",");
  if (strcmp(trimmed(cell), "#WEBOTS_MOTION") || !row) return "invalid motion file header";
  if (strcmp(trimmed(wbu_string_strsep(&row, ",")), "V1.0")) return "unsupported version number";
  while ((cell = wbu_string_strsep(&row, ",")))
    if (*trimmed(cell)) add_motor(motion, trimmed(cell), filename);
  while ((row = wbu_string_strsep(&text, "\n"))) {
    ++*line;
    row = trimmed(row);
    if (!*row) break;
    const char *problem = parse_pose(motion, row);
    if (problem) return problem;
  }
  return motion->motor_count && motion->pose_count ? NULL : "a motion needs at least one joint and one pose";
}

WbMotionRef wbu_motion_new(const char *filename) {
  LOCK;
  if (!filename || !*filename) {
    complain("Error: wbu_motion_new() called with NULL or empty 'filename' argument.");
    return NULL;
  }
  FILE *file = fopen(filename, "rb");
  if (!file) {
    complain("Error: wbu_motion_new(): could not open '%s' file.", filename);
    return NULL;
  }
  Buffer text = {0};
  size_t got;
  do {
    uint8_t *at = more(&text, 1 << 16);
    got = fread(at, 1, 1 << 16, file);
    text.size -= (1 << 16) - got;
  } while (got);
  fclose(file);
  put_uint8_t(&text, 0);
  WbMotionRef motion = calloc(1, sizeof *motion);
  int line = 1;
  const char *problem = parse(motion, (char *)text.data, filename, &line);
  free(text.data);
  motion->next = motions;
  motions = motion;
  if (problem) {
    complain("Error: wbu_motion_new(): %s, in file '%s', line %d.", problem, filename, line);
    wbu_motion_delete(motion);
    return NULL;
  }
  return motion;
}

void wbu_motion_delete(WbMotionRef motion) {
  LOCK;
  WbMotionRef *place = &motions;
  while (*place && *place != motion) place = &(*place)->next;
  if (!*place) {
    complain("Error: wbu_motion_delete(): attempt to delete an invalid 'motion'.");
    return;
  }
  *place = motion->next;
  free(motion->motors);
  free(motion->times);
  free(motion->positions);
  free(motion);
}

/* ---------------------------------------------------------------------- playing */

static int duration(WbMotionRef motion) { return motion->times[motion->pose_count - 1]; }

static void move_motors(WbMotionRef motion) {
  int after = 0;
  while (after < motion->pose_count && motion->times[after] <= motion->elapsed) after++;
  int before = after ? after - 1 : 0;
  if (after == motion->pose_count) after = before;
  const double *a = motion->positions + before * motion->motor_count, *b = motion->positions + after * motion->motor_count;
  double length = motion->times[after] - motion->times[before];
  double share = length > 0.0 ? (motion->elapsed - motion->times[before]) / length : 0.0;
  for (int k = 0; k < motion->motor_count; k++) {
    double position = share > 0.0 ? a[k] + share * (b[k] - a[k]) : a[k];
    if (after != before && isnan(b[k])) position = NAN;
    if (motion->motors[k] && !isnan(position)) wb_motor_set_position(motion->motors[k], position);
  }
}

static void set_time(WbMotionRef motion, int time) {
  motion->elapsed = time < 0 ? 0 : time > duration(motion) ? duration(motion) : time;
}

static void advance(WbMotionRef motion, int step) {
  if (!motion->plays) return;
  move_motors(motion);
  int end = motion->reverses ? 0 : duration(motion);
  if (motion->elapsed != end) set_time(motion, motion->elapsed + (motion->reverses ? -step : step));
  else if (motion->loops) motion->elapsed = duration(motion) - end;
  else motion->plays = false;
}

/* In the order in which they were made, as where two move a motor the last one counts. */
static void advance_all(WbMotionRef motion, int step) {
  if (!motion) return;
  advance_all(motion->next, step);
  advance(motion, step);
}

void motions_advance(int step) { advance_all(motions, step); }

#define MOTION                                                          \
  LOCK;                                                                 \
  if (!motion) complain("Error: %s() called with NULL argument.", __func__)

void wbu_motion_play(WbMotionRef motion) {
  MOTION;
  if (!motion) return;
  motion->plays = true;
  if (motion->reverses && motion->elapsed <= 0) motion->elapsed = duration(motion);
  else if (!motion->reverses && motion->elapsed >= duration(motion)) motion->elapsed = 0;
}

void wbu_motion_stop(WbMotionRef motion) {
  MOTION;
  if (motion) motion->plays = false;
}

void wbu_motion_set_loop(WbMotionRef motion, Bool loop) {
  MOTION;
  if (motion) motion->loops = loop != 0;
}

void wbu_motion_set_reverse(WbMotionRef motion, Bool reverse) {
  MOTION;
  if (motion) motion->reverses = reverse != 0;
}

Bool wbu_motion_is_over(WbMotionRef motion) {
  MOTION;
  if (!motion || motion->loops) return 0;
  return motion->reverses ? motion->elapsed <= 0 : motion->elapsed >= duration(motion);
}

int wbu_motion_get_duration(WbMotionRef motion) {
  MOTION;
  return motion ? duration(motion) : -1;
}

int wbu_motion_get_time(WbMotionRef motion) {
  MOTION;
  return motion ? motion->elapsed : -1;
}

void wbu_motion_set_time(WbMotionRef motion, int time) {
  MOTION;
  if (motion) set_time(motion, time);
}
