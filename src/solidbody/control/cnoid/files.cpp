/* Paths of folders, and of files. */

#include "cnoid/src/Files.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace cnoid {

const char* const DLL_PREFIX = "lib";
const char* const EXEC_SUFFIX = "";
const char* const EXEC_EXTENSION = "";
const char* const PATH_DELIMITER = ":";
#ifdef __APPLE__
const char* const DLL_SUFFIX = ".dylib";
const char* const DLL_EXTENSION = "dylib";
#else
const char* const DLL_SUFFIX = ".so";
const char* const DLL_EXTENSION = "so";
#endif

static std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

const std::string& executableFile() {
  static const std::string file = [] {
    std::error_code error;
    const auto found = fs::read_symlink("/proc/self/exe", error);
    return error ? std::string("solidbody") : found.string();
  }();
  return file;
}
const std::string& executableBasename() {
  static const std::string name = fs::path(executableFile()).stem().string();
  return name;
}
const std::string& executableDir() {
  static const std::string folder = fs::path(executableFile()).parent_path().string();
  return folder;
}
const std::string& executableTopDir() {
  static const std::string folder = fs::path(executableDir()).parent_path().string();
  return folder;
}
fs::path executableTopDirPath() { return executableTopDir(); }
const std::string& shareDir() {
  static const std::string folder = variable("SOLIDBODY_CNOID_SHARE", fs::current_path().string());
  return folder;
}
fs::path shareDirPath() { return shareDir(); }
const std::string& pluginDir() {
  static const std::string folder = variable("SOLIDBODY_CNOID_PLUGINS", executableDir());
  return folder;
}
fs::path pluginDirPath() { return pluginDir(); }

std::optional<fs::path> getRelativePath(const fs::path& path, const fs::path& base) {
  const auto relative = path.lexically_relative(base);
  if (relative.empty()) return std::nullopt;
  return relative;
}
fs::path getCompactPath(const fs::path& path) { return path.lexically_normal(); }
std::string getExtension(const fs::path& path) {
  const auto extension = path.extension().string();
  return extension.empty() ? extension : extension.substr(1);
}
std::string getGenericPathString(const fs::path& path) { return path.generic_string(); }
std::string getNativePathString(const fs::path& path) { return path.string(); }

}  // namespace cnoid
