// From MuJoCo's contacts to ODE's: points on the right skin, tangents, friction, deepest points.
#include <string.h>

#include "collision/sb_colliders.h"
#include "base/sb_law.h"
#include "base/sb_work.h"

int sb_form_of(int type) {
  switch (type) {
    case mjGEOM_PLANE: return SB_FORM_PLANE;
    case mjGEOM_HFIELD: return SB_FORM_HFIELD;
    case mjGEOM_SPHERE: return SB_FORM_SPHERE;
    case mjGEOM_CAPSULE: return SB_FORM_CAPSULE;
    case mjGEOM_CYLINDER: return SB_FORM_CYLINDER;
    case mjGEOM_BOX: return SB_FORM_BOX;
    case mjGEOM_MESH: return SB_FORM_MESH;
    default: return SB_FORM_OTHER;
  }
}

// Largest |cosine| between n and an axis of the geom: 1 when n is a face normal of a box.
static double face_alignment(const double* xmat, const double* n) {
  double best = 0;
  for (int i = 0; i < 3; i++) {
    double x = fabs(xmat[i] * n[0] + xmat[3 + i] * n[1] + xmat[6 + i] * n[2]);
    if (x > best) best = x;
  }
  return best;
}

// Which geom ODE would call the first of the pair. Its space keeps moving geoms in front of static
// ones and, as measured on ODE 0.16.2, of two moving ones the one created earlier.
static int ode_first(const SbStep* s, const mjContact* con) {
  int static0 = s->m->body_treeid[s->m->geom_bodyid[con->geom[0]]] < 0;
  int static1 = s->m->body_treeid[s->m->geom_bodyid[con->geom[1]]] < 0;
  if (static0 != static1) return static0 ? 1 : 0;
  return con->geom[0] < con->geom[1] ? 0 : 1;
}

void sb_place_point(const SbStep* s, mjContact* con) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  int g0 = con->geom[0], g1 = con->geom[1];
  int form0 = sb_form_of(m->geom_type[g0]), form1 = sb_form_of(m->geom_type[g1]);
  double depth = -con->dist, face0 = 0, face1 = 0;

  // a sphere whose centre is inside a box: ODE's point is the centre
  if (form0 == SB_FORM_SPHERE && form1 == SB_FORM_BOX && depth > m->geom_size[3 * g0]) {
    memcpy(con->pos, d->geom_xpos + 3 * g0, 3 * sizeof(double));
    return;
  }
  if (form0 == SB_FORM_BOX && form1 == SB_FORM_BOX) {
    face0 = face_alignment(d->geom_xmat + 9 * g0, con->frame);
    face1 = face_alignment(d->geom_xmat + 9 * g1, con->frame);
  }
  double shift = sb_point_shift(form0, form1, face0, face1, ode_first(s, con)) * depth;
  for (int i = 0; i < 3; i++) con->pos[i] += shift * con->frame[i];
}

// Points of our own collider for the pair of contact `con`; 0: it has none, or cannot decide.
static int collide(const SbStep* s, const mjContact* con, SbManifold* out) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  int g0 = con->geom[0], g1 = con->geom[1];
  const double *pos0 = d->geom_xpos + 3 * g0, *mat0 = d->geom_xmat + 9 * g0;
  const double *pos1 = d->geom_xpos + 3 * g1, *mat1 = d->geom_xmat + 9 * g1;
  const double *size0 = m->geom_size + 3 * g0, *size1 = m->geom_size + 3 * g1;
  int form0 = sb_form_of(m->geom_type[g0]), form1 = sb_form_of(m->geom_type[g1]);
  if (form0 == SB_FORM_PLANE && form1 == SB_FORM_CYLINDER) {
    return sb_collide_plane_cylinder(pos0, mat0, pos1, mat1, size1[0], size1[1], out);
  }
  if (form0 == SB_FORM_PLANE && form1 == SB_FORM_MESH && s->terrain.hull_of[g1] >= 0) {
    // planes meet the vertices of the whole mesh (sb_mesh_vertices.c), not its hull or its convex parts
    out->count = 0;
    return 1;
  }
  if (form0 == SB_FORM_CYLINDER && form1 == SB_FORM_BOX) {
    return sb_collide_cylinder_box(pos0, mat0, size0[0], size0[1], pos1, mat1, size1,
                                   s->world->ode_caps, out);
  }
  return 0;
}

static void set_point(mjContact* con, const SbManifold* from, int k) {
  memcpy(con->pos, from->point[k], 3 * sizeof(double));
  memcpy(con->frame, from->normal, 3 * sizeof(double));
  con->dist = -from->depth[k];
}

// Contacts [begin, end) of one pair: replaced by our own collider's, or moved to ODE's place.
// Replacements that do not fit stand at the end, together, since later stages look for runs.
static void place_pair(SbStep* s, int begin, int end) {
  mjData* d = s->d;
  SbManifold own;
  if (sb_is_cut_pair(s, d->contact[begin].geom)) {
    // what their convex parts say is added later (sb_convex_parts.c)
    for (int k = begin; k < end; k++) d->contact[k].exclude = 1;
    return;
  }
  if (!collide(s, d->contact + begin, &own)) {
    sb_settle_faces(s, begin, end);
    for (int k = begin; k < end; k++) sb_place_point(s, d->contact + k);
    return;
  }
  if (own.count <= end - begin) {
    for (int k = begin; k < end; k++) {
      if (k - begin < own.count) {
        set_point(d->contact + k, &own, k - begin);
      } else {
        d->contact[k].exclude = 1;
      }
    }
    return;
  }
  mjContact added = d->contact[begin];
  for (int k = begin; k < end; k++) d->contact[k].exclude = 1;
  for (int k = 0; k < own.count; k++) {
    set_point(&added, &own, k);
    // without room MuJoCo counts a warning, which the step reports
    if (mj_addContact(s->m, d, &added)) return;
  }
}

// MuJoCo's cylinder-plane collider loses cylinders that stand upright up to rounding: at a tilt of
// 1e-15 to 1e-12 rad its steepest radius is made of rounding errors and may point upwards (MuJoCo
// 4.0.0). Those are collided here even though they are not in the list of contacts.
#define SB_LOST_TILT 1e-9  // [rad]

static int is_lost_pair(const SbStep* s, int plane, int cylinder, int found) {
  const mjModel* m = s->m;
  const double *p = s->d->geom_xmat + 9 * plane, *c = s->d->geom_xmat + 9 * cylinder;
  double n[3] = {p[2], p[5], p[8]}, a[3] = {c[2], c[5], c[8]}, tilt[3];
  sb_cross(n, a, tilt);
  if (sb_dot(tilt, tilt) > SB_LOST_TILT * SB_LOST_TILT) return 0;
  for (int k = 0; k < found; k++) {
    if (s->d->contact[k].geom[0] == plane && s->d->contact[k].geom[1] == cylinder) return 0;
  }
  return sb_may_touch(m, plane, cylinder);
}

mjContact sb_new_contact(const SbStep* s, int geom0, int geom1) {
  const mjModel* m = s->m;
  mjContact con = {.geom1 = geom0, .geom2 = geom1, .geom = {geom0, geom1},
                   .flex = {-1, -1}, .elem = {-1, -1}, .vert = {-1, -1}, .efc_address = -1};
  // what MuJoCo's rows are made with; the law replaces all of it but the margin
  con.includemargin = m->geom_margin[geom0] + m->geom_margin[geom1];
  for (int i = 0; i < 5; i++) con.friction[i] = 1;
  memcpy(con.solref, m->geom_solref + mjNREF * geom1, sizeof(con.solref));
  memcpy(con.solimp, m->geom_solimp + mjNIMP * geom1, sizeof(con.solimp));
  return con;
}

static void add_lost_pair(SbStep* s, int plane, int cylinder) {
  const mjModel* m = s->m;
  mjContact con = sb_new_contact(s, plane, cylinder);
  SbManifold own;
  if (!collide(s, &con, &own)) return;
  for (int k = 0; k < own.count; k++) {
    set_point(&con, &own, k);
    if (mj_addContact(m, s->d, &con)) return;
  }
}

static void add_lost_cylinders(SbStep* s, int found) {
  const mjModel* m = s->m;
  for (int plane = 0; plane < m->ngeom; plane++) {
    if (m->geom_type[plane] != mjGEOM_PLANE) continue;
    for (int g = 0; g < m->ngeom; g++) {
      if (m->geom_type[g] == mjGEOM_CYLINDER && is_lost_pair(s, plane, g, found)) {
        add_lost_pair(s, plane, g);
      }
    }
  }
}

const SbSurface* sb_surface_of(const SbStep* s, int geom0, int geom1) {
  int material0 = s->tables.geoms[geom0].material, material1 = s->tables.geoms[geom1].material;
  return s->tables.surfaces + s->tables.pairs[material0 * s->world->materials + material1].surface;
}

static const SbSurface* surface_of(const SbStep* s, const mjContact* con) {
  return sb_surface_of(s, con->geom[0], con->geom[1]);
}

// Isotropic friction against the sliding: sets the first tangent and the coefficients. Where
// one side is fixed, the sliding is what gravity would make of it in this step, so that a body at
// rest on a slope has its tangent downhill.
static void follow_sliding(SbStep* s, const mjContact* con, const SbSurface* surface,
                           const double* belt, double* t1, double mu[2]) {
  double v0[3], v1[3], slide[3], now[3], world[2][3], along[2], own[2];
  sb_velocity_at(s->m, s->d, s->m->geom_bodyid[con->geom[0]], con->pos, v0);
  sb_velocity_at(s->m, s->d, s->m->geom_bodyid[con->geom[1]], con->pos, v1);
  int moves0 = s->m->body_treeid[s->m->geom_bodyid[con->geom[0]]] >= 0;
  int moves1 = s->m->body_treeid[s->m->geom_bodyid[con->geom[1]]] >= 0;
  for (int i = 0; i < 3; i++) {
    now[i] = v1[i] - v0[i] + belt[i];
    slide[i] = now[i] + (moves1 - moves0) * s->m->opt.timestep * s->m->opt.gravity[i];
  }
  sb_world_tangents(con->frame, world);
  for (int k = 0; k < 2; k++) along[k] = sb_dot(slide, world[k]);
  if (along[0] * along[0] + along[1] * along[1] > SB_SLIDING * SB_SLIDING) {
    for (int k = 0; k < 2; k++) own[k] = sb_response(s, con, world[k]);
    sb_sliding_tangent(world, along, own, t1);
  } else {
    sb_tangent(con->frame, t1);
  }
  double x = sb_dot(now, world[0]), y = sb_dot(now, world[1]), speed = x * x + y * y;
  mu[0] = speed > SB_SLIDING * SB_SLIDING ? surface->friction[0] : surface->static_friction;
  double lost = mu[0] * s->m->opt.timestep * sqrt(sb_dot(s->m->opt.gravity, s->m->opt.gravity));
  mu[1] = mu[0] * sb_across_share(speed, lost * lost);
}

// Friction, slip and tangents of contact k. Returns its number of rows: 1, 3 or 6.
static int set_surface(SbStep* s, int k) {
  mjContact* con = s->d->contact + k;
  const SbGeom *a = s->tables.geoms + con->geom[0], *b = s->tables.geoms + con->geom[1];
  const SbPair* pair = s->tables.pairs + a->material * s->world->materials + b->material;
  const SbSurface* surface = s->tables.surfaces + pair->surface;
  double *n = con->frame, *t1 = con->frame + 3, *t2 = con->frame + 6;
  double cosine = 1, sine = 0, isotropic[2] = {-1, -1}, mu[2], slip[2], rho[3];
  int friction_count = surface->friction_count, slip_count = surface->slip_count;
  int directed = friction_count > 1 || slip_count > 1, has_tangent = 0;
  double belt[3] = {0, 0, 0}, belt_tangent[3];
  int is_belt =
      s->world->tracks && sb_contact_surface(s, con, belt, belt_tangent, &has_tangent);

  // forms without friction directions use the first value only
  if (directed && (a->cap < 0 || b->cap < 0)) {
    directed = 0;
    friction_count = slip_count = 1;
  }
  if (directed) {
    // ODE's normal points into its first geom; equal materials take the directions of the second
    int first_geom = ode_first(s, con);
    double normal[3], d1[3], d2[3];
    for (int i = 0; i < 3; i++) normal[i] = first_geom == 0 ? -n[i] : n[i];
    int first = pair->first == SB_FIRST_EITHER ? 1 - first_geom : pair->first;
    const SbGeom *one = first == SB_FIRST_ROW ? a : b, *two = first == SB_FIRST_ROW ? b : a;
    sb_friction_direction(s->d->geom_xmat + 9 * con->geom[first], one->cap, one->on_cap,
                          one->on_side, normal, d1);
    sb_friction_direction(s->d->geom_xmat + 9 * con->geom[1 - first], two->cap, two->on_cap,
                          two->on_side, normal, d2);
    sb_rotate(normal, -surface->rotation[0], d1);
    sb_rotate(normal, -surface->rotation[1], d2);
    sb_angle(d1, d2, &cosine, &sine);
    memcpy(t1, d1, sizeof(d1));
  } else if (surface->follows_sliding) {
    follow_sliding(s, con, surface, belt, t1, isotropic);
    has_tangent = 0;
  } else {
    sb_tangent(n, t1);
  }
  if (has_tangent) memcpy(t1, belt_tangent, sizeof(belt_tangent));
  sb_cross(n, t1, t2);
  s->contact_speed[2 * k] = is_belt ? -sb_dot(belt, t1) : 0;
  s->contact_speed[2 * k + 1] = is_belt ? -sb_dot(belt, t2) : 0;

  sb_combine(friction_count, surface->friction, cosine, sine, mu);
  if (isotropic[0] >= 0) memcpy(mu, isotropic, sizeof(mu));
  sb_combine_slip(slip_count, surface->slip, cosine, sine, slip);
  int per_axis = sb_rolling(friction_count, surface->rolling, rho);
  int rolls = rho[0] > 0 || rho[1] > 0 || rho[2] > 0;
  if (surface->second_zero && rolls && per_axis && friction_count == 1) mu[1] = 0;

  double* out = s->contact_mu + 6 * k;
  out[0] = mu[0];
  out[1] = mu[1];
  out[2] = rho[2];
  out[3] = rho[0];
  out[4] = rho[1];
  s->contact_slip[2 * k] = slip[0];
  s->contact_slip[2 * k + 1] = slip[1];
  return rolls ? 6 : mu[0] > 0 || mu[1] > 0 ? 3 : 1;
}

// Keep the deepest `limit` of the contacts [begin, end) of one pair; returns how many were dropped.
static int keep_deepest(SbStep* s, int begin, int end, int limit) {
  mjContact* con = s->d->contact;
  int *order = s->order, count = 0;
  for (int k = begin; k < end; k++) {
    if (con[k].exclude) continue;
    int at = count++;
    while (at > 0 && con[order[at - 1]].dist > con[k].dist) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = k;
  }
  for (int i = limit; i < count; i++) con[order[i]].exclude = 1;
  return count > limit ? count - limit : 0;
}

// Two boxes face to face whose edges coincide up to rounding: MuJoCo's clipping adds points on an
// edge, between two corners, in some steps and not in others. They say nothing new but make the
// contact stiffer, and a resting stack is kicked each time they come or go (ten aligned boxes at
// 8 ms sway by up to 4 mm with them, by 1e-12 m without). [begin, end): contacts of one pair.
#define SB_EDGE_POINT 1e-6  // [m] distance from the line between two other points

static void drop_edge_points(SbStep* s, int begin, int end) {
  mjContact* con = s->d->contact;
  for (int k = begin; k < end; k++) {
    for (int i = begin; i < end && !con[k].exclude; i++) {
      if (i == k || con[i].exclude) continue;
      for (int j = i + 1; j < end && !con[k].exclude; j++) {
        if (j == k || con[j].exclude) continue;
        double u[3], v[3], off = 0;
        for (int n = 0; n < 3; n++) {
          u[n] = con[j].pos[n] - con[i].pos[n];
          v[n] = con[k].pos[n] - con[i].pos[n];
        }
        double along = sb_dot(u, v), length = sb_dot(u, u);
        if (along <= 0 || along >= length) continue;
        for (int n = 0; n < 3; n++) {
          double e = v[n] - along / length * u[n];
          off += e * e;
        }
        if (off < SB_EDGE_POINT * SB_EDGE_POINT) con[k].exclude = 1;
      }
    }
  }
}

// End of the run of contacts of one pair, of geoms or of their parts, that starts at `begin`.
static int end_of_pair(const mjData* d, int begin, int count) {
  const mjContact* con = d->contact + begin;
  int end = begin + 1;
  while (end < count && d->contact[end].geom[0] == con->geom[0] &&
         d->contact[end].geom[1] == con->geom[1] && d->contact[end].vert[0] == con->vert[0] &&
         d->contact[end].vert[1] == con->vert[1]) {
    end++;
  }
  return end;
}

// Whether two bodies are one, or both stand still: all that stands still is one body in ODE.
static int is_same(const SbStep* s, int one, int two) {
  return one == two || (s->m->body_treeid[one] < 0 && s->m->body_treeid[two] < 0);
}

// Whether a grip holds the two bodies of a contact together: what is joined does not collide.
int sb_is_gripped(const SbStep* s, const mjContact* con) {
  for (int k = 0; k < s->world->loops; k++) {
    const SbLoop* loop = sb_loop(s, k);
    if (loop->kind != SB_LOOP_GRIP) continue;
    int one = s->m->geom_bodyid[con->geom[0]], two = s->m->geom_bodyid[con->geom[1]];
    if ((is_same(s, loop->body[0], one) && is_same(s, loop->body[1], two)) ||
        (is_same(s, loop->body[0], two) && is_same(s, loop->body[1], one))) {
      return 1;
    }
  }
  return 0;
}

void sb_count_dropped(SbStep* s, int geom0, int geom1, int dropped) {
  SbStats* stats = &s->stats;
  stats->contacts_dropped += dropped;
  if (dropped <= stats->most_dropped) return;
  stats->most_dropped = dropped;
  stats->dropped_geom[0] = geom0;
  stats->dropped_geom[1] = geom1;
}

int sb_prepare_contacts(SbStep* s) {
  mjData* d = s->d;

  // points; our own colliders may add contacts at the end
  int found = d->ncon, code = sb_want_parts(s);
  if (code) return code;
  for (int begin = 0, end; begin < found; begin = end) {
    const mjContact* con = d->contact + begin;
    end = end_of_pair(d, begin, found);
    if (con->geom[0] >= 0 && con->geom[1] >= 0) place_pair(s, begin, end);
  }
  add_lost_cylinders(s, found);
  sb_collide_parts(s);
  code = sb_collide_terrains(s);
  if (!code) code = sb_collide_meshes(s);
  if (code) return code;

  // what is too shallow, too deep or gripped
  int64_t count = d->ncon;
  if (!SB_RESERVE(&s->arena, s->contact_mu, 6 * count) || !SB_RESERVE(&s->arena, s->order, count) ||
      !SB_RESERVE(&s->arena, s->contact_slip, 2 * count) ||
      !SB_RESERVE(&s->arena, s->contact_speed, 2 * count)) {
    return SB_NO_MEMORY;
  }
  for (int k = 0; k < count; k++) {
    mjContact* con = d->contact + k;
    if (con->geom[0] < 0 || con->geom[1] < 0 || con->exclude) continue;
    const SbSurface* surface = surface_of(s, con);
    if (-con->dist < surface->min_depth || -con->dist > surface->max_depth || sb_is_gripped(s, con)) {
      con->exclude = 1;
    }
  }

  // as many points per pair as its surface allows
  int spread = 0;
  for (int begin = 0, end; begin < count; begin = end) {
    const mjContact* con = d->contact + begin;
    end = end_of_pair(d, begin, count);
    if (con->geom[0] < 0 || con->geom[1] < 0) continue;
    int is_boxes = s->m->geom_type[con->geom[0]] == mjGEOM_BOX &&
                   s->m->geom_type[con->geom[1]] == mjGEOM_BOX;
    if (is_boxes && end - begin > 4) drop_edge_points(s, begin, end);
    const SbSurface* surface = surface_of(s, con);
    if (surface->shares_depth) sb_share_depth(s, begin, end);
    if (surface->keeps_spread) {
      spread = 1;  // per pair of links, below
    } else if (end - begin > surface->max_contacts) {
      int dropped = keep_deepest(s, begin, end, surface->max_contacts);
      sb_count_dropped(s, con->geom[0], con->geom[1], dropped);
    }
  }
  if (spread && (code = sb_spread_points(s))) return code;
  if ((code = sb_thin_out_groups(s))) return code;

  // surfaces of those that are left
  if (s->world->follows_sliding) {
    mj_comVel(s->m, d);
    sb_hold_joints(s);
  }
  for (int k = 0; k < count; k++) {
    mjContact* con = d->contact + k;
    if (con->geom[0] >= 0 && con->geom[1] >= 0 && !con->exclude) con->dim = set_surface(s, k);
  }
  return SB_OK;
}
