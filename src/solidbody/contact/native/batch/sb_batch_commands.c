// Commands from bound arrays to motors. The law is that of sim/motors.py (turn, go_to, push), which
// tests/sim/test_batch_commands.py holds this to: a command goes to all motors that are coupled with the one
// it is for; each takes it times its own multiplier and within its own limits, and wakes what it moves.
#include <math.h>

#include "batch/sb_batch.h"

static void wake(SbStep* s, const int32_t* trees, int count) {
  for (int k = 0; k < count; k++) sb_wake_tree(s, trees[k]);
}

static double within(double wanted, double limit) {
  return wanted >= -limit && wanted <= limit ? wanted : copysign(limit, wanted);
}

static int turn(SbCommand* told, const SbFollower* one, double velocity) {
  told->target_velocity = within(velocity * one->multiplier, one->max_velocity);
  told->mode = SB_MOTOR_VELOCITY;
  return 1;
}

static int go_to(SbCommand* told, const SbFollower* one, double position) {
  double goal = position * one->multiplier;
  if (goal < one->low) goal = one->low;
  if (goal > one->high) goal = one->high;
  int is_new = told->mode != SB_MOTOR_POSITION;
  if (is_new) told->target_velocity = one->max_velocity;
  if (!is_new && told->target_position == goal) return 0;
  told->target_position = goal;
  told->mode = SB_MOTOR_POSITION;
  return 1;
}

static int push(SbCommand* told, const SbFollower* one, double effort) {
  double wanted = effort * one->multiplier;
  told->target_effort = fabs(wanted) > told->available_effort ? copysign(told->available_effort, wanted) : wanted;
  told->mode = SB_MOTOR_EFFORT;
  return 1;
}

void sb_batch_command(SbBatch* b, int copy) {
  SbStep* s = b->steps[copy];
  // the step itself only reads them
  SbCommand* commands = (SbCommand*)s->state.commands;
  const SbBatchTables* t = sb_tables_of(b, copy);
  for (int k = 0; k < t->order_count; k++) {
    const SbOrder* order = t->orders + k;
    double value = order->from[copy * order->stride];
    for (int i = 0; i < order->count; i++) {
      const SbFollower* one = t->followers + order->first + i;
      SbCommand* told = commands + one->axis;
      int wakes = order->mode == SB_MOTOR_VELOCITY   ? turn(told, one, value)
                  : order->mode == SB_MOTOR_POSITION ? go_to(told, one, value)
                                                     : push(told, one, value);
      if (wakes) wake(s, t->trees + one->tree_start, one->tree_count);
    }
  }
}
