// src/tools/fs/shout.cc: says a text louder.
#include <cctype>

#include "tool/make.h"

namespace helve::tools {
namespace {

struct ShoutInput {
  std::string text;
  int marks = 0;

  static constexpr auto schema() {
    return object("Say a text louder.", arg<&ShoutInput::text>("What to say").min_length(1),
                  opt<&ShoutInput::marks>("Exclamation marks to add").min(0).max(9).shorthand('m'));
  }
};

struct ShoutOutput {
  std::string shouted;

  static constexpr auto schema() {
    return object("The louder text.", arg<&ShoutOutput::shouted>("The text in capitals"));
  }
  // What people and models read; programs get the JSON.
  std::string text() const { return shouted + "\n"; }
};

Result<ShoutOutput> shout(const ShoutInput& in, Context&) {
  ShoutOutput out;
  for (unsigned char c : in.text) out.shouted += static_cast<char>(std::toupper(c));
  out.shouted.append(in.marks, '!');
  return out;
}

}  // namespace

Tool tool_shout() { return make_tool({.name = "shout", .group = "fs", .title = "Shout"}, shout); }

}  // namespace helve::tools
