/* Paths of Choreonoid's folders, and of files. */

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cnoid {

/* The share folder: what `solidbody run --share` names, else the folder of the project. */
const std::string& shareDir();
std::filesystem::path shareDirPath();
const std::string& executableFile();
const std::string& executableBasename();
const std::string& executableDir();
const std::string& executableTopDir();
std::filesystem::path executableTopDirPath();
const std::string& pluginDir();
std::filesystem::path pluginDirPath();
inline const std::string& executablePath() { return executableFile(); }
inline const std::string& executableDirectory() { return executableDir(); }
inline const std::string& executableTopDirectory() { return executableTopDir(); }
inline const std::string& pluginDirectory() { return pluginDir(); }
inline const std::string& shareDirectory() { return shareDir(); }

extern const char* const DLL_PREFIX;
extern const char* const DLL_SUFFIX;
extern const char* const DLL_EXTENSION;
extern const char* const EXEC_SUFFIX;
extern const char* const EXEC_EXTENSION;
extern const char* const PATH_DELIMITER;

std::optional<std::filesystem::path> getRelativePath(const std::filesystem::path& path,
                                                     const std::filesystem::path& base);
std::filesystem::path getCompactPath(const std::filesystem::path& path);
std::string getExtension(const std::filesystem::path& path);
std::string getGenericPathString(const std::filesystem::path& path);
std::string getNativePathString(const std::filesystem::path& path);
inline std::string getFilename(const std::filesystem::path& path) { return path.filename().string(); }
inline std::string getBasename(const std::filesystem::path& path) { return path.stem().string(); }

/* File names are UTF-8 on the systems that programs run on here. */
inline const std::string& toUTF8(const std::string& text) { return text; }
inline const std::string& fromUTF8(const std::string& text) { return text; }

}  // namespace cnoid
