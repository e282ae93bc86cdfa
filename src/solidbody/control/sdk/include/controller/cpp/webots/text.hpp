/* Texts of the C library as those of C++. */

#ifndef WEBOTS_TEXT_HPP
#define WEBOTS_TEXT_HPP

#include <array>  // programs that take it from here compile as they did with older libraries
#include <string>

namespace webots {
namespace sb {

inline std::string text(const char *found) {
  return found ? found : "";
}

}  // namespace sb
}  // namespace webots

#endif
