// A tool's test as data: tests/tools/<name>.txt. The format is described in tests/tools/README.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace helve::cases {

// What must be true of a step's answer. `line` is where it stands in the file, for messages and
// ACCEPT=1.
struct Expectation {
  enum class Kind { ok, has, error, says, hint, text, after, holds, absent } kind;
  std::string value;
  size_t line = 0;
};

// Makes something in the workspace: dir, link, lines, file, bytes, files, sparse.
struct Preparation {
  std::string what, name, value;
};

struct Step {
  std::vector<Preparation> preparations;  // before the call
  std::string tool;
  std::string arguments;  // JSON text, as written
  size_t line = 0;
  std::vector<Expectation> expectations;
};

struct Case {
  std::string name;
  size_t line = 0;
  std::vector<std::string> surfaces_left_out;  // "flags": with a reason in the file
  std::vector<Preparation> preparations;       // while it is read: of the next step
  std::vector<Step> steps;
};

struct CaseFile {
  std::string path;
  std::string tool;
  std::vector<std::string> lines;  // of the whole file, for ACCEPT=1
  std::vector<Case> cases;
  std::vector<std::pair<std::string, std::string>> files;  // of the workspace
};

Result<CaseFile> parse_case_file(const std::string& path);
void make_files(const CaseFile& file, const std::string& root);
Result<void> prepare(const std::vector<Preparation>& preparations, const std::string& root);

}  // namespace helve::cases
