#include "agent/toolbox.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dispatch/arguments.h"

namespace helve::agent {
namespace {

constexpr size_t kMaxNamed = 200;    // tools in the description
constexpr size_t kMaxFound = 5;      // by words; those that are named are all shown, to kMaxShown
constexpr size_t kMaxShown = 10;     // in one answer
constexpr size_t kMaxWords = 50;     // of a query
constexpr size_t kShortestWord = 3;  // letters; shorter ones are everywhere
constexpr size_t kMaxStrays = 10;    // members in the wrong place that an error names
constexpr size_t kMaxStrayChars = 60;
constexpr int kInName = 3, kInText = 1;  // what a word counts for

JsonObject schema_of(std::initializer_list<std::pair<const char*, Json>> properties) {
  JsonObject members;
  JsonArray required;
  for (const auto& [name, schema] : properties) {
    members[name] = schema;
    required.emplace_back(name);
  }
  return {{"type", "object"},
          {"properties", std::move(members)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> words_of(std::string_view query) {
  std::vector<std::string> words;
  for (size_t at = 0; at < query.size() && words.size() < kMaxWords;) {
    const auto is_part = [](unsigned char c) { return c >= 0x80 || std::isalnum(c) || c == '_'; };
    const size_t end = static_cast<size_t>(
        std::find_if_not(query.begin() + static_cast<std::ptrdiff_t>(at), query.end(), is_part) -
        query.begin());
    if (end > at) words.push_back(small(query.substr(at, end - at)));
    at = end + 1;
  }
  return words;
}

struct Match {
  const model::Offer* tool;
  int score;
  bool is_named;
};

// Arguments in the wrong place are never left out: without them many a tool does something else.
Result<void> check_members(const JsonObject& call) {
  std::vector<std::string> strays;
  size_t more = 0;
  for (const auto& [name, value] : call) {
    if (name == "tool" || name == "arguments") continue;
    if (strays.size() < kMaxStrays)
      strays.push_back(escape_for_display(preview(std::string_view(name), kMaxStrayChars)));
    else
      ++more;
  }
  if (!strays.empty()) {
    std::string names = join(strays, ", ");
    if (more > 0) names += fmt::format(" and {} more", more);
    return Error{Code::invalid_argument,
                 fmt::format("not run: {} takes tool and arguments only", kToolCall),
                 fmt::format("put {} into arguments", names), "invalid_input"};
  }
  if (!call.contains("arguments"))
    return Error{Code::invalid_argument, "not run: arguments are missing",
                 "give those of the tool, or {} when it is to have none", "invalid_input"};
  return {};
}

Match match_of(const model::Offer& tool, const std::vector<std::string>& words) {
  const std::string name = small(tool.name), text = small(tool.description);
  Match match{&tool, 0, false};
  for (const std::string& word : words) {
    match.is_named = match.is_named || word == name;
    if (word.size() < kShortestWord) continue;
    if (name.find(word) != name.npos)
      match.score += kInName;
    else if (text.find(word) != text.npos)
      match.score += kInText;
  }
  return match;
}

}  // namespace

std::string Toolbox::names() const {
  std::vector<std::string> names;
  for (const model::Offer& tool : tools_)
    if (names.size() < kMaxNamed) names.push_back(tool.name);
  std::string text = join(names, ", ");
  if (names.size() < tools_.size())
    text += fmt::format(" and {} more", tools_.size() - names.size());
  return text;
}

std::vector<model::Offer> Toolbox::offers() const {
  return {{std::string(kToolSearch),
           fmt::format("Find tools besides those that you see, and how they are called. There are: "
                       "{}.",
                       names()),
           schema_of({{"query", JsonObject{{"type", "string"},
                                           {"description",
                                            "Names of tools, or words of what is to be done"}}}})},
          {std::string(kToolCall), fmt::format("Call a tool that {} has shown.", kToolSearch),
           schema_of({{"tool", JsonObject{{"type", "string"}, {"description", "Its name"}}},
                      {"arguments", JsonObject{{"type", "object"},
                                               {"description", "As its parameters say"}}}})}};
}

Result<std::string> Toolbox::search(std::string_view arguments) const {
  const Json value = TRY(parse_json(arguments));
  const std::vector<std::string> words = words_of(string_at(value, "query"));
  if (words.empty())
    return Error{Code::invalid_argument, "query is missing",
                 "names of tools, or words of what is to be done", "invalid_input"};
  std::vector<Match> matches;
  for (const model::Offer& tool : tools_) matches.push_back(match_of(tool, words));
  std::erase_if(matches, [](const Match& each) { return !each.is_named && each.score == 0; });
  std::ranges::stable_sort(matches, [](const Match& a, const Match& b) {
    return a.is_named != b.is_named ? a.is_named : a.score > b.score;
  });
  // Many tools have the names of common verbs: where other words are said, too, others may be
  // meant.
  const bool is_all_names = std::ranges::all_of(words, [&](const std::string& word) {
    return std::ranges::any_of(matches, [&](const Match& each) {
      return each.is_named && small(each.tool->name) == word;
    });
  });
  const auto named = static_cast<size_t>(std::ranges::count_if(matches, &Match::is_named));
  const size_t most = std::max(std::min(named, kMaxShown), is_all_names ? 0 : kMaxFound);
  matches.resize(std::min(matches.size(), most));
  if (matches.empty()) return fmt::format("No tool fits. There are: {}.\n", names());
  std::string out;
  for (const Match& each : matches) {
    append_json(out, JsonObject{{"tool", each.tool->name},
                                {"description", each.tool->description},
                                {"parameters", each.tool->input_schema}});
    out += "\n";
  }
  return out + fmt::format("Call them by {}.\n", kToolCall);
}

Result<model::ToolCall> meant_by(const model::ToolCall& call) {
  if (call.name != kToolCall) return call;
  const Json value = TRY(dispatch::parse_arguments(call.arguments)).value;
  const std::string_view tool = string_at(value, "tool");
  const Json* const arguments = find(value, "arguments");
  if (tool.empty() || tool == kToolCall || tool == kToolSearch)
    return Error{Code::invalid_argument, fmt::format("{} names no tool", kToolCall),
                 fmt::format("tool is one that {} has shown, arguments are its own", kToolSearch),
                 "invalid_input"};
  TRY(check_members(value.get_object()));
  model::ToolCall meant{call.id, std::string(tool), "{}", "", nullptr};
  // Some models write them as text.
  if (arguments->is_string())
    meant.arguments = arguments->get_string();
  else if (!arguments->is_null())
    meant.arguments = to_text(*arguments);
  return meant;
}

}  // namespace helve::agent
