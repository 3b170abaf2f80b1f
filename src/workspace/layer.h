// Layer: what a command changed that saw a directory through an overlay. The kernel put each change
// into a directory of its own: new and changed files as they are now, a device 0:0 for what was
// removed, and an attribute on directories that replaced others.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workspace/change.h"

namespace helve::workspace {

struct Altered {
  enum class What : unsigned char { created, changed, removed } what = What::created;
  std::string path;  // below the directory
  sys::FileKind kind = sys::FileKind::file;
  std::uint32_t mode = 0;  // created, changed
  // Of what was there; changed and removed. A path that was changed may have become something else.
  std::optional<Version> before = {};
  sys::FileKind kind_before = sys::FileKind::file;
  std::uint32_t mode_before = 0;
  std::string outline = {};  // of a directory that went, or made way: all it held, as a digest
  std::uint64_t parent = 0;  // created: the inode of the directory it is made in; 0: not known
  bool only_mode = false;    // changed, and the same otherwise
  bool meanwhile = false;    // somebody else changed it below while the command ran

  bool was_directory() const {
    return what != What::created && kind_before == sys::FileKind::directory;
  }
  bool is_directory() const { return what != What::removed && kind == sys::FileKind::directory; }
};

// The root itself, of which only the mode can change.
constexpr const char* kLayerRoot = ".";

struct LayerLimits {
  size_t most = kMaxChanges;
  std::int64_t began_ns = std::numeric_limits<std::int64_t>::max();  // when nothing was changed yet
};
// A directory of the layer that is closed even to us is opened for good once its mode is told.
// Fails (too_many_changes) when there are more than the limit. Goes as deep as `upper` is: the
// caller sees to it that this is not too deep.
Result<std::vector<Altered>> read_layer(const sys::Fd& upper, const sys::Fd& lower,
                                        const LayerLimits& limits);

// A directory of the layer, which the command may have closed even to us: it is opened for good.
sys::OrErrno<sys::Fd> open_layer(const sys::Fd& directory, const std::string& name);

// From then on the layer is plain files: the kernel's own marks are gone, and what nobody applies:
// sockets, pipes, and what file tools do not touch. After read_layer.
void strip_layer(const sys::Fd& upper);

// Whether two files of the same name hold the same.
bool same_file(const sys::Fd& upper, const sys::Fd& lower, const std::string& name);

// Whether what was removed or changed is still as it was.
bool is_as_before(const Altered& altered, const sys::Fd& lower);

}  // namespace helve::workspace
