#include "agent/toolbox.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace helve::agent {
namespace {

std::vector<model::Offer> tools() {
  return {{"kb_write", "Write a document into the knowledge store.", {{"type", "object"}}},
          {"kb_read", "Read a document of the knowledge store.", {{"type", "object"}}},
          {"tree", "Show a directory as an indented tree.", {{"type", "object"}}},
          {"undo", "Take back a change that tools made to files.", {{"type", "object"}}}};
}

// The names of what is found.
std::vector<std::string> found(const Toolbox& toolbox, const std::string& query) {
  const Result<std::string> answer = toolbox.search(to_text(Json(JsonObject{{"query", query}})));
  std::vector<std::string> names;
  for (const model::Offer& tool : toolbox.tools())
    if (answer && answer->find("\"tool\":\"" + tool.name + "\"") != std::string::npos)
      names.push_back(tool.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(Toolbox, NamesEveryToolInFewWords) {
  const std::vector<model::Offer> offers = Toolbox(tools()).offers();
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].name, kToolSearch);
  EXPECT_NE(offers[0].description.find("kb_write, kb_read, tree, undo"), std::string::npos);
  EXPECT_EQ(offers[1].name, kToolCall);
}

TEST(Toolbox, NamesNotMoreToolsThanAModelWouldRead) {
  std::vector<model::Offer> many;
  for (int i = 0; i < 5'000; ++i) many.push_back({fmt::format("tool_{}", i), "", {}});
  const std::string description = Toolbox(std::move(many)).offers()[0].description;
  EXPECT_LT(description.size(), 4'000u);
  EXPECT_NE(description.find("and 4800 more"), std::string::npos);
}

TEST(Toolbox, FindsToolsByTheirNamesAndByWords) {
  const Toolbox toolbox(tools());
  EXPECT_EQ(found(toolbox, "undo"), Names{"undo"});
  EXPECT_EQ(found(toolbox, "KB_READ, tree"), (Names{"kb_read", "tree"})) << "named ones alone";
  EXPECT_EQ(found(toolbox, "store documents: document"), (Names{"kb_write", "kb_read"}));
  EXPECT_EQ(found(toolbox, "an indented directory"), Names{"tree"});
  const Result<std::string> nothing = toolbox.search(R"({"query": "weather"})");
  EXPECT_EQ(*nothing, "No tool fits. There are: kb_write, kb_read, tree, undo.\n");
}

// Many tools have the names of common verbs.
TEST(Toolbox, AToolWhoseNameIsAWordHidesNoOthers) {
  std::vector<model::Offer> many = tools();
  many.push_back({"delete", "Delete a file.", {{"type", "object"}}});
  many.push_back({"sessions_delete", "Delete a session for good.", {{"type", "object"}}});
  for (int i = 0; i < 9; ++i)
    many.push_back({fmt::format("sessions_{}", i), "", {{"type", "object"}}});
  const Toolbox toolbox(std::move(many));
  const Result<std::string> answer = toolbox.search(R"({"query": "delete a session"})");
  EXPECT_EQ(answer->find("{\"tool\":\"delete\""), 0u) << *answer;
  EXPECT_NE(answer->find("sessions_delete"), std::string::npos) << *answer;
  EXPECT_EQ(found(toolbox, "delete a session").size(), 5u);
  EXPECT_EQ(found(toolbox, "delete, undo"), (Names{"undo", "delete"})) << "all are named";
}

TEST(Toolbox, ShowsHowAToolIsCalled) {
  EXPECT_EQ(*Toolbox(tools()).search(R"({"query": "tree"})"),
            "{\"tool\":\"tree\",\"description\":\"Show a directory as an indented tree.\","
            "\"parameters\":{\"type\":\"object\"}}\nCall them by tool_call.\n");
}

TEST(Toolbox, RefusesAQuestionThatIsNone) {
  for (const char* arguments : {"", "{", "{}", R"({"query": ""})", R"({"query": 7})", "[]"})
    EXPECT_FALSE(Toolbox(tools()).search(arguments)) << arguments;
}

TEST(Toolbox, ACallStandsForAnother) {
  auto meant = [](std::string name, std::string arguments) {
    return meant_by({"id", std::move(name), std::move(arguments), "", nullptr});
  };
  const auto call = meant("tool_call", R"({"tool": "tree", "arguments": {"path": "."}})");
  EXPECT_EQ(call->name, "tree");
  EXPECT_EQ(call->arguments, R"({"path":"."})");
  EXPECT_EQ(call->id, "id");
  EXPECT_EQ(meant("tool_call", R"({"tool": "tree", "arguments": {}})")->arguments, "{}");
  EXPECT_EQ(meant("tool_call", R"({"tool": "tree", "arguments": "{\"a\":1}"})")->arguments,
            R"({"a":1})");
  EXPECT_EQ(meant("tree", "{")->arguments, "{") << "others are themselves";
  for (const char* wrong :
       {"{", "{}", R"({"tool": "tool_call"})", R"({"tool": "tool_search"})", R"({"tool": 7})"})
    EXPECT_FALSE(meant("tool_call", wrong)) << wrong;
}

TEST(Toolbox, ArgumentsInTheWrongPlaceAreNotLeftOut) {
  auto error = [](std::string arguments) {
    const auto meant = meant_by({"id", "tool_call", std::move(arguments), "", nullptr});
    return meant ? "runs " + meant->arguments : meant.error().message + "; " + meant.error().hint;
  };
  EXPECT_EQ(error(R"({"tool": "undo", "path": "a.txt"})"),
            "not run: tool_call takes tool and arguments only; put path into arguments");
  EXPECT_EQ(error(R"({"tool": "undo", "arguments": {"path": "a"}, "dry_run": true, "n": 1})"),
            "not run: tool_call takes tool and arguments only; put dry_run, n into arguments");
  EXPECT_EQ(
      error(R"({"tool": "undo"})"),
      "not run: arguments are missing; give those of the tool, or {} when it is to have none");
  std::string many = R"({"tool": "undo")";
  for (int i = 0; i < 1'000; ++i) many += fmt::format(R"(, "member_{}": 1)", i);
  EXPECT_LT(error(many + "}").size(), 400u);
}

}  // namespace
}  // namespace helve::agent
