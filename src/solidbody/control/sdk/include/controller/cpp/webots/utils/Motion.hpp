/* Motion files. */

#ifndef WEBOTS_UTILS_MOTION_HPP
#define WEBOTS_UTILS_MOTION_HPP

#include <string>
#include "../../../c/webots/utils/motion.h"

namespace webots {

class Motion {
public:
  explicit Motion(const std::string &fileName) : motion(wbu_motion_new(fileName.c_str())) {}
  virtual ~Motion() { wbu_motion_delete(motion); }
  bool isValid() const { return motion != NULL; }
  virtual void play() { wbu_motion_play(motion); }
  virtual void stop() { wbu_motion_stop(motion); }
  virtual void setLoop(bool loop) { wbu_motion_set_loop(motion, loop); }
  virtual void setReverse(bool reverse) { wbu_motion_set_reverse(motion, reverse); }
  virtual void setTime(int time) { wbu_motion_set_time(motion, time); }
  bool isOver() const { return wbu_motion_is_over(motion); }
  int getDuration() const { return wbu_motion_get_duration(motion); }
  int getTime() const { return wbu_motion_get_time(motion); }

protected:
  WbMotionRef getMotionRef() const { return motion; }

private:
  WbMotionRef motion;
};

}  // namespace webots

#endif
