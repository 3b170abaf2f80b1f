// Finding a text in a file: exactly, or else by the first stage (edit/fold.h) that finds it at
// exactly one place.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/fold.h"
#include "edit/indent.h"

namespace helve::edit {

struct Region {
  size_t begin = 0;
  size_t end = 0;  // past the last byte
};

struct Match {
  Stage stage = Stage::exact;
  // In order, not overlapping, at least one. Where the text begins with a newline, an exact match
  // has the carriage return before it too.
  std::vector<Region> regions;
  Shift shift = {};         // of an inexact match
  bool whole_start = true;  // an inexact match begins at the start of a line
};

enum class Count : unsigned char { one, all };

// How errors name the file and the parameter that holds the text.
struct Names {
  std::string_view file;
  std::string_view parameter;
  std::string_view for_all = {};  // the parameter that changes each occurrence, if there is one
};

// The errors say where the text occurs, or what comes nearest and how it differs. Never an empty
// match. Fails (cancelled) soon after `stop` is requested.
Result<Match> find_text(std::string_view content, std::string_view text, Count count,
                        const Names& names, const std::stop_token& stop = {});

// Where a region begins, counted from 1.
size_t line_number(std::string_view content, size_t at);

}  // namespace helve::edit
