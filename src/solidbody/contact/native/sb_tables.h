// Tables that the compiler fills: they never change, the step only reads them. Each struct mirrors a numpy
// dtype of contact/tables.py field by field; their sizes are compared when the library is loaded.
#ifndef SB_TABLES_H_
#define SB_TABLES_H_

#include <stdint.h>

// The surface law between two materials (model/contacts.py says what each number means).
typedef struct SbSurface {
  double friction[4];        // Coulomb coefficients; INFINITY allowed
  double slip[4];            // force-dependent slip [m/(s*N)]
  double rotation[2];        // turn of the friction directions of first and second surface [rad]
  double rolling[3];         // rho about t1, about t2, about the normal [m]
  double bounce;             // restitution, 0..1
  double bounce_velocity;    // approach speed below which nothing bounces [m/s]
  double erp;                // share of the penetration removed per step
  double cfm;                // softness of the normal row [m/(s*N)]
  double static_friction;    // coefficient while nothing slides; read if follows_sliding
  double rest_depth;         // depth to which contacts are pushed out [m]
  double depth_scale;        // greatest push-out speed, as a depth: erp/h*depth_scale [m]
  double min_depth;          // shallower contacts are left out [m]
  double max_depth;          // deeper contacts are left out [m]
  int32_t friction_count;    // 1..4
  int32_t slip_count;        // 1..4
  int32_t max_contacts;      // points kept per pair of geoms, deepest first
  int32_t second_zero;       // 1: symmetric friction with axis-dependent rolling has mu2 = 0
  int32_t follows_sliding;   // 1: the first tangent of isotropic friction follows the sliding
  int32_t keeps_spread;      // 1: the points kept are the deepest and those farthest from each other
  int32_t remembers_loads;   // 1: loads of the last step and of its friction bound friction (sb_loads.c)
  int32_t pad;
} SbSurface;

// Which surface holds between two materials, and whose directions come first.
typedef struct SbPair {
  int32_t surface;           // index of the surface
  int32_t first;             // 0: the row material is "first", 1: the column material, 2: either
} SbPair;

// What a geom brings to a contact.
typedef struct SbGeom {
  int32_t material;          // index into the pair table
  int32_t cap;               // friction axes (model/shapes.py FrictionAxes); -1: none defined
  int32_t on_cap;
  int32_t on_side;
} SbGeom;

// What an axis moves.
enum {
  SB_AXIS_JOINT = 0,      // one dof
  SB_AXIS_BALL = 1,       // one Euler angle of a ball joint
  SB_AXIS_LOOP = 2,       // the axis of a joint that closes a loop
  SB_AXIS_TRACK = 3,      // the surface of a track
  SB_AXIS_KINEMATIC = 4,  // a body without physics
  SB_AXIS_PROPELLER = 5   // the shaft of a propeller
};

// One joint axis: dry friction, spring-damper, stops. What its motor is told is in SbCommand.
typedef struct SbAxis {
  int32_t kind;              // SB_AXIS_*
  int32_t dof;               // index into qvel; of a ball joint its first dof; else -1
  int32_t qpos;              // index into qpos; of a ball joint its quaternion; else -1
  int32_t rigid;             // 1: commands are met whatever the effort, positions in one step
  double range_low;          // where a kinematic axis stops by itself; -INFINITY = nowhere
  double range_high;
  double static_friction;    // greatest effort of dry friction
  double spring;             // stiffness towards position 0
  double damping;
  double stop_low;           // -INFINITY = none
  double stop_high;          // INFINITY = none
  double stop_erp;
  double stop_cfm;
  double stop_bounce;
} SbAxis;

// Euler angles of a ball joint: axis 1 is fixed in the parent, axis 3 in the child, axis 2 is
// perpendicular to both. All in the child's frame (of a loop: its joint frame 1) at the start.
typedef struct SbBall {
  int32_t axis;              // row of the axis table of the first angle; the others follow
  int32_t loop;              // row of the loop table if the joint closes a loop, else -1
  double first[3], second[3], third[3];
  double start[3];           // angles at the start
} SbBall;

// Kinds of joints that close a loop; z of end 0 is the (first) axis.
enum {
  SB_LOOP_NONE = 0, SB_LOOP_BALL = 1, SB_LOOP_HINGE = 2, SB_LOOP_FIXED = 3, SB_LOOP_PISTON = 4,
  SB_LOOP_SLIDER = 5, SB_LOOP_HINGE2 = 6,
  SB_LOOP_GRIP = 7,          // fixed, made at run time: its bodies do not collide
  SB_LOOP_PLANE = 8          // end 1 keeps to the x-y plane of end 0 and turns about z only
};

// A joint between two bodies that closes a loop: of the scene, or made at run time (SbState.grips).
typedef struct SbLoop {
  int32_t kind;              // SB_LOOP_*
  int32_t body[2];
  int32_t axis;              // first row of the axis table, -1 = none
  double pos[2][3];          // joint frames in the bodies
  double quat[2][4];
  double start[2];           // positions at the start
  double second[3];          // second axis of a hinge2, in joint frame 1
  double turned;             // angle about z of frame 1 in frame 0 at the start
} SbLoop;

// Surface of a body that moves at contacts.
typedef struct SbTrack {
  int32_t body;
  int32_t axis;              // row of the axis table
  int32_t around;            // 1: full speed at every contact, along normal x side
  int32_t pad;
  double forward[3], up[3];  // in the body's frame
  double mass;               // of all that is rigidly one with it [kg], for commands of force
} SbTrack;

// A body without physics whose joint moves it against its parent.
typedef struct SbKinematic {
  int32_t body;
  int32_t axis;              // row of the axis table of the first axis
  int32_t axes;              // 1..3
  int32_t slides;            // 1: along the axis, 0: about it
  double anchor[3];          // in the parent
  double direction[3][3];    // of the axes, in the parent at the start
  double start[3];           // positions at the start
} SbKinematic;

// Thrust and torque of a shaft, or of a rotor whose force a program sets.
typedef struct SbPropeller {
  int32_t body;
  int32_t axis;              // row of the axis table; -1: those of SbThrust are applied
  double point[3];           // where the thrust acts, in the body's frame
  double direction[3];       // of the shaft, in the body's frame
  double local[3];           // the same in the propeller's own frame
  double thrust[2], torque[2];  // constants of the rate and of the advance speed
  double max_torque;
} SbPropeller;

// Velocity that a dynamic body loses in each step.
typedef struct SbDamper {
  int32_t body;              // body index
  int32_t free_dof;          // first dof if the body is a single free body, else -1
  double linear;             // share of linear velocity lost per step
  double angular;            // share of angular velocity lost per step
} SbDamper;

// Forms of immersed bodies and of fluids.
enum {
  SB_FLUID_BOX = 0, SB_FLUID_SPHERE = 1, SB_FLUID_CAPSULE = 2, SB_FLUID_CYLINDER = 3,
  SB_FLUID_MESH = 4, SB_FLUID_PLANE = 5
};

// A shape of a body and a shape of a fluid that it reacts to.
typedef struct SbImmersion {
  int32_t body;
  int32_t form, fluid_form;  // SB_FLUID_*
  int32_t projected;         // 1: drag by projected areas, 0: by the wetted area
  int32_t triangles[2];      // first and count, of a mesh
  int32_t fluid_triangles[2];
  double pos[3], quat[4];    // of the shape in the body's frame
  double size[3];            // half edges; radius, half height
  double area;               // of the whole shape [m^2]
  double fluid_pos[3], fluid_quat[4], fluid_size[3];
  double density, viscosity;
  double stream[3];          // [m/s], world
  double drag_force[3], drag_torque[3];
  double viscous_force, viscous_torque;
} SbImmersion;

// A kinematic tree.
typedef struct SbTree {
  int32_t stays_awake;       // 1: never sleeps
} SbTree;

// Constants of the whole simulation.
typedef struct SbWorld {
  double erp;                // of rows without their own
  double cfm;                // of rows without their own [velocity per force]
  double sleep_time;         // bodies that hardly move for so long are put to rest [s]; 0 = never
  double sleep_linear;       // speeds below which a body hardly moves [m/s], [rad/s]
  double sleep_angular;
  int32_t ode_rotation;      // 1: advance orientations as ODE does
  int32_t materials;         // number of materials; the pair table is materials x materials
  int32_t axes;              // number of SbAxis
  int32_t dampers;           // number of SbDamper
  int32_t ode_caps;          // 1: depths under a cylinder's cap as ODE has them (sb_colliders.c)
  int32_t follows_sliding;   // 1: some surface does
  int32_t middle_coriolis;   // 1: velocity-dependent forces of jointed trees of the middle of the step
  int32_t balls;             // number of SbBall
  int32_t loops;             // number of joints that close loops: SbTables.loops, then SbState.grips
  int32_t grips;             // how many of them are SbState.grips
  int32_t tracks;            // number of SbTrack
  int32_t kinematics;        // number of SbKinematic
  int32_t propellers;        // number of SbPropeller
  int32_t immersions;        // number of SbImmersion
  int32_t implicit_gyro;     // 1: the gyroscopic torque of the end of the step
  int32_t runge_kutta;       // 1: integrate by Runge and Kutta's rule (sb_runge.c)
  int32_t moves_late;        // 1: kinematic bodies move after contacts have been found
  int32_t pad;
} SbWorld;

// All constants beside MuJoCo's model. Arrays of zero rows may be NULL.
typedef struct SbTables {
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
  const double* triangles;   // 9 per triangle, of SbImmersion
  const SbTree* trees;       // one per kinematic tree
} SbTables;

#endif  // SB_TABLES_H_
