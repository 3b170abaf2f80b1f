// YamlLine: a mapping on one line of YAML, {tool: write, arguments: {path: "a b"}}, as people write
// rules.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::dispatch {

// A text as YAML has it within brackets: plain when it is a word that means nothing else.
std::string yaml_text(std::string_view text);

// Keys are ours. What is empty is left out.
class YamlLine {
 public:
  void text(std::string_view key, std::string_view value);
  void texts(std::string_view key, const std::vector<std::string>& values);
  void values(std::string_view key, const std::map<std::string, Json>& values);
  std::string str() const { return out_ + '}'; }

 private:
  void key(std::string_view key);
  std::string out_ = "{";
};

}  // namespace helve::dispatch
