/* Pens. */

#ifndef WEBOTS_PEN_HPP
#define WEBOTS_PEN_HPP

#include "../../c/webots/pen.h"
#include "Device.hpp"

namespace webots {

class Pen : public Device {
public:
  explicit Pen(const std::string &name) : Device(name) {}
  explicit Pen(WbDeviceTag tag) : Device(tag) {}
  virtual ~Pen() {}

  virtual void write(bool write) { wb_pen_write(getTag(), write); }
  virtual void setInkColor(int color, double density) { wb_pen_set_ink_color(getTag(), color, density); }
};

}  // namespace webots

#endif
