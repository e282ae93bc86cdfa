// Colliders of our own, for pairs where MuJoCo's contact points are not ODE's: cylinders on planes
// and on boxes. They see numbers only and use no memory but their arguments.
// The Python twin is contact/reference/colliders.py, which does the same operations in the same
// order and gives the same bits.
#ifndef SB_COLLIDERS_H_
#define SB_COLLIDERS_H_

// A GPU takes the same source: `gpu/native/sb_step_world.h` says what its functions and tables are there.
#ifndef SB_LOCAL
#define SB_LOCAL static
#define SB_OPEN
#define SB_TABLE const
#endif

// Corners of a rectangle cut by nine planes: 4 + 9 at most. A cylinder on a plane has 8 at most.
#define SB_MAX_POINTS 13

// Points of one normal that are kept as they are, and most points that are looked at together.
#define SB_FEW_POINTS 8
#define SB_SPREAD_POINTS 64

#ifndef SB_NO_LIBC
// cos and sin of the azimuths of the sides of a prism around a cylinder.
extern const double sb_prism_side[8][2];
#endif

typedef struct SbManifold {
  double normal[3];                // from geom 0 to geom 1
  double point[SB_MAX_POINTS][3];  // where ODE puts them, see sb_law.h section 4
  double depth[SB_MAX_POINTS];     // >= 0
  int count;                       // 0: the geoms do not touch
} SbManifold;

// Poses: position and 3x3 row-major rotation to the world; half: half the height of the cylinder,
// whose axis is its z; ode_depths: 1 for ODE's own depths under a tilted cap. Return 1, or 0 when undecided: take MuJoCo's contacts then.
// Points of a cylinder with axes x, y, a under the plane through plane_pos square to out->normal.
SB_OPEN void sb_cylinder_under_plane(const double* plane_pos, const double* pos, const double* x,
                             const double* y, const double* a, double radius, double half,
                             SbManifold* out);
SB_OPEN int sb_collide_plane_cylinder(const double* plane_pos, const double* plane_mat, const double* pos,
                              const double* mat, double radius, double half, SbManifold* out);
SB_OPEN int sb_spread(const double (*point)[3], const double* depth, int count, const double* x,
              const double* y, int* kept);
SB_OPEN int sb_collide_cylinder_box(const double* pos, const double* mat, double radius, double half,
                            const double* box_pos, const double* box_mat, const double* box_half,
                            int ode_depths, SbManifold* out);

#endif  // SB_COLLIDERS_H_
