/* Pictures, and the files that they are saved as. PNG is written without compression: no library is needed. */

#include "cnoid/src/Image.h"

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace cnoid {

void Image::setSize(int width, int height, int components) {
  width_ = width;
  height_ = height;
  components_ = components;
  pixels_.resize(static_cast<std::size_t>(width) * height * components);
}

void Image::applyVerticalFlip() {
  const std::size_t row = static_cast<std::size_t>(width_) * components_;
  for (int k = 0; k < height_ / 2; ++k)
    std::swap_ranges(pixels_.begin() + k * row, pixels_.begin() + (k + 1) * row,
                     pixels_.begin() + (height_ - 1 - k) * row);
}

static std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

static std::string big_endian(std::uint32_t value) {
  return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

static void write_chunk(std::ostream& to, const std::string& type, const std::string& data) {
  to << big_endian(static_cast<std::uint32_t>(data.size())) << type << data << big_endian(crc_of(type + data));
}

/* Returns bytes as a zlib stream of stored blocks. */
static std::string stored(const std::string& bytes) {
  std::string out = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (unsigned char byte : bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 65535) {
    const std::size_t size = std::min<std::size_t>(65535, bytes.size() - at);
    out += char(at + size == bytes.size());
    out += {char(size), char(size >> 8), char(~size), char(~size >> 8)};
    out.append(bytes, at, size);
  }
  return out + big_endian(b << 16 | a);
}

bool Image::save(const std::string& file, std::ostream& messages) const {
  std::ofstream to(file, std::ios::binary);
  if (!to || empty()) {
    messages << (empty() ? "there is no picture to be saved as " : "cannot write ") << file << std::endl;
    return false;
  }
  const bool is_png = file.size() > 4 && file.compare(file.size() - 4, 4, ".png") == 0;
  if (!is_png) {
    to << (components_ < 3 ? "P5\n" : "P6\n") << width_ << " " << height_ << "\n255\n";
    for (std::size_t k = 0; k < pixels_.size(); k += components_)
      to.write(reinterpret_cast<const char*>(&pixels_[k]), components_ < 3 ? 1 : 3);
    return bool(to);
  }
  static const char color_types[] = {0, 0, 4, 2, 6};
  const std::size_t row = static_cast<std::size_t>(width_) * components_;
  std::string rows;
  for (int k = 0; k < height_; ++k) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(&pixels_[k * row]), row);
  }
  to << "\x89PNG\r\n\x1a\n";
  std::string head = big_endian(width_) + big_endian(height_);
  head += {8, color_types[components_], 0, 0, 0};
  write_chunk(to, "IHDR", head);
  write_chunk(to, "IDAT", stored(rows));
  write_chunk(to, "IEND", "");
  return bool(to);
}

}  // namespace cnoid
