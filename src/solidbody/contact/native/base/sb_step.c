// The step as a list of stages, and the life of its memory.
#include "base/sb_step.h"

#include <stdlib.h>
#include <string.h>

#include "motion/sb_drag.h"
#include "base/sb_work.h"

int sb_grow(SbArena* arena, void** p, int64_t bytes) {
  SbChunk** link = &arena->first;
  while (*p && *link != (SbChunk*)*p - 1) link = &(*link)->next;
  SbChunk* chunk = realloc(*p ? *link : NULL, sizeof(SbChunk) + (size_t)bytes);
  if (!chunk) return 0;
  if (!*p) chunk->next = *link;
  chunk->bytes = bytes;
  *link = chunk;
  *p = chunk + 1;
  return 1;
}

void sb_free_arena(SbArena* arena) {
  for (SbChunk *chunk = arena->first, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  arena->first = NULL;
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

static int find_contacts(SbStep* s, int n) {
  (void)n;
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
  if (s->only_contacts) {
    sb_number_contact_rows(s);
  } else {
    mj_makeConstraint(m, d);
  }
  count_lost(s, lost);
  if (sensors) mj_sensorPos(m, d);

  // velocities, forces, acceleration without constraints
  if (s->only_contacts) {
    mj_comVel(m, d);
    mj_passive(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
  } else {
    mj_fwdVelocity(m, d);
  }
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
  if (s->state.flags->has_forces) {
    // forces from outside act in one step
    memset(d->xfrc_applied, 0, 6 * m->nbody * sizeof(double));
    s->state.flags->has_forces = 0;
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
static int guarded(SbStep* s, int (*work)(SbStep*, int), int n) {
  SbGuard guard;
  int code;
  sb_guard_begin(&guard, s->d, s->error);
  if (SB_GUARDED(guard)) {
    code = work(s, n);
  } else {
    clear_scratch(s);
    s->held.is_on = 0;
    s->warm.contacts = 0;
    code = sb_guard_catch(&guard);
  }
  sb_guard_end(&guard);
  return code;
}

int sb_run(SbStep* s, int n) { return guarded(s, run, n); }
int sb_find_contacts(SbStep* s) { return guarded(s, find_contacts, 0); }

const char* sb_error_text(const SbStep* s) { return s->error; }

#define SB_MAKE(type, name, count) &&SB_ALLOCATE(&s->arena, s->name, count)

static int allocate(SbStep* s) {
  const mjModel* m = s->m;
  int64_t nv = m->nv + 1, trees = m->ntree + 1, axes = s->world->axes + 1, loops = s->world->loops + 1;
  return 1 SB_STEP_ARRAYS(SB_MAKE)
         SB_MAKE(double, warm.axis, 8 * axes) SB_MAKE(double, warm.equality, 12 * (m->neq + 1))
         SB_MAKE(double, warm.loop, 12 * loops) && sb_start_worker(&s->worker, s);
}

#undef SB_MAKE
#define SB_MAKE(type, name, count) &&SB_ALLOCATE(&worker->arena, worker->name, count)
#define SB_MAKE_BLOCK(type, name, count) SB_MAKE(type, blocks.name, count)

int sb_start_worker(SbWorker* worker, SbStep* s) {
  int64_t nv = s->m->nv + 1, trees = s->m->ntree + 1;
  worker->s = s;
  return 1 SB_BLOCK_ARRAYS(SB_MAKE_BLOCK) SB_MAKE(double, w, nv) SB_MAKE(double, x, nv);
}

// Paths to the root, and where each dof's path lies in the packed block of its tree (sb_tree_cholesky.h).
static void measure_trees(SbStep* s) {
  const mjModel* m = s->m;
  memset(s->tree_packed, 0, m->ntree * sizeof(int));
  for (int i = 0; i < m->nv; i++) {
    int parent = m->dof_parentid[i], *packed = s->tree_packed + m->dof_treeid[i];
    s->dof_depth[i] = parent < 0 ? 1 : s->dof_depth[parent] + 1;
    s->dof_packed[i] = *packed;
    *packed += s->dof_depth[i];
  }
  for (int tree = 0; tree < m->ntree; tree++) {
    int n = m->tree_dofnum[tree];
    s->tree_full[tree] = n <= SB_FULL_TREE && s->tree_packed[tree] < n * (n + 1) / 2;
  }
}

void sb_adopt(SbStep* s, const mjModel* m, const SbTables* tables, const SbState* state) {
  s->m = m;
  s->tables = *tables;
  s->world = tables->world;
  s->state = *state;
  s->only_contacts = sb_only_contacts(m);
  s->geom_pairs.state = 0;
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
  s->threads = 1;
  measure_trees(s);
  for (int k = 0; k < s->world->axes; k++) s->free_axes += s->tables.axes[k].kind > SB_AXIS_LOOP;
  for (int body = 0; body < m->nbody; body++) s->body_track[body] = -1;
  for (int k = 0; k < s->world->tracks; k++) s->body_track[s->tables.tracks[k].body] = k;
  sb_clear(s);
  return s;
}

void sb_free(SbStep* s) {
  if (!s) return;
  sb_free_threads(s);
  sb_drop_data(s);
  sb_free_arena(&s->worker.arena);
  sb_free_arena(&s->arena);
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

int32_t sb_mujoco_version(void) { return mjVERSION_HEADER; }

uint64_t sb_layout_hash(void) { return SB_LAYOUT_HASH; }
