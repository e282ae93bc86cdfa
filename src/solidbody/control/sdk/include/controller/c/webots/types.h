/* What all other headers need. */

#if defined(WB_USING_CPP_API) && defined(WB_USING_C_API) && !defined(WB_ALLOW_MIXING_C_AND_CPP_API)
#warning "a controller uses the functions of C or the classes of C++, not both"
#endif

#ifndef WB_TYPES_H
#define WB_TYPES_H

typedef unsigned short WbDeviceTag; /* 0 = no device */

typedef struct WbImageStructPrivate *WbImageRef;
typedef struct WbMotionStructPrivate *WbMotionRef;
typedef struct WbNodeStructPrivate *WbNodeRef;
typedef struct WbProtoInfoStructPrivate *WbProtoRef;
typedef struct WbFieldStructPrivate *WbFieldRef;

#ifndef __cplusplus
#include <math.h> /* INFINITY */
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L
#ifndef bool
#define bool char
#endif
#ifndef true
#define true ((bool)1)
#endif
#ifndef false
#define false ((bool)0)
#endif
#endif
#endif

#define WB_ANGULAR 0 /* the name of WB_ROTATIONAL until R2018b */
typedef enum { WB_ROTATIONAL = 0, WB_LINEAR } WbJointType;

#ifndef WB_DEPRECATED
#ifdef __GNUC__
#define WB_DEPRECATED __attribute__((deprecated))
#else
#define WB_DEPRECATED
#endif
#endif

#endif
