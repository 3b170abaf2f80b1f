#include "app/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "base/text.h"

namespace helve::app {

Result<Scratch> Scratch::make(std::string_view name, const Surroundings& surroundings) {
  const std::string parent =
      surroundings.has("TMPDIR") ? surroundings.environment.at("TMPDIR") : "/tmp";
  std::string path = fmt::format("{}/helve-{}-XXXXXX", parent, name);
  if (!mkdtemp(path.data()))
    return Error{Code::unavailable, fmt::format("cannot make {}", escape_for_display(path)),
                 "set TMPDIR to a directory that can be written"};
  return Scratch(std::move(path));
}

Scratch::Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, "")) {}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::string> Scratch::directory(std::string_view name) const {
  const std::string path = fmt::format("{}/{}", path_, name);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Error{Code::unavailable, fmt::format("cannot make {}", path)};
  return path;
}

}  // namespace helve::app
