// YAML as config files use it: one document of plain data, with the line of everything in it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::config {

constexpr size_t kMaxYamlBytes = 1u << 20;
constexpr size_t kMaxYamlDepth = 32;

struct YamlProblem {
  int line = 0;  // from 1; 0: the text as a whole
  std::string message;
};

struct YamlDocument {
  Json value;                         // an empty document is an empty object
  std::map<std::string, int> lines;   // "agents[0].tools.allow" -> the line it stands on
  std::vector<YamlProblem> problems;  // when there are any, `value` is not to be used
};

// Plain scalars get the types of the YAML 1.2 core schema; quoted ones are strings. Duplicate keys,
// anchors, aliases, tags and further documents are problems: a config file has no use for them and
// reviewers overlook them.
YamlDocument parse_yaml(std::string_view text);

// The value that a plain scalar has by the core schema: true, 12, 0x1F, 1.5, otherwise a string.
Json plain_scalar(std::string_view text);

// How a key is written in a path: safe to show, and bounded.
std::string shown_key(std::string_view key);

}  // namespace helve::config
