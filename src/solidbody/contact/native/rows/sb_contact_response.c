// How bodies give way at a contact, which tells where friction against their sliding points.
#include <string.h>

#include "base/sb_law.h"
#include "base/sb_work.h"

// Whether a joint goes where it is told whatever pushes it: nothing gives way along it.
static int is_held(const SbStep* s, int k) {
  const SbCommand* command = s->state.commands + k;
  int drives = command->mode == SB_MOTOR_VELOCITY || command->mode == SB_MOTOR_POSITION;
  return s->tables.axes[k].kind == SB_AXIS_JOINT && s->tables.axes[k].rigid && drives && command->available_effort > 0;
}

void sb_hold_joints(SbStep* s) {
  const mjModel* m = s->m;
  const mjData* d = s->d;
  int any = 0;
  for (int k = 0; k < s->world->axes && !any; k++) any = is_held(s, k);
  s->yield_factor = any ? s->held_factor : d->qLD;
  s->yield_inverse = any ? s->held_inverse : d->qLDiagInv;
  if (!any) return;

  for (int k = 0; k < s->world->axes; k++) {
    if (is_held(s, k)) s->dof_mark[s->tables.axes[k].dof] = 1;
  }
  sb_factor_held(s, 0, (int)m->nv);
}

void sb_factor_held(SbStep* s, int first, int end) {
  const mjModel* m = s->m;
  double *factor = s->held_factor, *inverse = s->held_inverse;
  for (int i = first; i < end; i++) {
    memcpy(factor + m->M_rowadr[i], s->d->M + m->M_rowadr[i], m->M_rownnz[i] * sizeof(double));
    inverse[i] = !s->dof_mark[i];
    s->dof_mark[i] = 0;
  }
  for (int i = end - 1; i >= first; i--) {
    const int* chain = m->M_colind + m->M_rowadr[i];
    double* row = factor + m->M_rowadr[i];
    int above = m->M_rownnz[i] - 1;
    if (inverse[i] > 0) inverse[i] = 1 / row[above];
    for (int k = above - 1; k >= 0; k--) {
      double share = row[k] * inverse[i], *upper = factor + m->M_rowadr[chain[k]];
      for (int j = 0; j <= k; j++) upper[j] -= share * row[j];
      row[k] = share;
    }
  }
}

double sb_response(SbStep* s, const mjContact* con, const double* e) {
  const mjModel* m = s->m;
  double *x = s->column_value, sum = 0;
  int dof[2];
  for (int side = 0; side < 2; side++) {
    int body = m->body_weldid[m->geom_bodyid[con->geom[side]]];
    const double* com = s->d->subtree_com + 3 * m->body_rootid[body];
    double arm[3] = {con->pos[0] - com[0], con->pos[1] - com[1], con->pos[2] - com[2]}, turn[3];
    dof[side] = m->body_dofnum[body] ? m->body_dofadr[body] + m->body_dofnum[body] - 1 : -1;
    sb_cross(arm, e, turn);
    for (int i = dof[side]; i >= 0; i = m->dof_parentid[i]) {
      const double* column = s->d->cdof + 6 * i;
      double v = sb_dot(column, turn) + sb_dot(column + 3, e);
      x[i] += side ? v : -v;
    }
  }
  while (dof[0] >= 0 || dof[1] >= 0) {
    int i = dof[0] > dof[1] ? dof[0] : dof[1], *chain = m->M_colind + m->M_rowadr[i];
    const double *l = s->yield_factor + m->M_rowadr[i], v = x[i];
    x[i] = 0;
    for (int k = 0; k < m->M_rownnz[i] - 1; k++) x[chain[k]] -= l[k] * v;
    sum += v * v * s->yield_inverse[i];
    for (int side = 0; side < 2; side++) {
      if (dof[side] == i) dof[side] = m->dof_parentid[i];
    }
  }
  return sum;
}
