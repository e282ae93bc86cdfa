// Working memory of the step, shared by its stages. Nothing here is seen by callers.
#ifndef SB_WORK_H_
#define SB_WORK_H_

#include "base/sb_guard.h"
#include "base/sb_law.h"
#include "base/sb_step.h"
#include "collision/sb_mesh_search.h"
#include "collision/sb_terrain.h"

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

// Before loops of constant length whose variables stay in registers only when they are written out.
#if defined(__clang__)
#define SB_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define SB_UNROLL _Pragma("GCC unroll 8")
#else
#define SB_UNROLL
#endif

// Doubles that new processors take at once, at any address. The others take them one by one.
typedef double SbTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef double SbFour __attribute__((vector_size(32), aligned(8), may_alias));

// Memory: each block hangs on the list of an arena, which is freed as a whole.
typedef struct SbChunk {
  struct SbChunk* next;
  int64_t bytes;              // of what follows
} SbChunk;
typedef struct SbArena {
  SbChunk* first;
} SbArena;

static inline int sb_has_room(const void* p, int64_t bytes) {
  return p && ((const SbChunk*)p)[-1].bytes >= bytes;
}
// Give *p room for so many bytes; 0: no memory, and the old block stays valid.
int sb_grow(SbArena* arena, void** p, int64_t bytes);
void sb_free_arena(SbArena* arena);

// Room for n elements, with SB_RESERVE for some more at the next time. What is there stays.
#define SB_BYTES(p, n) ((int64_t)(n) * (int64_t)sizeof(*(p)))
#define SB_ALLOCATE(arena, p, n) \
  (sb_has_room(p, SB_BYTES(p, n)) || sb_grow(arena, (void**)&(p), SB_BYTES(p, n)))
#define SB_RESERVE(arena, p, n) \
  (sb_has_room(p, SB_BYTES(p, n)) || sb_grow(arena, (void**)&(p), SB_BYTES(p, (n) + (n) / 2 + 64)))

// Tables of arrays, below, are declared by X = SB_MEMBER and allocated where the last column has a meaning.
#define SB_MEMBER(type, name, count) type* name;

// Rows of one contact at most.
#define SB_CONTACT_ROWS 6

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

// Arrays with one value per row.
#define SB_ROW_ARRAYS(X)                                                                      \
  X(double, c, n) X(double, cfm, n) X(double, lo, n) X(double, hi, n) /* the law's row */     \
  X(double, mu, n)            /* friction coefficient, for rows with normal >= 0 */           \
  X(int, normal, n)           /* row of the contact normal that bounds this row, or -1 */     \
  X(double, b, n)             /* (J v + h J a_smooth - c)/h */                                \
  X(double, r, n) X(double, stiffness, n) /* cfm/h and its inverse */                         \
  X(double, diagonal, n)      /* |Y_i|^2 */                                                   \
  X(double, inverse, n)       /* 1/(|Y_i|^2 + r) */                                           \
  X(double, gradient, n)      /* of the present forces */                                     \
  X(double, first, n)         /* solution of phase 1: without friction, or loads */           \
  X(double, force, n)         /* solution of phase 2 */                                       \
  X(unsigned char, remembers, n)    /* contact normals whose surface remembers loads */       \
  X(SbSpan, span, n)                                                                          \
  X(int, island_row, n)       /* rows grouped by island */                                    \
  X(unsigned char, free_set, n)     /* rows strictly between their bounds */                  \
  X(unsigned char, factored_set, n) /* those in the factor */                                 \
  X(unsigned char, summed_set, n)   /* those in SbBlocks.sum */                               \
  X(signed char, held, n)     /* friction rows that slid in the last step, and to which side */ \
  X(double, target, n) X(double, trial, n) /* of the exact solve and the line search */

// All rows of a step, in force units: minimise  1/2 |Y'f|^2 + 1/2 f'R f + f'b  within bounds,
// where Y = J L^-1 D^-1/2 with M = L'DL, so that J M^-1 J' = Y Y'.
typedef struct SbRows {
  SB_ROW_ARRAYS(SB_MEMBER)
  int count;
  SbSegment* part;            // of all rows
  int* pair;                  // off-diagonal block of each two parts of a row: (0,1) (0,2) .. (1,2) ..
  double* y;                  // whitened rows
  int* column;                // their dof indices, ascending
  int part_count, pair_count, y_count;
} SbRows;

// Rows of an island from which on many are exchanged at once (sb_active_set.c): 130 to 250 are equal, 64 slows
// a stack of 10 boxes by 15 % and 500 a pile of 100 bodies by 20 %.
#define SB_MANY_ROWS 150

// Dofs of a free body: a factor of such trees and smaller ones is updated (sb_block_cholesky_update.c).
#define SB_SMALL_TREE 6

// Dofs of a tree with branches up to which its rows and its block are full: vectors of zeros are faster than the
// tree's own sparsity. A robot on two wheels has 8, one on four legs 14 and more.
#define SB_FULL_TREE 16

// A product A B' that is subtracted from a block: A and B lie in one column, in the rows of that block's
// row and column.
typedef struct SbProduct {
  int a, b;                   // off-diagonal blocks
  int width;                  // of both: dofs of their column
} SbProduct;

// Arrays with one value per kinematic tree; a node is a tree of the island, a position its place in the
// order of elimination.
#define SB_BLOCK_ARRAYS(X)                                                                    \
  X(int, tree, trees)         /* node -> tree */                                              \
  X(int, node, trees)         /* tree -> node */                                              \
  X(unsigned char, thin, trees) /* node: its block is as sparse as the tree (sb_tree_cholesky.h) */ \
  X(int, order, trees)        /* position -> node */                                          \
  X(int, position, trees)     /* node -> position */                                          \
  X(int, dofs, trees) X(int, first, trees) /* position -> how many dofs the tree has, its first one */ \
  X(int, degree, trees)                                                                       \
  X(int, column_start, trees + 1) /* position -> its off-diagonal blocks below the diagonal */ \
  X(int64_t, diagonal_offset, trees)                                                          \
  X(int, source_start, trees + 1) /* position -> off-diagonal blocks in its row, ascending */ \
  X(int, place, trees)        /* scratch: position -> block of the present column */          \
  X(double, worst, trees)     /* node: the worst violation of its rows (sb_active_set.c) */   \
  X(int64_t, path, trees)     /* position -> blocks that a change of its column changes */

// Block-sparse Cholesky factor of I + Y_F' R_F^-1 Y_F, one block per kinematic tree.
typedef struct SbBlocks {
  SB_BLOCK_ARRAYS(SB_MEMBER)
  int count;                  // trees of the island
  uint64_t* adjacency;        // bit matrix, count x words
  int index_count;            // off-diagonal blocks
  int* row_index;             // of each of them: its position, ascending in a column
  int* column_of;
  int64_t* block_offset;
  int* source;                // see source_start
  SbProduct* product;         // what is subtracted from each block, in the order of elimination
  int64_t* product_start;     // per block; blocks are counted as they lie in h
  int is_factored;            // h is the factor of the free set rows.factored_set
  int updates;                // rows that have joined or left that set since it was factored
  int can_update;             // all trees are small and their blocks are full
  double* h;                  // block values, column-major within a block
  double* sum;                // what h was made of, for islands of SB_MANY_ROWS or more
  int has_sum;                // it is the sum of the rows in rows.summed_set
  int64_t h_count;
} SbBlocks;

// Forces of the last step, to start from: contacts are found again by pair and place.
typedef struct SbWarm {
  int contacts;
  int* geom;                  // 2 per contact
  double* point;              // 3 per contact
  double* force;              // 7 per contact: up to 6 of phase 2, then the normal of phase 1
  double* axis;               // 8 per axis: phase 1 and 2 of motor, spring, low stop, high stop
  double* equality;           // 12 per equality of MuJoCo: phase 1 and 2 of up to 6 rows
  double* loop;               // 12 per loop of ours, the same
  int* slot;                  // hash table: slot -> first contact of a pair
  int* next;                  // per contact: the next one of its pair, -1 none
  int slots;
} SbWarm;

// Convex parts of two hollow meshes, as two floating bodies of a model of their own (sb_convex_parts.c).
typedef struct SbPairModel {
  int geom[2];
  const mjModel* m;
  mjData* d;
} SbPairModel;

typedef struct SbHit SbHit;  // sb_hollow_mesh.c

// Collisions that are ours alone: bodies and terrain, and the hulls of convex bodies.
typedef struct SbTerrainWork {
  SbCollision all;            // the caller's tables
  int* hull_of;               // per geom: its hull, -1 none
  int *pair_start, *pair;     // per terrain: geoms that may touch it
  int* candidate;             // scratch: triangles near a body
  int candidate_room;
  unsigned char* mark;        // scratch: contacts that have been looked at
  double *corner, *plane;     // scratch: of a box or hull in the terrain's frame
  int* mesh_pair;            // mesh and plane that may touch, two by two
  int mesh_pairs;
  SbDeep* deep;               // scratch: vertices of a mesh under a plane
  SbPatch patch;              // scratch: contact points of one pair
  int* skin_of;               // per geom: terrain that holds the triangles of a hollow mesh, -1 none
  SbHit* hit;                 // scratch: where two skins cross (sb_hollow_mesh.c)
  SbPairModel* pair_model;    // parts of two meshes that have met
  int pair_models;
  int *met, *met_model;       // pairs of meshes that meet in this step, two by two, and their models
  int met_count;
  int32_t* wanted_pair;
  int wanted_pairs;
  SbWant want;
} SbTerrainWork;

// What one thread needs to solve an island. Islands share no rows and no dofs.
typedef struct SbWorker {
  SbStep* s;
  SbArena arena;
  SbBlocks blocks;
  double *w, *x;              // Y'f, and scratch (nv); they change places
  int* list;                  // rows that can carry a force in the current phase
  double residual;            // worst of the islands solved
  int sweeps, solves, factorizations;
  int no_memory;
  int unsolved;               // some island stayed above the tolerance, and above rounding
} SbWorker;

typedef struct SbPool SbPool;  // sb_threads.c

// Frames that collision sees in the next step in place of the present ones.
typedef struct SbDelayedFrames {
  double* frame;            // of each body: origin, centre of mass; then of each geom
  unsigned char* has_body;  // whether a body's frames are held
  int is_on;
} SbDelayedFrames;

// Pairs of geoms that can meet in a small model of primitive shapes (sb_primitive_pairs.c).
typedef struct SbGeomPairs {
  int state, count;           // state: 0 until somebody has looked
  int* geom;                  // 2 per pair, the one with the smaller type first
} SbGeomPairs;

// Arrays of a step, whose lengths its model and its tables give; `nv`, `trees`, `axes`, `loops` are one more
// than there are.
#define SB_STEP_ARRAYS(X)                                                                     \
  X(int, axis_row, 4 * axes)  /* motor, spring, low stop, high stop; -1 none */               \
  X(double, axis_velocity, axes)      /* velocity that the motor wants in this step */        \
  X(double, axis_effort, axes)        /* greatest effort of the motor row in this step */     \
  X(double, axis_position, axes)      /* where each axis stands */                            \
  /* of ball joints, the row of the angle's rate (in the child's frame; of loops in the world) */ \
  X(double, axis_direction, 3 * axes)                                                         \
  X(int, loop_row, 6 * loops) /* -1 none */                                                   \
  X(int, body_track, m->nbody)        /* track of each body, -1 none */                       \
  X(double, w, nv)            /* Y'f of all islands */                                        \
  X(double, x, nv) X(double, total, nv) /* scratch */                                         \
  X(int, island_order, trees) /* islands, those with the most rows first */                   \
  /* dofs on the way to the root, itself included, and where they lie (sb_tree_cholesky.h) */ \
  X(int, dof_depth, nv) X(int, dof_packed, nv)                                                \
  X(int, tree_packed, trees)  /* values of a thin block */                                    \
  X(unsigned char, tree_full, trees)  /* rows have a value for each of its dofs (sb_delassus.c) */ \
  X(unsigned char, dof_mark, nv)      /* scratch, zero between uses */                        \
  X(int, place, nv)           /* of each column of the last row: where its value lies in y */ \
  X(double, inv_sqrt_d, nv)   /* D^-1/2 */                                                    \
  /* L and 1/D with joints held that go where they are told */                                \
  X(double, held_factor, m->nC + 1) X(double, held_inverse, nv)                               \
  X(double, unit, nv)         /* zero: Jacobian of an axis row, but for its last value */     \
  X(double, column_value, nv) /* scratch of the whitening, zero between uses */               \
  X(int, tree_island, trees)  /* island of each tree, -1 none */                              \
  X(int, island_start, trees + 1)     /* first entry in rows.island_row */                    \
  X(int, floating, trees)     /* its momentum is kept in this step */                         \
  X(int, turns_far, trees)    /* its links carry their momenta in this step */                \
  X(double, momentum, 9 * trees) /* angular (about the world's origin), linear, centre of mass */ \
  X(double, link_momentum, 6 * m->nbody) /* angular (about its own centre) and linear */      \
  X(double, link_energy, m->nbody)    /* twice its energy of rotation [J] */                  \
  X(double, tree_energy, trees)       /* kinetic energy [J] */                                \
  X(double, rk4, m->nq + 6 * nv)      /* scratch of sb_rk4.c */                               \
  X(char, rk4_given, nv)      /* its velocity is given */                                     \
  X(double, subtree_momentum, 6 * m->nbody) /* scratch, zero between uses */                  \
  X(double, before, nv)       /* velocities before the step, where a tree floats */           \
  X(double, jacobian, 6 * nv) /* scratch, for dampers and loops */                            \
  X(struct SbDrag, drag, s->world->immersions + 1) /* what fluids do in this step (sb_drag.h) */ \
  X(int, pair_column, nv) X(int, chain, 2 * nv) /* scratch: columns of a row, dofs that move a body */ \
  X(double, row_value, nv)    /* scratch: values of a row */                                  \
  X(signed char, pair_side, nv) X(double, row_values, SB_CONTACT_ROWS * nv) /* scratch: of a contact */

struct SbStep {
  const mjModel* m;
  mjData* d;
  mjData* own_data;           // d, if it is freed with the step (sb_data.c)
  const SbWorld* world;       // of tables
  SbTables tables;
  SbState state;
  SB_STEP_ARRAYS(SB_MEMBER)
  SbStats stats;
  char error[SB_ERROR_TEXT];  // what MuJoCo said last
  SbArena arena;

  SbRows rows;
  SbWarm warm;
  SbTerrainWork terrain;
  SbDelayedFrames held;
  SbGeomPairs geom_pairs;

  double *contact_mu;         // 6 per contact: mu, mu2, rhoN, rho, rho2, -
  double *contact_slip;       // 2 per contact
  double *contact_speed;      // 2 per contact: speed of the surface along the tangents
  int* order;                 // scratch: contacts of one pair by depth
  double* drag_work;          // scratch of sb_drag.c
  int free_axes;              // axes that no dof belongs to: tracks, kinematic joints, propellers
  SbWorker worker;            // of the thread that calls
  SbPool* pool;               // of the others, or NULL
  int threads;                // how many may work on the islands of one step
  const double *yield_factor, *yield_inverse;  // held_* , or MuJoCo's where no joint is held
  int islands;
  int any_turns_far;
  int only_contacts;          // MuJoCo has no rows to make (sb_contact_rows.c)
  int contact_rows;           // how many there are then
};

// Whether a dof or body takes part in this step.
// Softness of a servo's row, 1/(h k + d); 0 where the motor is none or does not pull. In velocity mode only
// its damping acts.
static inline double sb_servo_cfm(const SbAxis* axis, const SbCommand* told, double h) {
  double k = told->mode == SB_MOTOR_POSITION ? axis->servo_stiffness : 0;
  double pull = h * k + axis->servo_damping;
  return pull > 0 && (told->mode == SB_MOTOR_POSITION || told->mode == SB_MOTOR_VELOCITY) ? 1 / pull : 0;
}

static inline int sb_dof_awake(const SbStep* s, int dof) {
  return s->d->tree_asleep[s->m->dof_treeid[dof]] < 0;
}
static inline int sb_body_awake(const SbStep* s, int body) {
  int tree = s->m->body_treeid[body];
  return tree < 0 || s->d->tree_asleep[tree] < 0;
}

// Velocity of a point of a body [m/s], world; needs mj_comVel.
static inline void sb_velocity_at(const mjModel* m, const mjData* d, int body, const double point[3],
                                  double out[3]) {
  const double *v = d->cvel + 6 * body, *com = d->subtree_com + 3 * m->body_rootid[body];
  double arm[3] = {point[0] - com[0], point[1] - com[1], point[2] - com[2]};
  sb_cross(v, arm, out);
  for (int i = 0; i < 3; i++) out[i] += v[3 + i];
}

// A joint that closes a loop, of the scene or made at run time.
static inline const SbLoop* sb_loop(const SbStep* s, int k) {
  int own = s->world->loops - s->world->grips;
  return k < own ? s->tables.loops + k : s->state.grips + (k - own);
}

// The worse of two residuals; NaN is worst.
static inline double sb_worse(double a, double b) { return a != a || b <= a ? a : b; }

void sb_drop_data(SbStep* s);           // sb_data.c

// Memory of a worker; 0: none. It is freed with its arena.
int sb_start_worker(SbWorker* worker, SbStep* s);

static inline void sb_begin_counts(SbWorker* worker) {
  worker->residual = 0;
  worker->sweeps = worker->solves = worker->factorizations = worker->no_memory = 0;
  worker->unsolved = 0;
}

// Stages, in the order of a step.
void sb_command_surfaces(SbStep* s);   // sb_motors.c
void sb_command_late_tracks(SbStep* s);
int sb_collide(SbStep* s);             // sb_delayed_collision.c
// What is held as bytes, for snapshots; sb_delayed_set returns how many it took, -1: it cannot be that.
int64_t sb_delayed_size(const SbStep* s);
void sb_delayed_get(const SbStep* s, double* out);
int64_t sb_delayed_set(SbStep* s, const double* in, int64_t size);
int sb_move_kinematic(SbStep* s);      // sb_motion.c: whether anything moved
int sb_collide_primitives(SbStep* s);  // sb_primitive_pairs.c, called by the stage before; 0: mj_collision has to
int sb_prepare_contacts(SbStep* s);    // sb_contacts.c
void sb_settle_faces(SbStep* s, int begin, int end);  // sb_link_contacts.c, called by the stage before
void sb_share_depth(SbStep* s, int begin, int end);   // likewise
int sb_spread_points(SbStep* s);                      // likewise
// Count contacts that a pair loses to its limit; the pair that loses most at once is kept by name.
void sb_count_dropped(SbStep* s, int geom0, int geom1, int dropped);
void sb_center_coriolis(SbStep* s);    // sb_coriolis.c
void sb_apply_thrust(SbStep* s);       // sb_thrust.c
void sb_apply_gyro(SbStep* s);         // sb_thrust.c
int sb_apply_fluids(SbStep* s);        // sb_fluids.c
void sb_read_axes(SbStep* s);          // sb_joint_axes.c
int sb_want_parts(SbStep* s);          // sb_convex_parts.c, called by the stage before
void sb_collide_parts(SbStep* s);      // sb_convex_parts.c, likewise
int sb_collide_terrains(SbStep* s);    // sb_terrain_pairs.c, likewise
int sb_collide_meshes(SbStep* s);      // sb_mesh_vertices.c, likewise
int sb_thin_out_groups(SbStep* s);     // sb_contact_reduction.c, likewise
void sb_count_fast(SbStep* s);         // sb_terrain_pairs.c
void sb_command_motors(SbStep* s);     // sb_motors.c
int sb_make_rows(SbStep* s);           // sb_rows.c
// Rows of contacts where only they make rows (sb_contact_rows.c): whether that is so; number them, after collision;
// make them, called by the stage before. 0: no memory.
int sb_only_contacts(const mjModel* m);
void sb_number_contact_rows(SbStep* s);
int sb_make_contact_rows(SbStep* s);
void sb_set_contact_rows(SbStep* s, int k);  // sb_rows.c: the law's rows of contact k
int sb_find_islands(SbStep* s);        // sb_islands.c
int sb_warm_start(SbStep* s);          // sb_warm_start.c
int sb_solve(SbStep* s);               // sb_solver.c
int sb_warm_save(SbStep* s);           // sb_warm_start.c
void sb_note_efforts(SbStep* s);       // sb_motors.c
int sb_all_rest(const SbStep* s);      // sb_sleep.c
void sb_wake_tree(SbStep* s, int tree);  // sb_sleep.c
void sb_wake_all(SbStep* s);             // sb_sleep.c
void sb_sleep_as(SbStep* s, const int* asleep);
void sb_fall_asleep(SbStep* s);        // sb_sleep.c
int sb_wake_touched(SbStep* s);        // sb_sleep.c
void sb_count_idle(SbStep* s);         // sb_sleep.c
int sb_integrate(SbStep* s);           // sb_motion.c
void sb_integrate_rk4(SbStep* s);    // sb_rk4.c

// Momenta of trees that float or turn far (sb_momentum.c): which ones float; on to the next poses.
int sb_find_floating(SbStep* s);
void sb_carry_momenta(SbStep* s, int floating);

// Rows (sb_rows.c): append one with its Jacobian and the products of that with the velocity and
// with the acceleration without constraints. Returns its index, -1 without memory.
int sb_add_row(SbStep* s, SbRow row, double velocity, double acceleration, int count,
               const int* column, const double* value, int same_columns_as_previous);
void sb_drop_row(SbStep* s);           // take back the last one
int sb_make_axis_rows(SbStep* s);      // sb_joint_axes.c; 0: no memory
int sb_add_axis_rows(SbStep* s, int k, int count, const int* column, const double* value);
int sb_add_loop(SbStep* s, int k);     // sb_loops.c
// Turn of end 1 of a loop against end 0, and its frame in the world.
void sb_loop_turn(const SbStep* s, int k, double turn[4], double frame[4]);
void sb_read_loop(SbStep* s, int k);
void sb_push_loop(SbStep* s, int k);
int sb_runs_around(const SbStep* s, int geom);  // sb_tracks.c
int sb_contact_surface(const SbStep* s, const mjContact* con, double velocity[3], double t1[3],
                       int* has_tangent);  // sb_tracks.c
int sb_chain(const mjModel* m, int dof, int* out);  // a dof and its ancestors, ascending
// Contacts of our own colliders (sb_contacts.c).
int sb_form_of(int mujoco_type);
mjContact sb_new_contact(const SbStep* s, int geom0, int geom1);
void sb_place_point(const SbStep* s, mjContact* con);      // of MuJoCo's contact, where ODE has it
int sb_is_hollow(const SbStep* s, int geom);               // sb_convex_parts.c
int sb_is_cut_pair(const SbStep* s, const int* geom);      // whether parts of two meshes say how they meet
int sb_is_gripped(const SbStep* s, const mjContact* con);  // sb_contacts.c
const SbSurface* sb_surface_of(const SbStep* s, int geom0, int geom1);
int sb_may_touch(const mjModel* m, int plane, int geom);  // sb_terrain_pairs.c
int sb_set_meshes(SbStep* s);                             // sb_mesh_vertices.c
// The skin of a hollow mesh, whose frame has these axes in that of the terrain (sb_hollow_mesh.c).
int sb_collide_skin(SbStep* s, const SbMeeting* m, const SbTerrain* own, const double* pos,
                    const double axis[3][3]);
// Place in the world of a frame that is given in the body of a geom (sb_terrain_pairs.c).
void sb_frame_in_body(const SbStep* s, int geom, const double* in_pos, const double* in_mat,
                      double* pos, double* mat);

// Whitening (sb_delassus.c): append the row J given by `count` columns, ascending and closed over
// ancestors, and values. Returns 0 without memory.
void sb_whiten_begin(SbStep* s);
int sb_whiten_row(SbStep* s, int row, int count, const int* column, const double* value,
                  int same_columns_as_previous);
// The same for the `dim` rows of a contact, whose values lie in row_values.
int sb_whiten_contact(SbStep* s, int row, int dim, int count, const int* column, int same_columns_as_previous);
// Add missing ancestors, with value 0, to columns; returns how many there are then.
int sb_close_columns(SbStep* s, int count, const int* column, const double* value, int* out_column,
                     double* out_value);

// Factorisation of the rows list[0..count) of one island: sb_block_cholesky_symbolic.c, then sb_block_cholesky.c.
int sb_blocks_plan(SbWorker* worker, const int* list, int count);
// Make the factor that of rows.free_set, for the list of rows of the last call if is_factored.
// worker->x is lost.
void sb_blocks_factor(SbWorker* worker, const int* list, int count);
// The same by changes of the present one (sb_block_cholesky_update.c); 0: it is lost.
int sb_blocks_update(SbWorker* worker, const int* list, int count);
void sb_blocks_solve(const SbWorker* worker, double* x);

// Find which of the rows list[0..count) are at their bounds, from the forces f on, and f itself nearly
// exactly (sb_active_set.c). Leaves a factor of rows.factored_set, and worker->w without meaning.
void sb_exchange(SbWorker* worker, const int* list, int count, double* f);
// How bodies give way to friction (sb_contact_response.c): first hold the joints that go where they are told, then
// the velocity that a unit impulse along e between the bodies of a contact makes along itself [1/kg].
void sb_hold_joints(SbStep* s);
// L'DL of the inertia of the dofs [first, end) of whole trees without those that dof_mark marks, which have
// 1/D = 0, into held_factor and held_inverse; takes the marks away.
void sb_factor_held(SbStep* s, int first, int end);
double sb_response(SbStep* s, const mjContact* con, const double* e);

// Loads of the normals that remember them, into rows.first, from those and the forces of the last step
// (sb_contact_loads.c). Leaves worker->w without meaning.
void sb_share_loads(SbWorker* worker, const int* list, int count);
// Shorten the bounds of pairs of friction forces that lie outside their cone; 0: there was none.
int sb_shorten_friction(SbRows* rows, const int* list, int count);

// Islands on several threads (sb_threads.c).
int sb_solve_one(SbWorker* worker, int island);  // sb_solver.c; 0: no memory
int sb_run_threads(SbStep* s);  // solve all islands; 0: not worth it, nothing was done
void sb_free_threads(SbStep* s);

#endif  // SB_WORK_H_
