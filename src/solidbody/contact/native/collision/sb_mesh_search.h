// Vertices of a mesh under a plane.
#ifndef SB_MESH_SEARCH_H_
#define SB_MESH_SEARCH_H_

#include "base/sb_layout.h"
#include "collision/sb_colliders.h"

// A vertex under a plane.
typedef struct SbDeep {
  double depth;
  int64_t level;              // depth in steps of SB_LEVEL
  int rank, point;
} SbDeep;

// One mesh and one plane. Depths that count are between `least` and `most`.
typedef struct SbMeshSearch {
  const SbMeshNode* nodes;
  const double* points;
  const int32_t* ranks;
  SbDeep* deep;               // room for `limit` of them, and for nine
  double pos[3], mat[9];      // of the mesh, world
  double n[3], x[3], y[3];    // normal and axes of the plane, world
  double plane[3];            // a point of it
  double local[3], offset;    // in the mesh's frame: depth = offset - local.x
  double least, most;
  int limit, count;           // points kept in `deep`, the best first
  int64_t under;              // points whose depth counts
} SbMeshSearch;

SB_OPEN void sb_point_of(const SbMeshSearch* c, int k, double* p);
SB_OPEN double sb_depth_of(const SbMeshSearch* c, const double* p);
SB_OPEN void sb_aim_search(SbMeshSearch* c);       // fills in the plane in the mesh's frame
SB_OPEN void sb_find_deepest(SbMeshSearch* c);     // sorted, the best first
SB_OPEN void sb_find_outermost(SbMeshSearch* c);

#endif  // SB_MESH_SEARCH_H_
