// The calls of a batch: steps, states, reading.
#define _DEFAULT_SOURCE  // madvise
#include "batch/sb_batch.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "batch/sb_batch_sensors.h"
#include "batch/sb_batch_states.h"

// Give back the memory of MuJoCo's statistics of its own solver, 160 kB of zeros in each mjData, a third of what
// a copy takes: nobody writes them here. Linux makes zeros of such pages again when somebody looks.
static void give_back_statistics(mjData* d) {
#ifdef __linux__
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)d->solver + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)d->solver + sizeof(d->solver)) / page * page;
  for (const uint64_t* word = (const uint64_t*)first; word < (const uint64_t*)end; word++) {
    if (*word) return;
  }
  if (end > first) (void)madvise((void*)first, end - first, MADV_DONTNEED);
#else
  (void)d;
#endif
}

SbBatch* sb_batch_new(SbStep** steps, int count, int threads, const SbBatchArrays* at) {
  SbBatch* b = calloc(1, sizeof(SbBatch));
  if (!b) return NULL;
  b->steps = malloc(count * sizeof(SbStep*));
  if (!b->steps) {
    free(b);
    return NULL;
  }
  memcpy(b->steps, steps, count * sizeof(SbStep*));
  for (int k = 0; k < count; k++) give_back_statistics(steps[k]->d);
  b->count = count;
  b->threads = threads;
  b->at = *at;
  return b;
}

// What is bound from now on, and where values of sensors lie. Returns SB_OK or SB_NO_MEMORY.
int sb_batch_set_tables(SbBatch* b, const SbBatchTables* tables, const SbBatchArrays* at, const SbCollision* all) {
  b->tables = *tables;
  b->at = *at;
  b->collision = *all;
  for (int k = 0; k < tables->sensor_count; k++) {
    if (tables->sensors[k].kind == SB_SENSE_BUMPER && !sb_batch_make_look_ahead(b)) return SB_NO_MEMORY;
  }
  return SB_OK;
}

void sb_batch_free(SbBatch* b) {
  if (!b) return;
  sb_free_crew(b);
  sb_free_touching(b);
  sb_free_own(b);
  free(b->steps);
  free(b);
}

int sb_batch_guarded(SbBatch* b, int copy, int (*work)(SbBatch*, int, void*), void* order) {
  SbStep* s = b->steps[copy];
  SbGuard guard;
  int code;
  sb_guard_begin(&guard, s->d, s->error);
  if (SB_GUARDED(guard)) {
    code = work(b, copy, order);
  } else {
    code = sb_guard_catch(&guard);
  }
  sb_guard_end(&guard);
  return code;
}

static int read_outputs(SbBatch* b, int copy, void* order) {
  (void)order;
  b->at.time[copy] = (double)b->at.clock[2 * copy] * b->steps[copy]->m->opt.timestep;
  const SbBatchTables* t = sb_tables_of(b, copy);
  sb_batch_outputs(b, copy, t->outputs, t->output_count);
  return SB_OK;
}

static int sample_guarded(SbBatch* b, int copy, void* worker) { return sb_batch_sample(b, copy, *(int*)worker); }

int sb_batch_guarded_sample(SbBatch* b, int copy, int worker) { return sb_batch_guarded(b, copy, sample_guarded, &worker); }

static int read_targets(SbBatch* b, int copy, void* order) {
  int code = read_outputs(b, copy, order);
  sb_batch_outputs(b, copy, b->tables.targets, b->tables.target_count);
  return code;
}

// ------------------------------------------------------------------ steps

typedef struct StepOrder {
  int n, commands;
} StepOrder;

static int command(SbBatch* b, int copy, void* order) {
  (void)order;
  sb_batch_command(b, copy);
  return SB_OK;
}

static int advance(SbBatch* b, int copy, int worker, void* given) {
  const StepOrder* order = given;
  int code = order->commands ? sb_batch_guarded(b, copy, command, NULL) : SB_OK;
  if (code) return code;
  code = sb_batch_advance(b, copy, worker, order->n);
  if (code == SB_MUJOCO) return code;  // keeps what MuJoCo said
  int read = sb_batch_guarded(b, copy, read_outputs, NULL);
  return code ? code : read;
}

void sb_batch_step(SbBatch* b, const int64_t* ids, int64_t count, int n, int commands) {
  StepOrder order = {n, commands};
  sb_batch_all(b, ids, count, advance, &order);
}

// Sample what is due at a step that was done elsewhere.
static int sample_copy(SbBatch* b, int copy, int worker, void* order) {
  (void)order;
  return sb_batch_guarded_sample(b, copy, worker);
}

void sb_batch_watch(SbBatch* b, const int64_t* ids, int64_t count) {
  sb_batch_all(b, ids, count, sample_copy, NULL);
}

// ------------------------------------------------------------------ reading

static int read_copy(SbBatch* b, int copy, int worker, void* targets) {
  (void)worker;
  return sb_batch_guarded(b, copy, *(int*)targets ? read_targets : read_outputs, NULL);
}

void sb_batch_read(SbBatch* b, const int64_t* ids, int64_t count, int targets) {
  sb_batch_all(b, ids, count, read_copy, &targets);
}

typedef struct LookOrder {
  int first, end;
} LookOrder;

static int look(SbBatch* b, int copy, void* given) {
  const LookOrder* order = given;
  int code = sb_batch_first_look(b, copy, order->first, order->end);
  return code ? code : read_outputs(b, copy, NULL);
}

static int look_copy(SbBatch* b, int copy, int worker, void* order) {
  (void)worker;
  return sb_batch_guarded(b, copy, look, order);
}

// Look for the first time at sensors number `first` to `end`; then read.
void sb_batch_look(SbBatch* b, const int64_t* ids, int64_t count, int first, int end) {
  LookOrder order = {first, end};
  sb_batch_all(b, ids, count, look_copy, &order);
}

// ------------------------------------------------------------------ states

typedef struct StateOrder {
  unsigned char** state;      // by copy
  int is_start;               // forget statistics as well, and look for the first time
} StateOrder;

static int set_state(SbBatch* b, int copy, void* given) {
  const StateOrder* order = given;
  SbStep* s = b->steps[copy];
  if (order->is_start) {
    memset(s->d->warning, 0, sizeof(s->d->warning));
    sb_clear(s);
  }
  int code = sb_state_set(b, copy, order->state[copy]);
  if (!code && order->is_start) {
    memset(b->at.started + copy * b->at.sensor_count, 0, b->at.sensor_count * sizeof(int64_t));
    memset(b->at.memory + copy * b->at.memory_count, 0, b->at.memory_count * sizeof(double));
    code = sb_batch_first_look(b, copy, 0, b->tables.sensor_count);
  }
  return code ? code : read_targets(b, copy, NULL);
}

static int go_back(SbBatch* b, int copy, int worker, void* order) {
  (void)worker;
  return sb_batch_guarded(b, copy, set_state, order);
}

void sb_batch_restore(SbBatch* b, const int64_t* ids, int64_t count, unsigned char** state, int is_start) {
  StateOrder order = {state, is_start};
  sb_batch_all(b, ids, count, go_back, &order);
}

static int save(SbBatch* b, int copy, int worker, void* state) {
  (void)worker;
  sb_state_get(b, copy, ((unsigned char**)state)[copy]);
  return SB_OK;
}

void sb_batch_save(SbBatch* b, const int64_t* ids, int64_t count, unsigned char** state) {
  sb_batch_all(b, ids, count, save, state);
}

void sb_batch_sizes(SbBatch* b, const int64_t* ids, int64_t count, int64_t* sizes) {
  for (int64_t k = 0; k < count; k++) sizes[k] = sb_state_size(b, (int)ids[k]);
}
