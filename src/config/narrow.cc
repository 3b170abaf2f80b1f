// What an untrusted workspace file may say: a stranger's repository can ask for more care, never
// for less.
#include <fmt/format.h>

#include <limits>

#include "config/layer.h"

namespace helve::config {
namespace {

// With no limit of the user's own, tools show this much; an untrusted file must stay below it.
constexpr double kUsualInlineChars = 10'000;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

class Narrower {
 public:
  Narrower(const Layer& layer, const Settings& current, std::vector<std::string>& notices)
      : layer_(layer), current_(current), notices_(notices) {}

  JsonObject settings(const JsonObject& all) {
    JsonObject kept;
    for (const auto& [key, value] : all) {
      if (value.is_null()) continue;
      if (key == "tools")
        kept[key] = rules(value.get_object(), "tools");
      else if (key == "agents")
        kept[key] = agents(value.get_array());
      else if (key == "approvals")
        kept[key] = approvals(value.get_object());
      else if (key == "commands")
        kept[key] = commands(value.get_array());
      else if (key == "limits" || key == "agent")
        kept[key] = limits(value.get_object(), std::string(key));
      else if (key == "sandbox")
        kept[key] = sandbox(value.get_object());
      else if ((key == "read_hard_links" || key == "index") && value == false)
        kept[key] = value;
      else
        ignore(std::string(key));
    }
    return kept;
  }

  // Items stand further up in a list that lost some before them; each keeps its line.
  void move_lines(std::map<std::string, int>& lines) const {
    for (const auto& [from, to] : moved_) {
      for (const auto& [path, line] : layer_.lines) {
        if (path.starts_with(from)) lines[to + path.substr(from.size())] = line;
      }
    }
  }

 private:
  void ignore(const std::string& path) {
    notices_.push_back(fmt::format("{}: '{}' is ignored until you trust this file (helve trust)",
                                   layer_.place_of(path), path));
  }

  JsonObject rules(const JsonObject& all, const std::string& path) {
    JsonObject kept;
    for (const auto& [key, value] : all) {
      const std::string at = fmt::format("{}.{}", path, std::string_view(key));
      if (value.is_null()) continue;
      // An allow list takes away whatever it does not name.
      if (key == "deny" || key == "ask" || key == "allow")
        kept[key] = value;
      else if (key == "effects")
        kept[key] = effects(value.get_object(), at);
      else
        ignore(at);
    }
    return kept;
  }

  JsonObject effects(const JsonObject& all, const std::string& path) {
    JsonObject kept;
    for (const auto& [key, value] : all) {
      if (value == "deny" || value == "ask")
        kept[key] = value;
      else if (!value.is_null())
        ignore(fmt::format("{}.{}", path, std::string_view(key)));
    }
    return kept;
  }

  JsonArray agents(const JsonArray& all) {
    JsonArray kept;
    for (size_t i = 0; i < all.size(); ++i) {
      const JsonObject& agent = all[i].get_object();
      JsonObject narrow{{"id", agent.at("id")}};
      for (const auto& [key, value] : agent) {
        const std::string at = fmt::format("agents[{}].{}", i, std::string_view(key));
        if (value.is_null() || key == "id") continue;
        if (key == "tools")
          narrow["tools"] = rules(value.get_object(), at);
        else
          ignore(at);
      }
      kept.push_back(std::move(narrow));
    }
    return kept;
  }

  JsonObject approvals(const JsonObject& all) {
    JsonObject kept;
    for (const auto& [key, value] : all) {
      const bool narrows = (key == "mode" && is_stricter(value.get_string())) ||
                           (key == "fallback" && value == "deny");
      if (narrows)
        kept[key] = value;
      else if (!value.is_null())
        ignore(fmt::format("approvals.{}", std::string_view(key)));
    }
    return kept;
  }

  JsonObject sandbox(const JsonObject& all) {
    JsonObject kept;
    for (const auto& [key, value] : all) {
      const bool is_strictest = value == "read_only" || value == "read-only";
      if ((key == "level" && is_strictest) || (key == "network" && value == false))
        kept[key] = value;
      else if (!value.is_null())
        ignore(fmt::format("sandbox.{}", std::string_view(key)));
    }
    return kept;
  }

  JsonArray commands(const JsonArray& all) {
    JsonArray kept;
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string at = fmt::format("commands[{}]", i);
      if (string_at(all[i], "verdict") == "allow") {
        ignore(at);
        continue;
      }
      moved_.emplace_back(at, fmt::format("commands[{}]", kept.size()));
      kept.push_back(all[i]);
    }
    return kept;
  }

  bool is_stricter(std::string_view mode) const {
    const ApprovalMode wanted = mode == "always"  ? ApprovalMode::always
                                : mode == "smart" ? ApprovalMode::smart
                                                  : ApprovalMode::off;
    return wanted >= current_.approvals.mode;
  }

  double current_limit(std::string_view path) const {
    const Limits& limits = current_.limits;
    const LoopSettings& loop = current_.agent;
    if (path == "limits.inline_chars")
      return limits.inline_chars ? static_cast<double>(*limits.inline_chars) : kUsualInlineChars;
    if (path == "limits.timeout_seconds") return limits.timeout_seconds.value_or(kNoLimit);
    if (path == "limits.max_frame_bytes") return static_cast<double>(limits.max_frame_bytes);
    if (path == "agent.turns") return static_cast<double>(loop.turns);
    if (path == "agent.tokens") return loop.tokens ? static_cast<double>(*loop.tokens) : kNoLimit;
    if (path == "agent.cost") return loop.cost.value_or(kNoLimit);
    if (path == "agent.time") return loop.time.value_or(kNoLimit);
    if (path == "agent.depth") return static_cast<double>(loop.depth);
    return -1;  // a limit that is not known here cannot be shown to be smaller
  }

  JsonObject limits(const JsonObject& all, const std::string& path) {
    JsonObject kept;
    for (const auto& [key, value] : all) {
      if (value.is_null()) continue;
      const std::string at = fmt::format("{}.{}", path, std::string_view(key));
      const double limit = current_limit(at);
      if (limit >= 0 && value.is_number() && value.to_number<double>() <= limit)
        kept[key] = value;
      else
        ignore(at);
    }
    return kept;
  }

  const Layer& layer_;
  const Settings& current_;
  std::vector<std::string>& notices_;
  std::vector<std::pair<std::string, std::string>> moved_;  // where an item was, and where it is
};

}  // namespace

Layer narrowed(const Layer& layer, const Settings& current, std::vector<std::string>& notices) {
  Layer kept = layer;
  Narrower narrower(layer, current, notices);
  kept.value = narrower.settings(layer.value.get_object());
  narrower.move_lines(kept.lines);
  return kept;
}

}  // namespace helve::config
