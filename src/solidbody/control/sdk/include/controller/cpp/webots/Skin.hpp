/* Skins. */

#ifndef WEBOTS_SKIN_HPP
#define WEBOTS_SKIN_HPP

#include "../../c/webots/skin.h"
#include "Device.hpp"

namespace webots {

class Skin : public Device {
public:
  explicit Skin(const std::string &name) : Device(name) {}
  explicit Skin(WbDeviceTag tag) : Device(tag) {}
  virtual ~Skin() {}

  virtual void setBoneOrientation(int index, const double orientation[4], bool absolute) {
    wb_skin_set_bone_orientation(getTag(), index, orientation, absolute);
  }
  virtual void setBonePosition(int index, const double position[3], bool absolute) {
    wb_skin_set_bone_position(getTag(), index, position, absolute);
  }
  int getBoneCount() const { return wb_skin_get_bone_count(getTag()); }
  std::string getBoneName(int index) const { return sb::text(wb_skin_get_bone_name(getTag(), index)); }
  const double *getBoneOrientation(int index, bool absolute) const {
    return wb_skin_get_bone_orientation(getTag(), index, absolute);
  }
  const double *getBonePosition(int index, bool absolute) const {
    return wb_skin_get_bone_position(getTag(), index, absolute);
  }
};

}  // namespace webots

#endif
