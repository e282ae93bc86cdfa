/* The old place of plugins/robot_window/robot_wwi.h. */

#include "plugins/robot_window/robot_wwi.h"
