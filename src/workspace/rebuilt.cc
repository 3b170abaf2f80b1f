#include "workspace/rebuilt.h"

#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr std::uint32_t kUsual = 0777;  // the umask takes its part

Error failed(std::errc number, std::string_view path) {
  return sys::to_error(number, "restore", path);
}

}  // namespace

Result<Rebuilt> Rebuilt::make(const sys::Fd& place) {
  std::string name = sys::temporary_name();
  if (const auto made = sys::make_directory_at(place, name, kUsual); !made)
    return failed(made.error(), name);
  auto directory = sys::open_beneath(place, name, sys::Open::directory, sys::Links::refuse);
  if (!directory) return failed(directory.error(), name);
  return Rebuilt(place, std::move(name), std::move(*directory));
}

Rebuilt::~Rebuilt() {
  if (directory_) (void)remove_tree_at(*place_, name_);
}

Result<sys::Fd> Rebuilt::parent_of(std::string_view path) const {
  auto at = sys::open_beneath(directory_, ".", sys::Open::directory, sys::Links::refuse);
  for (const std::string_view part : parts_of(split_name(path).directory)) {
    if (!at) break;
    const auto made = sys::make_directory_at(*at, part, kUsual);
    if (!made && made.error() != std::errc::file_exists) return failed(made.error(), path);
    at = sys::open_beneath(*at, part, sys::Open::directory, sys::Links::refuse);
  }
  if (!at) return failed(at.error(), path);
  return std::move(*at);
}

Result<void> Rebuilt::add_file(std::string_view path, std::string_view content,
                               std::uint32_t mode) const {
  const sys::Fd parent = TRY(parent_of(path));
  const auto file = sys::create_new(parent, split_name(path).name);
  auto done = file ? sys::write_all(*file, content) : std::unexpected(file.error());
  if (done) done = sys::set_mode(*file, mode);
  if (!done) return failed(done.error(), path);
  return {};
}

Result<void> Rebuilt::add_copy(std::string_view path, const sys::Fd& from,
                               const std::string& name) const {
  const sys::Fd parent = TRY(parent_of(path));
  const auto done = copy_tree(from, name, parent, std::string(split_name(path).name));
  if (!done) return failed(done.error(), path);
  return {};
}

Result<Change> Rebuilt::change(std::string path) const {
  auto outline = outline_of(directory_, kMaxWrite);
  if (!outline) return failed(outline.error(), path);
  return Change{.kind = Change::Kind::restore,
                .path = std::move(path),
                .content = std::move(*outline),
                .on_conflict = OnConflict::error,
                .kept_in = place_,
                .kept = name_,
                .kind_kept = sys::FileKind::directory};
}

}  // namespace helve::workspace
