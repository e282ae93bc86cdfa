/* Something that a camera has recognised. */

#ifndef WB_CAMERA_RECOGNITION_OBJECT_H
#define WB_CAMERA_RECOGNITION_OBJECT_H

typedef struct {
  int id;                   /* number of its node */
  double position[3];       /* in the camera's frame [m] */
  double orientation[4];    /* axis and angle in the camera's frame */
  double size[2];           /* width and height as the camera sees it [m] */
  int position_on_image[2]; /* centre [pixels] */
  int size_on_image[2];     /* width and height [pixels] */
  int number_of_colors;
  double *colors; /* red, green and blue of each colour */
  char *model;
} WbCameraRecognitionObject;

#endif
