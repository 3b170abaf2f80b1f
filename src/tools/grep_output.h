// GrepOutput: what `grep` answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tool/make.h"

namespace helve::tools {

enum class OutputMode : unsigned char { content, files_with_matches, count };

struct GrepLine {
  std::int64_t line = 0;
  std::string text;
  std::optional<bool> context;

  static constexpr auto schema() {
    return object("One line.", arg<&GrepLine::line>("Line number, from 1"),
                  arg<&GrepLine::text>("The line; bytes that are not UTF-8 as \\xNN"),
                  opt<&GrepLine::context>("True when the line itself does not match"));
  }
};

struct GrepFile {
  std::string path;
  std::int64_t matches = 0;
  std::optional<std::vector<GrepLine>> lines;
  std::optional<bool> escaped;

  static constexpr auto schema() {
    return object("What was found in one file.",
                  arg<&GrepFile::path>("The file; bytes that are not UTF-8 as \\xNN"),
                  arg<&GrepFile::matches>("Matching lines in it; 1 for files_with_matches"),
                  opt<&GrepFile::lines>("The lines, with their context"),
                  opt<&GrepFile::escaped>("True when the path is not UTF-8"));
  }
};

struct GrepOutput {
  std::vector<GrepFile> files;
  std::int64_t matches = 0;
  std::int64_t files_found = 0;
  bool truncated = false;
  std::optional<std::vector<std::string>> notes;
  OutputMode mode = OutputMode::content;  // not part of the value
  bool with_context = false;
  bool with_numbers = true;
  bool is_partial = false;  // the time was over

  static constexpr auto schema() {
    return object("What was found.", arg<&GrepOutput::files>("Files with matches, sorted by path"),
                  arg<&GrepOutput::matches>("Matching lines in all files"),
                  arg<&GrepOutput::files_found>("Files with a match"),
                  arg<&GrepOutput::truncated>("True when there is, or may be, more than is shown"),
                  opt<&GrepOutput::notes>("What is missing, and why"));
  }

  std::string text() const;
};

}  // namespace helve::tools
