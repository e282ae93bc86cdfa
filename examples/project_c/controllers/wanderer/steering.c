#include "steering.h"

#define CRUISE 4.0 /* [rad/s] */
#define NEAR 100.0 /* what a sensor says of a wall that is near */

void steer(const double seen[SENSORS], double speeds[2]) {
  const int right = seen[0] > NEAR || seen[1] > NEAR || seen[2] > NEAR;
  const int left = seen[5] > NEAR || seen[6] > NEAR || seen[7] > NEAR;
  speeds[0] = right ? -CRUISE : CRUISE;
  speeds[1] = left && !right ? -CRUISE : CRUISE;
}
