/* A point that a lidar has measured. */

#ifndef WB_LIDAR_POINT_H
#define WB_LIDAR_POINT_H

typedef struct {
  float x; /* in the lidar's frame [m] */
  float y;
  float z;
  int layer_id;
  float time; /* [s] */
} WbLidarPoint;

#endif
