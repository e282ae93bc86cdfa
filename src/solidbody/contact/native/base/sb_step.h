// Public face of the native step: one call advances the simulation by n steps.
#ifndef SB_STEP_H_
#define SB_STEP_H_

#include <mujoco/mujoco.h>

#include "base/sb_layout.h"

typedef struct SbStep SbStep;

// Arrays stay owned by the caller and must outlive the step. Returns NULL without memory.
SbStep* sb_new(const mjModel* m, mjData* d, const SbTables* tables, const SbState* state);
// Go on with another model and other tables of the same layout, or with another row of state; what the step
// remembers stays.
void sb_adopt(SbStep* s, const mjModel* m, const SbTables* tables, const SbState* state);
void sb_free(SbStep* s);

// MuJoCo's state for a step, NULL without memory; whether the step frees it; go on in another one, which takes
// over all that is in it (sb_data.c).
mjData* sb_make_data(const mjModel* m);
void sb_keep_data(SbStep* s, mjData* d);
void sb_move_data(SbStep* s, mjData* to);
// As after loading, with these velocities.
void sb_reset_data(SbStep* s, const double* qvel);
// Where positions, velocities and accelerations lie.
const double* sb_qpos(const SbStep* s);
double* sb_qvel(SbStep* s);
double* sb_qacc(SbStep* s);

// Terrain and hulls, after sb_new and whenever they are others; returns SB_OK or SB_NO_MEMORY.
int sb_set_collision(SbStep* s, const SbCollision* all);

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

// What this library was built for: MuJoCo's version, and the tables of SB_LAYOUT_HASH.
int32_t sb_mujoco_version(void);
uint64_t sb_layout_hash(void);

#endif  // SB_STEP_H_
