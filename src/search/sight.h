// Sight: what bears a path, as far as it can be told without reading it.
#pragma once

#include <optional>
#include <string>

#include "sys/file_at.h"

namespace helve::search {

struct Sight {
  sys::FileStatus status;
  std::string target = {};  // of a link

  // Nothing when there is nothing.
  static std::optional<Sight> at(const sys::Fd& directory, const std::string& name);
  bool is_directory() const { return status.kind == sys::FileKind::directory; }
  bool operator==(const Sight& other) const;
};

}  // namespace helve::search
