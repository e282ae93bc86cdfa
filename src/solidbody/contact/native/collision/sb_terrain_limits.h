// What counts as touching, as on, as parallel, when bodies meet terrain.
#ifndef SB_TERRAIN_LIMITS_H_
#define SB_TERRAIN_LIMITS_H_

#define SB_TOUCHING 1e-12    // [m] depths below are rounding
#define SB_ON_SIDE 1e-9      // [m] a point this far beside a face is still over it: no gap at seams
#define SB_PATCH_SAME 1e-6   // [m] points nearer to each other are one
#define SB_LEAN 1e-9         // sine by which a direction may miss the cone of an edge or corner
#define SB_PARALLEL 1e-12    // sine^2 of directions that count as parallel

#define SB_SAME_NORMAL 0.99  // cosine of normals whose points are thinned out together (8 degrees)

// An edge is a feature for boxes, cylinders and hulls from this angle on [rad]: at 1e-3 what is lost
// is 0.25 mm under a body of 1 m. Every flatter one would add points to the middle of a flat face.
#define SB_LEAST_BEND 1e-3

// Sine by which the direction of a solid's contact may miss the cone of an edge: a box that stands
// on the border of a table keeps its points there while it rocks by up to 0.1 rad.
#define SB_SOLID_LEAN 0.1

// An edge of which the shortest way out of a solid is not in its cone pushes along another one only
// if that is no longer than this many times as far: else the faces beside it do, along the short way.
#define SB_WAY_ROUND 2.0

#endif  // SB_TERRAIN_LIMITS_H_
