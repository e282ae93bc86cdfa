// Many copies of one simulation: what each is told, how it goes on, and what is read of it, in one call for all.
//
// Threads take one copy after the other. A copy depends on no other one, so results are the same bytes for any
// number of threads, any order and any subset.
#ifndef SB_BATCH_H_
#define SB_BATCH_H_

#include "base/sb_work.h"

typedef struct SbBatch SbBatch;
typedef struct SbCrew SbCrew;

// Numbers of a copy that the caller holds, one row per copy.
typedef struct SbBatchArrays {
  unsigned char* rows;        // states (contact/state.py)
  int64_t row_size;
  int64_t* clock;             // 2: steps since the start; 1: poses of bodies are up to date
  double* time;               // [s]
  int32_t* outcome;           // SB_OK, or why it cannot go on
} SbBatchArrays;

struct SbBatch {
  SbStep** steps;
  int count;
  SbBatchArrays at;
  SbBatchTables tables;
  SbCrew* crew;
  int threads;
};

// What is done with one copy; `worker` counts threads. Returns an SB_ outcome.
typedef int (*SbBatchWork)(SbBatch* b, int copy, int worker, void* order);

// Do it with copies `ids` on the threads of the batch (sb_batch_threads.c).
void sb_batch_all(SbBatch* b, const int64_t* ids, int64_t count, SbBatchWork work, void* order);
void sb_free_crew(SbBatch* b);

void sb_batch_command(SbBatch* b, int copy);                              // sb_batch_commands.c
void sb_batch_refresh(SbBatch* b, int copy, int velocities);              // sb_batch_channels.c
void sb_batch_outputs(SbBatch* b, int copy, const SbOutput* rows, int count);
void sb_batch_twist(SbBatch* b, int copy, int link, double out[6]);
void sb_link_origin(const SbStep* s, const SbLink* link, double out[3]);

static inline const SbStep* sb_copy(const SbBatch* b, int copy) { return b->steps[copy]; }

#endif  // SB_BATCH_H_
