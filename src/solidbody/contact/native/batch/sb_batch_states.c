// States of copies as bytes: snapshots, and going back to them.
//
//     int64 size, step_count | qpos qvel qacc mocap_pos mocap_quat | tree_asleep, filled up to 8 bytes
//     | qfrc_applied xfrc_applied | row of contact/state.py | places of an own model | memory of the step
//
// `size` counts all of it. sim/batch/states.py writes and reads the same.
#include <string.h>

#include "batch/sb_batch_states.h"

typedef struct Part {
  void* at;
  int64_t bytes;
} Part;

enum { SB_PARTS = 13, SB_ASLEEP = 5 };

static int64_t whole(int64_t bytes) { return (bytes + 7) & ~(int64_t)7; }

static void find_parts(SbBatch* b, int copy, Part part[SB_PARTS]) {
  SbStep* s = b->steps[copy];
  const mjModel* m = s->m;
  mjData* d = s->d;
  int64_t real = sizeof(double), own = s->state.body_pos != NULL;
  Part all[SB_PARTS] = {
      {d->qpos, m->nq * real},
      {d->qvel, m->nv * real},
      {d->qacc, m->nv * real},
      {d->mocap_pos, 3 * m->nmocap * real},
      {d->mocap_quat, 4 * m->nmocap * real},
      {d->tree_asleep, m->ntree * (int64_t)sizeof(int)},
      {d->qfrc_applied, m->nv * real},
      {d->xfrc_applied, 6 * m->nbody * real},
      {b->at.rows + copy * b->at.row_size, b->at.row_size},
      // a simulation that moves fixed bodies has a model of its own
      {m->body_pos, own * 3 * m->nbody * real},
      {m->body_quat, own * 4 * m->nbody * real},
      {m->jnt_pos, own * 3 * m->njnt * real},
      {m->jnt_axis, own * 3 * m->njnt * real},
  };
  memcpy(part, all, sizeof(all));
}

int64_t sb_state_size(SbBatch* b, int copy) {
  Part part[SB_PARTS];
  int64_t size = 2 * sizeof(int64_t);
  find_parts(b, copy, part);
  for (int k = 0; k < SB_PARTS; k++) size += whole(part[k].bytes);
  return size + sb_memory_size(b->steps[copy]);
}

void sb_state_get(SbBatch* b, int copy, unsigned char* out) {
  Part part[SB_PARTS];
  int64_t head[2] = {sb_state_size(b, copy), b->at.clock[2 * copy]};
  find_parts(b, copy, part);
  memset(out, 0, head[0]);
  memcpy(out, head, sizeof(head));
  out += sizeof(head);
  for (int k = 0; k < SB_PARTS; k++) {
    if (part[k].bytes) memcpy(out, part[k].at, part[k].bytes);
    out += whole(part[k].bytes);
  }
  sb_memory_get(b->steps[copy], out);
}

static int any_sleeps(const int* asleep, int trees) {
  for (int k = 0; k < trees; k++) {
    if (asleep[k] >= 0) return 1;
  }
  return 0;
}

// Those who sleep keep what MuJoCo computes of them from the present positions.
static void restore_sleep(SbStep* s, const int* saved) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  int trees = (int)m->ntree;
  if (!any_sleeps(saved, trees) && !any_sleeps(d->tree_asleep, trees)) return;
  sb_wake_all(s);
  mj_fwdKinematics(m, d);
  memset(d->cvel, 0, 6 * m->nbody * sizeof(double));
  sb_sleep_as(s, saved);
}

int sb_state_set(SbBatch* b, int copy, const unsigned char* in) {
  SbStep* s = b->steps[copy];
  mjData* d = s->d;
  Part part[SB_PARTS];
  int64_t head[2], used = sizeof(head);
  const unsigned char* asleep = NULL;
  memcpy(head, in, sizeof(head));
  find_parts(b, copy, part);
  for (int k = 0; k < SB_PARTS; k++) used += whole(part[k].bytes);
  if (used > head[0]) return SB_NO_MEMORY;
  in += sizeof(head);
  for (int k = 0; k < SB_PARTS; k++) {
    if (k == SB_ASLEEP) {
      asleep = in;
    } else if (part[k].bytes) {
      memcpy(part[k].at, in, part[k].bytes);
    }
    in += whole(part[k].bytes);
  }
  restore_sleep(s, (const int*)asleep);
  if (!sb_memory_set(s, in, head[0] - used)) return SB_NO_MEMORY;
  d->time = (double)head[1] * s->m->opt.timestep;
  d->ncon = d->nefc = 0;  // contacts and rows of the state before
  b->at.clock[2 * copy] = head[1];
  b->at.clock[2 * copy + 1] = 0;
  return SB_OK;
}
