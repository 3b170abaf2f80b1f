// Builds a segment of the index from files, with as many threads as it is given.
#pragma once

#include <atomic>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/clock.h"
#include "sys/file_at.h"

namespace helve::search {

struct BuildOptions {
  unsigned threads = 1;
  std::stop_token stop = {};
  std::atomic<std::uint64_t>* done = nullptr;  // counts files, for whoever shows progress
  const sys::Clock* clock = nullptr;           // null: the real one
};

struct Built {
  std::uint64_t files = 0;
  std::uint64_t text_bytes = 0;
};

// `paths` are below `root`, in the order of path_less, each once. Files that cannot be read are
// left out. The segment appears in `directory` as `name` when it is whole.
Result<Built> build_segment(const sys::Fd& root, std::span<const std::string> paths,
                            const sys::Fd& directory, std::string_view name,
                            const BuildOptions& options);

}  // namespace helve::search
