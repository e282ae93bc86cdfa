/* Displays. */

#ifndef WEBOTS_DISPLAY_HPP
#define WEBOTS_DISPLAY_HPP

#include "../../c/webots/display.h"
#include "Device.hpp"
#include "Camera.hpp"
#include "ImageRef.hpp"

namespace webots {

class Display : public Device {
public:
  enum { RGB = 3, RGBA, ARGB, BGRA };
  enum { ABGR = BGRA + 1 };
  explicit Display(const std::string &name) : Device(name) {}
  explicit Display(WbDeviceTag tag) : Device(tag) {}
  virtual ~Display() {}

  int getWidth() const { return wb_display_get_width(getTag()); }
  int getHeight() const { return wb_display_get_height(getTag()); }
  virtual void setColor(int color) { wb_display_set_color(getTag(), color); }
  virtual void setAlpha(double alpha) { wb_display_set_alpha(getTag(), alpha); }
  virtual void setOpacity(double opacity) { wb_display_set_opacity(getTag(), opacity); }
  virtual void setFont(const std::string &font, int size, bool antiAliasing) {
    wb_display_set_font(getTag(), font.c_str(), size, antiAliasing);
  }
  virtual void detachCamera() { wb_display_detach_camera(getTag()); }
  virtual void drawPixel(int x, int y) { wb_display_draw_pixel(getTag(), x, y); }
  virtual void drawLine(int x1, int y1, int x2, int y2) { wb_display_draw_line(getTag(), x1, y1, x2, y2); }
  virtual void drawRectangle(int x, int y, int width, int height) {
    wb_display_draw_rectangle(getTag(), x, y, width, height);
  }
  virtual void drawOval(int cx, int cy, int a, int b) { wb_display_draw_oval(getTag(), cx, cy, a, b); }
  virtual void drawPolygon(const int *x, const int *y, int size) {
    wb_display_draw_polygon(getTag(), x, y, size);
  }
  virtual void drawText(const std::string &text, int x, int y) {
    wb_display_draw_text(getTag(), text.c_str(), x, y);
  }
  virtual void fillRectangle(int x, int y, int width, int height) {
    wb_display_fill_rectangle(getTag(), x, y, width, height);
  }
  virtual void fillOval(int cx, int cy, int a, int b) { wb_display_fill_oval(getTag(), cx, cy, a, b); }
  virtual void fillPolygon(const int *x, const int *y, int size) {
    wb_display_fill_polygon(getTag(), x, y, size);
  }
  virtual void attachCamera(Camera *camera) { wb_display_attach_camera(getTag(), camera->getTag()); }
  ImageRef *imageNew(int width, int height, const void *data, int format) const {
    return made(wb_display_image_new(getTag(), width, height, data, format));
  }
  ImageRef *imageCopy(int x, int y, int width, int height) const {
    return made(wb_display_image_copy(getTag(), x, y, width, height));
  }
  ImageRef *imageLoad(const std::string &filename) const {
    return made(wb_display_image_load(getTag(), filename.c_str()));
  }
  virtual void imagePaste(ImageRef *ir, int x, int y, bool blend = false) {
    wb_display_image_paste(getTag(), ir->getImageRef(), x, y, blend);
  }
  void imageSave(ImageRef *ir, const std::string &filename) const {
    wb_display_image_save(getTag(), ir ? ir->getImageRef() : NULL, filename.c_str());
  }
  void imageDelete(ImageRef *ir) const {
    wb_display_image_delete(getTag(), ir->getImageRef());
    delete ir;
  }

private:
  static ImageRef *made(WbImageRef image) { return image ? new ImageRef(image) : NULL; }
};

}  // namespace webots

#endif
