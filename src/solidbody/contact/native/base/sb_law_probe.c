// The law for tests: calls one function of sb_law.h on plain numbers, so that the numpy twin can be
// compared with it on the same inputs. Not used by the step.
#include "base/sb_law.h"

enum {
  SB_PROBE_NORMAL, SB_PROBE_FRICTION, SB_PROBE_ROLLING_ROW, SB_PROBE_BOUND, SB_PROBE_MOTOR,
  SB_PROBE_SPRING, SB_PROBE_STOP, SB_PROBE_BILATERAL, SB_PROBE_COMBINE, SB_PROBE_SLIP,
  SB_PROBE_ROLLING, SB_PROBE_TANGENT, SB_PROBE_DIRECTION, SB_PROBE_ROTATE, SB_PROBE_ANGLE,
  SB_PROBE_SHIFT, SB_PROBE_SLIDING, SB_PROBE_ACROSS
};

static int put_row(SbRow row, double* out) {
  out[0] = row.c;
  out[1] = row.cfm;
  out[2] = row.lo;
  out[3] = row.hi;
  return 4;
}

static int put_vector(const double* v, double* out) {
  for (int i = 0; i < 3; i++) out[i] = v[i];
  return 3;
}

// Returns the number of results, 0 for an unknown function.
int sb_probe(int which, const double* x, double* out) {
  double v[3];
  switch (which) {
    case SB_PROBE_NORMAL: return put_row(sb_row_normal(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]), out);
    case SB_PROBE_FRICTION: return put_row(sb_row_friction(x[0], x[1], x[2]), out);
    case SB_PROBE_ROLLING_ROW: return put_row(sb_row_rolling(x[0]), out);
    case SB_PROBE_BOUND: out[0] = sb_friction_bound(x[0], x[1]); return 1;
    case SB_PROBE_MOTOR: return put_row(sb_row_motor(x[0], x[1], x[2]), out);
    case SB_PROBE_SPRING: return put_row(sb_row_spring(x[0], x[1], x[2], x[3]), out);
    case SB_PROBE_STOP:
      return put_row(sb_row_stop(x[0], (int)x[1], x[2], x[3], x[4], x[5], x[6]), out);
    case SB_PROBE_BILATERAL: return put_row(sb_row_bilateral(x[0], x[1], x[2], x[3]), out);
    case SB_PROBE_COMBINE: sb_combine((int)x[0], x + 1, x[5], x[6], out); return 2;
    case SB_PROBE_SLIP: sb_combine_slip((int)x[0], x + 1, x[5], x[6], out); return 2;
    case SB_PROBE_ROLLING: out[3] = sb_rolling((int)x[0], x + 1, out); return 4;
    case SB_PROBE_TANGENT: sb_tangent(x, v); return put_vector(v, out);
    case SB_PROBE_DIRECTION:
      sb_friction_direction(x, (int)x[9], (int)x[10], (int)x[11], x + 12, v);
      return put_vector(v, out);
    case SB_PROBE_ROTATE:
      for (int i = 0; i < 3; i++) v[i] = x[4 + i];
      sb_rotate(x, x[3], v);
      return put_vector(v, out);
    case SB_PROBE_ANGLE: sb_angle(x, x + 3, out, out + 1); return 2;
    case SB_PROBE_SHIFT:
      out[0] = sb_point_shift((int)x[0], (int)x[1], x[2], x[3], (int)x[4]);
      return 1;
    case SB_PROBE_SLIDING: {
      double world[2][3];
      sb_world_tangents(x, world);
      sb_sliding_tangent(world, x + 3, x + 5, v);
      return put_vector(v, out);
    }
    case SB_PROBE_ACROSS: out[0] = sb_across_share(x[0], x[1]); return 1;
    default: return 0;
  }
}
