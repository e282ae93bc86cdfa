// Tables that the compiler fills and the step reads. Each struct mirrors a numpy dtype of
// contact/tables.py field by field; their sizes are compared when the library is loaded.
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
  double max_depth;          // deeper contacts are left out [m]
  int32_t friction_count;    // 1..4
  int32_t slip_count;        // 1..4
  int32_t max_contacts;      // points kept per pair of geoms, deepest first
  int32_t second_zero;       // 1: symmetric friction with axis-dependent rolling has mu2 = 0
  int32_t follows_sliding;   // 1: the first tangent of isotropic friction points along the sliding
  int32_t keeps_spread;      // 1: the points kept are the deepest and those farthest from each other
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

// Control modes of a motor.
enum { SB_MOTOR_NONE = 0, SB_MOTOR_VELOCITY = 1, SB_MOTOR_POSITION = 2, SB_MOTOR_EFFORT = 3 };

// One joint axis with its own rows: motor, dry friction, spring-damper, stops.
typedef struct SbAxis {
  int32_t dof;               // index into qvel
  int32_t qpos;              // index into qpos
  int32_t mode;              // SB_MOTOR_*
  int32_t pad;
  double target_position;
  double target_velocity;    // commanded speed, or speed limit in position mode
  double target_effort;      // used in effort mode
  double available_effort;   // greatest effort of the motor row
  double acceleration;       // limit on the change of commanded velocity; INFINITY = none
  double p, i, d;            // position controller
  double static_friction;    // greatest effort of dry friction
  double spring;             // stiffness towards position 0
  double damping;
  double stop_low;           // -INFINITY = none
  double stop_high;          // INFINITY = none
  double stop_erp;
  double stop_cfm;
  double stop_bounce;
} SbAxis;

// Memory of a motor between steps.
typedef struct SbMotorState {
  double velocity;           // velocity commanded in the last step
  double integral;           // integral of the position error
  double error;              // position error of the last step
} SbMotorState;

// A kinematic body that moves with a given velocity.
typedef struct SbMover {
  int32_t mocap;             // mocap index
  int32_t pad;
  double linear[3];          // [m/s], world
  double angular[3];         // [rad/s], world
} SbMover;

// Velocity that a dynamic body loses in each step.
typedef struct SbDamper {
  int32_t body;              // body index
  int32_t free_dof;          // first dof if the body is a single free body, else -1
  double linear;             // share of linear velocity lost per step
  double angular;            // share of angular velocity lost per step
} SbDamper;

// Constants of the whole simulation.
typedef struct SbWorld {
  double erp;                // of rows without their own
  double cfm;                // of rows without their own [velocity per force]
  int32_t ode_rotation;      // 1: advance orientations as ODE does
  int32_t materials;         // number of materials; the pair table is materials x materials
  int32_t axes;              // number of SbAxis
  int32_t movers;            // number of SbMover
  int32_t dampers;           // number of SbDamper
  int32_t ode_caps;          // 1: depths under a cylinder's cap as ODE has them (sb_colliders.c)
  int32_t follows_sliding;   // 1: some surface does
  int32_t pad;
} SbWorld;

#endif  // SB_TABLES_H_
