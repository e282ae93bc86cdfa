// Moving surfaces: what a track adds to the velocity of its body where something touches it.
#include <string.h>

#include "base/sb_work.h"

// Least share of a track's forward axis that lies in the contact plane for it to be a tangent.
#define SB_LEAST_TANGENT 1e-3

// Whether the run of a belt that a normal points into is the lower one. What lies above in the
// world counts, along the axis that gravity is nearest to: a track on its back drives forward too.
// Without gravity the track's own up decides; `cosine` is that of the angle to it.
static int is_lower_run(const double gravity[3], const double into[3], double cosine) {
  int axis = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(gravity[i]) > fabs(gravity[axis])) axis = i;
  }
  return gravity[axis] != 0 ? into[axis] * gravity[axis] <= 0 : cosine >= 0;
}

// Velocity of the surface of a geom against its body at a contact whose normal points into the
// geom, and the direction of travel. The belt runs forward above and backward below, so that it
// drives its body forward. Two rules:
//   fading (Webots)        along the forward axis, times |angle(normal, up) - pi/2|/(pi/2): full
//                          speed on the upper and lower run, none on the sides
//   around (Choreonoid)    full speed along normal x side, wherever the contact is
static int surface_velocity(const SbStep* s, int geom, const double into[3], double velocity[3],
                        double along[3]) {
  int body = s->m->geom_bodyid[geom], k = s->body_track[body];
  if (k < 0) return 0;
  const SbTrack* track = s->tables.tracks + k;
  double forward[3], up[3], speed = s->state.motors[track->axis].velocity;
  mju_mulMatVec3(forward, s->d->xmat + 9 * body, track->forward);
  mju_mulMatVec3(up, s->d->xmat + 9 * body, track->up);
  if (track->around) {
    double side[3];
    sb_cross(up, forward, side);
    sb_cross(into, side, along);
    if (mju_normalize3(along) < SB_LEAST_TANGENT) speed = 0;
  } else {
    double cosine = fmax(-1, fmin(1, sb_dot(into, up)));
    memcpy(along, forward, sizeof(forward));
    speed *= fabs(asin(cosine)) / (0.5 * mjPI);
    if (is_lower_run(s->m->opt.gravity, into, cosine)) speed = -speed;
  }
  for (int i = 0; i < 3; i++) velocity[i] = speed * along[i];
  return 1;
}

// Whether a geom is a track whose belt runs around it (Choreonoid).
int sb_runs_around(const SbStep* s, int geom) {
  int k = s->body_track[s->m->geom_bodyid[geom]];
  return k >= 0 && s->tables.tracks[k].around;
}

// Both surfaces of a contact: velocity of the second against the first, and the first tangent, if
// the direction of travel can be one. Returns 0 where nothing moves.
int sb_contact_surface(const SbStep* s, const mjContact* con, double velocity[3], double t1[3],
                       int* has_tangent) {
  double v[3], along[3], into[3], n[3];
  int found = 0;
  *has_tangent = 0;
  memset(velocity, 0, 3 * sizeof(double));
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < 3; i++) into[i] = side ? con->frame[i] : -con->frame[i];
    if (!surface_velocity(s, con->geom[side], into, v, along)) continue;
    found = 1;
    for (int i = 0; i < 3; i++) velocity[i] += side ? v[i] : -v[i];
    sb_cross(con->frame, along, n);
    if (sb_dot(n, n) > SB_LEAST_TANGENT * SB_LEAST_TANGENT) {
      *has_tangent = 1;
      memcpy(t1, along, 3 * sizeof(double));
    }
  }
  return found;
}
