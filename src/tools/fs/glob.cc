// glob: files by pattern, newest first.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/text.h"
#include "search/index_service.h"
#include "search/path_order.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/shown_name.h"
#include "tools/walking.h"

namespace helve::tools {
namespace {

enum class Sort : unsigned char { modified, path, none };
enum class Kind : unsigned char { file, directory, any };

struct GlobInput {
  std::string pattern;
  std::string path = ".";
  std::optional<std::vector<std::string>> exclude;
  Kind kind = Kind::file;
  Sort sort = Sort::modified;
  bool hidden = false;
  bool no_ignore = false;
  std::int64_t max_results = 100;

  static constexpr auto schema() {
    return object(
        "Find files by glob pattern, newest first. * and ? stay within a name, ** spans "
        "directories, "
        "[a-z] and {a,b} work; a pattern without a slash matches names at any depth. Files that "
        ".gitignore, .ignore or .rgignore leave out and hidden ones are skipped.",
        arg<&GlobInput::pattern>("Glob, e.g. *.ts, src/**/*.{c,h} or /*.md (top level only); a "
                                 "leading ! finds all but those")
            .min_length(1),
        opt<&GlobInput::path>("Directory to search, where patterns with a slash begin")
            .directory()
            .min_length(1),
        opt<&GlobInput::exclude>("Patterns of files and directories to leave out").shorthand('x'),
        opt<&GlobInput::kind>("What to find; any includes links").shorthand('k'),
        opt<&GlobInput::sort>("modified: newest first; none: fastest, stops at max_results"),
        opt<&GlobInput::hidden>("Also names that begin with a dot (.git is not entered). A pattern "
                                "that names one, e.g. .github/**, finds it anyway"),
        opt<&GlobInput::no_ignore>("Also what ignore files leave out"),
        opt<&GlobInput::max_results>("Paths to show; the rest is counted")
            .min(1)
            .max(10'000)
            .shorthand('n'));
  }
};

struct GlobMatch {
  std::string path;
  EntryType type = EntryType::file;
  std::optional<bool> escaped;

  static constexpr auto schema() {
    return object(
        "One match.",
        arg<&GlobMatch::path>("As other tools take it; bytes that are not UTF-8 as \\xNN"),
        arg<&GlobMatch::type>("What it is"),
        opt<&GlobMatch::escaped>("True when the name is not UTF-8"));
  }
};

struct GlobOutput {
  std::string path;
  std::vector<GlobMatch> matches;
  std::int64_t total = 0;
  bool truncated = false;
  std::optional<std::vector<std::string>> notes;
  bool is_partial = false;  // the time was over; not part of the value

  static constexpr auto schema() {
    return object(
        "What was found.", arg<&GlobOutput::path>("The directory that was searched"),
        arg<&GlobOutput::matches>("In the order asked for"),
        arg<&GlobOutput::total>("Matches found; when truncated, at least this many exist"),
        arg<&GlobOutput::truncated>("True when not every match is shown"),
        opt<&GlobOutput::notes>("What is missing, and why"));
  }

  std::string text() const {
    std::string out;
    for (const GlobMatch& match : matches) {
      out += shown_name(match.path, match.escaped.has_value());
      out += match.type == EntryType::directory ? "/\n" : "\n";
    }
    if (notes) {
      for (const std::string& note : *notes) out += "note: " + note + "\n";
    }
    return out;
  }
};

struct Found {
  std::string path;
  sys::FileKind kind;
  std::int64_t modified_ns;
};

// Keeps the best matches of one thread, however many there are.
class Collector final : public search::Visitor {
 public:
  Collector(const GlobInput& in, size_t limit) : kind_(in.kind), sort_(in.sort), limit_(limit) {}

  search::Next visit(const search::Item& item) override {
    if (!is_wanted(item.kind)) return search::Next::go_on;
    Found found{std::string(item.path), item.kind, 0};
    if (sort_ == Sort::modified) {
      const auto status = sys::status_at(item.directory, item.name);
      if (!status && status.error() == std::errc::no_such_file_or_directory)
        return search::Next::go_on;  // gone since its name was read
      found.modified_ns = status ? status->modified_ns : 0;
    }
    found_.push_back(std::move(found));
    ++total_;
    if (found_.size() >= 2 * limit_ + 64) keep_best();
    // One more than is shown tells that there are more.
    return sort_ == Sort::none && total_ > limit_ ? search::Next::stop : search::Next::go_on;
  }

  // A file that the index knows.
  void add(std::string_view path, std::int64_t modified_ns) {
    found_.push_back(
        {std::string(path), sys::FileKind::file, sort_ == Sort::modified ? modified_ns : 0});
    ++total_;
    if (found_.size() >= 2 * limit_ + 64) keep_best();
  }

  // Takes what another has found.
  void merge(Collector&& other) {
    std::ranges::move(other.found_, std::back_inserter(found_));
    total_ += other.total_;
  }
  std::uint64_t total() const { return total_; }
  std::vector<Found> take() {
    // What an index has is mostly in order.
    if (sort_ != Sort::none && !std::ranges::is_sorted(found_, comes_first))
      std::ranges::sort(found_, comes_first);
    if (found_.size() > limit_) found_.resize(limit_);
    return std::move(found_);
  }

 private:
  bool is_wanted(sys::FileKind kind) const {
    switch (kind_) {
      case Kind::file:
        return kind == sys::FileKind::file;
      case Kind::directory:
        return kind == sys::FileKind::directory;
      case Kind::any:
        return true;
    }
    return false;
  }
  // By path when no times were asked for.
  static bool comes_first(const Found& a, const Found& b) {
    return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns
                                          : search::path_less(a.path, b.path);
  }
  void keep_best() {
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(limit_);
    if (sort_ != Sort::none) std::ranges::nth_element(found_, end, comes_first);
    found_.erase(end, found_.end());
  }

  Kind kind_;
  Sort sort_;
  size_t limit_;
  std::vector<Found> found_;
  std::uint64_t total_ = 0;
};

// Whether a part of the pattern begins with a dot, so that hidden names are meant.
bool names_hidden(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool starts_part =
        i == 0 || std::string_view("/{,!").find(pattern[i - 1]) != std::string_view::npos;
    const bool is_dot = pattern[i] == '.' && i + 1 < pattern.size() && pattern[i + 1] != '/';
    if (starts_part && is_dot) return true;
  }
  return false;
}

// The directory to search and the pattern from there: a pattern may be an absolute path in a root.
struct Query {
  std::string path;
  std::string pattern;
};
Result<Query> query_of(const GlobInput& in, const workspace::Workspace& files) {
  for (const workspace::Root& root : files.roots()) {
    const std::string prefix = root.path + "/";
    if (in.path == "." && in.pattern.starts_with(prefix))
      return Query{root.path, in.pattern.substr(prefix.size() - 1)};
  }
  if (in.pattern.starts_with("../") || in.pattern.find("/../") != in.pattern.npos) {
    return Error{Code::invalid_argument,
                 fmt::format("the pattern '{}' leaves the searched directory",
                             escape_for_display(preview(in.pattern, 80))),
                 "name the directory with path", "invalid_pattern"};
  }
  return Query{in.path, in.pattern};
}

// Why a pattern that finds nothing may have meant something else.
std::string other_meaning(const GlobInput& in, const Query& query,
                          const workspace::Workspace& files) {
  if (in.kind == Kind::file && query.pattern.find_first_of("*?[{!") == query.pattern.npos) {
    std::string_view name = query.pattern;
    if (name.starts_with('/')) name.remove_prefix(1);
    if (name.ends_with('/')) name.remove_suffix(1);
    if (!name.empty() && name != "." &&
        files.open_directory(fmt::format("{}/{}", query.path, name)))
      return fmt::format(
          "; '{0}' is a directory: kind=directory finds it, and '{0}/**' what it holds",
          escape_for_display(name));
  }
  if (query.pattern == in.pattern && in.pattern.starts_with('/'))
    return "; a leading / is the directory that is searched";
  return "";
}

std::vector<std::string> notes_on(const GlobInput& in, const Query& query, const GlobOutput& out,
                                  const search::WalkReport& report,
                                  const workspace::Workspace& files, const Context& context) {
  std::vector<std::string> notes;
  if (out.truncated && in.sort == Sort::none) {
    if (!out.is_partial)
      notes.push_back(fmt::format("there are more than these {}", out.matches.size()));
  } else if (out.truncated && static_cast<size_t>(out.total) > out.matches.size()) {
    const size_t more = static_cast<size_t>(out.total) - out.matches.size();
    notes.push_back(fmt::format("{} more {}; raise {} or narrow the pattern", more,
                                more == 1 ? "matches" : "match", context.parameter("max_results")));
  }
  if (out.matches.empty()) {
    std::string note =
        fmt::format("nothing in '{}' matches '{}'{}", escape_for_display(out.path),
                    escape_for_display(preview(in.pattern, 80)), out.is_partial ? " so far" : "");
    if (!in.no_ignore || !in.hidden) {
      note +=
          fmt::format("; {} not looked at", in.no_ignore ? "hidden names were"
                                            : in.hidden  ? "ignored files were"
                                                         : "hidden names and ignored files were");
    }
    notes.push_back(note + other_meaning(in, query, files));
  }
  const auto escaped = std::ranges::count_if(
      out.matches, [](const GlobMatch& match) { return match.escaped.has_value(); });
  add_note_on_escaped(static_cast<size_t>(escaped), notes);
  add_notes(report, out.path, notes);
  return notes;
}

// From the index, when it knows all files that a walk would show.
std::optional<search::WalkReport> ask_index(const GlobInput& in, Context& context,
                                            const InRoot& place, const search::WalkOptions& options,
                                            Collector& all) {
  if (in.kind != Kind::file || options.hidden == search::Hidden::show || in.no_ignore) return {};
  return context.index->visit_files(
      place.root->directory, place.root->path, place.below, options,
      [&](std::string_view path, std::int64_t modified_ns) { all.add(path, modified_ns); });
}

Result<search::WalkReport> collect(const GlobInput& in, Context& context,
                                   const workspace::Workspace& files, const sys::Fd& directory,
                                   std::string_view shown, const search::WalkOptions& options,
                                   Collector& all) {
  const InRoot place = context.index ? root_of(files, directory) : InRoot{};
  if (place.root) {
    if (auto report = ask_index(in, context, place, options, all)) return std::move(*report);
  }
  std::vector<std::unique_ptr<Collector>> parts;
  search::WalkReport report =
      TRY(walk_for(context, directory, shown, options, [&]() -> search::Visitor& {
        return *parts.emplace_back(
            std::make_unique<Collector>(in, static_cast<size_t>(in.max_results)));
      }));
  for (const auto& part : parts) all.merge(std::move(*part));
  if (place.root) context.index->consider(place.root->directory, place.root->path, report.files);
  return report;
}

Result<GlobOutput> glob(const GlobInput& in, Context& context) {
  const workspace::Workspace& files = *TRY(need_files(context, "glob"));
  const Query query = TRY(query_of(in, files));
  std::vector<std::string> patterns = {query.pattern};
  std::ranges::move(excluding(in.exclude.value_or(std::vector<std::string>())),
                    std::back_inserter(patterns));
  const search::GlobSet globs = TRY(search::GlobSet::from_patterns(patterns));
  const sys::Fd directory = TRY(open_searched(files, query.path, context));
  GlobOutput out{.path = files.display(query.path)};

  const bool hidden = in.hidden || names_hidden(query.pattern);
  const search::WalkOptions options{
      .hidden = hidden ? search::Hidden::show : search::Hidden::skip,
      .ignore = in.no_ignore ? search::IgnoreRules::none : search::IgnoreRules::respect,
      .git_directory = query.pattern.find(".git/") == query.pattern.npos
                           ? search::GitDirectory::skip
                           : search::GitDirectory::enter,
      .globs = &globs};
  const auto limit = static_cast<size_t>(in.max_results);
  Collector all(in, limit);
  const search::WalkReport report =
      TRY(collect(in, context, files, directory, out.path, options, all));

  for (Found& found : all.take()) {
    GlobMatch match{.path = shown_below(out.path, found.path), .type = type_of(found.kind)};
    if (!is_utf8(found.path)) match.escaped = true;
    out.matches.push_back(std::move(match));
  }
  out.is_partial = report.end == search::WalkReport::End::deadline;
  out.truncated = all.total() > limit || out.is_partial;
  out.total = static_cast<std::int64_t>(in.sort == Sort::none ? out.matches.size() : all.total());
  auto notes = notes_on(in, query, out, report, files, context);
  if (!notes.empty()) out.notes = std::move(notes);
  return out;
}

}  // namespace

Tool tool_glob() {
  return make_tool(
      {.name = "glob",
       .group = "fs",
       .title = "Find files by name",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"The newest TypeScript files", R"({"pattern": "*.{ts,tsx}"})"},
                    {"Below a directory, sorted by name",
                     R"({"pattern": "src/**/*.md", "sort": "path"})"},
                    {"Without tests",
                     R"({"pattern": "*.go", "path": "pkg", "exclude": ["*_test.go", "vendor"]})"}}},
      glob);
}

}  // namespace helve::tools
