// Sensors that are read in one call; mirrors the numpy dtype SENSE of contact/sensing.py.
#ifndef SB_SENSE_H_
#define SB_SENSE_H_

#include <mujoco/mujoco.h>
#include <stdint.h>

enum {
  SB_SENSE_ACCELERATION = 0,  // minus gravity (extra), own axes
  SB_SENSE_TURN = 1,          // angular velocity, own axes
  SB_SENSE_BOTH = 2,          // acceleration, then angular velocity
  SB_SENSE_ATTITUDE = 3,      // quaternion x y z w
  SB_SENSE_DIRECTION = 4,     // a direction of the world (extra), own axes
  SB_SENSE_PLACE = 5,         // position plus extra, speed, velocity, world axes
  SB_SENSE_HEIGHT = 6,        // position along extra, plus offset
  SB_SENSE_AXIS = 7           // position of a joint axis; `body` is its place in qpos
};

typedef struct SbSense {
  int32_t kind;               // SB_SENSE_*
  int32_t body;               // that it is fixed to
  double position[3];         // in the body's frame [m]
  double rotation[4];         // its axes in the body's frame
  double extra[3];
  double offset;
  double* memory;             // velocity at the last reading, for accelerations
  double* out;                // where the values go
} SbSense;

#endif  // SB_SENSE_H_
