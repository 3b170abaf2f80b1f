// Routes lead out of the sandbox, so what is odd in them is an error, not a guess.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/layer.h"

namespace helve::config {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

// Letters, digits and what is in `more`, not beginning with a dash: neither an option of a program
// nor anything to a shell.
bool is_plain(std::string_view text, std::string_view more) {
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [&](char c) {
    return kLetters.find(c) != kLetters.npos || kDigits.find(c) != kDigits.npos ||
           more.find(c) != more.npos;
  });
}

class RouteCheck {
 public:
  RouteCheck(const Layer& layer, const std::string& home, Complaints& complaints)
      : layer_(layer), home_(home), complaints_(complaints) {}

  void check(std::vector<RouteSettings>& routes) {
    for (size_t i = 0; i < routes.size(); ++i) {
      at_ = fmt::format("routes[{}]", i);
      check(routes[i]);
    }
  }

 private:
  void complain(std::string_view key, std::string_view value, std::string_view why,
                std::string_view hint) {
    complaints_.add(layer_, fmt::format("{}.{}", at_, key),
                    fmt::format("'{}' {}", escape_for_display(preview(value, 80)), why), hint);
  }

  void check(RouteSettings& route) {
    if (!is_plain(route.name, "_.-"))
      complain("name", route.name, "is no name", "letters, digits, _ . and -");
    check_unique(names_, "name", route.name, "is the name of another route");
    for (size_t i = 0; i < route.commands.size(); ++i) {
      const std::string key = fmt::format("commands[{}]", i);
      if (!is_plain(route.commands[i], "_.+-"))
        complain(key, route.commands[i], "is not the name of a command",
                 "one word without a directory: letters, digits, _ . + and -");
      check_unique(commands_, key, route.commands[i], "is taken by another route");
    }
    for (size_t i = 0; i < route.environment.size(); ++i) {
      const std::string& name = route.environment[i];
      if (!is_plain(name, "_") || kDigits.find(name[0]) != kDigits.npos)
        complain(fmt::format("environment[{}]", i), name, "is not the name of a variable",
                 "letters, digits and _");
    }
    check_kind(route);
  }

  // What belongs to one kind of route means nothing in another.
  void check_kind(RouteSettings& route) {
    const bool is_ssh = route.via == RouteVia::ssh;
    const bool is_docker = route.via == RouteVia::docker;
    word("host", route.host, is_ssh, ":_.%-", true);
    word("container", route.container, is_docker, "_.-", true);
    word("user", route.user, is_ssh || is_docker, ":_.@-", false);
    belongs("directory", route.directory, is_ssh || is_docker);
    belongs("command", route.command, is_ssh);
    path("key", route.key, is_ssh);
    path("known_hosts", route.known_hosts, is_ssh);
    path("program", route.program, route.via == RouteVia::local);
    if (!route.directory.empty() && !route.directory.starts_with('/'))
      complain("directory", route.directory, "is relative", "begin with /");
    if (route.port != 0) belongs("port", std::to_string(route.port), is_ssh);
  }

  void word(std::string_view key, const std::string& value, bool fits, std::string_view more,
            bool needed) {
    if (needed && fits && value.empty())
      return complaints_.add(layer_, at_, fmt::format("'{}' is missing", key));
    if (value.empty() || !belongs(key, value, fits)) return;
    if (!is_plain(value, more))
      complain(key, value, "cannot be one", "letters, digits and a few marks");
  }

  bool belongs(std::string_view key, std::string_view value, bool fits) {
    if (value.empty() || fits) return true;
    complain(key, value, "means nothing for this kind of route", "leave it out, or change via");
    return false;
  }

  void path(std::string_view key, std::string& value, bool fits) {
    if (value.empty() || !belongs(key, value, fits)) return;
    if (value.starts_with("~/") && !home_.empty()) value.replace(0, 1, home_);
    if (!value.starts_with('/'))
      complain(key, value, "is relative", "begin with / or ~/");
    else if (value.find_first_of(std::string_view("\"\n\0", 3)) != value.npos)
      complain(key, value, "has a quote or a newline in it", "rename the file");
  }

  void check_unique(std::vector<std::string>& seen, std::string_view key, const std::string& value,
                    std::string_view why) {
    if (std::ranges::find(seen, value) != seen.end()) complain(key, value, why, "choose another");
    seen.push_back(value);
  }

  const Layer& layer_;
  const std::string& home_;
  Complaints& complaints_;
  std::string at_;
  std::vector<std::string> names_, commands_;
};

}  // namespace

void check_routes(const Layer& layer, const std::string& home, std::vector<RouteSettings>& routes,
                  Complaints& complaints) {
  RouteCheck(layer, home, complaints).check(routes);
}

}  // namespace helve::config
