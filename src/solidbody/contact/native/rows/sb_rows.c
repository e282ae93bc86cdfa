// Rows of a step: MuJoCo's loops and contacts, then our own rows of joint axes and loops, all under the law.
#include <string.h>

#include "base/sb_law.h"
#include "base/sb_work.h"

#define SB_MAKE(type, name, count) &&SB_RESERVE(&s->arena, s->rows.name, count)

static int reserve(SbStep* s, int n) {
  // the last one grows last
  return sb_has_room(s->rows.trial, SB_BYTES(s->rows.trial, n)) || (1 SB_ROW_ARRAYS(SB_MAKE));
}

static void set_row(SbRows* rows, int i, SbRow row) {
  rows->c[i] = row.c;
  rows->cfm[i] = row.cfm;
  rows->lo[i] = row.lo;
  rows->hi[i] = row.hi;
  rows->mu[i] = 0;
  rows->normal[i] = -1;
  rows->remembers[i] = 0;
}

// Rows of MuJoCo that are not contacts: equalities, friction of joints and tendons, their limits.
static void set_plain_row(SbStep* s, int i) {
  const mjData* d = s->d;
  double h = s->m->opt.timestep, erp = s->world->erp, cfm = s->world->cfm;
  switch (d->efc_type[i]) {
    case mjCNSTR_FRICTION_DOF:
    case mjCNSTR_FRICTION_TENDON:
      set_row(&s->rows, i, sb_row_motor(0, d->efc_frictionloss[i], cfm));
      break;
    case mjCNSTR_LIMIT_JOINT:
    case mjCNSTR_LIMIT_TENDON:
      // the Jacobian points away from the limit, at both ends
      set_row(&s->rows, i, sb_row_stop(h, 1, d->efc_pos[i] - d->efc_margin[i], d->efc_vel[i], erp,
                                       cfm, 0));
      break;
    default:
      set_row(&s->rows, i, sb_row_bilateral(h, d->efc_pos[i], erp, cfm));
  }
}

void sb_set_contact_rows(SbStep* s, int k) {
  const mjContact* con = s->d->contact + k;
  int a = con->efc_address;
  if (a < 0) return;
  if (con->geom[0] < 0 || con->geom[1] < 0) {
    // a flexible body, for which there is no law: no force
    for (int j = 0; j < con->dim; j++) set_row(&s->rows, a + j, (SbRow){0, s->world->cfm, 0, 0});
    return;
  }
  const SbGeom *g0 = s->tables.geoms + con->geom[0], *g1 = s->tables.geoms + con->geom[1];
  const SbSurface* surface =
      s->tables.surfaces + s->tables.pairs[g0->material * s->world->materials + g1->material].surface;
  SbRows* rows = &s->rows;
  set_row(rows, a, sb_row_normal(s->m->opt.timestep, -con->dist, s->d->efc_vel[a], surface->erp,
                                 surface->cfm, surface->bounce, surface->bounce_velocity,
                                 surface->rest_depth, surface->depth_scale));
  rows->remembers[a] = (unsigned char)surface->remembers_loads;
  for (int j = 1; j < con->dim; j++) {
    double cfm = s->world->cfm;
    set_row(rows, a + j, j < 3 ? sb_row_friction(s->contact_speed[2 * k + j - 1],
                                                s->contact_slip[2 * k + j - 1], cfm)
                               : sb_row_rolling(cfm));
    rows->mu[a + j] = s->contact_mu[6 * k + j - 1];
    rows->normal[a + j] = a;
  }
}

int sb_add_row(SbStep* s, SbRow row, double velocity, double acceleration, int count,
               const int* column, const double* value, int same_columns_as_previous) {
  SbRows* rows = &s->rows;
  int i = rows->count;
  set_row(rows, i, row);
  rows->b[i] = (velocity - row.c) / s->m->opt.timestep + acceleration;
  if (!sb_whiten_row(s, i, count, column, value, same_columns_as_previous)) return -1;
  rows->count++;
  return i;
}

void sb_drop_row(SbStep* s) {
  SbRows* rows = &s->rows;
  const SbSpan* span = rows->span + --rows->count;
  for (int p = 0; p < span->parts; p++) rows->y_count -= rows->part[span->part + p].count;
  rows->part_count = span->part;
  rows->pair_count = span->pair;
}

int sb_make_rows(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  SbRows* rows = &s->rows;
  int n = s->only_contacts ? s->contact_rows : d->nefc;
  double h = m->opt.timestep;

  if (!reserve(s, n + 4 * s->world->axes + 6 * s->world->loops)) return SB_NO_MEMORY;
  rows->count = n;
  sb_whiten_begin(s);

  int plain = d->ne + d->nf + d->nl;
  for (int i = 0; i < plain; i++) set_plain_row(s, i);
  if (s->only_contacts) {
    if (!sb_make_contact_rows(s)) return SB_NO_MEMORY;
  } else {
    for (int k = 0; k < d->ncon; k++) sb_set_contact_rows(s, k);
  }

  for (int i = 0; i < n && !s->only_contacts; i++) {
    int start = d->efc_J_rowadr[i], count = d->efc_J_rownnz[i];
    const int* column = d->efc_J_colind + start;
    const double* value = d->efc_J + start;
    double acceleration = 0;
    for (int j = 0; j < count; j++) acceleration += value[j] * d->qacc_smooth[column[j]];
    rows->b[i] = (d->efc_vel[i] - rows->c[i]) / h + acceleration;
    int same = i > plain && d->efc_J_rownnz[i - 1] == count &&
               !memcmp(column, d->efc_J_colind + d->efc_J_rowadr[i - 1], count * sizeof(int));
    // MuJoCo leaves out what both sides of a contact within one tree hang on
    if (i < plain || (count && m->dof_parentid[column[0]] >= 0)) {
      count = sb_close_columns(s, count, column, value, s->pair_column, s->row_value);
      column = s->pair_column;
      value = s->row_value;
    }
    if (!sb_whiten_row(s, i, count, column, value, same)) return SB_NO_MEMORY;
  }
  if (!sb_make_axis_rows(s)) return SB_NO_MEMORY;
  for (int i = 0; i < rows->count; i++) {
    rows->r[i] = rows->cfm[i] / h;
    rows->stiffness[i] = h / rows->cfm[i];
    rows->inverse[i] = 1 / (rows->diagonal[i] + rows->r[i]);
  }
  return SB_OK;
}
