#include "search/glob_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "base/quick_hash.h"
#include "base/text.h"

namespace helve::search {
namespace {

constexpr size_t kMaxPatterns = 1000;  // of one list
constexpr size_t kMaxEnds = 8;         // more take longer than the tables
constexpr size_t kMaxRules = 100'000;  // of one file; git has no limit, but memory has

std::string_view name_of(std::string_view path) {
  const void* const slash = ::memrchr(path.data(), '/', path.size());  // several times rfind
  return slash ? path.substr(static_cast<const char*>(slash) - path.data() + 1) : path;
}

std::string_view extension_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? std::string_view() : name.substr(dot);
}

// Spaces at the end do not count, unless a backslash stands before them.
std::string_view without_trailing_spaces(std::string_view line) {
  size_t end = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;
    end = std::min(i + 1, line.size());
  }
  return line.substr(0, end);
}

}  // namespace

Candidate::Candidate(std::string_view path, std::string_view name, bool is_directory)
    : path(path), name(name), is_directory(is_directory), name_hash(quick_hash(name)) {
  const std::string_view extension = extension_of(name);
  extension_hash = extension.empty() ? 0 : quick_hash(extension);
}

void GlobSet::Table::finish() {
  std::ranges::sort(entries_);
  for (const auto& [hash, rule] : entries_) filter_ |= std::uint64_t{1} << (hash & 63);
}

GlobSet GlobSet::from_ignore_file(std::string_view content) {
  GlobSet set;
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  while (!content.empty() && set.rules_.size() < kMaxRules) {
    const size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    content.remove_prefix(end == content.npos ? content.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) continue;
    (void)set.add(without_trailing_spaces(line), Syntax::git);
  }
  set.finish();
  return set;
}

Result<GlobSet> GlobSet::from_patterns(std::span<const std::string> patterns) {
  if (patterns.size() > kMaxPatterns) {
    return Error{
        Code::invalid_argument,
        fmt::format("{} patterns are given, the limit is {}", patterns.size(), kMaxPatterns),
        "use braces, or fewer patterns", "invalid_pattern"};
  }
  GlobSet set;
  for (const std::string& pattern : patterns) {
    if (pattern.find('\0') != pattern.npos) {
      return Error{Code::invalid_argument,
                   fmt::format("the pattern '{}' holds a NUL byte, and no name has one",
                               escape_for_display(preview(pattern, 80))),
                   "remove it", "invalid_pattern"};
    }
    TRY(set.add(pattern, Syntax::tool));
  }
  set.finish();
  return set;
}

Result<void> GlobSet::add(std::string_view pattern, Syntax syntax) {
  const bool negated = pattern.starts_with('!');
  if (negated) pattern.remove_prefix(1);
  if (syntax == Syntax::git) return add_rule(pattern, syntax, negated);
  if (pattern.empty()) {
    return Error{Code::invalid_argument, "a pattern is empty", "** matches everything",
                 "invalid_pattern"};
  }
  for (const std::string& alternative : TRY(expand_braces(pattern)))
    TRY(add_rule(alternative, syntax, negated));
  return {};
}

Result<void> GlobSet::add_rule(std::string_view pattern, Syntax syntax, bool negated) {
  const bool directories_only = pattern.ends_with('/');
  if (directories_only) pattern.remove_suffix(1);
  if (pattern.empty()) return {};
  bool by_name = pattern.find('/') == pattern.npos;
  if (syntax == Syntax::tool && pattern.starts_with("./")) pattern.remove_prefix(1);
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  std::string_view rest = pattern;
  while (rest.starts_with("**/")) rest.remove_prefix(3);
  if (!rest.empty() && rest.size() < pattern.size() && rest.find('/') == rest.npos) {
    by_name = true;
    pattern = rest;
  }
  Glob glob = TRY(Glob::compile(pattern, syntax));
  rules_.push_back({std::move(glob), negated, directories_only, by_name});
  (negated ? has_excludes_ : has_includes_) = true;
  return {};
}

void GlobSet::finish() {
  for (std::uint32_t i = 0; i < rules_.size(); ++i) file_rule(rules_[i], i);
  names_.finish();
  extensions_.finish();
  find_ends();
}

void GlobSet::find_ends() {
  for (const Rule& rule : rules_) {
    if (rule.negated) continue;
    const std::string& tail = rule.glob.tail();
    const size_t size = std::min(tail.size(), sizeof(End::bytes));
    std::array<char, sizeof(End::bytes)> bytes = {}, mask = {};
    tail.copy(bytes.data() + bytes.size() - size, size, tail.size() - size);
    std::fill_n(mask.rbegin(), size, '\xFF');
    const End end{std::bit_cast<PathEnd>(bytes), std::bit_cast<PathEnd>(mask)};
    if (size > 0 && std::ranges::find(ends_, end) == ends_.end()) ends_.push_back(end);
    if (size == 0 || ends_.size() > kMaxEnds) return ends_.clear();
  }
}

// By the last part of the path, which must be a certain name, or end in a certain extension.
void GlobSet::file_rule(const Rule& rule, std::uint32_t number) {
  const std::string& tail = rule.glob.tail();
  const size_t slash = tail.rfind('/');
  const std::string_view last = std::string_view(tail).substr(slash == tail.npos ? 0 : slash + 1);
  const std::string_view extension = extension_of(last);
  if (rule.glob.is_literal() || slash != tail.npos) {
    names_.add(quick_hash(last), number);
  } else if (!extension.empty()) {
    extensions_.add(quick_hash(extension), number);
  } else {
    others_.push_back(number);
  }
}

bool GlobSet::applies(const Rule& rule, const Candidate& candidate, std::string_view path) const {
  if (rule.directories_only && !candidate.is_directory) return false;
  return rule.glob.matches(rule.by_name ? candidate.name : path);
}

Verdict GlobSet::decide(const Candidate& candidate, size_t base) const {
  if (rules_.empty()) return Verdict::none;
  const std::string_view path = candidate.path.substr(base);
  std::int64_t best = -1;
  const auto consider = [&](std::uint32_t rule) {
    if (rule > best && applies(rules_[rule], candidate, path)) best = rule;
  };
  names_.find(candidate.name_hash, consider);
  if (candidate.extension_hash != 0) extensions_.find(candidate.extension_hash, consider);
  for (auto rule = others_.rbegin(); rule != others_.rend() && *rule > best; ++rule)
    consider(*rule);
  if (best < 0) return Verdict::none;
  return rules_[static_cast<size_t>(best)].negated ? Verdict::negated : Verdict::matched;
}

bool GlobSet::decides_for(std::string_view path) const {
  // Only an exclude keeps a walk out of a directory.
  const size_t first = has_excludes_ ? path.find('/') : path.npos;
  for (size_t slash = first; slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string_view above = path.substr(0, slash);
    if (decide(Candidate(above, name_of(above), true)) == Verdict::negated) return false;
  }
  const Verdict verdict = decide(Candidate(path, name_of(path), false));
  return verdict == Verdict::matched || (verdict == Verdict::none && !has_includes_);
}

bool GlobSet::may_match_below(std::string_view directory) const {
  if (!has_includes_) return true;
  const std::string below = fmt::format("{}/", directory);
  const auto slashes = static_cast<size_t>(std::ranges::count(below, '/'));
  return std::ranges::any_of(rules_, [&](const Rule& rule) {
    if (rule.negated) return false;
    if (rule.by_name) return true;
    if (slashes > rule.glob.most_slashes()) return false;
    const std::string& head = rule.glob.head();
    return head.starts_with(below) || below.starts_with(head);
  });
}

}  // namespace helve::search
