// Rebuilt: a directory that is put together aside, so that it comes back at once with all it held
// where something else bears its name now.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "workspace/change.h"

namespace helve::workspace {

// It is gone with this.
class Rebuilt {
 public:
  // `place` outlives it.
  static Result<Rebuilt> make(const sys::Fd& place);
  Rebuilt(Rebuilt&& other) noexcept = default;
  ~Rebuilt();

  // A file, or a copy of what bears a name; `path` is below the directory. Makes what is missing.
  Result<void> add_file(std::string_view path, std::string_view content, std::uint32_t mode) const;
  Result<void> add_copy(std::string_view path, const sys::Fd& from, const std::string& name) const;
  // What restores it.
  Result<Change> change(std::string path) const;

 private:
  Rebuilt(const sys::Fd& place, std::string name, sys::Fd directory)
      : place_(&place), name_(std::move(name)), directory_(std::move(directory)) {}
  Result<sys::Fd> parent_of(std::string_view path) const;

  const sys::Fd* place_;
  std::string name_;
  sys::Fd directory_;  // open as long as it is to be removed
};

}  // namespace helve::workspace
