// Terrain: triangles of static meshes and of height fields, and what collides with them.
// Each struct mirrors a numpy dtype of contact/terrain_tables.py field by field; their sizes are
// compared when the library is loaded. Points are in the frame of the terrain, whose place is given
// in its body.
#ifndef SB_TERRAIN_H_
#define SB_TERRAIN_H_

#include <stdint.h>

enum { SB_TERRAIN_MESH = 0, SB_TERRAIN_HEIGHTS = 1, SB_TERRAIN_ODE_HEIGHTS = 2 };

// One mesh or height field. A height field is solid down to its bottom; a mesh is its skin only. That of
// ODE has faces without edges and corners.
typedef struct SbTerrain {
  int32_t geom;              // MuJoCo geom that stands for it in contacts
  int32_t kind;              // SB_TERRAIN_*
  int32_t contype, conaffinity;
  int32_t node_start, node_count;
  int32_t triangle_start, triangle_count;
  double pos[3], mat[9];     // its frame in that of its body; mat row-major
  double lo[3], hi[3];       // bounding box, that of heights down to the bottom
} SbTerrain;

// A face with its outward normal: normal.x = offset. side[k]: plane through edge k, square to the
// face (height fields: upright); a point is over the face if side[k].x >= side[k][3] for all k.
typedef struct SbTriangle {
  double lo[3], hi[3];
  double normal[3], offset;
  double side[3][4];
  double centre[3];
  double corner[3][3];
  int32_t edge_start, edge_count;  // edges and corners that this face is the first to have
  int32_t peak_start, peak_count;
  int32_t ridge[3], pad;           // each side as an edge that sticks out, -1 if it does not
} SbTriangle;

// An edge that sticks out, or at the border. Directions w of a possible contact have
// w.c0 >= 0 and w.c1 >= 0:
//
//            w          c0: in the plane of one face, square to the edge, away from that face
//        c1 \|/ c0      c1: the same of the other face; at a border the normal of the only face
//           /^\.
//    face 0/   \face 1
typedef struct SbEdge {
  double start[3], step[3];
  double c0[3], c1[3];
  double bend;               // angle between the normals of the two faces; pi at a border [rad]
  int32_t border;
  int32_t pad;
} SbEdge;

// A corner from which edges go out in the directions `spoke`.
typedef struct SbPeak {
  double point[3];
  int32_t spoke_start, spoke_count;
} SbPeak;

// Node of a tree of boxes. count > 0: triangles first .. first+count-1; count 0: children are the
// next node and node `first`. Triangles are stored in the order of the leaves.
typedef struct SbNode {
  double lo[3], hi[3];
  int32_t first, count;
} SbNode;

// Corners and planes of a convex body, in the frame of its geom.
typedef struct SbHull {
  int32_t geom, pad;
  int32_t point_start, point_count;
  int32_t plane_start, plane_count;
} SbHull;

// The vertices of a moving shape made of triangles, which planes meet (sb_clouds.c).
typedef struct SbCloud {
  int32_t geom;              // MuJoCo geom that stands for it in contacts with planes
  int32_t node_start;
  int32_t point_start, point_count;
  double pos[3], mat[9];     // its frame in that of its body; mat row-major
} SbCloud;

// Node of a tree of boxes over points first .. first+count-1 of a cloud. right 0: a leaf; else its
// children are the next node and node `right`.
typedef struct SbCloudNode {
  double lo[3], hi[3];
  int32_t first, count;
  int32_t right, pad;
} SbCloudNode;

// All of it, as the caller hands it over; the arrays stay his.
typedef struct SbCollision {
  const SbTerrain* terrains;
  const SbTriangle* triangles;
  const SbEdge* edges;
  const SbPeak* peaks;
  const double* spokes;       // 3 per spoke, unit vectors
  const SbNode* nodes;
  const SbHull* hulls;
  const double* hull_points;  // 3 per point
  const double* hull_planes;  // 4 per plane: outward normal, offset
  const SbCloud* clouds;
  const double* cloud_points; // 3 per point
  const int32_t* cloud_ranks; // per point: of equally deep ones the lowest are kept
  const SbCloudNode* cloud_nodes;
  const double* body_sizes;   // per body: how far it may move in a step, see sb_count_fast
  const int32_t* groups;      // per geom: which shape of several parts it belongs to, -1 none
  const int32_t* hollow;      // per geom: 1 for the hull of a mesh whose parts are cut when it meets another
  int32_t terrain_count, hull_count, cloud_count, body_count, group_count, hollow_count;
} SbCollision;

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
#define SB_PATCH_POINTS 64
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
void sb_patch_add(SbPatch* out, const double* point, const double* normal, double depth);
void sb_patch_choose(const SbPatch* patch, unsigned char* keep);
void sb_patch_thin_out(SbPatch* out);
int sb_over_face(const SbTriangle* face, const double* p);
int sb_is_hidden(const SbMeeting* m, const double* p, double depth, int face);
int sb_border_goes_on(const SbMeeting* m, const double* q, const double* away);
void sb_collide_round(const SbMeeting* m);   // spheres and capsules
// sb_terrain_solids.c
double sb_inner_radius(const SbSolid* b);
int sb_is_out_again(const SbMeeting* m, const double* p, double depth, const SbTriangle* here);
void sb_collide_solid(const SbMeeting* m);   // boxes, cylinders and hulls

#endif  // SB_TERRAIN_H_
