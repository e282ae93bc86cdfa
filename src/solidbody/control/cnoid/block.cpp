#include "block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

/* Maps a file of at least `size` bytes (0: all that it has); returns null and errno if that cannot be. */
static void* map_file(const std::string& path, std::size_t& size, int access) {
  const int file = open(path.c_str(), access & PROT_WRITE ? O_RDWR : O_RDONLY);
  if (file < 0) return nullptr;
  struct stat facts;
  void* memory = nullptr;
  if (!fstat(file, &facts) && facts.st_size > 0 && static_cast<std::size_t>(facts.st_size) >= size) {
    if (!size) size = static_cast<std::size_t>(facts.st_size);
    memory = mmap(nullptr, size, access, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) memory = nullptr;
  } else {
    errno = EINVAL;
  }
  close(file);
  return memory;
}

Block::Block(const std::string& path, std::size_t size, const List& offsets, std::size_t links, std::size_t joints,
             std::size_t devices, std::size_t controllers)
    : size_(size) {
  const std::size_t lengths[] = {1, 20, joints, joints, joints, joints,
                                 7 * links, 6 * links, 6 * links, 6 * links, 1 + MOST_CONTACTS * CONTACT_WIDTH,
                                 devices, devices * DEVICE_WIDTH,
                                 joints, joints, joints, joints, 7 * links, 6 * links, 6 * links,
                                 devices, devices * DEVICE_WIDTH, controllers};
  static_assert(sizeof lengths / sizeof *lengths == SECTION_results + 1, "a section has no length");
  memory_ = map_file(path, size_, PROT_READ | PROT_WRITE);
  if (!memory_) throw std::runtime_error("the shared memory " + path + " cannot be mapped: " + std::strerror(errno));
  header_ = static_cast<std::atomic<std::int64_t>*>(memory_);
  Reader reader = offsets.items;
  if (offsets.count != SECTION_results + 1) throw std::runtime_error("the shared memory has other sections");
  for (int k = 0; k <= SECTION_results; ++k) {
    const auto offset = static_cast<std::uint32_t>(read_int(&reader));
    if (offset % 8 || offset < HEADER_BYTES || offset + 8 * lengths[k] > size_)
      throw std::runtime_error("the shared memory is too small for its section " + std::to_string(k));
    sections_[k] = reinterpret_cast<double*>(static_cast<char*>(memory_) + offset);
  }
}

Block::~Block() {
  if (memory_) munmap(memory_, size_);
}

Picture::~Picture() {
  if (memory_) munmap(memory_, size_);
}

const unsigned char* Picture::data() {
  if (!memory_ && !path_.empty()) memory_ = map_file(path_, size_, PROT_READ);
  return static_cast<const unsigned char*>(memory_);
}
