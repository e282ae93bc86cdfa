/* An echo of a radar. */

#ifndef WB_RADAR_TARGET_H
#define WB_RADAR_TARGET_H

typedef struct {
  double distance;       /* [m] */
  double received_power; /* [dBm] */
  double speed;          /* away from the radar [m/s] */
  double azimuth;        /* [rad] */
} WbRadarTarget;

#endif
