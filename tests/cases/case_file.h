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
  enum class Kind { ok, has, error, says, hint, text, after, absent } kind;
  std::string value;
  size_t line = 0;
};

struct Step {
  std::string tool;
  std::string arguments;  // JSON text, as written
  size_t line = 0;
  std::vector<Expectation> expectations;
};

// Makes something in the workspace before the first step: dir, link, lines, bytes, files, sparse.
struct Preparation {
  std::string what, name, value;
};

struct Case {
  std::string name;
  size_t line = 0;
  std::vector<std::string> surfaces_left_out;  // "flags": with a reason in the file
  std::vector<Preparation> preparations;
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
// A fresh workspace for one case.
Result<void> prepare(const CaseFile& file, const Case& test, const std::string& root);

}  // namespace helve::cases
