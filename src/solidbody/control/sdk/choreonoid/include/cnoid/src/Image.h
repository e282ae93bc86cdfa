/* Pictures of cameras. */

#pragma once

#include <string>
#include <vector>

#include "Messages.h"

namespace cnoid {

class Image {
 public:
  bool empty() const { return pixels_.empty(); }
  unsigned char* pixels() { return pixels_.data(); }
  const unsigned char* pixels() const { return pixels_.data(); }
  int width() const { return width_; }
  int height() const { return height_; }
  int numComponents() const { return components_; }
  bool hasAlphaComponent() const { return components_ % 2 == 0; }
  void setSize(int width, int height, int components);
  void setSize(int width, int height) { setSize(width, height, components_); }
  void reset() { *this = Image(); }
  void clear() { *this = Image(); }
  void applyVerticalFlip();
  /* Writes a PNG, or a PPM/PGM where the name ends so. */
  bool save(const std::string& file, std::ostream& messages = nullout()) const;

 private:
  std::vector<unsigned char> pixels_;
  int width_ = 0, height_ = 0, components_ = 3;
};

}  // namespace cnoid
