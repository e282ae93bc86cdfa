// The step as a list of stages, and the life of its memory.
#include "sb_step.h"

#include <stdlib.h>
#include <string.h>

#include "sb_work.h"

int sb_grow(void** p, int64_t count, size_t element) {
  void* grown = realloc(*p, (size_t)count * element);
  if (!grown) return 0;
  *p = grown;
  return 1;
}

static int memory_warnings(const mjData* d) {
  return d->warning[mjWARN_CONTACTFULL].number + d->warning[mjWARN_CNSTRFULL].number;
}

static int step_once(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int code, sensors = m->nsensor > 0, warnings = memory_warnings(d);

  // MuJoCo's lazily computed parts are valid within one step only
  d->flg_energypos = d->flg_energyvel = d->flg_subtreevel = d->flg_rnepost = 0;
  s->stats.sweeps = s->stats.solves = s->stats.factorizations = 0;

  // positions, inertia, contacts
  sb_move_kinematic(s);
  mj_fwdKinematics(m, d);
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_collision(m, d);
  if ((code = sb_prepare_contacts(s))) return code;
  mj_makeConstraint(m, d);
  if (sensors) mj_sensorPos(m, d);

  // velocities, forces, acceleration without constraints
  mj_fwdVelocity(m, d);
  if (sensors) mj_sensorVel(m, d);
  mj_fwdActuation(m, d);
  sb_command_motors(s);
  mj_fwdAcceleration(m, d);

  // the law
  if ((code = sb_make_rows(s))) return code;
  s->stats.rows = s->rows.count;
  if ((code = sb_find_islands(s))) return code;
  s->stats.islands = s->islands;
  if ((code = sb_warm_start(s)) || (code = sb_solve(s)) || (code = sb_warm_save(s))) return code;
  s->stats.contacts = s->warm.contacts;  // without those that were replaced or dropped
  if (sensors) mj_sensorAcc(m, d);

  code = sb_integrate(s);
  s->stats.steps++;
  if (memory_warnings(d) > warnings) s->stats.memory_full++;
  return code;
}

int sb_run(SbStep* s, int n) {
  for (int k = 0; k < n; k++) {
    int code = step_once(s);
    if (code) return code;
  }
  return SB_OK;
}

static int allocate(SbStep* s) {
  const mjModel* m = s->m;
  int64_t nv = m->nv + 1, trees = m->ntree + 1, axes = s->world->axes + 1, loops = m->neq + 1;
  SbBlocks* b = &s->blocks;
  return SB_GROW(s->axis_row, 4 * axes) && SB_GROW(s->axis_velocity, axes) &&
         SB_GROW(s->axis_effort, axes) && SB_GROW(s->w, nv) && SB_GROW(s->x, nv) &&
         SB_GROW(s->total, nv) && SB_GROW(s->inv_sqrt_d, nv) && SB_GROW(s->column_value, nv) && SB_GROW(s->unit, nv) &&
         SB_GROW(s->jacobian, 6 * nv) && SB_GROW(s->tree_island, trees) &&
         SB_GROW(s->island_start, trees + 1) && SB_GROW(s->warm.axis, 8 * axes) &&
         SB_GROW(s->warm.loop, 12 * loops) && SB_GROW(b->tree, trees) && SB_GROW(b->node, trees) &&
         SB_GROW(b->order, trees) && SB_GROW(b->position, trees) && SB_GROW(b->degree, trees) &&
         SB_GROW(b->column_start, trees + 1) && SB_GROW(b->diagonal_offset, trees);
}

SbStep* sb_new(const mjModel* m, mjData* d, const SbWorld* world, const SbSurface* surfaces,
               const SbPair* pairs, const SbGeom* geoms, const SbAxis* axes,
               SbMotorState* motor_states, const SbMover* movers, const SbDamper* dampers) {
  SbStep* s = calloc(1, sizeof(SbStep));
  if (!s) return NULL;
  // MuJoCo's profiling clock, which its Python package turns on for the whole process, costs 5 to
  // 10 % of a robot's step; only mjData.timer misses it
  mjcb_time = NULL;
  s->m = m;
  s->d = d;
  s->world = world;
  s->surfaces = surfaces;
  s->pairs = pairs;
  s->geoms = geoms;
  s->axes = axes;
  s->motors = motor_states;
  s->movers = movers;
  s->dampers = dampers;
  if (!allocate(s)) {
    sb_free(s);
    return NULL;
  }
  memset(s->column_value, 0, m->nv * sizeof(double));
  memset(s->unit, 0, m->nv * sizeof(double));
  for (int i = 0; i < m->nv; i++) {
    if (m->M_rownnz[i] > s->chain_width) s->chain_width = m->M_rownnz[i];
  }
  for (int t = 0; t < m->ntree; t++) {
    if (m->tree_dofnum[t] > s->tree_width) s->tree_width = m->tree_dofnum[t];
  }
  sb_clear(s);
  return s;
}

void sb_free(SbStep* s) {
  if (!s) return;
  SbRows* r = &s->rows;
  SbBlocks* b = &s->blocks;
  SbWarm* w = &s->warm;
  void* all[] = {r->c, r->cfm, r->lo, r->hi, r->mu, r->normal, r->b, r->r, r->stiffness, r->diagonal, r->inverse, r->gradient, r->first,
                 r->force, r->span, r->y, r->column, r->island_row, r->free_set, r->factored_set,
                 r->target, r->trial, b->tree, b->node, b->order, b->position, b->degree,
                 b->adjacency, b->column_start, b->row_index, b->block_offset, b->diagonal_offset,
                 b->h, w->geom, w->point, w->force, w->axis, w->loop, w->slot, s->axis_row,
                 s->axis_velocity, s->axis_effort, s->contact_mu, s->contact_slip, s->order, s->w,
                 s->x, s->total, s->inv_sqrt_d, s->column_value, s->unit, s->tree_island,
                 s->island_start, s->island_scratch, s->jacobian, s->terrain.hull_of,
                 s->terrain.pair_start, s->terrain.pair, s->terrain.candidate, s->terrain.corner,
                 s->terrain.plane};
  for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) free(all[k]);
  free(s);
}

void sb_clear(SbStep* s) {
  memset(&s->stats, 0, sizeof(s->stats));
  s->warm.contacts = 0;
  memset(s->warm.axis, 0, 8 * s->world->axes * sizeof(double));
  memset(s->warm.loop, 0, 12 * s->m->neq * sizeof(double));
}

const SbStats* sb_stats(const SbStep* s) { return &s->stats; }

void sb_built_for(int32_t out[11]) {
  out[0] = mjVERSION_HEADER;
  out[1] = (int32_t)sizeof(mjModel);
  out[2] = (int32_t)sizeof(mjData);
  out[3] = (int32_t)sizeof(SbSurface);
  out[4] = (int32_t)sizeof(SbPair);
  out[5] = (int32_t)sizeof(SbGeom);
  out[6] = (int32_t)sizeof(SbAxis);
  out[7] = (int32_t)sizeof(SbMotorState);
  out[8] = (int32_t)sizeof(SbMover);
  out[9] = (int32_t)sizeof(SbDamper);
  out[10] = (int32_t)sizeof(SbStats);
}
