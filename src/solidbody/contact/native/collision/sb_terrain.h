// Terrain: triangles of static meshes and of height fields, and what collides with them.
#ifndef SB_TERRAIN_H_
#define SB_TERRAIN_H_

#include "base/sb_layout.h"
#include "collision/sb_colliders.h"

// A GPU takes this header and the sources below but sb_terrain_pairs.c: see SB_OPEN in sb_colliders.h.

// A body in the frame of the terrain.
typedef struct SbSolid {
  int form;                   // SB_FORM_*
  double p[3];                // centre
  double axis[3][3];          // its own axes
  double size[3];             // as MuJoCo's geom_size
  double lo[3], hi[3];        // bounding box
  const double* corner;       // of a box or hull, 3 each
  const double* plane;        // of a box or hull, 4 each
  int corners, planes;
} SbSolid;

// Contact points of one pair: normals from the terrain to the body.
typedef struct SbPatch {
  double point[SB_PATCH_POINTS][3];
  double normal[SB_PATCH_POINTS][3];
  double depth[SB_PATCH_POINTS];
  int count;
} SbPatch;

// One pair while it is collided. `candidate`: triangles whose boxes meet the body's, ascending.
typedef struct SbMeeting {
  const SbCollision* all;
  const SbTerrain* terrain;
  const SbSolid* body;
  const int* candidate;
  int candidates;
  SbPatch* out;
} SbMeeting;

// sb_terrain.c
SB_OPEN void sb_patch_add(SbPatch* out, const double* point, const double* normal, double depth);
SB_OPEN void sb_patch_choose(const SbPatch* patch, unsigned char* keep);
SB_OPEN void sb_patch_thin_out(SbPatch* out);
SB_OPEN int sb_over_face(const SbTriangle* face, const double* p);
SB_OPEN int sb_is_hidden(const SbMeeting* m, const double* p, double depth, int face);
SB_OPEN int sb_border_goes_on(const SbMeeting* m, const double* q, const double* away);
SB_OPEN void sb_collide_round(const SbMeeting* m);   // spheres and capsules
// sb_terrain_solids.c
SB_OPEN double sb_inner_radius(const SbSolid* b);
SB_OPEN int sb_is_out_again(const SbMeeting* m, const double* p, double depth, const SbTriangle* here);
SB_OPEN void sb_collide_solid(const SbMeeting* m);   // boxes, cylinders and hulls
// sb_terrain_bodies.c
SB_OPEN int sb_is_far(const SbTerrain* t, const double* centre, double radius);
SB_OPEN void sb_place_solid(const SbCollision* all, const SbHull* hull, const double* mat, const double* frame,
                            double* corner, double* plane, SbSolid* b);
SB_OPEN int sb_near_triangles(const SbCollision* all, const SbTerrain* t, const SbSolid* body, int* candidate,
                              int room);
SB_OPEN int sb_lift_sunken(const SbMeeting* m);
SB_OPEN void sb_collide_body(const SbMeeting* m);

#endif  // SB_TERRAIN_H_
