// Narrowed: what must be read of the files that an index knows, to find all matches of one pattern.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "search/index.h"
#include "search/index_query.h"
#include "search/walk.h"

namespace helve::search {

enum class Look : unsigned char { nowhere, at_parts, at_all };

// How many lines around a match are shown, and so must be read.
struct Around {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

// Immutable, so any thread may use it.
class Narrowed {
 public:
  // Nothing when the index cannot rule out any file. An error when it is damaged.
  static Result<std::optional<Narrowed>> make(std::shared_ptr<const Segments> segments,
                                              const Required& required, Together together);

  const Segments& segments() const { return *segments_; }
  // The parts are those that can have a match, with as many lines around them as asked for.
  Look look(FileRef file, const Around& around, std::vector<Part>& parts) const;
  // The files of a segment that must be looked at, in ascending order.
  std::vector<std::uint32_t> files(size_t segment) const;

 private:
  Narrowed(std::shared_ptr<const Segments> segments, Together together)
      : segments_(std::move(segments)), together_(together) {}

  std::shared_ptr<const Segments> segments_;
  Together together_;
  // For each segment its documents, ascending; nothing: all of them.
  std::vector<std::optional<std::vector<Doc>>> docs_;
};

}  // namespace helve::search
