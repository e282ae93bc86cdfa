// Rows of contacts, where MuJoCo has no rows of its own to make: what it makes for its solver besides the Jacobian
// (impedances, references, approximate inertias) takes as long as all rows here.
//
// Column of the Jacobian for a dof that moves side 1 of a contact at p (of side 0: minus that; of both: none), with
// MuJoCo's cdof = (w, v) about the centre of mass c of the tree:
//
//     rows 0 to 2:  e . (v + w x (p - c))      rows 3 to 5:  e . w      e: normal and tangents of the contact
#include <string.h>

#include "base/sb_work.h"

int sb_only_contacts(const mjModel* m) {
  if (m->neq || m->ntendon || m->nflex || m->nsensor || m->nu || m->flg_surfacevel ||
      m->opt.disableflags & (mjDSBL_CONSTRAINT | mjDSBL_CONTACT)) {
    return 0;
  }
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_limited[j]) return 0;
  }
  for (int i = 0; i < m->nv; i++) {
    if (m->dof_frictionloss[i] > 0) return 0;
  }
  return 1;
}

// The last dof that moves a geom, -1: none does.
static int last_dof(const mjModel* m, int geom) {
  int body = m->body_weldid[m->geom_bodyid[geom]];
  return m->body_dofnum[body] ? m->body_dofadr[body] + m->body_dofnum[body] - 1 : -1;
}

// Bytes of MuJoCo's arena that must be free for each row: its own rows take this much and more. Less is used
// here, but the rest of the step needs room as well.
#define SB_ROW_ROOM 256

// Room in MuJoCo's arena behind the contacts for so many rows; NULL: none.
static void* take_room(mjData* d, size_t rows, size_t bytes_per_row) {
  size_t start = ((size_t)d->ncon * sizeof(mjContact) + 7) / 8 * 8;
  if (start + rows * SB_ROW_ROOM > (size_t)d->narena - d->pstack) return NULL;
  d->parena = start + rows * bytes_per_row;
  if ((size_t)d->maxuse_arena < d->parena) d->maxuse_arena = d->parena;
  return (char*)d->arena + start;
}

void sb_number_contact_rows(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int n = 0;
  s->contact_rows = 0;
  for (int k = 0; k < d->ncon; k++) {
    mjContact* con = d->contact + k;
    if (con->exclude) continue;
    if (last_dof(m, con->geom[0]) < 0 && last_dof(m, con->geom[1]) < 0) {
      con->efc_address = -1;
      con->exclude = 3;
      continue;
    }
    con->efc_address = n;
    n += con->dim;
  }
  if (d->maxuse_con < d->ncon) d->maxuse_con = d->ncon;
  if (d->maxuse_efc < n) d->maxuse_efc = n;
  if (!n) return;
  double* room = take_room(d, n, 3 * sizeof(double) + 2 * sizeof(int));
  if (!room) {
    // no contact acts, as with MuJoCo's rows
    for (int k = 0; k < d->ncon; k++) d->contact[k].efc_address = -1;
    d->warning[mjWARN_CNSTRFULL].number++;
    d->warning[mjWARN_CNSTRFULL].lastinfo = (int)d->narena;
    return;
  }
  d->efc_vel = room;
  d->efc_force = room + n;
  d->efc_pos = room + 2 * n;
  d->efc_type = (int*)(room + 3 * n);
  d->efc_id = d->efc_type + n;
  s->contact_rows = n;
}

// Dofs of a contact, ascending, and the sign of each side's share: 0 where both sides hang on it.
static int find_columns(SbStep* s, const int last[2]) {
  const int* parent = s->m->dof_parentid;
  int *column = s->pair_column, count = 0, a = last[0], b = last[1];
  signed char* side = s->pair_side;
  while (a >= 0 || b >= 0) {
    int is_both = a == b, of_one = b > a;
    column[count] = of_one ? b : a;
    side[count++] = (signed char)(is_both ? 0 : of_one ? 1 : -1);
    if (of_one || is_both) b = parent[b];
    if (!of_one) a = parent[a];
  }
  for (int i = 0, j = count - 1; i < j; i++, j--) {
    int dof = column[i];
    signed char sign = side[i];
    column[i] = column[j];
    side[i] = side[j];
    column[j] = dof;
    side[j] = sign;
  }
  return count;
}

// J v in the order in which MuJoCo sums it (four sums side by side), so that both give the same bytes.
SB_INLINE double speed_of(const double* x, const double* v, const int* column, int count) {
  double sum[4] = {0, 0, 0, 0};
  int j = 0;
  for (; j + 4 <= count; j += 4) {
    for (int i = 0; i < 4; i++) sum[i] += x[SB_CONTACT_ROWS * column[j + i]] * v[column[j + i]];
  }
  double out = (sum[0] + sum[2]) + (sum[1] + sum[3]);
  for (; j < count; j++) out += x[SB_CONTACT_ROWS * column[j]] * v[column[j]];
  return out;
}

// Jacobian of a contact, into row_values (SB_CONTACT_ROWS values for each dof), and its products with velocity and
// acceleration.
SB_INLINE void fill(SbStep* s, const mjContact* con, int dim, int count, double* velocity, double* acceleration) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  const double* e = con->frame;
  int* moving = s->chain;
  int moving_count = 0;
  for (int r = 0; r < dim; r++) acceleration[r] = 0;
  for (int j = 0; j < count; j++) {
    int dof = s->pair_column[j];
    const double *w = d->cdof + 6 * dof, *com = d->subtree_com + 3 * m->body_rootid[m->dof_bodyid[dof]];
    double *x = s->row_values + SB_CONTACT_ROWS * dof, sign = s->pair_side[j], arm[3], v[3];
    double push = d->qacc_smooth[dof];
    if (sign != 0) moving[moving_count++] = dof;
    for (int i = 0; i < 3; i++) arm[i] = con->pos[i] - com[i];
    sb_cross(w, arm, v);
    for (int i = 0; i < 3; i++) v[i] += w[3 + i];
    for (int r = 0; r < dim; r++) {
      x[r] = sign * (r < 3 ? sb_dot(e + 3 * r, v) : sb_dot(e + 3 * (r - 3), w));
      acceleration[r] += x[r] * push;
    }
  }
  for (int r = 0; r < dim; r++) velocity[r] = speed_of(s->row_values + r, d->qvel, moving, moving_count);
}

int sb_make_contact_rows(SbStep* s) {
  mjData* d = s->d;
  SbRows* rows = &s->rows;
  double h = s->m->opt.timestep, acceleration[SB_CONTACT_ROWS];
  int before[2] = {-1, -1}, count = 0;
  d->nefc = s->contact_rows;
  for (int k = 0; k < d->ncon; k++) {
    const mjContact* con = d->contact + k;
    int first = con->efc_address, dim = con->dim;
    if (first < 0) continue;
    int last[2] = {last_dof(s->m, con->geom[0]), last_dof(s->m, con->geom[1])};
    int is_same = first > 0 && last[0] == before[0] && last[1] == before[1];
    if (!is_same) count = find_columns(s, last);
    memcpy(before, last, sizeof(last));
    if (dim == 3) {
      fill(s, con, 3, count, d->efc_vel + first, acceleration);
    } else {
      fill(s, con, dim, count, d->efc_vel + first, acceleration);
    }
    sb_set_contact_rows(s, k);
    for (int r = 0; r < dim; r++) {
      rows->b[first + r] = (d->efc_vel[first + r] - rows->c[first + r]) / h + acceleration[r];
      d->efc_pos[first + r] = r ? 0 : con->dist;
      d->efc_type[first + r] = dim > 1 ? mjCNSTR_CONTACT_ELLIPTIC : mjCNSTR_CONTACT_FRICTIONLESS;
      d->efc_id[first + r] = k;
    }
    if (!sb_whiten_contact(s, first, dim, count, s->pair_column, is_same)) return 0;
  }
  return 1;
}
