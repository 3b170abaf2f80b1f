#include "config/add_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "base/text.h"
#include "config/files.h"
#include "config/settings.h"
#include "config/yaml.h"
#include "sys/file.h"

namespace helve::config {
namespace {

constexpr std::chrono::seconds kLockWait{5};
constexpr std::uint32_t kFileMode = 0600, kDirectoryMode = 0700;
// Brackets that are tried as the end of a list; a file for people has its own close by.
constexpr size_t kMaxBrackets = 100;
constexpr size_t kStep = 2;  // of indentation

Error cannot_edit(const NewItem& item) {
  return Error{
      Code::unsupported, "it cannot be changed without changing what else it says",
      fmt::format("add this to {} yourself: - {}", item.list, escape_for_display(item.yaml)),
      "cannot_edit"};
}

// The value with the item at the end of the list at `path`; nothing when something else is there,
// or the list is full.
std::optional<Json> appended(Json value, std::span<const std::string_view> path, const Json& item) {
  if (value.is_null()) value = path.empty() ? Json(JsonArray()) : Json(JsonObject());
  if (path.empty()) {
    if (!value.is_array() || value.get_array().size() >= kMaxRules) return {};
    const JsonArray& items = value.get_array();
    if (std::ranges::find(items, item) == items.end()) value.get_array().push_back(item);
    return value;
  }
  if (!value.is_object()) return {};
  Json& inner = value.get_object()[path.front()];
  std::optional<Json> changed = appended(inner, path.subspan(1), item);
  if (!changed) return {};
  inner = std::move(*changed);
  return value;
}

// Makes texts that may be what is wanted, each by one insertion; who calls reads them back.
class Editor {
 public:
  Editor(std::string_view text, const YamlDocument& document, const NewItem& item)
      : text_(text),
        document_(document),
        path_(split(item.list, '.')),
        yaml_(item.yaml),
        end_(text.find("\r\n") == text.npos ? "\n" : "\r\n") {
    for (size_t start = 0; start < text_.size();) {
      const size_t end = std::min(text_.find('\n', start), text_.size() - 1) + 1;
      lines_.push_back(text_.substr(start, end - start));
      start = end;
    }
  }

  std::vector<std::string> candidates() {
    // The deepest key of the path that the file has, and what it holds.
    const Json* value = &document_.value;
    size_t depth = 0;
    std::string at;
    while (depth < path_.size() && value->is_object() &&
           value->get_object().contains(path_[depth])) {
      value = find(*value, path_[depth]);
      (at += depth == 0 ? "" : ".") += path_[depth];
      ++depth;
    }
    if (const JsonArray* array = value->if_array(); array && depth == path_.size()) {
      if (!array->empty()) after_last_item(fmt::format("{}[{}]", at, array->size() - 1));
      before_brackets(at, ']', array->empty() ? "" : ", ", yaml_);
    } else if (value->is_null()) {
      below(at, depth);
    } else if (const JsonObject* object = value->if_object()) {
      if (depth > 0 && !object->empty()) after_members(at, depth);
      if (depth > 0) before_brackets(at, '}', object->empty() ? "" : ", ", flow(depth));
      if (depth == 0) at_the_end();
    }
    return found_;
  }

 private:
  static size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
  }
  static bool says_nothing(std::string_view line) {
    const std::string_view words = trim(line);
    return words.empty() || words.starts_with('#');
  }
  // From 0; the number of lines when the path stands nowhere.
  size_t line_of(const std::string& path) const {
    const auto found = document_.lines.find(path);
    return found == document_.lines.end() ? lines_.size() : static_cast<size_t>(found->second) - 1;
  }

  // What is missing of the path, and the item, in lines that begin so deep.
  std::string block(size_t depth, size_t indent) const {
    std::string out;
    for (; depth < path_.size(); ++depth, indent += kStep)
      out += std::string(indent, ' ') + std::string(path_[depth]) + ":" + end_;
    return out + std::string(indent, ' ') + "- " + yaml_ + end_;
  }
  // The same within braces.
  std::string flow(size_t depth) const {
    std::string out = fmt::format("[{}]", yaml_);
    for (size_t i = path_.size(); i-- > depth + 1;) out = fmt::format("{{{}: {}}}", path_[i], out);
    return fmt::format("{}: {}", path_[depth], out);
  }

  void insert_before_line(size_t line, std::string_view added) {
    std::string out;
    for (size_t i = 0; i < line; ++i) out += lines_[i];
    if (!out.empty() && !out.ends_with('\n')) out += end_;
    out += added;
    for (size_t i = line; i < lines_.size(); ++i) out += lines_[i];
    found_.push_back(std::move(out));
  }
  // The first line behind `line` that belongs to nothing deeper than `indent`; comments and empty
  // lines before it belong to what follows.
  size_t end_of(size_t line, size_t indent) const {
    size_t end = line + 1;
    while (end < lines_.size() && (says_nothing(lines_[end]) || indent_of(lines_[end]) > indent))
      ++end;
    while (end > line + 1 && says_nothing(lines_[end - 1])) --end;
    return end;
  }

  void after_last_item(const std::string& last) {
    const size_t line = line_of(last);
    if (line >= lines_.size() || !trim(lines_[line]).starts_with('-')) return;
    const size_t indent = indent_of(lines_[line]);
    insert_before_line(end_of(line, indent), block(path_.size(), indent));
  }
  void after_members(const std::string& at, size_t depth) {
    const size_t line = line_of(at);
    size_t inside = line + 1;
    while (inside < lines_.size() && says_nothing(lines_[inside])) ++inside;
    if (inside >= lines_.size()) return;
    insert_before_line(end_of(line, indent_of(lines_[line])),
                       block(depth, indent_of(lines_[inside])));
  }
  void below(const std::string& at, size_t depth) {
    const size_t line = line_of(at);
    if (line < lines_.size())
      insert_before_line(line + 1, block(depth, indent_of(lines_[line]) + kStep));
  }
  void at_the_end() {
    insert_before_line(lines_.size(), block(0, 0));
    before_brackets("", '}', ", ", flow(0));
  }
  void before_brackets(const std::string& at, char bracket, std::string_view separator,
                       const std::string& added) {
    size_t from = 0;
    const size_t line = at.empty() ? 0 : line_of(at);
    for (size_t i = 0; i < line && i < lines_.size(); ++i) from += lines_[i].size();
    for (size_t tries = 0; tries < kMaxBrackets; ++tries, ++from) {
      from = text_.find(bracket, from);
      if (from == text_.npos) return;
      std::string out(text_.substr(0, from));
      ((out += separator) += added) += text_.substr(from);
      found_.push_back(std::move(out));
    }
  }

  const std::string_view text_;
  const YamlDocument& document_;
  const std::vector<std::string_view> path_;
  const std::string yaml_;
  const std::string end_;
  std::vector<std::string_view> lines_;
  std::vector<std::string> found_;
};

Result<std::string> with_item(std::string_view text, const NewItem& item) {
  const YamlDocument before = parse_yaml(text);
  const YamlDocument wrapped = parse_yaml(fmt::format("[{}]", item.yaml));
  const JsonArray* const items = wrapped.value.if_array();
  if (!before.problems.empty() || !wrapped.problems.empty() || !items || items->size() != 1)
    return cannot_edit(item);
  const std::vector<std::string_view> path = split(item.list, '.');
  const std::optional<Json> wanted = appended(before.value, path, items->front());
  if (!wanted) return cannot_edit(item);
  if (*wanted == before.value) return std::string(text);  // it says so already
  for (std::string& candidate : Editor(text, before, item).candidates()) {
    const YamlDocument after = parse_yaml(candidate);
    if (after.problems.empty() && after.value == *wanted) return std::move(candidate);
  }
  return cannot_edit(item);
}

Result<void> replace(const std::string& file, std::span<const NewItem> items) {
  const std::optional<std::string> before = TRY(read_own_file(file, kMaxYamlBytes));
  const std::string after = TRY(with_items(before.value_or(""), items));
  std::uint32_t mode = kFileMode;
  if (before) {
    const auto status = sys::status_of(file);
    if (!status) return sys::to_error(status.error(), "read", file);
    mode = status->mode;
  }
  TRY(sys::replace_file(file, after, mode));
  if (TRY(read_own_file(file, kMaxYamlBytes)) != after)
    return Error{Code::conflict, "it was changed by somebody else at the same time", "try again"};
  return {};
}

}  // namespace

Result<std::string> with_items(std::string_view text, std::span<const NewItem> items) {
  std::string out(text);
  for (const NewItem& item : items) out = TRY(with_item(out, item));
  return out;
}

Result<void> add_items(const std::string& file, const std::string& lock,
                       std::span<const NewItem> items) {
  auto add = [&]() -> Result<void> {
    for (const std::string& path : {file, lock}) {
      const size_t slash = path.rfind('/');
      if (slash != path.npos && slash > 0)
        TRY(sys::make_directories(path.substr(0, slash), kDirectoryMode));
    }
    const sys::Fd locked = TRY(sys::lock_file(lock, kLockWait));
    return replace(file, items);
  };
  Result<void> added = add();
  if (!added)
    added.error().message =
        fmt::format("'{}': {}", escape_for_display(file), added.error().message);
  return added;
}

}  // namespace helve::config
