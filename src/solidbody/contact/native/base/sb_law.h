// The contact law: what ODE's dWorldStep, as Webots uses it, means for one constraint row.
//
// One step of length h finds row forces f and the new velocity v+ with, for every row,
//
//     J v+ + cfm f = c      lo <= f <= hi      (complementary at the bounds)
//
// cfm is velocity per force. Rows of friction and rolling have bounds +-mu*fn, where fn is the
// normal force of a first solution without those rows: dWorldStep is a two-phase law.
//
// This header holds the whole law and the whole of what MuJoCo's contacts need to become ODE's:
//   1. rows: target velocity c, softness cfm, bounds
//   2. surfaces: friction and slip of two surfaces combined
//   3. directions: tangents of a contact
//   4. points: where on the normal a contact point sits
// It uses no memory but its arguments, no library but math.h, and no type but SB_REAL, so that a
// GPU can take the same functions (define SB_FN, SB_REAL and SB_NO_LIBC before including it).
// The numpy twin is contact/law.py; a test compares both on one table of inputs.
#ifndef SB_LAW_H_
#define SB_LAW_H_

#ifndef SB_NO_LIBC
#include <math.h>
#endif

#ifndef SB_FN
#define SB_FN static inline
#endif
#ifndef SB_REAL
#define SB_REAL double
#endif

// Least softness of any row [velocity per force]. A perfectly hard row would make the solver's
// matrix singular; 1e-9 is 10^4 times harder than Webots' default world CFM and moves a 1 kg body
// by 1e-8 m/s at most under its own weight. Smaller values cost the exact solve its accuracy.
#define SB_MIN_CFM 1e-9

// ---------------------------------------------------------------- 1. rows

typedef struct SbRow {
  SB_REAL c;        // target velocity
  SB_REAL cfm;      // softness
  SB_REAL lo, hi;   // bounds of the force; friction rows: set from the normal force
} SbRow;

SB_FN SB_REAL sb_cfm(SB_REAL cfm) {
  return cfm > (SB_REAL)SB_MIN_CFM ? cfm : (SB_REAL)SB_MIN_CFM;
}

// Speed at which a contact is pushed out. ODE: a share of the depth per step. Choreonoid: the same
// share of what exceeds a depth `rest` at which bodies come to rest (shallower ones sink in), and
// the speed never exceeds erp/h * scale:
//     e = depth - rest     push = erp/h * e            e <= 0
//                                 erp/h * e/(1+e/scale)   e > 0
// rest = 0 and scale = INFINITY are ODE's law, with the same bits.
SB_FN SB_REAL sb_push_out(SB_REAL h, SB_REAL depth, SB_REAL erp, SB_REAL rest, SB_REAL scale) {
  SB_REAL e = (depth > 0 ? depth : 0) - rest;
  return erp / h * (e > 0 ? e / (1 + e / scale) : e);
}

// Contact normal: push out, or bounce, whichever is faster.
//     c = max(push, -bounce*vn)   the second only if vn < -bounce_velocity
// vn: normal velocity before the step, negative when approaching; depth > 0 means penetration.
SB_FN SbRow sb_row_normal(SB_REAL h, SB_REAL depth, SB_REAL vn, SB_REAL erp, SB_REAL cfm,
                          SB_REAL bounce, SB_REAL bounce_velocity, SB_REAL rest, SB_REAL scale) {
  SbRow row;
  row.c = sb_push_out(h, depth, erp, rest, scale);
  if (bounce > 0 && -vn > bounce_velocity && -bounce * vn > row.c) row.c = -bounce * vn;
  row.cfm = sb_cfm(cfm);
  row.lo = 0;
  row.hi = (SB_REAL)INFINITY;
  return row;
}

// Friction along a tangent: reach the surface velocity; slip (if any) replaces the world's cfm.
SB_FN SbRow sb_row_friction(SB_REAL surface_velocity, SB_REAL slip, SB_REAL world_cfm) {
  SbRow row = {surface_velocity, sb_cfm(slip > 0 ? slip : world_cfm), 0, 0};
  return row;
}

// Rolling about a tangent or spinning about the normal: reach zero relative rotation.
SB_FN SbRow sb_row_rolling(SB_REAL world_cfm) {
  SbRow row = {0, sb_cfm(world_cfm), 0, 0};
  return row;
}

// Bound of a friction or rolling row: mu times the normal force; no normal force, no friction
// (also for infinite mu, where ODE does the same).
SB_FN SB_REAL sb_friction_bound(SB_REAL mu, SB_REAL normal_force) {
  return normal_force > 0 && mu > 0 ? mu * normal_force : 0;
}

// Motor (and dry friction, with target 0): reach a velocity with limited effort.
SB_FN SbRow sb_row_motor(SB_REAL velocity, SB_REAL effort, SB_REAL world_cfm) {
  SbRow row = {velocity, sb_cfm(world_cfm), -effort, effort};
  return row;
}

// Spring-damper towards zero, implicit:  f = -k*(q + h*v+) - d*v+
//     cfm = 1/(h k + d),   erp = h k/(h k + d),   c = -erp/h * q
SB_FN SbRow sb_row_spring(SB_REAL h, SB_REAL q, SB_REAL k, SB_REAL d) {
  SbRow row;
  SB_REAL s = 1 / (h * k + d);
  row.c = -k * s * q;
  row.cfm = sb_cfm(s);
  row.lo = -(SB_REAL)INFINITY;
  row.hi = (SB_REAL)INFINITY;
  return row;
}

// Joint stop. side +1: q <= low, pushes up; side -1: q >= high, pushes down.
//     c = -erp/h * violation, or the bounce if that is faster away from the stop
SB_FN SbRow sb_row_stop(SB_REAL h, int side, SB_REAL violation, SB_REAL velocity, SB_REAL erp,
                        SB_REAL cfm, SB_REAL bounce) {
  SbRow row;
  row.c = -erp / h * violation;
  SB_REAL rebound = -bounce * velocity;
  if (bounce > 0 && side > 0 && velocity < 0 && rebound > row.c) row.c = rebound;
  if (bounce > 0 && side < 0 && velocity > 0 && rebound < row.c) row.c = rebound;
  row.cfm = sb_cfm(cfm);
  row.lo = side > 0 ? 0 : -(SB_REAL)INFINITY;
  row.hi = side > 0 ? (SB_REAL)INFINITY : 0;
  return row;
}

// Bilateral row (closed loop, weld): remove a share of the error.
SB_FN SbRow sb_row_bilateral(SB_REAL h, SB_REAL error, SB_REAL erp, SB_REAL cfm) {
  SbRow row = {-erp / h * error, sb_cfm(cfm), -(SB_REAL)INFINITY, (SB_REAL)INFINITY};
  return row;
}

// ---------------------------------------------------------------- 2. surfaces

// inf*0 would be NaN in the sums below: an infinite coefficient that does not act along the
// direction adds nothing (Webots leaves this case undefined).
SB_FN SB_REAL sb_share(SB_REAL coefficient, SB_REAL part) {
  return part > 0 ? coefficient * part : 0;
}

// Friction along the first and second direction of surfaces 1 and 2 whose first directions
// enclose an angle with cosine c and sine s (both >= 0). count is the number of given values:
//   1: (f0, f0)
//   2: both surfaces have (f0, f1)       mu = f0 + f0 c + f1 s,  mu2 = f1 + f0 s + f1 c
//   3: surface 1 (f0, f1), surface 2 f2  mu = f0 + f2,           mu2 = f1 + f2
//   4: surface 1 (f0, f1), 2 (f2, f3)    mu = f0 + f2 c + f3 s,  mu2 = f1 + f2 s + f3 c
SB_FN void sb_combine(int count, const SB_REAL f[4], SB_REAL c, SB_REAL s, SB_REAL out[2]) {
  if (count == 2) {
    out[0] = f[0] + sb_share(f[0], c) + sb_share(f[1], s);
    out[1] = f[1] + sb_share(f[0], s) + sb_share(f[1], c);
  } else if (count == 3) {
    out[0] = f[0] + f[2];
    out[1] = f[1] + f[2];
  } else if (count == 4) {
    out[0] = f[0] + sb_share(f[2], c) + sb_share(f[3], s);
    out[1] = f[1] + sb_share(f[2], s) + sb_share(f[3], c);
  } else {
    out[0] = out[1] = f[0];
  }
}

// Slip combines like friction, except that two values with one of them zero are not doubled.
SB_FN void sb_combine_slip(int count, const SB_REAL f[4], SB_REAL c, SB_REAL s, SB_REAL out[2]) {
  if (count == 2 && (f[0] == 0 || f[1] == 0)) {
    out[0] = f[0];
    out[1] = f[1];
  } else {
    sb_combine(count, f, c, s, out);
  }
}

// Rolling coefficients as ODE reads them: with symmetric friction and only rho given, rho limits
// both rolling axes and spinning; otherwise each has its own. Returns 1 in the second case.
SB_FN int sb_rolling(int friction_count, const SB_REAL rho[3], SB_REAL out[3]) {
  int per_axis = friction_count > 1 || rho[1] > 0 || rho[2] > 0;
  out[0] = rho[0];
  out[1] = per_axis ? rho[1] : rho[0];
  out[2] = per_axis ? rho[2] : rho[0];
  return per_axis;
}

// ---------------------------------------------------------------- 3. directions

SB_FN void sb_cross(const SB_REAL a[3], const SB_REAL b[3], SB_REAL out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

SB_FN SB_REAL sb_dot(const SB_REAL a[3], const SB_REAL b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A rotation to the world (row-major) applied to v, and its inverse.
SB_FN void sb_turn(const SB_REAL* mat, const SB_REAL v[3], SB_REAL out[3]) {
  for (int i = 0; i < 3; i++) out[i] = sb_dot(mat + 3 * i, v);
}

SB_FN void sb_turn_back(const SB_REAL* mat, const SB_REAL v[3], SB_REAL out[3]) {
  for (int i = 0; i < 3; i++) out[i] = mat[i] * v[0] + mat[3 + i] * v[1] + mat[6 + i] * v[2];
}

// First tangent when no direction is given: ODE's plane space.
SB_FN void sb_tangent(const SB_REAL n[3], SB_REAL t[3]) {
  if (fabs(n[2]) > (SB_REAL)0.70710678118654752) {
    SB_REAL k = 1 / sqrt(n[1] * n[1] + n[2] * n[2]);
    t[0] = 0;
    t[1] = -n[2] * k;
    t[2] = n[1] * k;
  } else {
    SB_REAL k = 1 / sqrt(n[0] * n[0] + n[1] * n[1]);
    t[0] = -n[1] * k;
    t[1] = n[0] * k;
    t[2] = 0;
  }
}

// Sliding speed [m/s] from which a contact counts as sliding (Choreonoid's figure). Below it the
// direction of sliding is noise, and tangents are ODE's.
#define SB_SLIDING 1e-4

// The two tangents that Choreonoid's solver works along. They are fixed in the world: the first is
// n x (the axis along which n is least).
SB_FN void sb_world_tangents(const SB_REAL n[3], SB_REAL t[2][3]) {
  int least = 0;
  SB_REAL axis[3] = {0, 0, 0};
  for (int i = 1; i < 3; i++) {
    if (fabs(n[i]) < fabs(n[least])) least = i;
  }
  axis[least] = 1;
  sb_cross(n, axis, t[0]);
  SB_REAL length = sqrt(sb_dot(t[0], t[0]));
  for (int i = 0; i < 3; i++) t[0][i] /= length;
  sb_cross(n, t[0], t[1]);
}

// First tangent of isotropic friction at a contact that slides with velocity u along the two world
// tangents; with it the box bounds act as Choreonoid's cone. a: response along each of them, velocity
// per impulse, 0 where the bodies cannot move.
//
// That solver relaxes the force f along each tangent by the tangent's own response, then shortens the
// pair to the cone. It comes to rest where f = s*(f - D^-1 u), D = diag(a), 0 < s < 1: with f along
// -D^-1 u, not against the sliding u. How fast a tank turns depends on where it heads.
SB_FN void sb_sliding_tangent(SB_REAL world[2][3], const SB_REAL u[2], const SB_REAL a[2],
                              SB_REAL t[3]) {
  SB_REAL x = a[0] > 0 ? u[0] / a[0] : 0, y = a[1] > 0 ? u[1] / a[1] : 0;
  SB_REAL length = sqrt(x * x + y * y);
  if (length > 0) {
    x /= length;
    y /= length;
  } else {
    x = 1;
  }
  for (int i = 0; i < 3; i++) t[i] = x * world[0][i] + y * world[1][i];
}

// Share of isotropic friction that is left across the first tangent: a body that slides spends it all
// along it. `lost` is the speed that friction takes away in one step; well below it a contact may come
// to rest within the step, and friction acts in all directions. Both squared.
SB_FN SB_REAL sb_across_share(SB_REAL speed2, SB_REAL lost2) {
  return speed2 > 0 && lost2 < (SB_REAL)INFINITY ? lost2 / (lost2 + speed2) : 1;
}

// First friction direction of a geom: the axis `on_cap` if the normal, in the geom's frame, has
// its strictly largest component along `cap`, else `on_side`. The direction is not projected on
// the contact plane (nor does Webots). xmat: 3x3 row-major, geom to world.
SB_FN void sb_friction_direction(const SB_REAL xmat[9], int cap, int on_cap, int on_side,
                                 const SB_REAL n[3], SB_REAL out[3]) {
  SB_REAL size[3];
  for (int i = 0; i < 3; i++) {
    size[i] = fabs(xmat[i] * n[0] + xmat[3 + i] * n[1] + xmat[6 + i] * n[2]);
  }
  int is_cap = size[cap] > size[(cap + 1) % 3] && size[cap] > size[(cap + 2) % 3];
  int axis = is_cap ? on_cap : on_side;
  for (int i = 0; i < 3; i++) out[i] = xmat[3 * i + axis];
}

// Rotate v about the unit axis n (Rodrigues).
SB_FN void sb_rotate(const SB_REAL n[3], SB_REAL angle, SB_REAL v[3]) {
  SB_REAL c = cos(angle), s = sin(angle), along = sb_dot(n, v) * (1 - c), u[3];
  sb_cross(n, v, u);
  for (int i = 0; i < 3; i++) v[i] = c * v[i] + s * u[i] + along * n[i];
}

// |cos| and |sin| of the angle between two unit vectors.
SB_FN void sb_angle(const SB_REAL a[3], const SB_REAL b[3], SB_REAL* c, SB_REAL* s) {
  SB_REAL n[3];
  sb_cross(a, b, n);
  *c = fabs(sb_dot(a, b));
  *s = sqrt(sb_dot(n, n));
}

// ---------------------------------------------------------------- 4. points

// MuJoCo puts a contact point midway between the surfaces; ODE puts it on one of them, depending
// on the pair of forms. The lever arms of friction and of impacts depend on it.
enum {
  SB_FORM_PLANE, SB_FORM_HFIELD, SB_FORM_SPHERE, SB_FORM_CAPSULE, SB_FORM_CYLINDER, SB_FORM_BOX,
  SB_FORM_MESH, SB_FORM_OTHER
};

// Return s such that ODE's point = MuJoCo's point + s*depth*n, n from geom 0 to geom 1.
// face0, face1: for two boxes, the largest |cosine| between n and an axis of box 0 and of box 1;
// parallel faces are a tie, which goes to the geom that ODE calls the first (0 or 1).
//
//        n ^   geom 1
//       ___|_______          +1/2: skin of geom 0
//      |   x  depth |           0: midway (MuJoCo)
//   ___|___________|__       -1/2: skin of geom 1
//          geom 0
SB_FN SB_REAL sb_point_shift(int form0, int form1, SB_REAL face0, SB_REAL face1, int first) {
  const SB_REAL half = (SB_REAL)0.5, aligned = 1 - (SB_REAL)1e-9, tie = (SB_REAL)1e-12;
  if (form0 == SB_FORM_PLANE || form0 == SB_FORM_HFIELD) return -half;   // on the body
  if (form1 == SB_FORM_MESH) return form0 == SB_FORM_SPHERE ? -half : half;
  if (form0 == SB_FORM_SPHERE && form1 == SB_FORM_BOX) return -half;     // on the box
  if (form0 == SB_FORM_SPHERE && form1 == SB_FORM_CYLINDER) return half; // on the sphere
  if (form0 == SB_FORM_CYLINDER && form1 == SB_FORM_BOX) return half;    // if sb_colliders.c passes
  if (form0 == SB_FORM_BOX && form1 == SB_FORM_BOX && (face0 > aligned || face1 > aligned)) {
    int reference = face0 > face1 + tie ? 0 : face1 > face0 + tie ? 1 : first;
    return reference == 0 ? -half : half;                                // on the incident box
  }
  return 0;
}

#endif  // SB_LAW_H_
