/* Codes that colour text on a terminal. */

#ifndef WEBOTS_UTILS_ANSICODES_HPP
#define WEBOTS_UTILS_ANSICODES_HPP

#include "../../../c/webots/utils/ansi_codes.h"

#endif
