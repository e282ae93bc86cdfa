// Many copies of one simulation: what each is told, how it goes on, and what is read of it, in one call for all.
//
// Threads take one copy after the other. A copy depends on no other one, so results are the same bytes for any
// number of threads, any order and any subset.
#ifndef SB_BATCH_H_
#define SB_BATCH_H_

#include "base/sb_work.h"

typedef struct SbBatch SbBatch;
typedef struct SbCrew SbCrew;
typedef struct SbLookAhead SbLookAhead;
typedef struct SbOwnModel SbOwnModel;

enum { SB_VARIED_TABLES = SB_VARIED_RAY_SHAPES + 1 };

// Numbers of a copy that the caller holds, one row per copy.
typedef struct SbBatchArrays {
  unsigned char* rows;        // states (contact/state.py)
  int64_t row_size;
  int64_t* clock;             // 2: steps since the start; 1: poses of bodies are up to date
  double* time;               // [s]
  int32_t* outcome;           // SB_OK, or why it cannot go on
  double* values;             // of sensors
  int64_t value_count;
  double* memory;             // likewise
  int64_t memory_count;
  int64_t* started;           // step from which on each sensor counts its periods
  int64_t sensor_count;
  uint64_t* key;              // of noise
} SbBatchArrays;

struct SbBatch {
  SbStep** steps;
  int count;
  SbBatchArrays at;
  SbBatchTables tables;
  SbBatchTables* own_tables;  // of each copy, or NULL: all have the same
  SbOwnModel** own_models;    // of each copy, or NULL: all have that of their steps
  SbCollision collision;      // for bumpers
  SbLookAhead* look_ahead;    // one per thread, or NULL
  SbCrew* crew;
  int threads;
};

static inline const SbBatchTables* sb_tables_of(const SbBatch* b, int copy) {
  return b->own_tables ? b->own_tables + copy : &b->tables;
}

// Where the rows of copy 0 of a table lie that differs from copy to copy, NULL: it does not, and how many bytes
// it is to those of the next copy (sb_batch_varied.c).
typedef struct SbVaried {
  unsigned char* base;
  int64_t stride;
} SbVaried;

// What is done with one copy; `worker` counts threads. Returns an SB_ outcome.
typedef int (*SbBatchWork)(SbBatch* b, int copy, int worker, void* order);

// Do it with copies `ids` on the threads of the batch (sb_batch_threads.c).
void sb_batch_all(SbBatch* b, const int64_t* ids, int64_t count, SbBatchWork work, void* order);
void sb_free_crew(SbBatch* b);
void sb_free_own(SbBatch* b);                                             // sb_batch_varied.c
// Work of ours that may call MuJoCo, outside of a step (sb_batch.c).
int sb_batch_guarded(SbBatch* b, int copy, int (*work)(SbBatch*, int, void*), void* order);

void sb_batch_command(SbBatch* b, int copy);                              // sb_batch_commands.c
void sb_batch_refresh(SbBatch* b, int copy, int velocities);              // sb_batch_channels.c
void sb_batch_outputs(SbBatch* b, int copy, const SbOutput* rows, int count);
void sb_batch_twist(SbBatch* b, int copy, int link, double out[6]);
void sb_link_origin(const SbStep* s, const SbLink* link, double out[3]);

// Sensors (sb_batch_sensors.c): advance a copy and sample what is due on the way; sample what is due at a step
// that was done elsewhere; look for the first time at those from `first` on.
int sb_batch_advance(SbBatch* b, int copy, int worker, int64_t n);
int sb_batch_sample(SbBatch* b, int copy, int worker);
int sb_batch_first_look(SbBatch* b, int copy, int first, int end);

#endif  // SB_BATCH_H_
