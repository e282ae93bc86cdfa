/* Texts with values in them. */

#pragma once

#include <fmt/format.h>

namespace cnoid {

template <class... Args>
std::string formatC(std::string_view text, const Args&... args) {
  return fmt::format(text, args...);
}
template <class... Args>
std::string formatR(std::string_view text, const Args&... args) {
  return fmt::format(text, args...);
}

}  // namespace cnoid
