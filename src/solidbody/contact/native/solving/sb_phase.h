// One phase of the law for the rows of one island, and when it is solved.
#ifndef SB_PHASE_H_
#define SB_PHASE_H_

#include "base/sb_work.h"

// Residuals are velocities [m/s]. A phase ends at once below FINE. Below GOOD it ends when exact
// solves that nothing clipped do not improve it any more, which is as good as double precision
// gets; GOOD is also where a step counts as converged: 1e-9 m/s is 0.1 micrometre in 100 s.
#define SB_RESIDUAL_FINE 1e-12
#define SB_RESIDUAL_GOOD 1e-9
// Rows from which on an island starts with sweeps.
#define SB_FEW_ROWS 64
#define SB_MAX_EXACT 20
#define SB_LEAST_STEP 1e-3

typedef struct SbPhase {
  const int* list;      // rows of the island that can carry a force
  int count;
  double* f;            // forces, in and out
} SbPhase;

// What a look at all rows tells.
typedef struct SbSurvey {
  double residual;      // worst
  int changed;          // the free set differs from the factored one
  int released;         // rows at a bound that were let go
} SbSurvey;

// Solve a phase of an island of one tree whose rows act on all its dofs (sb_dense_island.c); 0: this is no such
// island, or not solved. Forces are within bounds then.
int sb_solve_dense(SbWorker* worker, SbPhase* phase, double* residual);

#endif  // SB_PHASE_H_
