// Collision of small models of primitive shapes, in place of mj_collision: the same contacts, in the same order.
//
// Which pairs of geoms can meet at all (bit masks, welded and excluded bodies) is found once for a model, in the
// order in which MuJoCo comes to them. A step then tests their bounding spheres and calls MuJoCo's colliders.
// mj_collision sorts the bodies along axes that it finds anew each time, looks each pair up among those that are
// excluded, and fills in parameters of a law that is not ours: two thirds of its time for a robot on two wheels.
#include <string.h>

#include "base/sb_work.h"

// Models with more bodies, or more pairs that can meet, are left to MuJoCo's sweep and prune.
#define SB_FEW_BODIES 64
#define SB_FEW_PAIRS 96

enum { UNKNOWN, UNFIT, LISTED };

// Colliders that need no buffers from mj_collision.
static int is_primitive(int type0, int type1) {
  switch (type0) {
    case mjGEOM_PLANE:
    case mjGEOM_SPHERE:
      return type1 == mjGEOM_SPHERE || type1 == mjGEOM_CAPSULE || type1 == mjGEOM_CYLINDER || type1 == mjGEOM_BOX;
    case mjGEOM_CAPSULE: return type1 == mjGEOM_CAPSULE || type1 == mjGEOM_BOX;
    case mjGEOM_BOX: return type1 == mjGEOM_BOX;
    default: return 0;
  }
}

static int is_excluded(const mjModel* m, int body0, int body1) {
  int signature = (body0 << 16) + body1;
  for (int low = 0, high = m->nexclude - 1; low <= high;) {
    int middle = (low + high) / 2;
    if (m->exclude_signature[middle] == signature) return 1;
    if (m->exclude_signature[middle] < signature) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return 0;
}

// Whether MuJoCo looks at two bodies at all.
static int may_meet(const mjModel* m, int body0, int body1) {
  int weld0 = m->body_weldid[body0], weld1 = m->body_weldid[body1];
  if (weld0 == weld1 || (m->body_dofnum[weld0] == 0 && m->body_dofnum[weld1] == 0)) return 0;
  int is_filtered = !(m->opt.disableflags & mjDSBL_FILTERPARENT) && weld0 && weld1;
  if (is_filtered && (weld0 == m->body_weldid[m->body_parentid[weld1]] ||
                      weld1 == m->body_weldid[m->body_parentid[weld0]])) {
    return 0;
  }
  return !is_excluded(m, body0, body1);
}

static int is_fit(const mjModel* m) {
  int bound = m->opt.enableflags & (mjENBL_OVERRIDE | mjENBL_SLEEP);
  if (m->nbody > SB_FEW_BODIES || m->nflex || m->npair || bound) return 0;
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_adhesion[g] != 0) return 0;
  }
  return 1;
}

// The pairs of geoms of two bodies: where MuJoCo goes through trees of boxes, it sorts them afterwards.
static int list_bodies(SbStep* s, int body0, int body1) {
  const mjModel* m = s->m;
  SbGeomPairs* pairs = &s->geom_pairs;
  int begin = pairs->count, end0 = m->body_geomadr[body0] + m->body_geomnum[body0];
  int end1 = m->body_geomadr[body1] + m->body_geomnum[body1];
  int sorts = !(m->opt.disableflags & mjDSBL_MIDPHASE);
  for (int a = m->body_geomadr[body0]; a < end0; a++) {
    for (int b = m->body_geomadr[body1]; b < end1; b++) {
      if (!(m->geom_contype[a] & m->geom_conaffinity[b]) && !(m->geom_contype[b] & m->geom_conaffinity[a])) continue;
      int swaps = m->geom_type[a] > m->geom_type[b];
      int one = swaps ? b : a, two = swaps ? a : b, at = pairs->count++;
      if (at == SB_FEW_PAIRS) return 0;
      if (!mjCOLLISIONFUNC[m->geom_type[one]][m->geom_type[two]]) {
        pairs->count--;
        continue;
      }
      for (; sorts && at > begin; at--) {
        const int* before = pairs->geom + 2 * (at - 1);
        if (before[0] < one || (before[0] == one && before[1] < two)) break;
        memcpy(pairs->geom + 2 * at, before, 2 * sizeof(int));
      }
      pairs->geom[2 * at] = one;
      pairs->geom[2 * at + 1] = two;
    }
  }
  return 1;
}

static int list_pairs(SbStep* s) {
  const mjModel* m = s->m;
  s->geom_pairs.count = 0;
  if (!is_fit(m) || !SB_ALLOCATE(&s->arena, s->geom_pairs.geom, 2 * SB_FEW_PAIRS)) return UNFIT;
  for (int a = 0; a < m->nbody; a++) {
    for (int b = a + 1; b < m->nbody; b++) {
      if (m->body_geomnum[a] && m->body_geomnum[b] && may_meet(m, a, b) && !list_bodies(s, a, b)) return UNFIT;
    }
  }
  return LISTED;
}

// MuJoCo's test of bounding spheres; of planes, by their distance.
static int are_apart(const mjModel* m, const mjData* d, const int* geom, double margin) {
  const double *p0 = d->geom_xpos + 3 * geom[0], *p1 = d->geom_xpos + 3 * geom[1];
  double r0 = m->geom_rbound[geom[0]], r1 = m->geom_rbound[geom[1]], away[3];
  if (r0 > 0 && r1 > 0) {
    double reach = r0 + r1 + margin;
    for (int i = 0; i < 3; i++) away[i] = p0[i] - p1[i];
    return away[0] * away[0] + away[1] * away[1] + away[2] * away[2] > reach * reach;
  }
  if (m->geom_type[geom[0]] != mjGEOM_PLANE || r1 <= 0) return 0;
  const double* turn = d->geom_xmat + 9 * geom[0];
  for (int i = 0; i < 3; i++) away[i] = p1[i] - p0[i];
  return away[0] * turn[2] + away[1] * turn[5] + away[2] * turn[8] > margin + r1;
}

// What mj_collision sets and somebody reads; the law has its own friction and softness.
static void set_contact(const mjModel* m, mjContact* con, const mjPreContact* found, const double normal[3],
                        const int* geom) {
  con->dist = found->dist;
  memcpy(con->pos, found->pos, sizeof(con->pos));
  memcpy(con->frame, normal, 3 * sizeof(double));
  memset(con->frame + 3, 0, 6 * sizeof(double));  // tangents come with the surface (sb_contacts.c)
  con->includemargin = m->geom_margin[geom[0]] + m->geom_margin[geom[1]];
  for (int i = 0; i < 5; i++) con->friction[i] = 1;
  memcpy(con->solref, m->geom_solref + mjNREF * geom[1], sizeof(con->solref));
  memset(con->solreffriction, 0, sizeof(con->solreffriction));
  memcpy(con->solimp, m->geom_solimp + mjNIMP * geom[1], sizeof(con->solimp));
  con->adhesion = con->mu = 0;
  memset(con->surfacevel, 0, sizeof(con->surfacevel));
  con->dim = 3;
  con->geom1 = con->geom[0] = geom[0];
  con->geom2 = con->geom[1] = geom[1];
  for (int i = 0; i < 2; i++) con->flex[i] = con->elem[i] = con->vert[i] = -1;
  con->exclude = con->dist >= con->includemargin;
  con->efc_address = -1;
}

static void begin(mjData* d) {
  d->ncon = d->nefc = 0;
  d->parena = 0;
}

int sb_collide_primitives(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  SbGeomPairs* pairs = &s->geom_pairs;
  mjPreContact found[mjMAXCONPAIR];
  double normal[3];
  if (!s->only_contacts || mjcb_contactfilter) return 0;
  if (pairs->state == UNKNOWN) pairs->state = list_pairs(s);
  if (pairs->state == UNFIT) return 0;
  begin(d);
  for (int k = 0; k < pairs->count; k++) {
    const int* geom = pairs->geom + 2 * k;
    double margin = m->geom_margin[geom[0]] + m->geom_margin[geom[1]] + (m->geom_gap[geom[0]] + m->geom_gap[geom[1]]);
    if (are_apart(m, d, geom, margin)) continue;
    int type0 = m->geom_type[geom[0]], type1 = m->geom_type[geom[1]];
    if (!is_primitive(type0, type1)) return 0;
    int count = mjCOLLISIONFUNC[type0][type1](m, d, found, geom[0], geom[1], margin);
    size_t end = (size_t)(d->ncon + count) * sizeof(mjContact);
    if (end > (size_t)d->narena - d->pstack) return 0;
    for (int i = 0; i < count; i++) {
      // mostly all of a pair have one
      if (!i || memcmp(found[i].normal, found[i - 1].normal, sizeof(normal))) {
        memcpy(normal, found[i].normal, sizeof(normal));
        mju_normalize3(normal);
      }
      set_contact(m, d->contact + d->ncon + i, found + i, normal, geom);
    }
    d->ncon += count;
    d->parena = end;
  }
  if ((size_t)d->maxuse_arena < d->parena) d->maxuse_arena = d->parena;
  return 1;
}
