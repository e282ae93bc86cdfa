// Working memory of the step, shared by its stages. Nothing here is seen by callers.
#ifndef SB_WORK_H_
#define SB_WORK_H_

#include "sb_guard.h"
#include "sb_law.h"
#include "sb_step.h"
#include "sb_terrain.h"

// The loops over rows are compiled twice, for old and new processors; the loader chooses. Both do
// the same operations in the same order, without fused multiply-add, and give the same bytes.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SB_CLONES __attribute__((target_clones("avx2", "default")))
#define SB_HAS_CLONES
#else
#define SB_CLONES
#endif

// Small loops that must become part of both versions.
#if defined(__GNUC__)
#define SB_INLINE static inline __attribute__((always_inline))
#else
#define SB_INLINE static inline
#endif

// Doubles that new processors take at once, at any address. The others take them one by one.
typedef double SbTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef double SbFour __attribute__((vector_size(32), aligned(8), may_alias));

// Part of a row of the whitened Jacobian that belongs to one kinematic tree.
typedef struct SbSegment {
  int tree;
  int start;   // into SbRows.y and SbRows.column
  int count;
  int dof;     // column[start]
  int dense;   // 1: columns are consecutive dofs
  int chain;   // 1: columns are a dof and all its ancestors
} SbSegment;

// Which trees a row acts on: mostly one or two, any number for tendons and coupled joints.
typedef struct SbSpan {
  int part;    // first of its segments in SbRows.part
  int parts;
  int pair;    // first in SbRows.pair, for rows with more than one part
} SbSpan;

// All rows of a step, in force units: minimise  1/2 |Y'f|^2 + 1/2 f'R f + f'b  within bounds,
// where Y = J L^-1 D^-1/2 with M = L'DL, so that J M^-1 J' = Y Y'.
typedef struct SbRows {
  int count, capacity;
  double *c, *cfm, *lo, *hi;  // the law's row (sb_law.h)
  double *mu;                 // friction coefficient, for rows with normal >= 0
  int* normal;                // row of the contact normal that bounds this row, or -1
  double *b;                  // (J v + h J a_smooth - c)/h
  double *r, *stiffness;      // cfm/h and its inverse
  double *diagonal;           // |Y_i|^2
  double *inverse;            // 1/(|Y_i|^2 + r)
  double *gradient;           // of the present forces
  double *first, *force;      // solution of phase 1 (without friction; or loads, sb_loads.c) and of phase 2
  unsigned char* remembers;   // contact normals whose surface remembers loads
  SbSpan* span;
  SbSegment* part;            // of all rows
  int part_count, part_capacity;
  int* pair;                  // off-diagonal block of each two parts of a row: (0,1) (0,2) .. (1,2) ..
  int pair_count, pair_capacity;
  double* y;                  // whitened rows
  int* column;                // their dof indices, ascending
  int y_capacity, y_count;
  int* island_row;            // rows grouped by island
  unsigned char *free_set, *factored_set;  // rows strictly between their bounds
  unsigned char* summed_set;  // those in SbBlocks.sum
  signed char* held;          // friction rows that slid in the last step, and to which side
  double *target, *trial;     // of the exact solve and the line search
} SbRows;

// Rows of an island from which on many are exchanged at once (sb_exchange.c): 130 to 250 are equal, 64 slows
// a stack of 10 boxes by 15 % and 500 a pile of 100 bodies by 20 %.
#define SB_MANY_ROWS 150

// Dofs of a free body: a factor of such trees and smaller ones is updated (sb_blocks_update.c).
#define SB_SMALL_TREE 6

// A product A B' that is subtracted from a block: A and B lie in one column, in the rows of that block's
// row and column.
typedef struct SbProduct {
  int a, b;                   // off-diagonal blocks
  int width;                  // of both: dofs of their column
} SbProduct;

// Block-sparse Cholesky factor of I + Y_F' R_F^-1 Y_F, one block per kinematic tree.
typedef struct SbBlocks {
  int count;                  // trees of the island
  int* tree;                  // node -> tree
  int* node;                  // tree -> node
  unsigned char* thin;        // node: the diagonal block is as sparse as the tree (sb_thin.h)
  int* order;                 // elimination position -> node
  int* position;              // node -> elimination position
  int *dofs, *first;          // position -> how many dofs the tree has, and its first one
  int* degree;
  uint64_t* adjacency;        // bit matrix, count x words
  int64_t adjacency_capacity;
  int* column_start;          // per position: off-diagonal blocks below the diagonal
  int* row_index;             // their positions, ascending
  int64_t* block_offset;
  int64_t* diagonal_offset;
  int index_count, index_capacity;
  int* column_of;             // per off-diagonal block
  int *source_start, *source; // per position: off-diagonal blocks in its row, ascending
  int* place;                 // scratch: position -> block of the present column
  SbProduct* product;         // what is subtracted from each block, in the order of elimination
  int64_t* product_start;     // per block; blocks are counted as they lie in h
  int64_t product_capacity, target_capacity;
  double* worst;              // node: the worst violation of its rows (sb_exchange.c)
  int64_t* path;              // position -> blocks that a change of its column changes
  int is_factored;            // h is the factor of the free set rows.factored_set
  int updates;                // rows that have joined or left that set since it was factored
  int can_update;             // all trees are small and their blocks are full
  double* h;                  // block values, column-major within a block
  double* sum;                // what h was made of, for islands of SB_MANY_ROWS or more
  int has_sum;                // it is the sum of the rows in rows.summed_set
  int64_t h_count, h_capacity;
} SbBlocks;

// Forces of the last step, to start from: contacts are found again by pair and place.
typedef struct SbWarm {
  int contacts, capacity;
  int* geom;                  // 2 per contact
  double* point;              // 3 per contact
  double* force;              // 7 per contact: up to 6 of phase 2, then the normal of phase 1
  double* axis;               // 8 per axis: phase 1 and 2 of motor, spring, low stop, high stop
  double* equality;           // 12 per equality of MuJoCo: phase 1 and 2 of up to 6 rows
  double* loop;               // 12 per loop of ours, the same
  int* slot;                  // hash table: slot -> first contact of a pair
  int slots;
} SbWarm;

// A vertex under a plane.
typedef struct SbDeep {
  double depth;
  int64_t level;              // depth in steps of SB_LEVEL
  int rank, point;
} SbDeep;

// Convex parts of two hollow meshes, as two floating bodies of a model of their own (sb_parts.c).
typedef struct SbPairModel {
  int geom[2];
  const mjModel* m;
  mjData* d;
} SbPairModel;

typedef struct SbHit SbHit;  // sb_skins.c

// Collisions that are ours alone: bodies and terrain, and the hulls of convex bodies.
typedef struct SbTerrainWork {
  SbCollision all;            // the caller's tables
  int* hull_of;               // per geom: its hull, -1 none
  int *pair_start, *pair;     // per terrain: geoms that may touch it
  int* candidate;             // scratch: triangles near a body
  int candidate_capacity;
  unsigned char* mark;        // scratch: contacts that have been looked at
  int mark_capacity;
  double *corner, *plane;     // scratch: of a box or hull in the terrain's frame
  int* cloud_pair;            // cloud and plane that may touch, two by two
  int cloud_pairs;
  SbDeep* deep;               // scratch: vertices of a cloud under a plane
  int deep_capacity;
  SbPatch patch;              // scratch: contact points of one pair
  int* skin_of;               // per geom: terrain that holds the triangles of a hollow mesh, -1 none
  SbHit* hit;                 // scratch: where two skins cross (sb_skins.c)
  int hit_capacity;
  SbPairModel* pair_model;    // parts of two meshes that have met
  int pair_models, pair_model_capacity;
  int *met, *met_model;       // pairs of meshes that meet in this step, two by two, and their models
  int met_count, met_capacity;
  int32_t* wanted_pair;
  int wanted_pairs, wanted_pair_capacity;
  SbWant want;
} SbTerrainWork;

// What one thread needs to solve an island. Islands share no rows and no dofs.
typedef struct SbWorker {
  SbStep* s;
  SbBlocks* blocks;
  double *w, *x;              // Y'f, and scratch (nv); they change places
  int* list;                  // rows that can carry a force in the current phase
  int list_capacity;
  double residual;            // worst of the islands solved
  int sweeps, solves, factorizations;
  int no_memory;
  int unsolved;               // some island stayed above the tolerance, and above rounding
} SbWorker;

typedef struct SbPool SbPool;  // sb_threads.c

// Frames that collision sees in the next step in place of the present ones.
typedef struct SbHeld {
  double* frame;            // of each body: origin, centre of mass; then of each geom
  unsigned char* has_body;  // whether a body's frames are held
  int is_on;
} SbHeld;

struct SbStep {
  const mjModel* m;
  mjData* d;
  const SbWorld* world;
  const SbSurface* surfaces;
  const SbPair* pairs;
  const SbGeom* geoms;
  const SbAxis* axes;
  const SbDamper* dampers;
  const SbBall* balls;
  const SbLoop* loops;
  const SbTrack* tracks;
  const SbKinematic* kinematics;
  const SbPropeller* propellers;
  const SbImmersion* immersions;
  const double* triangles;
  const SbTree* trees;
  SbState state;
  SbFlags* flags;
  const SbCommand* commands;
  SbMotorState* motors;
  SbStats stats;
  char error[SB_ERROR_TEXT];  // what MuJoCo said last

  SbRows rows;
  SbBlocks blocks;
  SbWarm warm;
  SbTerrainWork terrain;
  SbHeld held;

  int* axis_row;              // 4 per axis: motor, spring, low stop, high stop; -1 none
  double* axis_velocity;      // velocity that the motor wants in this step
  double* axis_effort;        // greatest effort of the motor row in this step
  double* axis_position;      // where each axis stands
  double* axis_direction;     // 3 per axis: of ball joints, the row of the angle's rate (in the
                              // child's frame; of loops in the world)
  int* loop_row;              // 6 per loop; -1 none
  int* body_track;            // track of each body, -1 none
  double *contact_mu;         // 6 per contact: mu, mu2, rhoN, rho, rho2, -
  double *contact_slip;       // 2 per contact
  double *contact_speed;      // 2 per contact: speed of the surface along the tangents
  int contact_capacity;
  int* order;                 // scratch: contacts of one pair by depth

  int free_axes;              // axes that no dof belongs to: tracks, kinematic joints, propellers
  double* w;                  // Y'f of all islands (nv)
  double *x, *total;          // scratch (nv)
  SbWorker worker;            // of the thread that calls
  SbPool* pool;               // of the others, or NULL
  int threads;                // how many may work on the islands of one step
  int* island_order;          // islands, those with the most rows first
  int *dof_depth, *dof_packed;  // dofs on the way to the root, itself included; see sb_thin.h
  int* tree_packed;           // values of a thin block
  unsigned char* dof_mark;    // scratch (nv), zero between uses
  double* inv_sqrt_d;         // D^-1/2 (nv)
  double *held_factor, *held_inverse;  // L and 1/D with joints held that go where they are told (nC, nv)
  const double *yield_factor, *yield_inverse;  // those, or MuJoCo's where no joint is held
  double* unit;               // all zero (nv): Jacobian of an axis row, but for its last value
  double* column_value;       // scratch of the whitening (nv), zero between uses
  int* tree_island;           // island of each tree, -1 none
  int* island_start;          // per island: first entry in rows.island_row
  int islands;
  int* floating;              // per tree: its momentum is kept in this step
  int* turns_far;             // per tree: its links carry their momenta in this step
  int any_turns_far;
  double* momentum;           // 9 per tree: angular (about the world's origin), linear, centre of mass
  double* link_momentum;      // 6 per body: angular (about its own centre) and linear
  double* link_energy;        // per body: twice its energy of rotation [J]
  double* tree_energy;        // per tree: kinetic energy [J]
  double* runge;              // scratch of sb_runge.c
  char* runge_given;          // per dof: its velocity is given
  double* subtree_momentum;   // 6 per body: scratch, zero between uses
  double* before;             // velocities before the step (nv), where a tree floats
  double* jacobian;           // scratch 6 x nv, for dampers and loops
  struct SbDrag* drag;        // one per immersion: what fluids do in this step (sb_drag.h)
  double* drag_work;          // scratch of sb_drag.c
  int64_t drag_work_capacity;
  int *pair_column, *chain[2];  // scratch (nv): columns of a row, dofs that move a body
  double* row_value;          // scratch (nv): values of a row
};

// Grow *p to hold `count` elements; returns 0 without memory (the old block stays valid).
int sb_grow(void** p, int64_t count, size_t element);
#define SB_GROW(p, n) sb_grow((void**)&(p), (n), sizeof(*(p)))

// Whether a dof or body takes part in this step.
static inline int sb_dof_awake(const SbStep* s, int dof) {
  return s->d->tree_asleep[s->m->dof_treeid[dof]] < 0;
}
static inline int sb_body_awake(const SbStep* s, int body) {
  int tree = s->m->body_treeid[body];
  return tree < 0 || s->d->tree_asleep[tree] < 0;
}

// A joint that closes a loop, of the scene or made at run time.
static inline const SbLoop* sb_loop(const SbStep* s, int k) {
  int own = s->world->loops - s->world->grips;
  return k < own ? s->loops + k : s->state.grips + (k - own);
}

// The worse of two residuals; NaN is worst.
static inline double sb_worse(double a, double b) { return a != a || b <= a ? a : b; }

static inline void sb_begin_counts(SbWorker* worker) {
  worker->residual = 0;
  worker->sweeps = worker->solves = worker->factorizations = worker->no_memory = 0;
  worker->unsolved = 0;
}

// Stages, in the order of a step.
void sb_command_surfaces(SbStep* s);   // sb_motors.c
void sb_command_late_tracks(SbStep* s);
int sb_collide(SbStep* s);             // sb_held.c
// What is held as bytes, for snapshots; sb_held_set returns how many it took, -1: it cannot be that.
int64_t sb_held_size(const SbStep* s);
void sb_held_get(const SbStep* s, double* out);
int64_t sb_held_set(SbStep* s, const double* in, int64_t size);
int sb_move_kinematic(SbStep* s);      // sb_motion.c: whether anything moved
int sb_prepare_contacts(SbStep* s);    // sb_contacts.c
// Count contacts that a pair loses to its limit; the pair that loses most at once is kept by name.
void sb_count_dropped(SbStep* s, int geom0, int geom1, int dropped);
void sb_center_coriolis(SbStep* s);    // sb_coriolis.c
void sb_apply_thrust(SbStep* s);       // sb_thrust.c
void sb_apply_gyro(SbStep* s);         // sb_thrust.c
int sb_apply_fluids(SbStep* s);        // sb_fluids.c
void sb_read_axes(SbStep* s);          // sb_axes.c
int sb_want_parts(SbStep* s);          // sb_parts.c, called by the stage before
void sb_collide_parts(SbStep* s);      // sb_parts.c, likewise
int sb_collide_terrains(SbStep* s);    // sb_terrain_pairs.c, likewise
int sb_collide_clouds(SbStep* s);      // sb_clouds.c, likewise
int sb_thin_out_groups(SbStep* s);     // sb_groups.c, likewise
void sb_count_fast(SbStep* s);         // sb_terrain_pairs.c
void sb_command_motors(SbStep* s);     // sb_motors.c
int sb_make_rows(SbStep* s);           // sb_rows.c
int sb_find_islands(SbStep* s);        // sb_islands.c
int sb_warm_start(SbStep* s);          // sb_warm.c
int sb_solve(SbStep* s);               // sb_solver.c
int sb_warm_save(SbStep* s);           // sb_warm.c
void sb_note_efforts(SbStep* s);       // sb_motors.c
int sb_all_rest(const SbStep* s);      // sb_sleep.c
void sb_fall_asleep(SbStep* s);        // sb_sleep.c
int sb_wake_touched(SbStep* s);        // sb_sleep.c
void sb_count_idle(SbStep* s);         // sb_sleep.c
int sb_integrate(SbStep* s);           // sb_motion.c
void sb_integrate_runge(SbStep* s);    // sb_runge.c

// Momenta of trees that float or turn far (sb_momentum.c): which ones float; on to the next poses.
int sb_find_floating(SbStep* s);
void sb_carry_momenta(SbStep* s, int floating);

// Rows (sb_rows.c): append one with its Jacobian and the products of that with the velocity and
// with the acceleration without constraints. Returns its index, -1 without memory.
int sb_add_row(SbStep* s, SbRow row, double velocity, double acceleration, int count,
               const int* column, const double* value);
void sb_drop_row(SbStep* s);           // take back the last one
int sb_make_axis_rows(SbStep* s);      // sb_axes.c; 0: no memory
int sb_add_axis_rows(SbStep* s, int k, int count, const int* column, const double* value);
int sb_add_loop(SbStep* s, int k);     // sb_loops.c
// Turn of end 1 of a loop against end 0, and its frame in the world.
void sb_loop_turn(const SbStep* s, int k, double turn[4], double frame[4]);
void sb_read_loop(SbStep* s, int k);
void sb_push_loop(SbStep* s, int k);
int sb_contact_surface(const SbStep* s, const mjContact* con, double velocity[3], double t1[3],
                       int* has_tangent);  // sb_tracks.c
int sb_chain(const mjModel* m, int dof, int* out);  // a dof and its ancestors, ascending
// Contacts of our own colliders (sb_contacts.c).
int sb_form_of(int mujoco_type);
mjContact sb_new_contact(const SbStep* s, int geom0, int geom1);
void sb_place_point(const SbStep* s, mjContact* con);      // of MuJoCo's contact, where ODE has it
int sb_is_hollow(const SbStep* s, int geom);               // sb_parts.c
int sb_is_cut_pair(const SbStep* s, const int* geom);      // whether parts of two meshes say how they meet
int sb_is_gripped(const SbStep* s, const mjContact* con);  // sb_contacts.c
const SbSurface* sb_surface_of(const SbStep* s, int geom0, int geom1);
int sb_may_touch(const mjModel* m, int plane, int geom);  // sb_terrain_pairs.c
int sb_set_clouds(SbStep* s);                             // sb_clouds.c
// The skin of a hollow mesh, whose frame has these axes in that of the terrain (sb_skins.c).
int sb_collide_skin(SbStep* s, const SbMeeting* m, const SbTerrain* own, const double* pos,
                    const double axis[3][3]);
// Place in the world of a frame that is given in the body of a geom (sb_terrain_pairs.c).
void sb_frame_in_body(const SbStep* s, int geom, const double* in_pos, const double* in_mat,
                      double* pos, double* mat);

// Whitening (sb_whiten.c): append the row J given by `count` columns, ascending and closed over
// ancestors, and values. Returns 0 without memory.
void sb_whiten_begin(SbStep* s);
int sb_whiten_row(SbStep* s, int row, int count, const int* column, const double* value,
                  int same_columns_as_previous);
// Add missing ancestors, with value 0, to columns; returns how many there are then.
int sb_close_columns(SbStep* s, int count, const int* column, const double* value, int* out_column,
                     double* out_value);

// Factorisation of the rows list[0..count) of one island: sb_blocks_plan.c, then sb_blocks.c.
int sb_blocks_plan(SbWorker* worker, const int* list, int count);
// Make the factor that of rows.free_set, for the list of rows of the last call if is_factored.
// worker->x is lost.
void sb_blocks_factor(SbWorker* worker, const int* list, int count);
// The same by changes of the present one (sb_blocks_update.c); 0: it is lost.
int sb_blocks_update(SbWorker* worker, const int* list, int count);
void sb_blocks_solve(const SbWorker* worker, double* x);
int sb_blocks_allocate(SbBlocks* blocks, int trees);
void sb_blocks_free(SbBlocks* blocks);

// Find which of the rows list[0..count) are at their bounds, from the forces f on, and f itself nearly
// exactly (sb_exchange.c). Leaves a factor of rows.factored_set, and worker->w without meaning.
void sb_exchange(SbWorker* worker, const int* list, int count, double* f);
// How bodies give way to friction (sb_response.c): first hold the joints that go where they are told, then
// the velocity that a unit impulse along e between the bodies of a contact makes along itself [1/kg].
void sb_hold_joints(SbStep* s);
// L'DL of the inertia of the dofs [first, end) of whole trees without those that dof_mark marks, which have
// 1/D = 0, into held_factor and held_inverse; takes the marks away.
void sb_factor_held(SbStep* s, int first, int end);
double sb_response(SbStep* s, const mjContact* con, const double* e);

// Loads of the normals that remember them, into rows.first, from those and the forces of the last step
// (sb_loads.c). Leaves worker->w without meaning.
void sb_share_loads(SbWorker* worker, const int* list, int count);
// Shorten the bounds of pairs of friction forces that lie outside their cone; 0: there was none.
int sb_shorten_friction(SbRows* rows, const int* list, int count);

// Islands on several threads (sb_threads.c).
int sb_solve_one(SbWorker* worker, int island);  // sb_solver.c; 0: no memory
int sb_run_threads(SbStep* s);  // solve all islands; 0: not worth it, nothing was done
void sb_free_threads(SbStep* s);

#endif  // SB_WORK_H_
