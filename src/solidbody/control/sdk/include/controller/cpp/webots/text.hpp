/* Texts of the C library as those of C++. */

#ifndef WEBOTS_TEXT_HPP
#define WEBOTS_TEXT_HPP

#include <string>

namespace webots {
namespace sb {

inline std::string text(const char *found) {
  return found ? found : "";
}

}  // namespace sb
}  // namespace webots

#endif
