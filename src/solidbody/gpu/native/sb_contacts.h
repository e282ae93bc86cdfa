// Contacts of a step: pairs of geoms in a fixed order, their points where ODE has them, their surfaces.
// The rules are those of contact/native/collision/sb_contacts.c.
#ifndef SB_CONTACTS_H_
#define SB_CONTACTS_H_

// A contact as it is kept for the step.
enum {
  C_POINT, C_NORMAL = 3, C_T1 = 6, C_T2 = 9, C_DEPTH = 12, C_MU = 13, C_SLIP = 18, C_SPEED = 20, C_SIZE = 22
};
enum { K_GEOM0, K_GEOM1, K_KEY, K_DIM, K_ROW, K_SURFACE, K_SIZE };

SB_DEV double sb_face_alignment(const double* mat, const double* n) {
  double best = 0;
  for (int i = 0; i < 3; i++) {
    double x = fabs(mat[i] * n[0] + mat[3 + i] * n[1] + mat[6 + i] * n[2]);
    if (x > best) best = x;
  }
  return best;
}

// Which geom ODE would call the first of the pair.
SB_DEV int sb_first_of(SB_WORLD, int g0, int g1) {
  int still0 = M_GEOM_TREE[g0] < 0, still1 = M_GEOM_TREE[g1] < 0;
  if (still0 != still1) return still0 ? 1 : 0;
  return g0 < g1 ? 0 : 1;
}

SB_DEV void sb_take_manifold(const SbManifold* own, SbHits* out) {
  out->count = 0;
  for (int k = 0; k < own->count; k++) {
    sb_copy(sb_new_hit(out, own->normal, -own->depth[k]), own->point[k], 3);
  }
}

// Whether a model has pairs of two forms (SB_FORM_*): a GPU leaves the code of others out.
#ifdef SB_CUDA
#define SB_HAS(form0, form1) (SB_PAIR_FORMS >> (8 * (form0) + (form1)) & 1)
#else
#define SB_HAS(form0, form1) 1
#endif

// Points of a pair where ODE has them.
SB_BIG void sb_collide_pair(SB_WORLD, int g0, int g1, SbHits* out) {
  SbSolid one = {W_GPOS + 3 * g0, W_GMAT + 9 * g0, M_GEOM_SIZE + 3 * g0};
  SbSolid two = {W_GPOS + 3 * g1, W_GMAT + 9 * g1, M_GEOM_SIZE + 3 * g1};
  int form0 = M_GEOM_FORM[g0], form1 = M_GEOM_FORM[g1];
  double margin = M_GEOM_MARGIN[g0] + M_GEOM_MARGIN[g1];
  out->count = 0;
  if (SB_HAS(0, 4) && form0 == SB_FORM_PLANE && form1 == SB_FORM_CYLINDER) {
    SbManifold own;
    sb_collide_plane_cylinder(one.pos, one.mat, two.pos, two.mat, two.size[0], two.size[1], &own);
    sb_take_manifold(&own, out);
    return;
  }
  if (SB_HAS(4, 5) && form0 == SB_FORM_CYLINDER && form1 == SB_FORM_BOX) {
    SbManifold own;
    if (sb_collide_cylinder_box(one.pos, one.mat, one.size[0], one.size[1], two.pos, two.mat, two.size,
                                SB_ODE_CAPS, &own)) {
      sb_take_manifold(&own, out);
    } else {
      sb_rim_on_edge(&one, &two, out);
    }
    return;
  }
  if (form0 == SB_FORM_PLANE) {
    if (SB_HAS(0, 2) && form1 == SB_FORM_SPHERE) sb_plane_ball(&one, two.pos, two.size[0], margin, out);
    if (SB_HAS(0, 3) && form1 == SB_FORM_CAPSULE) sb_plane_capsule(&one, &two, margin, out);
    if (SB_HAS(0, 5) && form1 == SB_FORM_BOX) sb_plane_box(&one, &two, margin, out);
  } else if (form0 == SB_FORM_SPHERE) {
    if (SB_HAS(2, 2) && form1 == SB_FORM_SPHERE) {
      sb_two_balls(one.pos, one.size[0], one.mat, two.pos, two.size[0], two.mat, margin, out);
    }
    if (SB_HAS(2, 3) && form1 == SB_FORM_CAPSULE) sb_ball_capsule(&one, &two, margin, out);
    if (SB_HAS(2, 4) && form1 == SB_FORM_CYLINDER) sb_ball_cylinder(&one, &two, margin, out);
    if (SB_HAS(2, 5) && form1 == SB_FORM_BOX) sb_ball_box_at(one.pos, one.size[0], &two, margin, out);
  } else if (form0 == SB_FORM_CAPSULE) {
    if (SB_HAS(3, 3) && form1 == SB_FORM_CAPSULE) sb_two_capsules(&one, &two, margin, out);
    if (SB_HAS(3, 5) && form1 == SB_FORM_BOX) sb_capsule_box(&one, &two, margin, out);
  } else if (form0 == SB_FORM_BOX) {
    if (SB_HAS(5, 5)) sb_two_boxes(&one, &two, margin, out);
  }
  for (int k = 0; k < out->count; k++) {
    double face0 = 0, face1 = 0, *n = out->normal[k];
    if (form0 == SB_FORM_SPHERE && form1 == SB_FORM_BOX && out->depth[k] > one.size[0]) {
      sb_copy(out->point[k], one.pos, 3);
      continue;
    }
    if (form0 == SB_FORM_BOX && form1 == SB_FORM_BOX) {
      face0 = sb_face_alignment(one.mat, n);
      face1 = sb_face_alignment(two.mat, n);
    }
    double shift = sb_point_shift(form0, form1, face0, face1, sb_first_of(SB_W, g0, g1)) * out->depth[k];
    for (int i = 0; i < 3; i++) out->point[k][i] += shift * n[i];
  }
}

// Whether the bounding spheres of a pair meet; a plane's is the half space below it.
SB_DEV int sb_near(SB_WORLD, int g0, int g1) {
  const double *p = W_GPOS + 3 * g0, *q = W_GPOS + 3 * g1;
  double d[3], reach = M_GEOM_REACH[g1] + M_GEOM_MARGIN[g0] + M_GEOM_MARGIN[g1];
  sb_sub3(d, q, p);
  if (M_GEOM_FORM[g0] == SB_FORM_PLANE) {
    const double* mat = W_GMAT + 9 * g0;
    return d[0] * mat[2] + d[1] * mat[5] + d[2] * mat[8] <= reach;
  }
  reach += M_GEOM_REACH[g0];
  return sb_dot(d, d) <= reach * reach;
}

SB_DEV void sb_drop_hit(SbHits* hits, int k) {
  hits->count--;
  for (int i = k; i < hits->count; i++) {
    sb_copy(hits->normal[i], hits->normal[i + 1], 3);
    sb_copy(hits->point[i], hits->point[i + 1], 3);
    hits->depth[i] = hits->depth[i + 1];
  }
}

#define SB_EDGE_POINT 1e-6  // [m] see sb_contacts.c

// Points between two others, which clipping adds by rounding where edges of boxes coincide.
SB_DEV void sb_drop_edge_points(SbHits* hits) {
  unsigned gone = 0;
  for (int k = 0; k < hits->count; k++) {
    for (int i = 0; i < hits->count && !(gone >> k & 1); i++) {
      if (i == k || (gone >> i & 1)) continue;
      for (int j = i + 1; j < hits->count && !(gone >> k & 1); j++) {
        if (j == k || (gone >> j & 1)) continue;
        double u[3], v[3], off = 0;
        sb_sub3(u, hits->point[j], hits->point[i]);
        sb_sub3(v, hits->point[k], hits->point[i]);
        double along = sb_dot(u, v), length = sb_dot(u, u);
        if (along <= 0 || along >= length) continue;
        for (int n = 0; n < 3; n++) {
          double e = v[n] - along / length * u[n];
          off += e * e;
        }
        if (off < SB_EDGE_POINT * SB_EDGE_POINT) gone |= 1u << k;
      }
    }
  }
  for (int k = hits->count - 1; k >= 0; k--) {
    if (gone >> k & 1) sb_drop_hit(hits, k);
  }
}

// What the law of the surface leaves of a pair's points; returns how many its limit has dropped.
SB_DEV int sb_choose_points(SB_WORLD, int surface, int boxes, SbHits* hits) {
  int limit = M_SURFACE_INT[SI_MAX * SB_SURFACES + surface], dropped = 0;
  double least = M_SURFACE[SR_MIN_DEPTH * SB_SURFACES + surface];
  double most = M_SURFACE[SR_MAX_DEPTH * SB_SURFACES + surface];
  int found = hits->count;
  for (int k = hits->count - 1; k >= 0; k--) {
    if (hits->depth[k] < least || hits->depth[k] > most) sb_drop_hit(hits, k);
  }
  if (boxes && found > 4) sb_drop_edge_points(hits);
  while (hits->count > limit) {
    // the shallowest; of equally deep ones the last
    int worst = 0;
    for (int k = 1; k < hits->count; k++) {
      if (hits->depth[k] <= hits->depth[worst]) worst = k;
    }
    sb_drop_hit(hits, worst);
    dropped++;
  }
  return dropped;
}

// ---------------------------------------------------------------- tracks

#define SB_LEAST_TANGENT 1e-3

// Velocity of the surface of a geom against its body where something touches it: see sb_tracks.c.
SB_DEV int sb_belt(SB_WORLD, int g, const double into[3], double velocity[3], double along[3]) {
  int track = M_GEOM_TRACK[g], b = M_GEOM_BODY[g];
  double forward[3], up[3];
  if (track < 0) return 0;
  if (b >= 0) {
    sb_turn(W_XMAT + 9 * b, M_TRACK_FORWARD + 3 * track, forward);
    sb_turn(W_XMAT + 9 * b, M_TRACK_UP + 3 * track, up);
  } else {
    sb_copy(forward, M_TRACK_FORWARD + 3 * track, 3);
    sb_copy(up, M_TRACK_UP + 3 * track, 3);
  }
  double speed = W_MOTOR[MO_SIZE * M_TRACK_AXIS[track] + MO_VELOCITY];
  if (M_TRACK_AROUND[track]) {
    double side[3];
    sb_cross(up, forward, side);
    sb_cross(into, side, along);
    if (sb_normalize3(along) < SB_LEAST_TANGENT) speed = 0;
  } else {
    double cosine = sb_max(-1.0, sb_min(1.0, sb_dot(into, up)));
    sb_copy(along, forward, 3);
    speed *= fabs(asin(cosine)) / (0.5 * SB_PI);
    int axis = 0;
    for (int i = 1; i < 3; i++) {
      if (fabs(M_GRAVITY[i]) > fabs(M_GRAVITY[axis])) axis = i;
    }
    int lower = M_GRAVITY[axis] != 0 ? into[axis] * M_GRAVITY[axis] <= 0 : cosine >= 0;
    if (lower) speed = -speed;
  }
  for (int i = 0; i < 3; i++) velocity[i] = speed * along[i];
  return 1;
}

SB_DEV int sb_belts(SB_WORLD, const int geom[2], const double n[3], double velocity[3], double t1[3],
                    int* has_tangent) {
  int found = 0;
  *has_tangent = 0;
  sb_zero(velocity, 3);
  for (int side = 0; side < 2; side++) {
    double v[3], along[3], into[3], across[3];
    for (int i = 0; i < 3; i++) into[i] = side ? n[i] : -n[i];
    if (!sb_belt(SB_W, geom[side], into, v, along)) continue;
    found = 1;
    for (int i = 0; i < 3; i++) velocity[i] += side ? v[i] : -v[i];
    sb_cross(n, along, across);
    if (sb_dot(across, across) > SB_LEAST_TANGENT * SB_LEAST_TANGENT) {
      *has_tangent = 1;
      sb_copy(t1, along, 3);
    }
  }
  return found;
}

// ---------------------------------------------------------------- surfaces

// Friction, slip and tangents of a contact; returns its number of rows: 1, 3 or 6.
SB_BIG int sb_set_surface(SB_WORLD, int g0, int g1, int surface, int first_row, double* con) {
  const double* n = con + C_NORMAL;
  double *t1 = con + C_T1, *t2 = con + C_T2, cosine = 1, sine = 0, mu[2], slip[2], rho[3], f[4], s[4], r[3];
  const int geom[2] = {g0, g1};
  for (int i = 0; i < 4; i++) {
    f[i] = M_SURFACE[(SR_FRICTION + i) * SB_SURFACES + surface];
    s[i] = M_SURFACE[(SR_SLIP + i) * SB_SURFACES + surface];
  }
  for (int i = 0; i < 3; i++) r[i] = M_SURFACE[(SR_ROLLING + i) * SB_SURFACES + surface];
  int friction_count = M_SURFACE_INT[SI_FRICTION * SB_SURFACES + surface];
  int slip_count = M_SURFACE_INT[SI_SLIP * SB_SURFACES + surface];
  int directed = friction_count > 1 || slip_count > 1, has_tangent = 0, moves = 0;
  double belt[3] = {0, 0, 0}, belt_tangent[3];
  if (SB_TRACKS) moves = sb_belts(SB_W, geom, n, belt, belt_tangent, &has_tangent);
  if (directed && (M_GEOM_CAP[g0] < 0 || M_GEOM_CAP[g1] < 0)) {
    directed = 0;
    friction_count = slip_count = 1;
  }
  if (directed) {
    int ode_first = sb_first_of(SB_W, g0, g1);
    double normal[3], d1[3], d2[3];
    for (int i = 0; i < 3; i++) normal[i] = ode_first == 0 ? -n[i] : n[i];
    int first = first_row == 2 ? 1 - ode_first : first_row;
    int one = geom[first], two = geom[1 - first];
    sb_friction_direction(W_GMAT + 9 * one, M_GEOM_CAP[one], M_GEOM_ON_CAP[one], M_GEOM_ON_SIDE[one], normal, d1);
    sb_friction_direction(W_GMAT + 9 * two, M_GEOM_CAP[two], M_GEOM_ON_CAP[two], M_GEOM_ON_SIDE[two], normal, d2);
    sb_rotate(normal, -M_SURFACE[SR_ROTATION * SB_SURFACES + surface], d1);
    sb_rotate(normal, -M_SURFACE[(SR_ROTATION + 1) * SB_SURFACES + surface], d2);
    sb_angle(d1, d2, &cosine, &sine);
    sb_copy(t1, d1, 3);
  } else {
    sb_tangent(n, t1);
  }
  if (has_tangent) sb_copy(t1, belt_tangent, 3);
  sb_cross(n, t1, t2);
  con[C_SPEED] = moves ? -sb_dot(belt, t1) : 0;
  con[C_SPEED + 1] = moves ? -sb_dot(belt, t2) : 0;
  sb_combine(friction_count, f, cosine, sine, mu);
  sb_combine_slip(slip_count, s, cosine, sine, slip);
  int per_axis = sb_rolling(friction_count, r, rho);
  int rolls = rho[0] > 0 || rho[1] > 0 || rho[2] > 0;
  if (M_SURFACE_INT[SI_SECOND_ZERO * SB_SURFACES + surface] && rolls && per_axis && friction_count == 1) mu[1] = 0;
  con[C_MU] = mu[0];
  con[C_MU + 1] = mu[1];
  con[C_MU + 2] = rho[2];
  con[C_MU + 3] = rho[0];
  con[C_MU + 4] = rho[1];
  con[C_SLIP] = slip[0];
  con[C_SLIP + 1] = slip[1];
  return rolls ? 6 : mu[0] > 0 || mu[1] > 0 ? 3 : 1;
}

// Whether a pair is left out because both of its trees sleep or stand still.
SB_DEV int sb_rests(SB_WORLD, int g) {
  int tree = M_GEOM_TREE[g], b = M_GEOM_BODY[g];
  if (tree < 0 && SB_DRIVES && b >= 0) return !W_DRIVEN[b];
  return tree < 0 || W_REST[2 * tree + 1] == SB_ASLEEP;
}

// A contact of the list; its point, normal and depth are there already.
SB_DEV void sb_note_contact(SB_WORLD, int at, int g0, int g1, int surface, int first_row, int key) {
  int* con_int = W_CONTACT_INT + K_SIZE * at;
  con_int[K_GEOM0] = g0;
  con_int[K_GEOM1] = g1;
  con_int[K_KEY] = key;
  con_int[K_SURFACE] = surface;
  con_int[K_DIM] = sb_set_surface(SB_W, g0, g1, surface, first_row, W_CONTACT + C_SIZE * at);
}

#ifndef SB_NO_GROUND
// Adds the points on terrain, but those of what rests; returns how many there are then.
SB_DEV int sb_take_met(SB_WORLD, int found) {
  int count = W_MET_INT[MT_COUNT];
  for (int first = 0; first < count; first += SB_TEAM) {
    int k = first + SB_LANE, takes = 0;
    const int *met = W_MET_INT + MT_HEAD + 2 * (k < count ? k : 0), *pair = M_GROUND_PAIR + GP_SIZE * met[0];
    int g0 = pair[GP_GEOM0], g1 = pair[GP_GEOM1];
    if (k < count) takes = !(SB_SLEEPS && sb_rests(SB_W, g0) && sb_rests(SB_W, g1));
    int at = sb_team_places(takes, &found);
    if (!takes || at >= SB_MAX_CONTACTS) continue;
    double* con = W_CONTACT + C_SIZE * at;
    const double* from = W_MET + MP_SIZE * k;
    sb_copy(con + C_POINT, from + MP_POINT, 3);
    sb_copy(con + C_NORMAL, from + MP_NORMAL, 3);
    con[C_DEPTH] = from[MP_DEPTH];
    sb_note_contact(SB_W, at, g0, g1, pair[GP_SURFACE], pair[GP_FIRST], (SB_PAIRS + met[0]) * 32 + met[1]);
  }
  return found;
}
#endif

// All contacts, in the order of the pairs; what finds no room is counted. Returns how many there are.
SB_BIG int sb_find_contacts(SB_WORLD) {
  // pairs that are near, in order
  int near = 0, count = 0, found = 0;
  for (int first = 0; first < SB_PAIRS; first += SB_TEAM) {
    int pair = first + SB_LANE, is_near = 0;
    if (pair < SB_PAIRS) {
      int g0 = M_PAIR_GEOMS[2 * pair], g1 = M_PAIR_GEOMS[2 * pair + 1];
      is_near = sb_near(SB_W, g0, g1) && !(SB_SLEEPS && sb_rests(SB_W, g0) && sb_rests(SB_W, g1));
    }
    int at = sb_team_places(is_near, &near);
    if (is_near && at < SB_NEAR) W_NEAR[at] = pair;
  }
  SB_SYNC();
  int lost = near > SB_NEAR ? near - SB_NEAR : 0, dropped = 0;
  if (near > SB_NEAR) near = SB_NEAR;
  for (int first = 0; first < near; first += SB_TEAM) {
    SbHits hits;
    int place = first + SB_LANE, pair = 0, g0 = 0, g1 = 0, surface = 0;
    hits.count = 0;
    if (place < near) {
      pair = W_NEAR[place];
      g0 = M_PAIR_GEOMS[2 * pair];
      g1 = M_PAIR_GEOMS[2 * pair + 1];
      surface = M_PAIR_SURFACE[2 * pair];
      sb_collide_pair(SB_W, g0, g1, &hits);
      if (hits.count) {
        dropped += sb_choose_points(SB_W, surface, M_GEOM_FORM[g0] == SB_FORM_BOX && M_GEOM_FORM[g1] == SB_FORM_BOX,
                                    &hits);
      }
    }
    int at = sb_team_places(hits.count, &found);
    for (int k = 0; k < hits.count && at + k < SB_MAX_CONTACTS; k++) {
      double* con = W_CONTACT + C_SIZE * (at + k);
      sb_copy(con + C_POINT, hits.point[k], 3);
      sb_copy(con + C_NORMAL, hits.normal[k], 3);
      con[C_DEPTH] = hits.depth[k];
      sb_note_contact(SB_W, at + k, g0, g1, surface, M_PAIR_SURFACE[2 * pair + 1], pair * 32 + k);
    }
  }
#ifndef SB_NO_GROUND
  if (SB_GROUND_PAIRS) found = sb_take_met(SB_W, found);
#endif
  SB_SYNC();
  count = found < SB_MAX_CONTACTS ? found : SB_MAX_CONTACTS;
  lost += found - count;
  dropped = sb_team_sum(dropped);
  if (SB_LANE == 0) {
    W_STAT[ST_LOST] += lost;
    W_STAT[ST_DROPPED] += dropped;
  }
  return count;
}

#endif  // SB_CONTACTS_H_
