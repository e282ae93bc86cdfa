// Collision with frames of a moment ago: what a program moves between two steps keeps, for the second
// one, the contacts of where it was.
#include "base/sb_step.h"

#include <string.h>

#include "base/sb_work.h"

enum { FRAME = 12 };  // a position and a rotation matrix

static double* body_frames(const SbStep* s, int body) { return s->held.frame + 2 * FRAME * body; }

static double* geom_frame(const SbStep* s, int geom) {
  return s->held.frame + FRAME * (2 * s->m->nbody + geom);
}

static void exchange(double* a, double* b, int count) {
  for (int i = 0; i < count; i++) {
    double kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

// Exchange the frames that collision sees of a body with those that are held.
static void exchange_frames(SbStep* s, int body) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  double* held = body_frames(s, body);
  exchange(d->xpos + 3 * body, held, 3);
  exchange(d->xmat + 9 * body, held + 3, 9);
  exchange(d->xipos + 3 * body, held + FRAME, 3);
  exchange(d->ximat + 9 * body, held + FRAME + 3, 9);
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    exchange(d->geom_xpos + 3 * g, geom_frame(s, g), 3);
    exchange(d->geom_xmat + 9 * g, geom_frame(s, g) + 3, 9);
  }
}

static void exchange_all(SbStep* s) {
  for (int body = 0; s->held.is_on && body < s->m->nbody; body++) {
    if (s->held.has_body[body]) exchange_frames(s, body);
  }
}

static void copy_frames(SbStep* s, int body) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  double* held = body_frames(s, body);
  memcpy(held, d->xpos + 3 * body, 3 * sizeof(double));
  memcpy(held + 3, d->xmat + 9 * body, 9 * sizeof(double));
  memcpy(held + FRAME, d->xipos + 3 * body, 3 * sizeof(double));
  memcpy(held + FRAME + 3, d->ximat + 9 * body, 9 * sizeof(double));
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    memcpy(geom_frame(s, g), d->geom_xpos + 3 * g, 3 * sizeof(double));
    memcpy(geom_frame(s, g) + 3, d->geom_xmat + 9 * g, 9 * sizeof(double));
  }
}

static int begin_holding(SbStep* s) {
  const mjModel* m = s->m;
  if (s->held.is_on) return SB_OK;
  if (!SB_ALLOCATE(&s->arena, s->held.frame, FRAME * (2 * (int64_t)m->nbody + m->ngeom)) ||
      !SB_ALLOCATE(&s->arena, s->held.has_body, m->nbody)) {
    return SB_NO_MEMORY;
  }
  memset(s->held.has_body, 0, m->nbody);
  s->held.is_on = 1;
  return SB_OK;
}

int sb_hold_frames(SbStep* s, int top) {
  const mjModel* m = s->m;
  int code = begin_holding(s);
  if (code) return code;
  for (int body = top; body < m->nbody; body++) {
    int above = body;
    while (above > top) above = m->body_parentid[above];
    // who sleeps has no contacts to keep
    if (above != top || s->held.has_body[body] || !sb_body_awake(s, body)) continue;
    copy_frames(s, body);
    s->held.has_body[body] = 1;
  }
  return SB_OK;
}

// Values that are held of a body: its two frames and those of its geoms, which lie apart.
static int64_t frame_values(const mjModel* m, int body) {
  return FRAME * (2 + (int64_t)m->body_geomnum[body]);
}

int64_t sb_delayed_size(const SbStep* s) {
  int64_t values = 1;
  for (int body = 0; s->held.is_on && body < s->m->nbody; body++) {
    if (s->held.has_body[body]) values += 1 + frame_values(s->m, body);
  }
  return values * (int64_t)sizeof(double);
}

// Layout: how many bodies, then the number of each and its frames, all as doubles.
void sb_delayed_get(const SbStep* s, double* out) {
  const mjModel* m = s->m;
  double* count = out++;
  *count = 0;
  for (int body = 0; s->held.is_on && body < m->nbody; body++) {
    if (!s->held.has_body[body]) continue;
    ++*count;
    *out++ = body;
    memcpy(out, body_frames(s, body), 2 * FRAME * sizeof(double));
    if (m->body_geomnum[body]) {
      memcpy(out + 2 * FRAME, geom_frame(s, m->body_geomadr[body]),
             FRAME * m->body_geomnum[body] * sizeof(double));
    }
    out += frame_values(m, body);
  }
}

int64_t sb_delayed_set(SbStep* s, const double* in, int64_t size) {
  const mjModel* m = s->m;
  int64_t values = size / (int64_t)sizeof(double), at = 1;
  if (values < 1) return -1;
  s->held.is_on = 0;
  if (in[0] > 0 && begin_holding(s)) return -1;
  for (int k = 0; k < in[0]; k++) {
    if (at >= values || !(in[at] >= 0) || in[at] >= m->nbody) return -1;
    int body = (int)in[at++];
    if (at + frame_values(m, body) > values) return -1;
    memcpy(body_frames(s, body), in + at, 2 * FRAME * sizeof(double));
    if (m->body_geomnum[body]) {
      memcpy(geom_frame(s, m->body_geomadr[body]), in + at + 2 * FRAME,
             FRAME * m->body_geomnum[body] * sizeof(double));
    }
    s->held.has_body[body] = 1;
    at += frame_values(m, body);
  }
  return at * (int64_t)sizeof(double);
}

int sb_collide(SbStep* s) {
  exchange_all(s);
  if (!sb_collide_primitives(s)) mj_collision(s->m, s->d);
  int code = sb_prepare_contacts(s);
  exchange_all(s);
  return code;
}
