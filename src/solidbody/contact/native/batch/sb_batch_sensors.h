// Parts of what the sensors of a batch read.
#ifndef SB_BATCH_SENSORS_H_
#define SB_BATCH_SENSORS_H_

#include "base/sb_sense.h"
#include "batch/sb_batch.h"
#include "batch/sb_noise.h"

// The contact points of the present poses, beside the state (sb_batch_look_ahead.c). Returns an SB_ outcome.
int sb_batch_touching(SbBatch* b, int copy, int worker, const mjData** touching);
int sb_batch_make_look_ahead(SbBatch* b);  // 0: no memory
void sb_free_touching(SbBatch* b);
// What a distance sensor at a place measures before its look-up table (sb_batch_rays.c).
double sb_batch_distance(SbBatch* b, int copy, const SbSensor* sensor, const SbSensePlace* at);
int sb_batch_guarded_sample(SbBatch* b, int copy, int worker);  // sb_batch.c

#endif  // SB_BATCH_SENSORS_H_
