// How much of a shape lies below a plane: volume, centre, wetted area.
#ifndef SB_WET_H_
#define SB_WET_H_

// The wet part of a shape, in the shape's frame.
typedef struct SbWet {
  double volume;
  double moment[3];      // volume times centre
  double area;           // of the shape's own skin below the plane
  double projected[3];   // areas seen along three directions; only of triangles
} SbWet;

// Range of n.x over a shape (form SB_FLUID_*; triangles: 9 numbers each).
void sb_extent(int form, const double size[3], const double* triangles, int count,
               const double n[3], double range[2]);

// The part of a shape with n.x <= offset; n is a unit vector. directions: three unit vectors along
// which projected areas are wanted, or NULL.
void sb_wet_part(int form, const double size[3], const double* triangles, int count,
                 const double n[3], double offset, SbWet* out);
void sb_wet_triangles(const double* triangles, int count, const double n[3], double offset,
                      const double directions[9], SbWet* out);

#endif  // SB_WET_H_
