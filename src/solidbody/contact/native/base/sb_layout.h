// GENERATED FILE, DO NOT EDIT: python -m solidbody.contact.c_header writes it from contact/layout.py.
//
// Rows of the tables that the native step shares with Python, and where they lie.
#ifndef SB_LAYOUT_H_
#define SB_LAYOUT_H_

#include <stdint.h>

#define SB_LAYOUT_HASH 0xeeaded289aa43068ull
#define SB_PATCH_POINTS 64
#define SB_ERROR_TEXT 1024

// Return value of a step.
enum { SB_OK = 0, SB_NOT_FINITE = 1, SB_NO_MEMORY = 2, SB_STOPPED = 3, SB_MUJOCO = 4 };

// What an axis moves.
enum { SB_AXIS_JOINT = 0, SB_AXIS_BALL = 1, SB_AXIS_LOOP = 2, SB_AXIS_TRACK = 3,
  SB_AXIS_KINEMATIC = 4, SB_AXIS_PROPELLER = 5 };

// Joints that close a loop; z of end 0 is the (first) axis.
enum { SB_LOOP_NONE = 0, SB_LOOP_BALL = 1, SB_LOOP_HINGE = 2, SB_LOOP_FIXED = 3, SB_LOOP_PISTON = 4,
  SB_LOOP_SLIDER = 5, SB_LOOP_HINGE2 = 6, SB_LOOP_GRIP = 7, SB_LOOP_PLANE = 8 };

// Forms of immersed bodies and of fluids.
enum { SB_FLUID_BOX = 0, SB_FLUID_SPHERE = 1, SB_FLUID_CAPSULE = 2, SB_FLUID_CYLINDER = 3,
  SB_FLUID_MESH = 4, SB_FLUID_PLANE = 5 };

// What drives an axis.
enum { SB_MOTOR_NONE = 0, SB_MOTOR_VELOCITY = 1, SB_MOTOR_POSITION = 2, SB_MOTOR_EFFORT = 3 };

// Whose friction directions come first in a pair of materials.
enum { SB_FIRST_ROW = 0, SB_FIRST_COLUMN = 1, SB_FIRST_EITHER = 2 };

// What a terrain is made from.
enum { SB_TERRAIN_MESH = 0, SB_TERRAIN_HEIGHTS = 1, SB_TERRAIN_ODE_HEIGHTS = 2 };

// What a sensor reads.
enum { SB_SENSE_ACCELERATION = 0, SB_SENSE_TURN = 1, SB_SENSE_BOTH = 2, SB_SENSE_ATTITUDE = 3,
  SB_SENSE_DIRECTION = 4, SB_SENSE_PLACE = 5, SB_SENSE_HEIGHT = 6, SB_SENSE_AXIS = 7 };

// The surface law between two materials (model/contacts.py says what each number means).
typedef struct SbSurface {
  double friction[4];                    // Coulomb coefficients; INFINITY allowed
  double slip[4];                        // force-dependent slip [m/(s*N)]
  double rotation[2];                    // turn of the friction directions of first and second surface [rad]
  double rolling[3];                     // rho about t1, about t2, about the normal [m]
  double bounce;                         // restitution, 0..1
  double bounce_velocity;                // approach speed below which nothing bounces [m/s]
  double erp;                            // share of the penetration removed per step
  double cfm;                            // softness of the normal row [m/(s*N)]
  double static_friction;                // coefficient while nothing slides; read if follows_sliding
  double rest_depth;                     // depth to which contacts are pushed out [m]
  double depth_scale;                    // greatest push-out speed, as a depth: erp/h*depth_scale [m]
  double min_depth;                      // shallower contacts are left out [m]
  double max_depth;                      // deeper contacts are left out [m]
  int32_t friction_count, slip_count;    // 1..4
  int32_t max_contacts;                  // points kept per pair of geoms, deepest first
  int32_t second_zero;                   // 1: symmetric friction with axis-dependent rolling has mu2 = 0
  int32_t follows_sliding;               // 1: the first tangent of isotropic friction follows the sliding
  int32_t keeps_spread;                  // 1: the points kept are the deepest and those farthest apart
  int32_t remembers_loads;               // 1: loads of the last step bound friction (sb_contact_loads.c)
  int32_t pad;
} SbSurface;

// Which surface holds between two materials, and whose directions come first.
typedef struct SbPair {
  int32_t surface;                       // index of the surface
  int32_t first;                         // SB_FIRST_*
} SbPair;

// What a geom brings to a contact.
typedef struct SbGeom {
  int32_t material;                      // index into the pair table
  int32_t cap, on_cap, on_side;          // friction axes (model/shapes.py FrictionAxes); -1: none
} SbGeom;

// One joint axis: dry friction, spring-damper, stops. What its motor is told is in SbCommand.
typedef struct SbAxis {
  int32_t kind;                          // SB_AXIS_*
  int32_t dof;                           // index into qvel; of a ball joint its first dof; else -1
  int32_t qpos;                          // index into qpos; of a ball joint its quaternion; else -1
  int32_t rigid;                         // 1: commands are met whatever the effort, positions in one step
  double range_low, range_high;          // where a kinematic axis stops by itself; infinite = nowhere
  double static_friction;                // greatest effort of dry friction
  double spring;                         // stiffness towards position 0
  double damping;
  double stop_low, stop_high;            // infinite = none
  double stop_erp, stop_cfm, stop_bounce;
} SbAxis;

// Euler angles of a ball joint: axis 1 is fixed in the parent, axis 3 in the child, axis 2 is perpendicular
// to both. All in the child's frame (of a loop: its joint frame 1) at the start.
typedef struct SbBall {
  int32_t axis;                          // row of the axis table of the first angle; the others follow
  int32_t loop;                          // row of the loop table if the joint closes a loop, else -1
  double first[3], second[3], third[3];
  double start[3];                       // angles at the start
} SbBall;

// A joint between two bodies that closes a loop: of the scene, or made at run time (SbState.grips).
typedef struct SbLoop {
  int32_t kind;                          // SB_LOOP_*
  int32_t body[2];
  int32_t axis;                          // first row of the axis table, -1 = none
  double pos[2][3], quat[2][4];          // joint frames in the bodies
  double start[2];                       // positions at the start
  double second[3];                      // second axis of a hinge2, in joint frame 1
  double turned;                         // angle about z of frame 1 in frame 0 at the start
} SbLoop;

// Surface of a body that moves at contacts.
typedef struct SbTrack {
  int32_t body;
  int32_t axis;                          // row of the axis table
  int32_t around;                        // 1: full speed at every contact, along normal x side
  int32_t pad;
  double forward[3], up[3];              // in the body's frame
  double mass;                           // of all that is rigidly one with it [kg], for commands of force
} SbTrack;

// A body without physics whose joint moves it against its parent.
typedef struct SbKinematic {
  int32_t body;
  int32_t axis;                          // row of the axis table of the first axis
  int32_t axes;                          // 1..3
  int32_t slides;                        // 1: along the axis, 0: about it
  double anchor[3];                      // in the parent
  double direction[3][3];                // of the axes, in the parent at the start
  double start[3];                       // positions at the start
} SbKinematic;

// Thrust and torque of a shaft, or of a rotor whose force a program sets.
typedef struct SbPropeller {
  int32_t body;
  int32_t axis;                          // row of the axis table; -1: those of SbThrust are applied
  double point[3];                       // where the thrust acts, in the body's frame
  double direction[3];                   // of the shaft, in the body's frame
  double local[3];                       // the same in the propeller's own frame
  double thrust[2], torque[2];           // constants of the rate and of the advance speed
  double max_torque;
} SbPropeller;

// A shape of a body and a shape of a fluid that it reacts to.
typedef struct SbImmersion {
  int32_t body;
  int32_t form, fluid_form;              // SB_FLUID_*
  int32_t projected;                     // 1: drag by projected areas, 0: by the wetted area
  int32_t triangles[2], fluid_triangles[2]; // first and count, of a mesh
  double pos[3], quat[4];                // of the shape in the body's frame
  double size[3];                        // half edges; radius, half height
  double area;                           // of the whole shape [m^2]
  double fluid_pos[3], fluid_quat[4], fluid_size[3];
  double density, viscosity;
  double stream[3];                      // [m/s], world
  double drag_force[3], drag_torque[3];
  double viscous_force, viscous_torque;
} SbImmersion;

// Velocity that a dynamic body loses in each step.
typedef struct SbDamper {
  int32_t body;
  int32_t free_dof;                      // first dof if the body is a single free body, else -1
  double linear, angular;                // shares of linear and angular velocity lost per step
} SbDamper;

// A kinematic tree.
typedef struct SbTree {
  int32_t stays_awake;                   // 1: never sleeps
} SbTree;

// Constants of the whole simulation.
typedef struct SbWorld {
  double erp, cfm;                       // of rows without their own; cfm in velocity per force
  double sleep_time;                     // bodies that hardly move for so long are put to rest [s]; 0 = never
  double sleep_linear, sleep_angular;    // speeds below which a body hardly moves [m/s], [rad/s]
  int32_t ode_rotation;                  // 1: advance orientations as ODE does
  int32_t materials;                     // number of materials; the pair table is materials x materials
  int32_t axes, dampers;                 // numbers of rows
  int32_t ode_caps;                      // 1: depths under a cylinder's cap as ODE has them (sb_colliders.c)
  int32_t follows_sliding;               // 1: some surface does
  int32_t middle_coriolis;               // 1: Coriolis forces of jointed trees of the middle of the step
  int32_t balls;                         // number of SbBall
  int32_t loops;                         // joints that close loops: SbTables.loops, then SbState.grips
  int32_t grips;                         // how many of them are SbState.grips
  int32_t tracks, kinematics, propellers, immersions; // numbers of rows
  int32_t implicit_gyro;                 // 1: the gyroscopic torque of the end of the step
  int32_t runge_kutta;                   // 1: integrate by Runge and Kutta's rule (sb_rk4.c)
  int32_t moves_late;                    // 1: kinematic bodies move after contacts have been found
  int32_t pad;
} SbWorld;

// One mesh or height field. A height field is solid down to its bottom; a mesh is its skin only.
typedef struct SbTerrain {
  int32_t geom;                          // MuJoCo geom that stands for it in contacts
  int32_t kind;                          // SB_TERRAIN_*
  int32_t contype, conaffinity;
  int32_t node_start, node_count;
  int32_t triangle_start, triangle_count;
  double pos[3], mat[9];                 // its frame in that of its body; mat row-major
  double lo[3], hi[3];                   // bounding box, that of heights down to the bottom
} SbTerrain;

// A face with its outward normal: normal.x = offset. side[k]: plane through edge k, square to the face
// (height fields: upright); a point is over the face if side[k].x >= side[k][3] for all k.
typedef struct SbTriangle {
  double lo[3], hi[3];
  double normal[3], offset;
  double side[3][4];
  double centre[3];
  double corner[3][3];
  int32_t edge_start, edge_count;        // edges and corners that this face is the first to have
  int32_t peak_start, peak_count;
  int32_t ridge[3], pad;                 // each side as an edge that sticks out, -1 if it does not
} SbTriangle;

// An edge that sticks out, or at the border. Directions w of a possible contact have w.c0 >= 0 and w.c1 >=
// 0. c0 lies in the plane of one face, square to the edge, and points away from that face; c1 is the same
// of the other face, at a border the normal of the only face.
typedef struct SbEdge {
  double start[3], step[3];
  double c0[3], c1[3];
  double bend;                           // angle between the normals of the two faces; pi at a border [rad]
  int32_t border;
  int32_t pad;
} SbEdge;

// A corner from which edges go out in the directions `spoke`.
typedef struct SbPeak {
  double point[3];
  int32_t spoke_start, spoke_count;
} SbPeak;

// Node of an AABB tree. count > 0: triangles first .. first+count-1; count 0: children are the next node
// and node `first`. Triangles are stored in the order of the leaves.
typedef struct SbNode {
  double lo[3], hi[3];
  int32_t first, count;
} SbNode;

// Corners and planes of a convex body, in the frame of its geom.
typedef struct SbHull {
  int32_t geom, pad;
  int32_t point_start, point_count;
  int32_t plane_start, plane_count;
} SbHull;

// The vertices of a moving shape made of triangles, which planes meet (sb_mesh_vertices.c).
typedef struct SbMesh {
  int32_t geom;                          // MuJoCo geom that stands for it in contacts with planes
  int32_t node_start;
  int32_t point_start, point_count;
  double pos[3], mat[9];                 // its frame in that of its body; mat row-major
} SbMesh;

// Node of an AABB tree over points first .. first+count-1 of a mesh. right 0: a leaf; else its children are
// the next node and node `right`.
typedef struct SbMeshNode {
  double lo[3], hi[3];
  int32_t first, count;
  int32_t right, pad;
} SbMeshNode;

// What the whole simulation is told between steps.
typedef struct SbFlags {
  int32_t has_forces;                    // 1: xfrc_applied holds forces for the next step, then cleared
  int32_t movers;                        // how many rows of SbMover are in use
} SbFlags;

// What the motor of an axis is told.
typedef struct SbCommand {
  int32_t mode;                          // SB_MOTOR_*
  int32_t asked;                         // 1: a program has set target_velocity; of no concern to the step
  double target_position;
  double target_velocity;                // commanded speed, or speed limit in position mode
  double target_effort;                  // used in effort mode
  double available_effort;               // greatest effort of the motor row
  double acceleration;                   // limit on the change of commanded velocity; INFINITY = none
  double p, i, d;                        // position controller
  double brake;                          // damping that a brake adds
} SbCommand;

// Memory of an axis between steps.
typedef struct SbMotorState {
  double velocity;                       // velocity commanded in the last step
  double integral;                       // integral of the position error
  double error;                          // position error of the last step
  double position;                       // of axes without qpos; of a ball's outer axes where they were last known
  double effort;                         // what the motor and dry friction gave in the last step
  double reaction;                       // the same with the stops: what the joint itself transmits
} SbMotorState;

// A kinematic body that moves with a given velocity.
typedef struct SbMover {
  int32_t mocap;                         // mocap index, or -1: it moves against the body that carries it
  int32_t body;
  double linear[3], angular[3];          // [m/s] and [rad/s], world
} SbMover;

// Where the body of an SbKinematic is in its parent when its joint stands at its start.
typedef struct SbPlace {
  double pos[3], quat[4];
} SbPlace;

// What a program lets a rotor give, by row of the propeller table.
typedef struct SbThrust {
  double force, moment;
} SbThrust;

// Rest of a kinematic tree.
typedef struct SbRest {
  double idle;                           // how long it has hardly moved [s]
  int32_t ready;                         // 1: falls asleep at the start of the next step
  int32_t pad;
} SbRest;

// What one call of sb_run did.
typedef struct SbStats {
  int64_t steps;                         // steps done since sb_new or sb_clear
  int64_t not_converged;                 // of those, steps whose residual stayed above the tolerance
  int64_t contacts_dropped;              // contacts left out because a pair had more than max_contacts
  int64_t memory_full;                   // steps in which MuJoCo ran out of room for contacts or rows
  int64_t too_fast;                      // steps in which a body moved by more than half its thickness
  double residual;                       // of the last step [m/s]: worst violation of the law's equations
  double worst_residual;                 // since sb_new or sb_clear
  int32_t rows;                          // rows of the last step
  int32_t contacts;                      // contacts of the last step
  int32_t islands;                       // independent groups of bodies in the last step
  int32_t sweeps;                        // Gauss-Seidel sweeps of the last step
  int32_t solves;                        // exact solves of the last step
  int32_t factorizations;                // matrix factorisations of the last step
  int64_t contacts_lost;                 // contacts that found no room in MuJoCo's memory
  int32_t most_dropped;                  // greatest number of contacts that one pair lost to its limit in a step
  int32_t dropped_geom[2];               // that pair; meaningless while most_dropped is 0
  int32_t most_found;                    // greatest number of contacts of one pair in a step that found no room
  int32_t lost_geom[2];                  // that pair; meaningless while most_found is 0
} SbStats;

// A plain sensor, read together with others in one call.
typedef struct SbSense {
  int32_t kind;                          // SB_SENSE_*
  int32_t body;                          // that it is fixed to
  double position[3];                    // in the body's frame [m]
  double rotation[4];                    // its axes in the body's frame
  double extra[3];
  double offset;
  double* memory;                        // velocity at the last reading, for accelerations
  double* out;                           // where the values go
} SbSense;

_Static_assert(sizeof(SbSurface) == 208 && sizeof(SbPair) == 8 && sizeof(SbGeom) == 16 &&
  sizeof(SbAxis) == 96 && sizeof(SbBall) == 104 && sizeof(SbLoop) == 176 && sizeof(SbTrack) == 72 &&
  sizeof(SbKinematic) == 136 && sizeof(SbPropeller) == 120 && sizeof(SbImmersion) == 304 &&
  sizeof(SbDamper) == 24 && sizeof(SbTree) == 4 && sizeof(SbWorld) == 112 && sizeof(SbTerrain) ==
  176 && sizeof(SbTriangle) == 304 && sizeof(SbEdge) == 112 && sizeof(SbPeak) == 32 &&
  sizeof(SbNode) == 56 && sizeof(SbHull) == 24 && sizeof(SbMesh) == 112 && sizeof(SbMeshNode) == 64
  && sizeof(SbFlags) == 8 && sizeof(SbCommand) == 80 && sizeof(SbMotorState) == 48 &&
  sizeof(SbMover) == 56 && sizeof(SbPlace) == 56 && sizeof(SbThrust) == 16 && sizeof(SbRest) == 16
  && sizeof(SbStats) == 112 && sizeof(SbSense) == 112, "layout");

// Forms that MuJoCo does not collide as we need it; empty for scenes of primitives.
typedef struct SbCollision {
  const SbTerrain* terrains;
  const SbTriangle* triangles;           // of all terrains, in the order of their leaves
  const SbEdge* edges;                   // each belongs to one triangle
  const SbPeak* peaks;                   // each belongs to one triangle
  const double* spokes;                  // 3 per spoke, unit vectors
  const SbNode* nodes;                   // of all terrains
  const SbHull* hulls;                   // one per convex body that is not a primitive
  const double* hull_points;             // 3 per corner, in the geom's frame
  const double* hull_planes;             // 4 per plane: outward normal, offset
  const SbMesh* meshes;                  // one per moving shape made of triangles
  const double* mesh_points;             // 3 per vertex, in its own frame
  const int32_t* mesh_ranks;             // per vertex: of equally deep ones the lowest are kept
  const SbMeshNode* mesh_nodes;          // of all meshes
  // per MuJoCo body: how far it may move in a step without passing through anything [m] (the radius inside
  // its thickest shape); 0 for what does not move or collide
  const double* body_sizes;
  // per MuJoCo geom: which shape of several parts it belongs to, -1 none; empty without such shapes
  const int32_t* groups;
  // per MuJoCo geom: 1 for the hull of a hollow mesh, whose triangles are a terrain of that geom and which
  // is cut when it meets another such mesh; empty without such meshes
  const int32_t* hollow;
  int32_t terrain_count, hull_count, mesh_count, body_count, group_count, hollow_count;
} SbCollision;

// All constants of a step beside MjModel.
typedef struct SbTables {
  const SbWorld* world;                  // one row; its counts say how many rows of the others are valid
  const SbSurface* surfaces;
  const SbPair* pairs;                   // materials x materials, row-major
  const SbGeom* geoms;                   // one per MuJoCo geom
  const SbAxis* axes;
  const SbDamper* dampers;
  const SbBall* balls;
  const SbLoop* loops;                   // of the scene; those that programs make are in the state
  const SbTrack* tracks;
  const SbKinematic* kinematics;
  const SbPropeller* propellers;
  const SbImmersion* immersions;
  const double* triangles;               // 9 per triangle, of immersed meshes and of fluids
  const SbTree* trees;                   // one per kinematic tree of MuJoCo
} SbTables;

// Where the state of one simulation lies.
typedef struct SbState {
  SbFlags* flags;
  const SbCommand* commands;
  SbMotorState* motors;
  const SbMover* movers;
  const SbLoop* grips;
  const SbPlace* kinematics;
  const SbThrust* propellers;
  SbRest* trees;
  // of a model of the simulation's own; NULL: it is shared, no body fixed to another one moves
  double *body_pos, *body_quat;
} SbState;

#endif  // SB_LAYOUT_H_
