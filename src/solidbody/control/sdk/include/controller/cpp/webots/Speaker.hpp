/* Speakers. */

#ifndef WEBOTS_SPEAKER_HPP
#define WEBOTS_SPEAKER_HPP

#include "../../c/webots/speaker.h"
#include "Device.hpp"

namespace webots {

class Speaker : public Device {
public:
  explicit Speaker(const std::string &name) : Device(name) {}
  explicit Speaker(WbDeviceTag tag) : Device(tag) {}
  virtual ~Speaker() {}

  bool isSoundPlaying(const std::string &sound) const {
    return wb_speaker_is_sound_playing(getTag(), sound.c_str());
  }
  virtual bool setEngine(const std::string &engine) {
    return wb_speaker_set_engine(getTag(), engine.c_str());
  }
  std::string getEngine() const { return sb::text(wb_speaker_get_engine(getTag())); }
  virtual bool setLanguage(const std::string &language) {
    return wb_speaker_set_language(getTag(), language.c_str());
  }
  std::string getLanguage() const { return sb::text(wb_speaker_get_language(getTag())); }
  virtual void speak(const std::string &text, double volume) {
    wb_speaker_speak(getTag(), text.c_str(), volume);
  }
  bool isSpeaking() const { return wb_speaker_is_speaking(getTag()); }
  static void playSound(Speaker *left, Speaker *right, const std::string &sound, double volume, double pitch,
                        double balance, bool loop) {
    wb_speaker_play_sound(left ? left->getTag() : 0, right ? right->getTag() : 0, sound.c_str(), volume, pitch,
                          balance, loop);
  }
  virtual void stop(const std::string &sound) {
    wb_speaker_stop(getTag(), sound.empty() ? NULL : sound.c_str());
  }
};

}  // namespace webots

#endif
