// What plain sensors read of the place that they are at (sb_sensors.c).
#ifndef SB_SENSE_H_
#define SB_SENSE_H_

#include "base/sb_work.h"

// Of a sensor, world: position, orientation, velocity, angular velocity.
typedef struct SbSensePlace {
  double p[3], q[4], v[3], w[3];
} SbSensePlace;

void sb_sense_place(const mjData* d, const SbSense* s, SbSensePlace* at);  // p and q
void sb_sense_value(const SbSense* s, const SbSensePlace* at, double elapsed);

#endif  // SB_SENSE_H_
