// Fluids: buoyancy, drag and viscous resistance of immersed shapes.
//
// A fluid's surface is taken as one plane at each shape: of the faces of the fluid, the one that
// leaves least of the shape immersed. Drag is explicit, but stops at most what it slows (sb_drag.c).
#include <string.h>

#include "motion/sb_drag.h"
#include "motion/sb_immersion.h"
#include "base/sb_work.h"

// Webots' limit on the angular velocity in drag [rad/s].
#define SB_MAX_DRAG_SPIN 1000.0

// An offset beyond everything [m].
#define SB_ALL 1e9

// A plane of the fluid in the shape's frame: the fluid is where n.x <= offset.
typedef struct Surface {
  double n[3], offset;
} Surface;

// The shape as it stands now, and the best plane so far.
typedef struct Probe {
  const SbImmersion* item;
  const double* triangles;
  double pos[3], mat[9];     // shape frame in the world
  double fluid_mat[9];
  Surface best;
  SbWet wet;
  int found, dry;
} Probe;

// Try the plane through `point` with outward normal `normal`, both in the fluid's frame.
static void try_plane(Probe* p, const double normal[3], const double point[3]) {
  const SbImmersion* item = p->item;
  double n[3], q[3], range[2];
  Surface at;
  if (p->dry) return;
  mju_mulMatVec3(n, p->fluid_mat, normal);
  mju_mulMatVec3(q, p->fluid_mat, point);
  mju_mulMatTVec3(at.n, p->mat, n);
  at.offset = 0;
  for (int i = 0; i < 3; i++) at.offset += n[i] * (q[i] + item->fluid_pos[i] - p->pos[i]);
  sb_extent(item->form, item->size, p->triangles, item->triangles[1], at.n, range);
  if (range[0] >= at.offset) {
    p->dry = 1;
    return;
  }
  if (p->found && range[1] <= at.offset) return;
  SbWet wet;
  sb_wet_part(item->form, item->size, p->triangles, item->triangles[1], at.n, at.offset, &wet);
  if (!p->found || wet.volume < p->wet.volume) {
    p->wet = wet;
    p->best = at;
    p->found = 1;
  }
}

static void try_box(Probe* p, const double half[3]) {
  for (int i = 0; i < 3; i++) {
    for (int side = -1; side <= 1; side += 2) {
      double n[3] = {0, 0, 0}, point[3] = {0, 0, 0};
      n[i] = side;
      point[i] = side * half[i];
      try_plane(p, n, point);
    }
  }
}

// Tangent plane of a ball about `centre` on the side of `seen`.
static void try_ball(Probe* p, const double centre[3], double radius, const double seen[3]) {
  double n[3], point[3];
  for (int i = 0; i < 3; i++) n[i] = seen[i] - centre[i];
  mju_normalize3(n);
  for (int i = 0; i < 3; i++) point[i] = centre[i] + radius * n[i];
  try_plane(p, n, point);
}

static void try_surfaces(Probe* p, const double* all_triangles) {
  const SbImmersion* item = p->item;
  const double* size = item->fluid_size;
  double away[3], seen[3], centre[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) away[i] = p->pos[i] - item->fluid_pos[i];
  mju_mulMatTVec3(seen, p->fluid_mat, away);
  switch (item->fluid_form) {
    case SB_FLUID_BOX: try_box(p, size); break;
    case SB_FLUID_SPHERE: try_ball(p, centre, size[0], seen); break;
    case SB_FLUID_CAPSULE:
      centre[2] = fmax(-size[1], fmin(size[1], seen[2]));
      try_ball(p, centre, size[0], seen);
      break;
    case SB_FLUID_CYLINDER: {
      for (int side = -1; side <= 1; side += 2) {
        double n[3] = {0, 0, side}, point[3] = {0, 0, side * size[1]};
        try_plane(p, n, point);
      }
      centre[2] = seen[2];
      try_ball(p, centre, size[0], seen);
      break;
    }
    case SB_FLUID_PLANE: {
      double n[3] = {0, 0, 1};
      try_plane(p, n, centre);
      break;
    }
    default:
      for (int k = 0; k < item->fluid_triangles[1]; k++) {
        const double* t = all_triangles + 9 * (item->fluid_triangles[0] + k);
        double u[3], v[3], n[3];
        for (int i = 0; i < 3; i++) {
          u[i] = t[3 + i] - t[i];
          v[i] = t[6 + i] - t[i];
        }
        sb_cross(u, v, n);
        if (mju_normalize3(n) > 0) try_plane(p, n, t);
      }
  }
}

// Areas of the wet part seen along the body's axes. Round shapes are cut as triangles, and scaled so
// that complete immersion gives the exact area.
static void project(const Probe* p, double out[3]) {
  const SbImmersion* item = p->item;
  double axes[9];
  mju_quat2Mat(axes, item->quat);  // its rows are the body's axes seen from the shape
  SbWet part, whole;
  Surface at = p->best;
  sb_wet_triangles(p->triangles, item->triangles[1], at.n, at.offset, axes, &part);
  memcpy(out, part.projected, sizeof(part.projected));
  double r = item->size[0], height = 2 * item->size[1];
  if (item->form != SB_FLUID_SPHERE && item->form != SB_FLUID_CAPSULE &&
      item->form != SB_FLUID_CYLINDER) {
    return;
  }
  sb_wet_triangles(p->triangles, item->triangles[1], at.n, SB_ALL, axes, &whole);
  for (int i = 0; i < 3; i++) {
    double along = fabs(axes[3 * i + 2]), across = sqrt(fmax(0, 1 - along * along));
    double exact = mjPI * r * r;
    if (item->form == SB_FLUID_CYLINDER) exact *= along;
    if (item->form != SB_FLUID_SPHERE) exact += 2 * r * height * across;
    out[i] *= whole.projected[i] > 0 ? exact / whole.projected[i] : 0;
  }
}

// Drag and viscous resistance; velocity and spin against the fluid, all in the world. The spin that drags
// is `slowed` times that of the body.
static void resist(const SbStep* s, const Probe* p, const double u[3], const double w[3], double slowed,
                   SbDrag* out) {
  const SbImmersion* item = p->item;
  double *force = out->force, *torque = out->torque;
  double rho = item->density, share = item->area > 0 ? p->wet.area / item->area : 0;
  for (int i = 0; i < 3; i++) {
    force[i] -= share * item->viscosity * item->viscous_force * u[i];
    torque[i] -= share * item->viscosity * item->viscous_torque * w[i];
    out->per_speed[i] = share * item->viscosity * item->viscous_force;
    out->per_speed[3 + i] = share * item->viscosity * item->viscous_torque * slowed;
  }
  if (!item->projected) {
    double speed = sqrt(sb_dot(u, u)), spin = sqrt(sb_dot(w, w));
    for (int i = 0; i < 3; i++) {
      force[i] -= rho * p->wet.area * item->drag_force[0] * speed * u[i];
      torque[i] -= rho * p->wet.area * item->drag_torque[0] * spin * w[i];
      out->per_speed[i] += rho * p->wet.area * item->drag_force[0] * speed;
      out->per_speed[3 + i] += rho * p->wet.area * item->drag_torque[0] * spin * slowed;
    }
    return;
  }
  const double* mat = s->d->xmat + 9 * item->body;
  double area[3], v[3], o[3], f[3], t[3], world[3];
  project(p, area);
  mju_mulMatTVec3(v, mat, u);
  mju_mulMatTVec3(o, mat, w);
  for (int i = 0; i < 3; i++) {
    double around = area[(i + 1) % 3] + area[(i + 2) % 3];
    f[i] = -rho * item->drag_force[i] * area[i] * fabs(v[i]) * v[i];
    t[i] = -rho * item->drag_torque[i] * around * fabs(o[i]) * o[i];
    out->per_speed[i] += rho * item->drag_force[i] * area[i] * fabs(v[i]);
    out->per_speed[3 + i] += rho * item->drag_torque[i] * around * fabs(o[i]) * slowed;
  }
  mju_mulMatVec3(world, mat, f);
  mju_addTo3(force, world);
  mju_mulMatVec3(world, mat, t);
  mju_addTo3(torque, world);
}

// What the fluid does to one shape in this step; 0: nothing.
static int immerse(SbStep* s, const SbImmersion* item, SbDrag* out) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int body = item->body;
  Probe p = {.item = item, .triangles = s->tables.triangles + 9 * item->triangles[0]};
  double local[9];
  mju_mulMatVec3(p.pos, d->xmat + 9 * body, item->pos);
  mju_addTo3(p.pos, d->xpos + 3 * body);
  mju_quat2Mat(local, item->quat);
  mju_mulMatMat(p.mat, d->xmat + 9 * body, local, 3, 3, 3);
  mju_quat2Mat(p.fluid_mat, item->fluid_quat);
  try_surfaces(&p, s->tables.triangles);
  if (!p.found || p.dry || p.wet.volume <= 0) return 0;

  double local_centre[3], u[3], w[3], *centre = out->centre;
  for (int i = 0; i < 3; i++) local_centre[i] = p.wet.moment[i] / p.wet.volume;
  mju_mulMatVec3(centre, p.mat, local_centre);
  mju_addTo3(centre, p.pos);

  // velocity of the centre of mass against the stream
  const double *v = d->cvel + 6 * body, *com = d->subtree_com + 3 * m->body_rootid[body];
  double arm[3];
  for (int i = 0; i < 3; i++) arm[i] = d->xipos[3 * body + i] - com[i];
  sb_cross(v, arm, u);
  for (int i = 0; i < 3; i++) {
    u[i] += v[3 + i] - item->stream[i];
    w[i] = v[i];
    out->lift[i] = out->force[i] = -m->opt.gravity[i] * item->density * p.wet.volume;
    out->torque[i] = 0;
  }
  double spin = sqrt(sb_dot(w, w)), slowed = spin > SB_MAX_DRAG_SPIN ? SB_MAX_DRAG_SPIN / spin : 1;
  if (slowed < 1) mju_scl3(w, w, slowed);
  resist(s, &p, u, w, slowed, out);
  out->body = body;
  return 1;
}

int sb_apply_fluids(SbStep* s) {
  int count = 0;
  for (int k = 0; k < s->world->immersions; k++) {
    const SbImmersion* item = s->tables.immersions + k;
    if (sb_body_awake(s, item->body)) count += immerse(s, item, s->drag + count);
  }
  int code = sb_bound_drags(s, s->drag, count);
  for (SbDrag* one = s->drag; one < s->drag + count; one++) {
    mj_applyFT(s->m, s->d, one->force, one->torque, one->centre, one->body, s->d->qfrc_passive);
  }
  return code;
}
