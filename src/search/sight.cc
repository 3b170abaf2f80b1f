#include "search/sight.h"

namespace helve::search {

std::optional<Sight> Sight::at(const sys::Fd& directory, const std::string& name) {
  const auto status = sys::status_at(directory, name);
  if (!status) return {};
  Sight sight{.status = *status};
  if (status->kind == sys::FileKind::symlink)
    sight.target = sys::read_link_at(directory, name).value_or("");
  return sight;
}

// A directory changes with what it holds, which is told by itself.
bool Sight::operator==(const Sight& other) const {
  const bool is_same = status.kind == other.status.kind && status.mode == other.status.mode &&
                       status.same_file(other.status);
  if (!is_same || is_directory()) return is_same;
  return status.size == other.status.size && status.modified_ns == other.status.modified_ns &&
         status.changed_ns == other.status.changed_ns && target == other.target;
}

}  // namespace helve::search
