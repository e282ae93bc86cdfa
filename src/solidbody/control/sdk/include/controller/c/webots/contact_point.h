/* Where a solid touches something. */

#ifndef WB_CONTACT_POINT_H
#define WB_CONTACT_POINT_H

typedef struct {
  double point[3]; /* in the world [m] */
  int node_id;     /* number of the solid */
} WbContactPoint;

#endif
