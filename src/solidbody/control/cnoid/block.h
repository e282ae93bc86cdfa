/* The memory that simulator and host share: how it is laid out is told in `BodyWelcome`. */

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

extern "C" {
#include "wire_messages.h"
}

class Block {
 public:
  /* Maps the file; throws std::runtime_error if it is not as it was told. */
  Block(const std::string& path, std::size_t size, const List& offsets, std::size_t links, std::size_t joints,
        std::size_t devices, std::size_t controllers);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::atomic<std::int64_t>& header(int which) { return header_[which]; }
  /* A section (SECTION_*) as floats. */
  double* at(int section) { return sections_[section]; }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
  std::atomic<std::int64_t>* header_;
  double* sections_[SECTION_results + 1];
};

/* A file that both map, to be read: pictures. */
class Picture {
 public:
  explicit Picture(const std::string& path) : path_(path) {}
  ~Picture();
  const unsigned char* data();
  std::size_t size() const { return size_; }

 private:
  std::string path_;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};
