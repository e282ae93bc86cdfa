/* The old place of plugins/robot_window/robot_window.h. */

#include "plugins/robot_window/robot_window.h"
