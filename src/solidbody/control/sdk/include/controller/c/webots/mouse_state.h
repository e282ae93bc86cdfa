/* Where the mouse is and what is pressed. */

#ifndef WB_MOUSE_STATE_H
#define WB_MOUSE_STATE_H

#include "types.h"

typedef struct {
  bool left;
  bool middle;
  bool right;
  double u; /* across and down the view, 0 to 1 */
  double v;
  double x; /* the point in the world below it [m]; NaN unless that is enabled */
  double y;
  double z;
} WbMouseState;

#endif
