#include "app/chat_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/chat_session.h"
#include "base/text.h"
#include "terminal/completion.h"

namespace helve::app {
namespace {

constexpr std::chrono::milliseconds kPatience{1500};
constexpr int kMostFiles = 200;
constexpr std::array<std::string_view, 5> kImages = {".png", ".jpg", ".jpeg", ".gif", ".webp"};

bool is_image(std::string_view name) {
  return std::ranges::any_of(kImages, [&](std::string_view ending) {
    return name.size() > ending.size() &&
           equals_ignoring_case(name.substr(name.size() - ending.size()), ending);
  });
}

bool is_there(const std::string& name, const workspace::Workspace& files) {
  return files.open_file(name).has_value() || files.open_directory(name).has_value();
}

// Why it could not be attached; empty: it was.
std::string attach(const std::string& name, ChatSession& session, model::Message& message) {
  const dispatch::Outcome outcome = session.call("read", JsonObject{{"path", name}}, {});
  if (outcome.error) return outcome.error->message;
  for (const Content& block : outcome.product.content) {
    const auto* const image = std::get_if<ImageContent>(&block);
    if (!image) continue;
    if (image->data.size() > kMaxAttached)
      return fmt::format("it is larger than {}", human_size(kMaxAttached));
    message.parts.push_back(model::Image{image->data, image->mime_type});
    return "";
  }
  return "it is no image";
}

}  // namespace

std::vector<std::string> references_in(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
    if (at > 0 && !std::string_view(" \t\n([\"'").contains(text[at - 1])) continue;
    std::string_view rest = text.substr(at + 1);
    const bool is_quoted = rest.starts_with('"');
    if (is_quoted) rest.remove_prefix(1);
    std::string_view name = rest.substr(0, rest.find_first_of(is_quoted ? "\"\n" : " \t\n"));
    if (!is_quoted)
      while (!name.empty() && std::string_view(".,;:!?)]\"'").contains(name.back()))
        name.remove_suffix(1);
    if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
    names.emplace_back(name);
    if (names.size() == kMaxReferences) break;
  }
  return names;
}

model::Message message_of(const std::string& text, ChatSession& session) {
  model::Message message = model::user_message(text);
  const std::shared_ptr<const Place> place = session.world().place();
  if (!place->files) return message;
  std::vector<std::string> named;
  for (const std::string& name : references_in(text)) {
    if (!is_there(name, *place->files)) continue;
    const std::string problem = is_image(name) ? attach(name, session, message) : "it is text";
    if (!problem.empty()) named.push_back(name);
  }
  if (!named.empty())
    message.parts.push_back(model::Text{fmt::format(
        "(Behind @ stand names of the workspace that you can read: {})", join(named, ", "))});
  return message;
}

std::vector<terminal::Candidate> files_like(std::string_view word, ChatSession& session) {
  std::vector<terminal::Candidate> found;
  if (word.find_first_of("*?[]{}!\\") != word.npos) return found;
  const auto look = [&](const std::string& pattern, std::string_view kind) {
    const dispatch::Outcome outcome = session.call(
        "glob", JsonObject{{"pattern", pattern}, {"kind", kind}, {"max_results", kMostFiles}}, {},
        nullptr, kPatience);
    if (outcome.error) return;
    const Result<Json> value = parse_json(outcome.product.json);
    const Json* const matches = value ? helve::find(*value, "matches") : nullptr;
    if (!matches || !matches->is_array()) return;
    for (const Json& match : matches->get_array()) {
      std::string name(string_at(match, "path"));
      if (string_at(match, "type") == "directory") name += '/';
      found.push_back({terminal::file_reference(name)});
    }
  };
  const std::string begin(word);
  if (word.find('/') != word.npos) look("/" + begin + "*", "any");
  if (found.empty()) look((word.find('/') != word.npos ? "**/" : "") + begin + "*", "file");
  if (word.find('/') == word.npos && !word.empty()) look("/" + begin + "*", "directory");
  return found;
}

}  // namespace helve::app
