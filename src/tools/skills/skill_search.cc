// skill_search: skills by the words of a question.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "guidance/relevance.h"
#include "tool/make.h"
#include "tools/guidance_access.h"

namespace helve::tools {
namespace {

constexpr size_t kSnippetChars = 160;
// Letters that two forms of a word begin with.
constexpr size_t kSameStem = 4, kLongestStem = 64;
// What a word is worth where it stands.
constexpr double kInName = 3, kInDescription = 2, kInBody = 1;

struct SkillSearchInput {
  std::string query;
  std::int64_t limit = 5;

  static constexpr auto schema() {
    return object(
        "Find skills by words: in their names, descriptions and texts.",
        arg<&SkillSearchInput::query>("What the task is about").min_length(1).max_length(10'000),
        opt<&SkillSearchInput::limit>("How many at most").min(1).max(50).shorthand('n'));
  }
};

struct SkillHit {
  std::string name;
  guidance::Owner owner = guidance::Owner::project;
  std::string path;
  std::string description;
  double score = 0;
  std::int64_t line = 0;
  std::string snippet;

  static constexpr auto schema() {
    return object("A skill.", arg<&SkillHit::name>("Its name"),
                  arg<&SkillHit::owner>("Whose it is"), arg<&SkillHit::path>("Its file"),
                  arg<&SkillHit::description>("What it is for"),
                  arg<&SkillHit::score>("How well it fits, 0 to 1"),
                  arg<&SkillHit::line>("The line of the snippet; 0: there is none"),
                  arg<&SkillHit::snippet>("The line of the file with most of the words"));
  }
};

struct SkillSearchOutput {
  std::vector<SkillHit> skills;

  static constexpr auto schema() {
    return object("The skills that fit, the best first.",
                  arg<&SkillSearchOutput::skills>("Those with at least one of the words"));
  }
  std::string text() const {
    std::string out;
    for (const SkillHit& each : skills) {
      out += fmt::format("{} · {:.2f} · {}\n", each.name, each.score,
                         escape_for_display(each.description));
      if (each.line > 0)
        out += fmt::format("  {}:{} {}\n", each.path, each.line, escape_for_display(each.snippet));
    }
    return skills.empty() ? "no skills fit\n" : out;
  }
};

// How many of the words a text has, also in another form: "release" and "releases".
size_t count_found(const guidance::Words& wanted, std::string_view text) {
  std::set<std::string_view> found;
  for (const std::string& word : guidance::words_of(text, 1)) {
    auto at = wanted.lower_bound(word);
    if (at != wanted.end() && *at == word) found.insert(*at);
    if (word.size() < kSameStem) continue;
    for (; at != wanted.end() && at->starts_with(word); ++at) found.insert(*at);
    const std::string_view longest = std::string_view(word).substr(0, kLongestStem);
    for (size_t size = kSameStem; size < longest.size(); ++size) {
      if (const auto stem = wanted.find(longest.substr(0, size)); stem != wanted.end())
        found.insert(*stem);
    }
  }
  return found.size();
}

Result<void> add_snippet(SkillHit& hit, const guidance::Words& wanted, std::string_view text,
                         const Context& context) {
  size_t best = 0;
  std::int64_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    TRY(context.checkpoint());
    ++number;
    const size_t found = count_found(wanted, line);
    if (found <= best) continue;
    best = found;
    hit.line = number;
    hit.snippet = preview(trim(line), kSnippetChars);
  }
  return {};
}

Result<SkillSearchOutput> skill_search(const SkillSearchInput& in, Context& context) {
  const guidance::Library& library = *TRY(need_guidance(context));
  const guidance::Words wanted = guidance::words_of(in.query, 1);
  SkillSearchOutput out;
  for (const guidance::Skill& skill : library.skills().items) {
    TRY(context.checkpoint());
    const Result<guidance::File> file = library.file_of(skill);
    if (!file) continue;  // it went meanwhile, or is too large
    const std::string text = escape_invalid_utf8(file->text());
    const double worth =
        kInName * static_cast<double>(count_found(wanted, skill.name)) +
        kInDescription * static_cast<double>(count_found(wanted, skill.description)) +
        kInBody * static_cast<double>(count_found(wanted, text));
    if (worth == 0) continue;
    SkillHit hit{.name = skill.name,
                 .owner = skill.owner,
                 .path = skill.path,
                 .description = skill.description,
                 .score = worth / ((kInName + kInDescription + kInBody) *
                                   static_cast<double>(wanted.size())),
                 .line = 0,
                 .snippet = {}};
    TRY(add_snippet(hit, wanted, text, context));
    out.skills.push_back(std::move(hit));
  }
  std::ranges::stable_sort(out.skills, std::ranges::greater(), &SkillHit::score);
  if (out.skills.size() > static_cast<size_t>(in.limit))
    out.skills.resize(static_cast<size_t>(in.limit));
  return out;
}

}  // namespace

Tool tool_skill_search() {
  return make_tool({.name = "skill_search",
                    .group = "skills",
                    .title = "Find skills",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"By what the task is", R"({"query": "make a release"})"}}},
                   skill_search);
}

}  // namespace helve::tools
