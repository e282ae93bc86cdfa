// What changes from step to step beside mjData: one row of contact/state.py, field by field. The step writes
// here, into mjData and into its own memory, and nowhere else.
#ifndef SB_STATE_H_
#define SB_STATE_H_

#include "sb_tables.h"

// What the whole simulation is told between steps.
typedef struct SbFlags {
  int32_t has_forces;        // 1: xfrc_applied holds forces for the next step, then cleared
  int32_t movers;            // how many rows of SbMover are in use
} SbFlags;

// Control modes of a motor.
enum { SB_MOTOR_NONE = 0, SB_MOTOR_VELOCITY = 1, SB_MOTOR_POSITION = 2, SB_MOTOR_EFFORT = 3 };

// What the motor of an axis is told.
typedef struct SbCommand {
  int32_t mode;              // SB_MOTOR_*
  int32_t asked;             // 1: a program has set target_velocity; of no concern to the step
  double target_position;
  double target_velocity;    // commanded speed, or speed limit in position mode
  double target_effort;      // used in effort mode
  double available_effort;   // greatest effort of the motor row
  double acceleration;       // limit on the change of commanded velocity; INFINITY = none
  double p, i, d;            // position controller
  double brake;              // damping that a brake adds
} SbCommand;

// Memory of an axis between steps.
typedef struct SbMotorState {
  double velocity;           // velocity commanded in the last step
  double integral;           // integral of the position error
  double error;              // position error of the last step
  double position;           // of axes that are not in qpos (loops, tracks, kinematic, propellers);
                             // of a ball joint's outer axes where they were last known
  double effort;             // what the motor and dry friction gave in the last step
  double reaction;           // the same with the stops: what the joint itself transmits
} SbMotorState;

// A kinematic body that moves with a given velocity.
typedef struct SbMover {
  int32_t mocap;             // mocap index, or -1: it moves against the body that carries it
  int32_t body;
  double linear[3];          // [m/s], world
  double angular[3];         // [rad/s], world
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
  double idle;               // how long it has hardly moved [s]
  int32_t ready;             // 1: falls asleep at the start of the next step
  int32_t pad;
} SbRest;

// Where one simulation's row lies.
typedef struct SbState {
  SbFlags* flags;
  const SbCommand* commands;    // one per axis
  SbMotorState* motors;         // one per axis
  const SbMover* movers;
  const SbLoop* grips;
  const SbPlace* kinematics;    // one per SbKinematic
  const SbThrust* propellers;   // one per SbPropeller
  SbRest* trees;                // one per kinematic tree
  double *body_pos, *body_quat; // of a model of the simulation's own; NULL: it is shared, no body that is
                                // fixed to another one moves
} SbState;

#endif  // SB_STATE_H_
