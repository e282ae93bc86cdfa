// The step as a list of stages, and the life of its memory.
#include "sb_step.h"

#include <stdlib.h>
#include <string.h>

#include "sb_drag.h"
#include "sb_work.h"

int sb_grow(void** p, int64_t count, size_t element) {
  void* grown = realloc(*p, (size_t)count * element);
  if (!grown) return 0;
  *p = grown;
  return 1;
}

// Contacts that found no room, and rows that found none for a whole step: then no contact acts.
typedef struct Lost {
  int contacts, steps;
} Lost;

static Lost lost_so_far(const mjData* d) {
  return (Lost){d->warning[mjWARN_CONTACTFULL].number, d->warning[mjWARN_CNSTRFULL].number};
}

// Count what this step has lost, and note the pair with the most contacts, which needs the room.
static void count_lost(SbStep* s, Lost before) {
  const mjData* d = s->d;
  Lost now = lost_so_far(d);
  SbStats* stats = &s->stats;
  int pair[2] = {-1, -1}, run = 0;
  if (now.contacts == before.contacts && now.steps == before.steps) return;
  stats->memory_full++;
  stats->contacts_lost += now.contacts - before.contacts;
  if (now.steps > before.steps) stats->contacts_lost += d->ncon;
  for (int k = 0; k < d->ncon; k++) {
    const int* geom = d->contact[k].geom;
    run = geom[0] == pair[0] && geom[1] == pair[1] ? run + 1 : 1;
    memcpy(pair, geom, sizeof(pair));
    if (run <= stats->most_found || geom[0] < 0 || geom[1] < 0) continue;
    stats->most_found = run;
    memcpy(stats->lost_geom, pair, sizeof(pair));
  }
}

static int find_contacts(SbStep* s) {
  mj_fwdKinematics(s->m, s->d);
  mj_makeM(s->m, s->d);
  mj_factorM(s->m, s->d);
  return sb_collide(s);
}

static int step_once(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int code, sensors = m->nsensor > 0;
  Lost lost = lost_so_far(d);

  // MuJoCo's lazily computed parts are valid within one step only
  d->flg_energypos = d->flg_energyvel = d->flg_subtreevel = d->flg_rnepost = 0;
  s->stats.sweeps = s->stats.solves = s->stats.factorizations = 0;

  if (s->world->sleep_time > 0 && sb_all_rest(s)) {
    d->time += m->opt.timestep;
    s->stats.steps++;
    s->stats.residual = 0;
    return SB_OK;
  }

  // positions, inertia, contacts
  if (s->free_axes) sb_command_surfaces(s);
  if (!s->world->moves_late) sb_move_kinematic(s);
  do {
    mj_fwdKinematics(m, d);
    if (s->world->sleep_time > 0) sb_fall_asleep(s);
    mj_makeM(m, d);
    mj_factorM(m, d);
    if ((code = sb_collide(s))) return code;
  } while (s->world->sleep_time > 0 && sb_wake_touched(s));
  s->held.is_on = 0;
  if (s->world->moves_late && sb_move_kinematic(s)) {
    mj_fwdKinematics(m, d);
    mj_makeM(m, d);
    mj_factorM(m, d);
  }
  // contacts of Webots' tracks have the speed of the step before: it collides after it has moved
  if (s->world->tracks) sb_command_late_tracks(s);
  mj_makeConstraint(m, d);
  count_lost(s, lost);
  if (sensors) mj_sensorPos(m, d);

  // velocities, forces, acceleration without constraints
  mj_fwdVelocity(m, d);
  sb_count_fast(s);
  if (sensors) mj_sensorVel(m, d);
  sb_center_coriolis(s);
  if (s->world->propellers) sb_apply_thrust(s);
  if (s->world->immersions && (code = sb_apply_fluids(s))) return code;
  sb_apply_gyro(s);
  mj_fwdActuation(m, d);
  sb_read_axes(s);
  sb_command_motors(s);
  mj_fwdAcceleration(m, d);

  // the law
  if ((code = sb_make_rows(s))) return code;
  s->stats.rows = s->rows.count;
  if ((code = sb_find_islands(s))) return code;
  s->stats.islands = s->islands;
  if (s->world->sleep_time > 0) sb_count_idle(s);
  if ((code = sb_warm_start(s)) || (code = sb_solve(s)) || (code = sb_warm_save(s))) return code;
  s->stats.contacts = s->warm.contacts;  // without those that were replaced or dropped
  sb_note_efforts(s);
  if (sensors) mj_sensorAcc(m, d);

  code = sb_integrate(s);
  if (s->flags->has_forces) {
    // forces from outside act in one step
    memset(d->xfrc_applied, 0, 6 * m->nbody * sizeof(double));
    s->flags->has_forces = 0;
  }
  s->stats.steps++;
  return code;
}

static int run(SbStep* s, int n) {
  for (int k = 0; k < n; k++) {
    int code = step_once(s);
    if (code) return code;
  }
  return SB_OK;
}

// Scratch that is zero between uses.
static void clear_scratch(SbStep* s) {
  const mjModel* m = s->m;
  memset(s->column_value, 0, m->nv * sizeof(double));
  memset(s->unit, 0, m->nv * sizeof(double));
  memset(s->subtree_momentum, 0, 6 * m->nbody * sizeof(double));
  memset(s->turns_far, 0, m->ntree * sizeof(int));
  memset(s->dof_mark, 0, m->nv);
}

// After an error of MuJoCo the state is that of some place within a step: the caller goes back to another.
static int recover(SbStep* s, SbGuard* guard) {
  clear_scratch(s);
  s->held.is_on = 0;
  s->warm.contacts = 0;
  return sb_guard_catch(guard);
}

int sb_run(SbStep* s, int n) {
  SbGuard guard;
  int code;
  sb_guard_begin(&guard, s->d, s->error);
  if (SB_GUARDED(guard)) {
    code = run(s, n);
  } else {
    code = recover(s, &guard);
  }
  sb_guard_end(&guard);
  return code;
}

int sb_find_contacts(SbStep* s) {
  SbGuard guard;
  int code;
  sb_guard_begin(&guard, s->d, s->error);
  if (SB_GUARDED(guard)) {
    code = find_contacts(s);
  } else {
    code = recover(s, &guard);
  }
  sb_guard_end(&guard);
  return code;
}

const char* sb_error_text(const SbStep* s) { return s->error; }

static int allocate(SbStep* s) {
  const mjModel* m = s->m;
  int64_t nv = m->nv + 1, trees = m->ntree + 1, axes = s->world->axes + 1;
  int64_t equalities = m->neq + 1, loops = s->world->loops + 1;
  return SB_GROW(s->axis_row, 4 * axes) && SB_GROW(s->axis_velocity, axes) &&
         SB_GROW(s->axis_effort, axes) && SB_GROW(s->axis_position, axes) &&
         SB_GROW(s->axis_direction, 3 * axes) && SB_GROW(s->loop_row, 6 * loops) &&
         SB_GROW(s->body_track, m->nbody) && SB_GROW(s->pair_column, nv) &&
         SB_GROW(s->chain[0], nv) && SB_GROW(s->chain[1], nv) && SB_GROW(s->row_value, nv) &&
         SB_GROW(s->w, nv) && SB_GROW(s->x, nv) && SB_GROW(s->total, nv) &&
         SB_GROW(s->worker.w, nv) &&
         SB_GROW(s->worker.x, nv) && SB_GROW(s->inv_sqrt_d, nv) &&
         SB_GROW(s->held_factor, m->nC + 1) && SB_GROW(s->held_inverse, nv) && SB_GROW(s->column_value, nv) &&
         SB_GROW(s->unit, nv) && SB_GROW(s->dof_depth, nv) && SB_GROW(s->dof_packed, nv) &&
         SB_GROW(s->dof_mark, nv) && SB_GROW(s->tree_packed, trees) && SB_GROW(s->island_order, trees) &&
         SB_GROW(s->jacobian, 6 * nv) && SB_GROW(s->tree_island, trees) &&
         SB_GROW(s->island_start, trees + 1) && SB_GROW(s->floating, trees) &&
         SB_GROW(s->turns_far, trees) && SB_GROW(s->momentum, 9 * trees) &&
         SB_GROW(s->link_momentum, 6 * m->nbody) && SB_GROW(s->subtree_momentum, 6 * m->nbody) &&
         SB_GROW(s->before, nv) && SB_GROW(s->link_energy, m->nbody) &&
         SB_GROW(s->tree_energy, trees) && SB_GROW(s->runge, m->nq + 6 * nv) &&
         SB_GROW(s->runge_given, nv) && SB_GROW(s->warm.axis, 8 * axes) &&
         SB_GROW(s->warm.equality, 12 * equalities) &&
         SB_GROW(s->warm.loop, 12 * loops) && SB_GROW(s->drag, s->world->immersions + 1) && sb_blocks_allocate(&s->blocks, (int)trees);
}

// Paths to the root, and where each dof's path lies in the packed block of its tree (sb_thin.h).
static void measure_trees(SbStep* s) {
  const mjModel* m = s->m;
  memset(s->tree_packed, 0, m->ntree * sizeof(int));
  for (int i = 0; i < m->nv; i++) {
    int parent = m->dof_parentid[i], *packed = s->tree_packed + m->dof_treeid[i];
    s->dof_depth[i] = parent < 0 ? 1 : s->dof_depth[parent] + 1;
    s->dof_packed[i] = *packed;
    *packed += s->dof_depth[i];
  }
}

void sb_adopt(SbStep* s, const mjModel* m, const SbTables* tables, const SbState* state) {
  s->m = m;
  s->world = tables->world;
  s->surfaces = tables->surfaces;
  s->pairs = tables->pairs;
  s->geoms = tables->geoms;
  s->axes = tables->axes;
  s->dampers = tables->dampers;
  s->balls = tables->balls;
  s->loops = tables->loops;
  s->tracks = tables->tracks;
  s->kinematics = tables->kinematics;
  s->propellers = tables->propellers;
  s->immersions = tables->immersions;
  s->triangles = tables->triangles;
  s->trees = tables->trees;
  s->state = *state;
  s->flags = state->flags;
  s->commands = state->commands;
  s->motors = state->motors;
}

SbStep* sb_new(const mjModel* m, mjData* d, const SbTables* tables, const SbState* state) {
  SbStep* s = calloc(1, sizeof(SbStep));
  if (!s) return NULL;
  // MuJoCo's profiling clock, which its Python package turns on for the whole process, costs 5 to
  // 10 % of a robot's step; only mjData.timer misses it
  mjcb_time = NULL;
  s->d = d;
  sb_adopt(s, m, tables, state);
  if (!allocate(s)) {
    sb_free(s);
    return NULL;
  }
  clear_scratch(s);
  s->worker.s = s;
  s->worker.blocks = &s->blocks;
  s->threads = 1;
  measure_trees(s);
  for (int k = 0; k < s->world->axes; k++) s->free_axes += s->axes[k].kind > SB_AXIS_LOOP;
  for (int body = 0; body < m->nbody; body++) s->body_track[body] = -1;
  for (int k = 0; k < s->world->tracks; k++) s->body_track[s->tracks[k].body] = k;
  sb_clear(s);
  return s;
}

void sb_free(SbStep* s) {
  if (!s) return;
  SbRows* r = &s->rows;
  SbWarm* w = &s->warm;
  void* all[] = {r->c, r->cfm, r->lo, r->hi, r->mu, r->normal, r->b, r->r, r->stiffness,
                 r->diagonal, r->inverse, r->gradient, r->first, r->force, r->span, r->part, r->pair,
                 r->y, r->column, r->island_row, r->free_set, r->factored_set, r->summed_set, r->remembers, r->held, r->target, r->trial,
                 w->geom, w->point, w->force, w->axis, w->equality, w->loop, w->slot, s->axis_row,
                 s->axis_position, s->axis_direction, s->loop_row, s->body_track, s->pair_column,
                 s->chain[0], s->chain[1], s->row_value, s->contact_speed, s->axis_velocity,
                 s->axis_effort, s->contact_mu, s->contact_slip, s->order, s->w, s->x, s->total,
                 s->worker.w, s->worker.x, s->worker.list, s->inv_sqrt_d,
                 s->held_factor, s->held_inverse, s->column_value, s->unit,
                 s->dof_depth, s->dof_packed, s->dof_mark, s->tree_packed, s->tree_island,
                 s->island_start, s->island_order, s->floating, s->turns_far, s->momentum,
                 s->link_momentum, s->subtree_momentum, s->before, s->link_energy, s->tree_energy,
                 s->runge, s->runge_given,
                 s->jacobian, s->drag, s->drag_work, s->terrain.hull_of,
                 s->terrain.pair_start, s->terrain.pair, s->terrain.candidate, s->terrain.corner,
                 s->terrain.plane, s->terrain.mark, s->terrain.skin_of, s->terrain.hit, s->terrain.pair_model, s->terrain.met,
                 s->terrain.met_model, s->terrain.wanted_pair, s->terrain.cloud_pair, s->terrain.deep,
                 s->held.frame, s->held.has_body};
  sb_free_threads(s);
  sb_blocks_free(&s->blocks);
  for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) free(all[k]);
  free(s);
}

void sb_clear(SbStep* s) {
  memset(&s->stats, 0, sizeof(s->stats));
  s->held.is_on = 0;
  s->warm.contacts = 0;
  memset(s->warm.axis, 0, 8 * s->world->axes * sizeof(double));
  memset(s->warm.equality, 0, 12 * s->m->neq * sizeof(double));
  memset(s->warm.loop, 0, 12 * s->world->loops * sizeof(double));
}

const SbStats* sb_stats(const SbStep* s) { return &s->stats; }

void sb_built_for(int32_t out[SB_BUILT_FOR]) {
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
  out[11] = (int32_t)sizeof(SbWorld);
  out[12] = (int32_t)sizeof(SbBall);
  out[13] = (int32_t)sizeof(SbLoop);
  out[14] = (int32_t)sizeof(SbTrack);
  out[15] = (int32_t)sizeof(SbKinematic);
  out[16] = (int32_t)sizeof(SbPropeller);
  out[17] = (int32_t)sizeof(SbImmersion);
  out[18] = (int32_t)sizeof(SbTree);
  out[19] = (int32_t)sizeof(SbCommand);
  out[20] = (int32_t)sizeof(SbPlace);
  out[21] = (int32_t)sizeof(SbThrust);
  out[22] = (int32_t)sizeof(SbRest);
  out[23] = (int32_t)sizeof(SbFlags);
}
