// Globs and lists of rules: whatever the pattern and the path, an answer comes soon, and the tables
// decide as trying every rule does.
#include "search/glob.h"

#include "search/glob_set.h"
#include "target.h"

namespace {

using namespace helve;
using namespace helve::search;
using fuzz::expect;

constexpr size_t kMostText = 2000;  // bytes; paths are not much longer

bool matches_everything(std::string_view pattern) {
  return !pattern.empty() && pattern.find_first_not_of('*') == pattern.npos;
}

void check_glob(std::string_view pattern, std::string_view text, Syntax syntax) {
  const Result<Glob> glob = Glob::compile(pattern, syntax);
  if (!glob) {
    expect(!glob.error().hint.empty(), "an error has a hint", glob.error().message);
    return;
  }
  const bool matched = glob->matches(text);
  if (matched) {
    expect(text.starts_with(glob->head()), "a match begins with the head", pattern);
    expect(text.ends_with(glob->tail()), "a match ends with the tail", pattern);
  }
  if (glob->is_literal()) expect(glob->matches(glob->head()), "a literal matches itself", pattern);
  if (matches_everything(pattern) && !text.empty() && text.find('/') == text.npos)
    expect(matched, "stars match every name", text);
}

void check_braces(std::string_view pattern) {
  const auto expanded = expand_braces(pattern);
  if (!expanded) return;
  expect(!expanded->empty() && expanded->size() <= kMaxAlternatives, "alternatives are bounded");
  for (const std::string& each : *expanded)
    expect(each.size() <= pattern.size(), "no alternative is longer than the pattern", each);
}

// The last line that matches alone decides for all lines.
void check_rules(std::string_view file, std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const Candidate candidate(path, name, file.size() % 2 == 0);
  const Verdict together = GlobSet::from_ignore_file(file).decide(candidate);
  Verdict alone = Verdict::none;
  if (file.starts_with("\xEF\xBB\xBF")) file.remove_prefix(3);
  while (!file.empty()) {
    const size_t end = file.find('\n');
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(end == file.npos ? file.size() : end + 1);
    if (line.starts_with("\xEF\xBB\xBF")) continue;  // only the first one is a mark
    const Verdict verdict = GlobSet::from_ignore_file(line).decide(candidate);
    if (verdict != Verdict::none) alone = verdict;
  }
  expect(together == alone, "tables decide as trying every rule does", path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const size_t split = input.find('\0');
  const std::string_view pattern = input.substr(0, split);
  const std::string_view text =
      (split == input.npos ? input : input.substr(split + 1)).substr(0, kMostText);
  check_glob(pattern, text, Syntax::tool);
  check_glob(pattern, text, Syntax::git);
  check_braces(pattern);
  check_rules(pattern, text);
  (void)GlobSet::from_patterns(std::vector{std::string(pattern)});
  return 0;
}
