// Replacing texts in a file: several in one go, in order, each on what the former left; all or
// none. Bytes outside of what was matched stay as they are: byte order mark, line endings, tabs,
// invalid UTF-8.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/match.h"

namespace helve::edit {

struct Replacement {
  std::string_view old_text;
  std::string_view new_text;
  Count count = Count::one;
};

struct Replaced {
  struct Step {
    size_t replacements = 0;
    size_t line = 0;  // of the first, from 1
    Stage stage = Stage::exact;
  };
  std::string content;
  std::vector<Step> steps;  // one for each replacement
};

// Lines of a new text end as the lines do that they replace, unless the old text named the endings
// itself. Where an inexact match leaves a line of the old text as it was, the line of the file
// stays. Fails (cancelled) soon after `stop` is requested.
Result<Replaced> replace(std::string_view content, std::span<const Replacement> replacements,
                         const Names& names, const std::stop_token& stop = {});

}  // namespace helve::edit
