#include "tools/line_patches.h"

#include <fmt/format.h>

namespace helve::tools {

Result<edit::Patched> apply_items(std::string content, std::span<const LinePatchItem> items,
                                  std::string_view path) {
  std::vector<edit::LinePatch> patches;
  for (const LinePatchItem& item : items)
    patches.push_back(
        {static_cast<size_t>(item.start_line), static_cast<size_t>(item.end_line), item.content});
  edit::Patched patched = TRY(edit::apply_line_patches(std::move(content), patches, path));
  if (!patched.changed) {
    return Error{Code::invalid_argument, fmt::format("the patches leave '{}' as it was", path),
                 "give what should change", "no_change"};
  }
  return patched;
}

}  // namespace helve::tools
