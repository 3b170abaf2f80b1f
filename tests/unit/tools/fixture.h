// Runs built-in tools on a workspace of their own. Elsewhere every call goes through the
// dispatcher; here the tools' functions are looked at alone.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>

#include "base/json.h"
#include "tool/context.h"
#include "tool/services.h"
#include "tool/tool.h"
#include "unit/workspace/temp_tree.h"
#include "workspace/workspace.h"

namespace helve {

// A member of an answer, to be compared with plain values.
struct Member {
  Json json;

  bool operator==(std::int64_t number) const { return json == Json(number); }
  bool operator==(bool truth) const { return json == Json(truth); }
  bool operator==(int number) const { return json == Json(number); }
  bool operator==(std::string_view text) const {
    return json.is_string() && text == json.get_string();
  }
  bool operator==(const char* text) const { return *this == std::string_view(text); }
  friend void PrintTo(const Member& member, std::ostream* out) { *out << to_text(member.json); }
};

struct Answer {
  Json value;  // null when it failed
  std::string text;
  Error error;
  bool ok = false;
  bool is_partial = false;

  Member operator[](std::string_view key) const {
    const Json* found = find(value, key);
    return {found ? *found : Json()};
  }
  bool lacks(std::string_view key) const { return !find(value, key); }
};

// Code and type in one string, for comparisons that show both.
inline std::string kind_of(const Answer& answer) {
  if (answer.ok) return "ok: " + answer.text;
  return std::string(name_of(answer.error.code)) + " " + std::string(answer.error.type_name());
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

class ToolTest : public ::testing::Test {
 protected:
  ToolTest() {
    auto made = workspace::Workspace::make(
        {.roots = {{tree.path()}}, .durability = workspace::Durability::unsynced});
    if (made) files = std::move(*made);
    context.files = files.get();
  }

  Answer call(std::string_view tool, const std::string& arguments) {
    return call(context, tool, arguments);
  }
  static Answer call(Context& context, std::string_view tool, const std::string& arguments) {
    Answer answer;
    for (const Tool& candidate : builtin_tools()) {
      if (candidate.spec.name != tool) continue;
      auto bound = candidate.bind(parse_json(arguments).value());
      Result<Product> product = bound ? (*bound)->run(context) : Result<Product>(bound.error());
      answer.ok = product.has_value();
      if (!product) {
        answer.error = product.error();
      } else {
        answer.value = parse_json(product->json).value();
        answer.text = text_of(product->content);
        answer.is_partial = product->is_partial;
      }
      return answer;
    }
    ADD_FAILURE() << "there is no tool " << tool;
    return answer;
  }

  TempTree tree;
  std::unique_ptr<workspace::Workspace> files;
  Identity who{.session = "s_1"};
  Context context{.who = who};
};

}  // namespace helve
