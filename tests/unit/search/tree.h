// A directory for one test, removed with all it holds.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace helve::search {

class Tree {
 public:
  Tree() {
    std::string name = std::filesystem::temp_directory_path() / "helve-search-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  const std::filesystem::path& path() const { return path_; }
  Tree& file(std::string_view name, std::string_view content = "x\n") {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return *this;
  }
  Tree& directory(std::string_view name) {
    std::filesystem::create_directories(path_ / name);
    return *this;
  }
  Tree& link(std::string_view name, std::string_view target) {
    std::filesystem::create_symlink(target, path_ / name);
    return *this;
  }
  Tree& fifo(std::string_view name) {
    ::mkfifo((path_ / name).c_str(), 0600);
    return *this;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace helve::search
