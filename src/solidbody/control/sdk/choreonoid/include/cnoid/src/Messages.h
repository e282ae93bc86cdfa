/* Where messages of programs go. */

#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace cnoid {

/* A stream that forgets everything. */
std::ostream& nullout();

class MessageOut {
 public:
  enum MessageType { Normal, Highlighted, Warning, Error };
  explicit MessageOut(std::ostream& to) : to_(&to) {}
  static MessageOut* master();
  void put(const std::string& text, int type = Normal);
  void putln(const std::string& text, int type = Normal);
  void putWarning(const std::string& text);
  void putWarningln(const std::string& text);
  void putError(const std::string& text);
  void putErrorln(const std::string& text);
  void putHighlighted(const std::string& text) { put(text); }
  void putHighlightedln(const std::string& text) { putln(text); }
  void notify(const std::string& text, int type = Normal) { putln(text, type); }
  void flush() { to_->flush(); }
  std::ostream& cout() { return *to_; }

 private:
  std::ostream* to_;
};

}  // namespace cnoid
