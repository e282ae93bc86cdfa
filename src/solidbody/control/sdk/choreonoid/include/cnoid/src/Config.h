/* The release of Choreonoid whose names the SDK has. */

#pragma once

#define CNOID_VERSION 20300
#define CNOID_MAJOR_VERSION 2
#define CNOID_MINOR_VERSION 3
#define CNOID_PATCH_VERSION 0
#define CNOID_VERSION_STRING "2.3.0"
#define CNOID_FULL_VERSION_STRING "2.3.0 (solidbody)"
#define CNOID_PLUGIN_SUBDIR "lib/choreonoid-2.3"
#define CNOID_SHARE_SUBDIR "share/choreonoid-2.3"

/* Symbols of controllers are seen by default. */
#define CNOID_EXPORT
#define CNOID_GENERAL_EXPORT
