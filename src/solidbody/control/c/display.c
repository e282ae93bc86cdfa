/* Displays: every call is sent with the next step and drawn by the simulator. */

#include "client.h"

struct WbImageStructPrivate {
  uint32_t tag; /* 0 = it was deleted */
  int number;
};

GET(int, wb_display_get_width, DISPLAY, (int)d->facts.display.width, -1)
GET(int, wb_display_get_height, DISPLAY, (int)d->facts.display.height, -1)

#define DRAW(message, ...)                         \
  do {                                             \
    d->is_drawn = robot.has_drawn = true;          \
    ORDER(message, d->tag, ##__VA_ARGS__);          \
  } while (0)

static bool is_fine(bool fine, const char *argument, const char *problem, const char *function) {
  if (!fine) complain("Error: %s(): '%s' argument %s.", function, argument, problem);
  return fine;
}

/* ---------------------------------------------------------------------- how things are drawn */

void wb_display_set_color(WbDeviceTag tag, int color) {
  DEVICE(DISPLAY);
  if (d && is_fine(color >= 0 && color <= 0xffffff, "color", "out of bounds", __func__)) DRAW(DisplayColor, color);
}

void wb_display_set_alpha(WbDeviceTag tag, double alpha) {
  DEVICE(DISPLAY);
  if (d && is_fine(alpha >= 0.0 && alpha <= 1.0, "alpha", "out of bounds", __func__)) DRAW(DisplayAlpha, alpha);
}

void wb_display_set_opacity(WbDeviceTag tag, double opacity) {
  DEVICE(DISPLAY);
  if (d && is_fine(opacity >= 0.0 && opacity <= 1.0, "opacity", "out of bounds", __func__)) DRAW(DisplayOpacity, opacity);
}

void wb_display_set_font(WbDeviceTag tag, const char *font, int size, Bool anti_aliasing) {
  DEVICE(DISPLAY);
  if (!d || !is_fine(font && *font, "font", "is NULL or empty", __func__)) return;
  if (is_fine(size > 0, "size", "is negative or null", __func__)) DRAW(DisplayFont, font, size, anti_aliasing != 0);
}

void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera_tag) {
  DEVICE(DISPLAY);
  if (!d) return;
  if (camera_tag < 1 || camera_tag > robot.count || robot.devices[camera_tag]->type != WB_NODE_CAMERA) {
    complain("Error: %s(): invalid camera.", __func__);
  } else if (d->has_camera) {
    complain("Error: %s(): a camera is already attached to the display.", __func__);
  } else {
    d->has_camera = true;
    DRAW(DisplayAttach, camera_tag);
  }
}

void wb_display_detach_camera(WbDeviceTag tag) {
  DEVICE(DISPLAY);
  if (!d) return;
  if (!d->has_camera) complain("Error: %s(): no camera to detach.", __func__);
  d->has_camera = false;
  DRAW(DisplayDetach);
}

/* ---------------------------------------------------------------------- drawing */

void wb_display_draw_pixel(WbDeviceTag tag, int x, int y) {
  DEVICE(DISPLAY);
  if (d) DRAW(DisplayPixel, x, y);
}

void wb_display_draw_line(WbDeviceTag tag, int x1, int y1, int x2, int y2) {
  DEVICE(DISPLAY);
  if (d) DRAW(DisplayLine, x1, y1, x2, y2);
}

static void rectangle(Device *d, int x, int y, int width, int height, bool fill, const char *function) {
  if (d && is_fine(width > 0, "width", "is negative or null", function) &&
      is_fine(height > 0, "height", "is negative or null", function))
    DRAW(DisplayRectangle, x, y, width, height, fill);
}

static void oval(Device *d, int cx, int cy, int a, int b, bool fill, const char *function) {
  if (d && is_fine(a > 0, "horizontal_radius", "is negative or null", function) &&
      is_fine(b > 0, "vertical_radius", "is negative or null", function))
    DRAW(DisplayOval, cx, cy, a, b, fill);
}

static void polygon(Device *d, const int *x, const int *y, int size, bool fill, const char *function) {
  if (!d) return;
  if (!x || !y) {
    complain("Error: %s(): 'x' or 'y' argument is NULL.", function);
    return;
  }
  if (is_fine(size >= 3 && size <= 1 << 16, "size", "is no number of corners", function))
    DRAW(DisplayPolygon, x, (uint32_t)size, y, (uint32_t)size, fill);
}

#define SHAPES(verb, fill)                                                                    \
  void wb_display_##verb##_rectangle(WbDeviceTag tag, int x, int y, int width, int height) {  \
    DEVICE(DISPLAY);                                                                          \
    rectangle(d, x, y, width, height, fill, __func__);                                        \
  }                                                                                           \
  void wb_display_##verb##_oval(WbDeviceTag tag, int cx, int cy, int a, int b) {              \
    DEVICE(DISPLAY);                                                                          \
    oval(d, cx, cy, a, b, fill, __func__);                                                    \
  }                                                                                           \
  void wb_display_##verb##_polygon(WbDeviceTag tag, const int *x, const int *y, int size) {   \
    DEVICE(DISPLAY);                                                                          \
    polygon(d, x, y, size, fill, __func__);                                                   \
  }
SHAPES(draw, false)
SHAPES(fill, true)

void wb_display_draw_text(WbDeviceTag tag, const char *text, int x, int y) {
  DEVICE(DISPLAY);
  if (d && is_fine(text && *text, "text", "is NULL or empty", __func__)) DRAW(DisplayText, text, x, y);
}

/* ---------------------------------------------------------------------- images */

static WbImageRef new_image(Device *d) {
  WbImageRef image = keep(sizeof *image);
  image->tag = d->tag;
  image->number = ++d->last_image;
  return image;
}

static bool is_image(const Device *d, WbImageRef image, const char *function) {
  if (!d) return false;
  if (!image || !image->tag) complain("Error: %s(): invalid WbImageRef.", function);
  else if (image->tag != d->tag) complain("Error: %s(): invalid WbImageRef created by a different Display device.", function);
  else return true;
  return false;
}

WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void *data, int format) {
  DEVICE(DISPLAY);
  if (!d || !is_fine(data != NULL, "data", "is NULL", __func__)) return NULL;
  if (width < 1 || height < 1 || (int64_t)width * height > 1 << 24) {
    complain("Error: %s(): 'width' or 'height' argument is invalid.", __func__);
    return NULL;
  }
  if (!is_fine(format >= WB_IMAGE_RGB && format <= WB_IMAGE_ABGR, "format", "is invalid", __func__)) return NULL;
  WbImageRef image = new_image(d);
  size_t size = (size_t)width * (size_t)height * (format == WB_IMAGE_RGB ? 3 : 4);
  DRAW(DisplayImageNew, image->number, data, size, format, width, height);
  return image;
}

WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height) {
  DEVICE(DISPLAY);
  if (!d) return NULL;
  if (width < 1 || height < 1) {
    complain("Error: %s(): 'width' or 'height' argument is invalid.", __func__);
    return NULL;
  }
  WbImageRef image = new_image(d);
  DRAW(DisplayImageCopy, image->number, x, y, width, height);
  return image;
}

WbImageRef wb_display_image_load(WbDeviceTag tag, const char *filename) {
  DEVICE(DISPLAY);
  if (!d || !is_fine(filename && *filename, "filename", "is NULL or empty", __func__)) return NULL;
  WbImageRef image = new_image(d);
  char *path = absolute(filename), *problem = reply_text(ASK(DisplayImageLoad, d->tag, image->number, path));
  if (problem && *problem) complain("Error: %s(): the \"%s\" image is unreadable: %s", __func__, filename, problem);
  bool is_loaded = problem && !*problem;
  free(path);
  free(problem);
  return is_loaded ? image : NULL;
}

void wb_display_image_paste(WbDeviceTag tag, WbImageRef image, int x, int y, Bool blend) {
  DEVICE(DISPLAY);
  if (is_image(d, image, __func__)) DRAW(DisplayImagePaste, image->number, x, y, blend != 0);
}

void wb_display_image_save(WbDeviceTag tag, WbImageRef image, const char *filename) {
  DEVICE(DISPLAY);
  if (!d || !is_fine(filename && *filename, "filename", "is NULL or empty", __func__)) return;
  if (image && !is_image(d, image, __func__)) return;
  char *path = absolute(filename);
  char *problem = reply_text(ASK(DisplayImageSave, d->tag, image ? image->number : 0, path));
  if (problem && *problem) complain("Error: %s(): %s", __func__, problem);
  free(path);
  free(problem);
}

void wb_display_image_delete(WbDeviceTag tag, WbImageRef image) {
  DEVICE(DISPLAY);
  if (!is_image(d, image, __func__)) return;
  DRAW(DisplayImageDelete, image->number);
  image->tag = 0;
}
