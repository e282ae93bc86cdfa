/* The old place of plugins/robot_window/default.h. */

#include "../plugins/robot_window/default.h"
