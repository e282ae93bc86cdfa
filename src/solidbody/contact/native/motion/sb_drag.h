// What fluids do to shapes in one step, before it is applied (sb_fluids.c, sb_drag.c).
#ifndef SB_DRAG_H_
#define SB_DRAG_H_

typedef struct SbDrag {
  int body;
  double lift[3];              // buoyancy
  double force[3], torque[3];  // lift and drag; drag
  double per_speed[6];         // drag per velocity and per spin, along the axes of the body
  double centre[3];            // where the force acts
} SbDrag;

struct SbStep;
// Let drag stop at most what it slows. Returns SB_OK or SB_NO_MEMORY.
int sb_bound_drags(struct SbStep* s, SbDrag* drag, int count);

#endif  // SB_DRAG_H_
