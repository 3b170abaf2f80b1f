#include "model/model_names.h"

#include <algorithm>
#include <optional>

namespace helve::model {
namespace {

struct Version {
  int major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number that `text` begins with; nothing for a longer one, which is a date.
std::optional<int> small_number(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto length = end - text.begin();
  if (length == 0 || length > 2) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, static_cast<size_t>(length))) number = number * 10 + (c - '0');
  return number;
}

constexpr Version kNewest{1'000, 0};

// The first number in it and the one behind, as in "opus-4-5-20251101" and "3.7-sonnet".
std::optional<Version> version_in(std::string_view text) {
  const auto begin = std::ranges::find_if(text, is_digit);
  text.remove_prefix(static_cast<size_t>(begin - text.begin()));
  const std::optional<int> major = small_number(text);
  if (!major) return std::nullopt;
  text.remove_prefix(*major > 9 ? 2 : 1);
  const bool has_more = text.starts_with('-') || text.starts_with('.');
  return Version{*major, has_more ? small_number(text.substr(1)).value_or(0) : 0};
}

// Without who resells it, and that it was tuned.
std::string_view own_name(std::string_view model) {
  model.remove_prefix(model.rfind('/') + 1);  // npos + 1 is 0
  if (model.starts_with("ft:")) model.remove_prefix(3);
  return model;
}

// o1, o3 …
bool is_o(std::string_view name) { return name.size() > 1 && name[0] == 'o' && is_digit(name[1]); }

}  // namespace

ClaudeThinking claude_thinking(std::string_view model) {
  using Way = ClaudeThinking::Way;
  constexpr std::string_view kFamily = "claude-";
  const size_t at = model.find(kFamily);
  if (at == model.npos) return {};  // somebody else's
  const std::string_view rest = model.substr(at + kFamily.size());
  const Version version = version_in(rest).value_or(kNewest);
  if (version < Version{3, 7}) return {.way = Way::none};
  if (version < Version{4, 6}) return {.way = Way::budget};
  const bool is_bound = version > Version{5, 0};
  return {.by_itself = version >= Version{5, 0},
          .can_stop = !is_bound && !rest.starts_with("fable") && !rest.starts_with("mythos"),
          .is_silent = version > Version{4, 6},
          .is_bound = is_bound,
          .is_sampled = version <= Version{4, 6}};
}

bool can_reason(std::string_view model) {
  constexpr std::string_view kPlain[] = {"gpt-3", "gpt-4", "chatgpt-4o", "gpt-5-chat"};
  const std::string_view name = own_name(model);
  return std::ranges::none_of(kPlain,
                              [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_openai_reasoner(std::string_view model) {
  const std::string_view name = own_name(model);
  const bool is_gpt = name.starts_with("gpt-") && !name.starts_with("gpt-oss");
  return is_o(name) || (is_gpt && can_reason(name));
}

std::string_view least_effort(std::string_view model) {
  const std::string_view name = own_name(model);
  if (is_o(name) || name.starts_with("gpt-oss") || name.find("codex") != name.npos) return "low";
  if (!name.starts_with("gpt-")) return "none";
  if (name.find("-pro") != name.npos) return "";
  return version_in(name).value_or(kNewest) < Version{5, 1} ? "minimal" : "none";
}

bool gemini_signs(std::string_view model) {
  constexpr std::string_view kFamily = "gemini-";
  const size_t at = model.find(kFamily);
  if (at == model.npos) return false;
  return version_in(model.substr(at + kFamily.size())).value_or(kNewest) >= Version{3, 0};
}

bool is_mistral(std::string_view model) {
  // Mistral, Ministral, Magistral, Codestral, Devstral; Mixtral and Pixtral.
  return model.find("stral") != model.npos || model.find("ixtral") != model.npos;
}

}  // namespace helve::model
