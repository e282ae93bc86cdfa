// What the columns of tables and states are. `layout.py`, `model_tables.py` and `worlds.py` have the same orders.
#ifndef SB_FIELDS_H_
#define SB_FIELDS_H_

// Fields of a motor's memory, of its command and of an axis, in the order of contact/layout.py.
enum { MO_VELOCITY, MO_INTEGRAL, MO_ERROR, MO_POSITION, MO_EFFORT, MO_REACTION, MO_SIZE };
enum { CM_MODE, CM_POSITION, CM_VELOCITY, CM_EFFORT, CM_AVAILABLE, CM_ACCELERATION, CM_P, CM_I, CM_D, CM_BRAKE,
       CM_SIZE };
enum { AX_FRICTION, AX_SPRING, AX_DAMPING, AX_LOW, AX_HIGH, AX_ERP, AX_CFM, AX_BOUNCE, AX_SIZE };
enum { AI_KIND, AI_DOF, AI_QPOS, AI_RIGID, AI_ROW, AI_TREE, AI_SIZE };
enum { SB_AXIS_JOINT, SB_AXIS_BALL, SB_AXIS_LOOP, SB_AXIS_TRACK };
enum { SB_MOTOR_NONE, SB_MOTOR_VELOCITY, SB_MOTOR_POSITION, SB_MOTOR_EFFORT };
enum { SB_LOOP_NONE, SB_LOOP_BALL, SB_LOOP_HINGE, SB_LOOP_FIXED, SB_LOOP_PISTON, SB_LOOP_SLIDER, SB_LOOP_HINGE2,
       SB_LOOP_GRIP, SB_LOOP_PLANE };
enum { LI_KIND, LI_BODY, LI_AXIS = 3, LI_ROW, LI_SIZE };                    // ints of a loop
enum { LR_POS, LR_QUAT = 6, LR_START = 14, LR_SECOND = 16, LR_TURNED = 19, LR_SIZE };  // and reals
enum { BI_AXIS, BI_LOOP, BI_SIZE };
enum { BR_FIRST, BR_SECOND = 3, BR_THIRD = 6, BR_START = 9, BR_SIZE };
enum { SB_RESTLESS, SB_READY, SB_ASLEEP };
enum { ST_PIVOTS, ST_UNSOLVED, ST_LOST, ST_DROPPED, ST_CONTACTS, ST_STEPS, ST_SIZE };
// Rows of the tables of surfaces.
enum { SR_FRICTION, SR_SLIP = 4, SR_ROTATION = 8, SR_ROLLING = 10, SR_BOUNCE = 13, SR_BOUNCE_VELOCITY, SR_ERP,
       SR_CFM, SR_REST, SR_SCALE, SR_MIN_DEPTH, SR_MAX_DEPTH, SR_SIZE };
enum { SI_FRICTION, SI_SLIP, SI_MAX, SI_SECOND_ZERO, SI_SIZE };

#endif  // SB_FIELDS_H_
