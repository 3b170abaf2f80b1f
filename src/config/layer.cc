#include "config/layer.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::config {
namespace {

// "agents[0].tools" -> "agents[0]" -> "agents" -> "".
std::string_view parent_of(std::string_view path) {
  const size_t end = path.find_last_of(".[");
  return end == path.npos ? std::string_view() : path.substr(0, end);
}

}  // namespace

bool Layer::says(std::string_view path) const {
  const Json* at = &value;
  for (std::string_view key : split(path, '.')) {
    at = at ? find(*at, key) : nullptr;
  }
  return at && !at->is_null();
}

std::string Layer::place_of(std::string_view path) const {
  for (; !path.empty(); path = parent_of(path)) {
    if (auto found = lines.find(std::string(path)); found != lines.end()) {
      return fmt::format("{}:{}", source, found->second);
    }
    if (auto found = variables.find(std::string(path)); found != variables.end())
      return found->second;
  }
  return source;
}

std::string Layer::complain(std::string_view path, std::string_view message,
                            std::string_view hint) const {
  std::string text = place_of(path);
  // A variable names its key already, and its items count for nothing.
  const std::string key(path.ends_with(']') ? parent_of(path) : path);
  if (!path.empty() && !variables.contains(key)) text += fmt::format(": {}", path);
  text += fmt::format(": {}", message);
  if (!hint.empty()) text += fmt::format(" ({})", hint);
  return text;
}

void resolve_path(const Layer& layer, const std::string& home, std::string_view at,
                  std::string& path, Complaints& complaints) {
  const auto complain = [&](std::string_view why, std::string_view hint) {
    complaints.add(layer, at, fmt::format("'{}' {}", escape_for_display(path), why), hint);
  };
  if (path.empty() || path.starts_with('/')) return;
  if (path == "~" || path.starts_with("~/")) {
    if (home.empty()) return complain("needs a home directory", "set HOME, or begin with /");
    path.replace(0, 1, home);
  } else if (!layer.base) {
    complain("is relative", "begin with / or ~/");
  } else {
    path.insert(0, *layer.base);
  }
}

void Complaints::add(const Layer& layer, std::string_view path, std::string_view message,
                     std::string_view hint) {
  JsonObject detail{{"place", layer.place_of(path)}, {"path", path}, {"message", message}};
  if (!hint.empty()) detail["hint"] = hint;
  add(layer.complain(path, message, hint), std::move(detail));
}

void Complaints::add_line(const Layer& layer, int line, std::string_view message) {
  const std::string place = line > 0 ? fmt::format("{}:{}", layer.source, line) : layer.source;
  add(fmt::format("{}: {}", place, message), {{"place", place}, {"message", message}});
}

void Complaints::add(std::string text, JsonObject detail) {
  if (!text_.empty()) text_ += '\n';
  text_ += text;
  details_.push_back(std::move(detail));
}

Error Complaints::to_error() const {
  return Error{Code::invalid_argument, text_, "", "invalid_config", details_};
}

}  // namespace helve::config
