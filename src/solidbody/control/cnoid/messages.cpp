/* Messages of programs go to standard output, which the simulator shows line by line. */

#include "cnoid/src/Messages.h"

#include <iostream>

namespace cnoid {

std::ostream& nullout() {
  static std::ostream nothing(nullptr);
  return nothing;
}

MessageOut* MessageOut::master() {
  static MessageOut out(std::cout);
  return &out;
}

void MessageOut::put(const std::string& text, int type) {
  *to_ << (type == Error ? "Error: " : type == Warning ? "Warning: " : "") << text;
}
void MessageOut::putln(const std::string& text, int type) {
  put(text, type);
  *to_ << std::endl;
}
void MessageOut::putWarning(const std::string& text) { put(text, Warning); }
void MessageOut::putWarningln(const std::string& text) { putln(text, Warning); }
void MessageOut::putError(const std::string& text) { put(text, Error); }
void MessageOut::putErrorln(const std::string& text) { putln(text, Error); }

}  // namespace cnoid
