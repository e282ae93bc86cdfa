/* What controllers use of fmt: fmt::format with positions, width, precision and types. */

#pragma once

#include <cstdio>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fmt {

class format_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

using std::string_view;

namespace parts {

/* [[fill]align][sign][#][0][width][.precision][type] */
struct Spec {
  char fill = ' ', align = 0, sign = 0, type = 0;
  bool alternate = false;
  int width = 0, precision = -1;
};

inline int number(string_view text, std::size_t& at) {
  int value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && value < 10000; ++at) value = 10 * value + text[at] - '0';
  return value;
}

inline Spec parse(string_view text) {
  Spec spec;
  std::size_t at = 0;
  auto is_align = [&](std::size_t k) { return k < text.size() && (text[k] == '<' || text[k] == '>' || text[k] == '^'); };
  if (is_align(1)) spec.fill = text[0], spec.align = text[1], at = 2;
  else if (is_align(0)) spec.align = text[0], at = 1;
  if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' ')) spec.sign = text[at++];
  if (at < text.size() && text[at] == '#') spec.alternate = true, ++at;
  if (at < text.size() && text[at] == '0') {
    if (!spec.align) spec.fill = '0', spec.align = '=';
    ++at;
  }
  spec.width = number(text, at);
  if (at < text.size() && text[at] == '.') spec.precision = number(text, ++at);
  if (at < text.size()) spec.type = text[at++];
  if (at != text.size()) throw format_error("invalid format specifier");
  return spec;
}

inline std::string padded(std::string text, const Spec& spec, char usual) {
  const int missing = spec.width - static_cast<int>(text.size());
  if (missing <= 0) return text;
  const char align = spec.align ? spec.align : usual;
  if (align == '=') {
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
    return text.insert(sign, static_cast<std::size_t>(missing), '0');
  }
  const int left = align == '<' ? 0 : align == '>' ? missing : missing / 2;
  return std::string(left, spec.fill) + text + std::string(missing - left, spec.fill);
}

template <class T>
std::string real(T value, const Spec& spec) {
  std::ostringstream out;
  if (spec.sign == '+') out << std::showpos;
  if (spec.type == 'f' || spec.type == 'F') out << std::fixed;
  if (spec.type == 'e' || spec.type == 'E') out << std::scientific;
  if (spec.type == 'E' || spec.type == 'G') out << std::uppercase;
  if (spec.precision >= 0 || spec.type) {
    out << std::setprecision(spec.precision >= 0 ? spec.precision : 6) << value;
    return out.str();
  }
  /* the shortest text that is read back as the same number */
  for (int digits = 1; digits <= 17; ++digits) {
    std::ostringstream next;
    next.flags(out.flags());
    next << std::setprecision(digits) << value;
    T back{};
    std::istringstream(next.str()) >> back;
    if (back == value || digits == 17) return next.str();
  }
  return out.str();
}

template <class T>
std::string shown(const T& value, const Spec& spec) {
  using Plain = std::decay_t<T>;
  if constexpr (std::is_same_v<Plain, bool>) {
    return padded(spec.type == 'd' ? (value ? "1" : "0") : (value ? "true" : "false"), spec, '<');
  } else if constexpr (std::is_same_v<Plain, char>) {
    return padded(std::string(1, value), spec, '<');
  } else if constexpr (std::is_floating_point_v<Plain>) {
    return padded(real(value, spec), spec, '>');
  } else if constexpr (std::is_integral_v<Plain>) {
    std::ostringstream out;
    if (spec.sign == '+') out << std::showpos;
    if (spec.type == 'x' || spec.type == 'X') out << std::hex;
    if (spec.type == 'o') out << std::oct;
    if (spec.type == 'X') out << std::uppercase;
    if (spec.alternate) out << std::showbase;
    out << +value;
    return padded(out.str(), spec, '>');
  } else if constexpr (std::is_enum_v<Plain>) {
    return shown(static_cast<std::underlying_type_t<Plain>>(value), spec);
  } else {
    std::ostringstream out;
    out << value;
    std::string text = out.str();
    if (spec.precision >= 0 && text.size() > static_cast<std::size_t>(spec.precision)) text.resize(spec.precision);
    return padded(text, spec, '<');
  }
}

struct Argument {
  const void* value;
  std::string (*show)(const void*, const Spec&);
};

template <class T>
Argument argument(const T& value) {
  return {&value, [](const void* at, const Spec& spec) { return shown(*static_cast<const T*>(at), spec); }};
}
template <std::size_t N>
Argument argument(const char (&value)[N]) {
  return {value, [](const void* at, const Spec& spec) { return shown(string_view(static_cast<const char*>(at)), spec); }};
}

inline std::string formatted(string_view text, const std::vector<Argument>& arguments) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{' && text[at] != '}') {
      out += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == text[at]) {
      out += text[at++];
    } else {
      const std::size_t end = text.find('}', at);
      if (text[at] == '}' || end == string_view::npos) throw format_error("unmatched brace in format string");
      std::size_t begin = at + 1, which = next;
      if (begin < end && text[begin] >= '0' && text[begin] <= '9') which = number(text, begin);
      else ++next;
      if (begin < end && text[begin] != ':') throw format_error("invalid format string");
      const Spec spec = parse(begin < end ? text.substr(begin + 1, end - begin - 1) : string_view());
      if (which >= arguments.size()) throw format_error("argument not found");
      out += arguments[which].show(arguments[which].value, spec);
      at = end;
    }
  }
  return out;
}

}  // namespace parts

template <class... Args>
std::string format(string_view text, const Args&... args) {
  return parts::formatted(text, {parts::argument(args)...});
}
inline string_view runtime(string_view text) { return text; }
template <class T>
std::string to_string(const T& value) {
  return parts::shown(value, parts::Spec());
}
template <class... Args>
void print(string_view text, const Args&... args) {
  std::fputs(format(text, args...).c_str(), stdout);
}
template <class... Args>
void print(std::FILE* to, string_view text, const Args&... args) {
  std::fputs(format(text, args...).c_str(), to);
}

}  // namespace fmt
