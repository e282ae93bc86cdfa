// Sleeping: bodies that hardly move for a while are put to rest and cost nothing until something
// touches them. MuJoCo leaves sleeping trees out of its own work; who sleeps is decided here, as
// ODE's auto-disable with Webots' settings does:
//   - a tree is idle while all its bodies are slower than both thresholds;
//   - it sleeps when it and all trees that rows tie it to have been idle for long enough;
//   - it wakes when an awake tree or a moving kinematic body touches it, or a program moves it.
#include <string.h>

#include "base/sb_work.h"

// MuJoCo's own update of its lists of what is awake; exported but not in its public header.
void mj_updateSleep(const mjModel* m, mjData* d);

// d->tree_asleep of a tree that is awake.
#define SB_AWAKE (-(1 + mjMINAWAKE))

static void put_to_sleep(SbStep* s, int tree) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  d->tree_asleep[tree] = tree;
  memset(d->qvel + m->tree_dofadr[tree], 0, m->tree_dofnum[tree] * sizeof(double));
  memset(d->qacc + m->tree_dofadr[tree], 0, m->tree_dofnum[tree] * sizeof(double));
  memset(d->cvel + 6 * m->tree_bodyadr[tree], 0, 6 * m->tree_bodynum[tree] * sizeof(double));
  s->state.trees[tree].ready = 0;
}

// From outside, between steps.
void sb_wake_tree(SbStep* s, int tree) {
  s->state.trees[tree].idle = 0;
  s->state.trees[tree].ready = 0;
  if (s->d->tree_asleep[tree] < 0) return;
  s->d->tree_asleep[tree] = SB_AWAKE;
  mj_updateSleep(s->m, s->d);
}

// All awake, for now.
void sb_wake_all(SbStep* s) {
  for (int tree = 0; tree < s->m->ntree; tree++) s->d->tree_asleep[tree] = SB_AWAKE;
  mj_updateSleep(s->m, s->d);
}

// Asleep as somebody else was: rows of d->tree_asleep.
void sb_sleep_as(SbStep* s, const int* asleep) {
  memcpy(s->d->tree_asleep, asleep, s->m->ntree * sizeof(int));
  mj_updateSleep(s->m, s->d);
}

// Poses are those of now: trees that are ready fall asleep where they are.
void sb_fall_asleep(SbStep* s) {
  int any = 0;
  for (int tree = 0; tree < s->m->ntree; tree++) {
    if (!s->state.trees[tree].ready || s->d->tree_asleep[tree] >= 0) continue;
    put_to_sleep(s, tree);
    any = 1;
  }
  if (any) mj_updateSleep(s->m, s->d);
}

static void wake(SbStep* s, int tree) {
  s->d->tree_asleep[tree] = SB_AWAKE;
  s->state.trees[tree].idle = 0;
  s->state.trees[tree].ready = 0;
}

static int is_asleep(const SbStep* s, int tree) {
  return tree >= 0 && s->d->tree_asleep[tree] >= 0;
}

// Whether a body that no force moves is being moved by a program or a motor.
static int is_moved(const SbStep* s, int body) {
  for (; body > 0; body = s->m->body_parentid[body]) {
    for (int k = 0; k < s->state.flags->movers; k++) {
      const SbMover* mover = s->state.movers + k;
      if (mover->body != body) continue;
      for (int i = 0; i < 3; i++) {
        if (mover->linear[i] != 0 || mover->angular[i] != 0) return 1;
      }
    }
    for (int k = 0; k < s->world->kinematics; k++) {
      const SbKinematic* joint = s->tables.kinematics + k;
      if (joint->body != body) continue;
      for (int i = 0; i < joint->axes; i++) {
        if (s->state.motors[joint->axis + i].velocity != 0) return 1;
      }
    }
  }
  return 0;
}

// Whether nothing at all would happen in this step: all trees sleep, nobody has touched their
// velocities, and nothing kinematic moves.
int sb_all_rest(const SbStep* s) {
  const mjModel* m = s->m;
  if (m->ntree == 0 || s->state.flags->has_forces) return 0;
  for (int tree = 0; tree < m->ntree; tree++) {
    if (s->d->tree_asleep[tree] < 0 || s->d->tree_awake[tree]) return 0;
  }
  for (int i = 0; i < m->nv; i++) {
    if (s->d->qvel[i] != 0) return 0;
  }
  for (int k = 0; k < s->state.flags->movers; k++) {
    if (is_moved(s, s->state.movers[k].body)) return 0;
  }
  for (int k = 0; k < s->world->axes; k++) {
    if (s->tables.axes[k].kind > SB_AXIS_LOOP && s->state.commands[k].mode != SB_MOTOR_NONE) return 0;
  }
  return 1;
}

// Contacts and loops wake who sleeps at their other end; contacts of sleepers with what stands
// still are left out. Returns whether a tree woke: contacts must then be found again.
int sb_wake_touched(SbStep* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int woke = 0;
  for (int k = 0; k < d->ncon; k++) {
    mjContact* con = d->contact + k;
    if (con->exclude || con->geom[0] < 0 || con->geom[1] < 0) continue;
    int body[2], tree[2], asleep[2];
    for (int i = 0; i < 2; i++) {
      body[i] = m->geom_bodyid[con->geom[i]];
      tree[i] = m->body_treeid[body[i]];
      asleep[i] = is_asleep(s, tree[i]);
    }
    if (!asleep[0] && !asleep[1]) continue;
    int sleeper = asleep[0] ? 0 : 1, other = 1 - sleeper;
    if (!asleep[other] && (tree[other] >= 0 || is_moved(s, body[other]))) {
      wake(s, tree[sleeper]);
      woke = 1;
    } else {
      con->exclude = 1;
    }
  }
  for (int k = 0; k < s->world->loops; k++) {
    const SbLoop* loop = sb_loop(s, k);
    if (loop->kind == SB_LOOP_NONE) continue;
    int a = m->body_treeid[loop->body[0]], b = m->body_treeid[loop->body[1]];
    if (is_asleep(s, a) == is_asleep(s, b) || a < 0 || b < 0) continue;
    wake(s, is_asleep(s, a) ? a : b);
    woke = 1;
  }
  if (woke) mj_updateSleep(m, d);
  return woke;
}

static int is_idle(const SbStep* s, int tree) {
  const mjModel* m = s->m;
  double linear = s->world->sleep_linear * s->world->sleep_linear;
  double angular = s->world->sleep_angular * s->world->sleep_angular;
  int first = m->tree_bodyadr[tree], count = m->tree_bodynum[tree];
  for (int body = first; body < first + count; body++) {
    const double *v = s->d->cvel + 6 * body;
    const double* com = s->d->subtree_com + 3 * m->body_rootid[body];
    double arm[3], speed[3];
    if (sb_dot(v, v) > angular) return 0;
    for (int i = 0; i < 3; i++) arm[i] = s->d->xipos[3 * body + i] - com[i];
    sb_cross(v, arm, speed);
    for (int i = 0; i < 3; i++) speed[i] += v[3 + i];
    if (sb_dot(speed, speed) > linear) return 0;
  }
  return 1;
}

// After the rows of a step are known: count idle time, and see which islands may sleep.
void sb_count_idle(SbStep* s) {
  const mjModel* m = s->m;
  double h = m->opt.timestep;
  int* restless = s->worker.blocks.node;  // scratch per island
  memset(restless, 0, s->islands * sizeof(int));
  for (int tree = 0; tree < m->ntree; tree++) {
    SbRest* state = s->state.trees + tree;
    if (is_asleep(s, tree)) continue;
    state->idle = !s->tables.trees[tree].stays_awake && is_idle(s, tree) ? state->idle + h : 0;
    // rounding must not cost a step
    state->ready = state->idle > s->world->sleep_time - 0.5 * h;
    int island = s->tree_island[tree];
    if (island >= 0 && !state->ready) restless[island] = 1;
  }
  for (int tree = 0; tree < m->ntree; tree++) {
    int island = s->tree_island[tree];
    if (island >= 0 && restless[island]) s->state.trees[tree].ready = 0;
  }
}
