// Public face of the native step: one call advances the simulation by n steps.
#ifndef SB_STEP_H_
#define SB_STEP_H_

#include <mujoco/mujoco.h>

#include "sb_state.h"
#include "sb_tables.h"
#include "sb_terrain.h"

// What one call of sb_run did. Mirrors the numpy dtype STATS of contact/tables.py.
typedef struct SbStats {
  int64_t steps;             // steps done since sb_new or sb_clear
  int64_t not_converged;     // of those, steps whose residual stayed above the tolerance
  int64_t contacts_dropped;  // contacts left out because a pair had more than max_contacts
  int64_t memory_full;       // steps in which MuJoCo ran out of room for contacts or rows
  int64_t too_fast;          // steps in which a body moved by more than half its thickness
  double residual;           // of the last step [m/s]: worst violation of the law's equations
  double worst_residual;     // since sb_new or sb_clear
  int32_t rows;              // rows of the last step
  int32_t contacts;          // contacts of the last step
  int32_t islands;           // independent groups of bodies in the last step
  int32_t sweeps;            // Gauss-Seidel sweeps of the last step
  int32_t solves;            // exact solves of the last step
  int32_t factorizations;    // matrix factorisations of the last step
  int64_t contacts_lost;     // contacts that found no room in MuJoCo's memory
  int32_t most_dropped;      // greatest number of contacts that one pair lost to its limit in a step
  int32_t dropped_geom[2];   // that pair; meaningless while most_dropped is 0
  int32_t most_found;        // greatest number of contacts of one pair in a step that found no room
  int32_t lost_geom[2];      // that pair; meaningless while most_found is 0
} SbStats;

// Return values of sb_run.
enum {
  SB_OK = 0, SB_NOT_FINITE = 1, SB_NO_MEMORY = 2, SB_STOPPED = 3,
  SB_MUJOCO = 4  // sb_error_text says what
};

typedef struct SbStep SbStep;

// Arrays stay owned by the caller and must outlive the step. Returns NULL without memory.
SbStep* sb_new(const mjModel* m, mjData* d, const SbTables* tables, const SbState* state);
// Go on with another model and other tables of the same layout, or with another row of state; what the step
// remembers stays.
void sb_adopt(SbStep* s, const mjModel* m, const SbTables* tables, const SbState* state);
void sb_free(SbStep* s);

// Terrain and hulls, after sb_new and whenever they are others; returns SB_OK or SB_NO_MEMORY.
int sb_set_collision(SbStep* s, const SbCollision* all);
void sb_collision_sizes(int32_t out[8]);

// Hollow meshes are hulls to each other until a step finds that two overlap: it then calls `want` with the
// pairs of geoms (two by two) whose models it lacks. Before `want` returns SB_OK it gives all of them; any
// other value ends the step (SB_STOPPED).
typedef int (*SbWant)(const int32_t* pairs, int pair_count);
void sb_on_want(SbStep* s, SbWant want);
// A model of two floating bodies, those of geom0 and geom1 with the parts of these, and its data.
int sb_give_pair(SbStep* s, int geom0, int geom1, const mjModel* m, mjData* d);

// How many threads may share the islands of a step (at least 1). Results do not depend on it.
void sb_set_threads(SbStep* s, int threads);

// Advance by n steps; stops early and returns the reason when a step fails.
int sb_run(SbStep* s, int n);

// What MuJoCo said when a call last returned SB_MUJOCO.
const char* sb_error_text(const SbStep* s);

// Find the contact points of the present poses, as the next step would; they replace those of the last
// one. Returns SB_OK, SB_NO_MEMORY or SB_MUJOCO.
int sb_find_contacts(SbStep* s);

// Before a program moves a body: let the next step find contacts of it, and of all bodies below it, where
// they are now (frames must be up to date). Returns SB_OK or SB_NO_MEMORY.
int sb_hold_frames(SbStep* s, int body);

// Where a geom is inside the terrain of that number, as frames are now and whatever filters say: for each
// point, SB_PATCH_POINTS at most, the normal out of the terrain (world) and the depth. Returns how many
// points there are, -1 without memory.
int sb_terrain_points(SbStep* s, int terrain, int geom, double* out);

// Forget warm starts and statistics, as after loading.
void sb_clear(SbStep* s);

const SbStats* sb_stats(const SbStep* s);

// Warm-start memory as bytes, for snapshots: sb_memory_size, then sb_memory_get / sb_memory_set.
int64_t sb_memory_size(const SbStep* s);
void sb_memory_get(const SbStep* s, unsigned char* out);
int sb_memory_set(SbStep* s, const unsigned char* in, int64_t size);

// What this library was built for: MuJoCo's version and the sizes of shared structs.
#define SB_BUILT_FOR 24
void sb_built_for(int32_t out[SB_BUILT_FOR]);

#endif  // SB_STEP_H_
