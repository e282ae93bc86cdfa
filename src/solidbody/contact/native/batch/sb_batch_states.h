// States of copies as bytes (sb_batch_states.c).
#ifndef SB_BATCH_STATES_H_
#define SB_BATCH_STATES_H_

#include "batch/sb_batch.h"

int64_t sb_state_size(SbBatch* b, int copy);
void sb_state_get(SbBatch* b, int copy, unsigned char* out);
// Returns SB_OK, or SB_NO_MEMORY.
int sb_state_set(SbBatch* b, int copy, const unsigned char* in);

#endif  // SB_BATCH_STATES_H_
