// grep: lines that match a pattern, in a file or in all files of a directory.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "base/encoding.h"
#include "base/text.h"
#include "search/candidates.h"
#include "search/file_types.h"
#include "search/grep.h"
#include "search/index_service.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/grep_output.h"
#include "tools/walking.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kMaxResults = 1'000'000;  // also of those that are skipped
constexpr std::int64_t kMaxContext = 1000;       // lines on each side
constexpr size_t kLongestShown = 500;            // characters of a line
constexpr std::int64_t kMaxGlobs = 100;
constexpr size_t kMaxNamed = 20;                     // files in a note
constexpr size_t kMaxKept = Limits{}.capture_bytes;  // memory for lines: no more can be answered
// Time that is left for writing the answer when a deadline ends the search.
constexpr auto kTimeToAnswer = std::chrono::milliseconds(100);

enum class Case : unsigned char { sensitive, insensitive, smart };
enum class Sort : unsigned char { path, none };

struct GrepInput {
  std::string pattern;
  std::string path = ".";
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::optional<std::string> type;
  OutputMode output_mode = OutputMode::content;
  std::optional<std::int64_t> context;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;
  Case case_ = Case::sensitive;
  bool word = false;
  bool literal = false;
  bool multiline = false;
  bool dotall = false;
  bool hidden = false;
  bool no_ignore = false;
  std::int64_t max_results = 100;
  std::int64_t offset = 0;
  Sort sort = Sort::path;
  std::optional<std::string> encoding;
  bool no_line_numbers = false;

  static constexpr auto schema() {
    return object(
        "Search file contents by regular expression (Rust/ripgrep syntax, also look-around and "
        "back-references). Lines come as path:line:text, sorted by path; hidden, ignored "
        "(.gitignore) and binary files are left out; lines over 500 characters are cut around the "
        "match.",
        arg<&GrepInput::pattern>("Regular expression; matches within a line unless multiline")
            .min_length(1)
            .max_length(65536),
        opt<&GrepInput::path>("File or directory to search, relative to the workspace or absolute "
                              "inside it")
            .file()
            .positional()
            .min_length(1)
            .shorthand_for('r', ""),
        opt<&GrepInput::include>("Only files that match one of these globs, e.g. *.cc or src/**; "
                                 "also hidden and ignored "
                                 "ones, as with rg -g")
            .max_length(kMaxGlobs)
            .shorthand('g'),
        opt<&GrepInput::exclude>("No files or directories that match one of these globs")
            .max_length(kMaxGlobs),
        opt<&GrepInput::type>("Only files of this type, e.g. py, js, ts, rust, go, cpp, java")
            .shorthand('t'),
        opt<&GrepInput::output_mode>("content: the lines; files_with_matches: the paths; count: "
                                     "matching lines per file")
            .shorthand_for('l', "files_with_matches")
            .shorthand_for('c', "count")
            .shorthand_for('n', ""),
        opt<&GrepInput::context>("Lines to show before and after each match")
            .min(0)
            .max(kMaxContext)
            .shorthand('C'),
        opt<&GrepInput::before>("Lines to show before each match; default: context")
            .min(0)
            .max(kMaxContext)
            .shorthand('B'),
        opt<&GrepInput::after>("Lines to show after each match; default: context")
            .min(0)
            .max(kMaxContext)
            .shorthand('A'),
        opt<&GrepInput::case_>("smart: insensitive unless the pattern has a capital letter")
            .shorthand_for('i', "insensitive")
            .shorthand_for('s', "sensitive")
            .shorthand_for('S', "smart"),
        opt<&GrepInput::word>("Only matches that are whole words").shorthand('w'),
        opt<&GrepInput::literal>("The pattern is plain text, not a regular expression")
            .shorthand('F'),
        opt<&GrepInput::multiline>("Matches may span lines: \\n and \\s match newlines")
            .shorthand('U'),
        opt<&GrepInput::dotall>("With multiline, . also matches newlines"),
        opt<&GrepInput::hidden>("Also search files and directories that begin with a dot"),
        opt<&GrepInput::no_ignore>("Also search what .gitignore and .ignore leave out"),
        opt<&GrepInput::max_results>("Matching lines (or files) to show at most; the rest is "
                                     "counted")
            .min(1)
            .max(kMaxResults)
            .shorthand('m'),
        opt<&GrepInput::offset>("Matching lines (or files) to skip, to go on where an answer ended")
            .min(0)
            .max(kMaxResults),
        opt<&GrepInput::sort>("none: as they are found, and stop at max_results: fastest; not with "
                              "offset"),
        opt<&GrepInput::encoding>("Encoding of the files, such as windows-1252; default: UTF-8, or "
                                  "UTF-16 where a file is that")
            .shorthand('E'),
        opt<&GrepInput::no_line_numbers>("Lines come as path:text").shorthand('N'));
  }
};

search::GrepOptions options_of(const GrepInput& in, const Context& context) {
  search::GrepOptions out;
  out.scan.wanted = in.output_mode == OutputMode::content              ? search::Wanted::lines
                    : in.output_mode == OutputMode::files_with_matches ? search::Wanted::presence
                                                                       : search::Wanted::count;
  const std::int64_t both = in.context.value_or(0);
  out.scan.before = static_cast<size_t>(in.before.value_or(both));
  out.scan.after = static_cast<size_t>(in.after.value_or(both));
  out.scan.longest_shown = kLongestShown;
  out.scan.stop = context.stop;
  out.walk.hidden = in.hidden ? search::Hidden::show : search::Hidden::skip;
  out.walk.git_directory = search::GitDirectory::skip;
  out.walk.ignore = in.no_ignore ? search::IgnoreRules::none : search::IgnoreRules::respect;
  out.walk.stop = context.stop;
  if (context.deadline) out.walk.deadline = *context.deadline - kTimeToAnswer;
  out.scan.deadline = out.walk.deadline;
  out.max_results = static_cast<size_t>(in.max_results);
  out.max_bytes = kMaxKept;
  out.skip = static_cast<size_t>(in.offset);
  const bool any_order = in.sort == Sort::none && in.offset == 0;
  out.order = any_order ? search::Order::none : search::Order::path;
  return out;
}

search::RegexOptions regex_of(const GrepInput& in) {
  const auto cases = {search::CaseMode::sensitive, search::CaseMode::insensitive,
                      search::CaseMode::smart};
  return {.kind = in.literal ? search::PatternKind::literal : search::PatternKind::regex,
          .case_mode = cases.begin()[static_cast<int>(in.case_)],
          .word = in.word,
          .newlines = in.multiline ? search::Newlines::matched : search::Newlines::excluded,
          .dot_all = in.dotall,
          .advice = search::Advice::parameters};
}

// A glob may be an absolute path below the searched directory, which bears these names.
std::string below(const std::vector<std::string>& searched, std::string glob) {
  const size_t begin = glob.starts_with('!') ? 1 : 0;
  for (const std::string& directory : searched) {
    if (std::string_view(glob).substr(begin).starts_with(directory + "/"))
      return glob.erase(begin, directory.size());
  }
  return glob;
}

// Absolute paths of the directory: as the system names it, and as its root was named.
std::vector<std::string> names_of(const workspace::Workspace& files, const sys::Fd& directory) {
  std::vector<std::string> names;
  if (auto path = sys::path_of(directory)) names.push_back(std::move(*path));
  if (const InRoot place = root_of(files, directory); place.root)
    names.push_back(place.root->path + (place.below.empty() ? "" : "/" + place.below));
  return names;
}

// `directory` is the one that is searched; null: a file is.
Result<search::GlobSet> globs_of(const GrepInput& in, const workspace::Workspace& files,
                                 const sys::Fd* directory) {
  const auto is_absolute = [](std::string_view glob) {
    return glob.starts_with('/') || glob.starts_with("!/");
  };
  const bool needs_names = directory && (std::ranges::any_of(in.include, is_absolute) ||
                                         std::ranges::any_of(in.exclude, is_absolute));
  const auto searched = needs_names ? names_of(files, *directory) : std::vector<std::string>();
  std::vector<std::string> rules, excluded;
  for (const std::string& glob : in.include) rules.push_back(below(searched, glob));
  for (const std::string& glob : in.exclude) excluded.push_back(below(searched, glob));
  std::ranges::move(excluding(excluded), std::back_inserter(rules));
  return search::GlobSet::from_patterns(rules);
}

std::string listed(std::vector<std::string> names, std::uint64_t count) {
  if (names.size() > kMaxNamed) names.resize(kMaxNamed);
  for (std::string& name : names) name = escape_for_display(name);
  const std::string more =
      count > names.size() ? fmt::format(" and {} more", count - names.size()) : "";
  return join(names, ", ") + more;
}

// What of the results is shown, in the unit that max_results counts.
struct Tally {
  std::uint64_t shown = 0, all = 0;
  bool cut_lines = false;
};

Tally tally_of(const search::GrepReport& report, const GrepInput& in) {
  if (in.output_mode != OutputMode::content)
    return {.shown = report.files.size(), .all = report.files_found};
  Tally out{.all = report.matches};
  for (const search::FoundFile& file : report.files) {
    const bool has_no_lines = file.matches.binary_at && file.matches.lines.empty();
    out.shown += has_no_lines ? file.matches.matches : file.matches.kept;
    out.cut_lines = out.cut_lines || std::ranges::any_of(file.matches.lines, [](const auto& line) {
                      return line.left_out > 0;
                    });
  }
  return out;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// How much there is besides what is shown, and how to see it.
std::optional<std::string> note_on_rest(const search::GrepReport& report, const GrepInput& in,
                                        const Tally& tally, const Context& context) {
  const std::string narrow =
      fmt::format("raise {}, or narrow pattern, path or {}", context.parameter("max_results"),
                  context.parameter("include"));
  if (report.end == search::WalkReport::End::stopped_by_visitor)
    return fmt::format("there may be more; {}", narrow);
  const std::uint64_t seen = static_cast<std::uint64_t>(in.offset) + tally.shown;
  if (tally.all <= seen && tally.shown > 0) return {};
  const bool lines = in.output_mode == OutputMode::content;
  const bool is_all = report.end == search::WalkReport::End::complete;
  const std::string all =
      lines ? fmt::format("{} in {}{}", report.matches,
                          counted(report.files_found, "file", "files"), is_all ? "" : " so far")
            : fmt::format("{} {}", report.files_found, is_all ? "in all" : "so far");
  if (tally.all == 0) return {};
  if (tally.all <= seen) return "there are only " + all;
  const std::uint64_t more = tally.all - seen;
  const bool is_full = lines && is_all && tally.shown < static_cast<std::uint64_t>(in.max_results);
  if (is_full)
    return fmt::format("{} ({}) for which an answer has no room; {}={} shows the next",
                       counted(more, "more match", "more matches"), all,
                       context.parameter("offset"), seen);
  return fmt::format("{} ({}); {}={} shows the next; or {}",
                     lines ? counted(more, "more match", "more matches")
                           : counted(more, "more file", "more files"),
                     all, context.parameter("offset"), seen, narrow);
}

// Files that were not searched.
void add_notes_on_problems(const search::GrepReport& report, const GrepInput& in,
                           std::string_view shown, std::vector<std::string>& notes) {
  std::vector<std::string> unread, large;
  for (const auto& [path, error] : report.problems) {
    const std::string name = shown_below(shown, path);
    if (in.multiline && error == std::errc::file_too_large)
      large.push_back(name);
    else
      unread.push_back(fmt::format("{} ({})", name, sys::reason_of(error)));
  }
  // The first ones are named; whatever the others are, they are counted here.
  if (!unread.empty())
    notes.push_back("cannot be read: " +
                    listed(std::move(unread), report.problem_count - large.size()));
  if (!large.empty())
    notes.push_back(fmt::format("over {} MB, too large for multiline: {}",
                                search::kMaxMultilineFile >> 20, listed(large, large.size())));
}

void add_notes_on_binaries(const search::GrepReport& report, std::string_view shown,
                           std::vector<std::string>& notes) {
  const auto add = [&](std::string_view what, std::vector<std::string> paths) {
    for (std::string& path : paths) path = shown_below(shown, path);
    if (!paths.empty()) notes.push_back(fmt::format("{}: {}", what, listed(paths, paths.size())));
  };
  std::vector<std::string> named;
  for (const search::FoundFile& file : report.files) {
    const bool is_cut = std::ranges::binary_search(report.binaries, file.path);
    if (file.matches.binary_at && !is_cut) named.push_back(file.path);
  }
  add("binary, with matches that are not shown", named);
  add("binary from a NUL byte on, and searched up to there", report.binaries);
}

std::vector<std::string> notes_on(const search::GrepReport& report, const GrepInput& in,
                                  const Tally& tally, std::string_view shown,
                                  const Context& context) {
  std::vector<std::string> notes;
  if (auto rest = note_on_rest(report, in, tally, context)) notes.push_back(std::move(*rest));
  if (report.end == search::WalkReport::End::deadline)
    notes.push_back(
        fmt::format("the time was over after {} files: this is not all; search a smaller "
                    "directory, or allow more time",
                    report.files_searched));
  if (tally.cut_lines)
    notes.push_back(fmt::format("lines over {} characters are cut; {} shows them whole",
                                kLongestShown, context.other_tool("read")));
  add_notes_on_binaries(report, shown, notes);
  add_notes_on_problems(report, in, shown, notes);
  std::vector<std::string> undecided;
  for (const std::string& path : report.undecided) undecided.push_back(shown_below(shown, path));
  if (!undecided.empty())
    notes.push_back(
        fmt::format("the pattern takes too many steps on a line, searched up to there: "
                    "{}; avoid repetitions inside repetitions, and look-around",
                    listed(std::move(undecided), report.undecided_count)));
  return notes;
}

std::vector<GrepLine> lines_of(const search::FileMatches& matches) {
  std::vector<GrepLine> out;
  out.reserve(matches.lines.size());
  for (const search::FileMatches::Line& line : matches.lines) {
    GrepLine& shown = out.emplace_back();
    shown.line = static_cast<std::int64_t>(line.number);
    const std::string_view text = matches.text_of(line);
    shown.text =
        matches.decoded && !is_utf8(text) ? escape_undecoded(text) : escape_invalid_utf8(text);
    if (!line.is_match) shown.context = true;
  }
  return out;
}

GrepOutput output_of(search::GrepReport& report, const GrepInput& in, std::string_view shown,
                     const Context& context) {
  GrepOutput out{.matches = static_cast<std::int64_t>(report.matches),
                 .files_found = static_cast<std::int64_t>(report.files_found),
                 .mode = in.output_mode,
                 .with_context = in.context || in.before || in.after,
                 .with_numbers = !in.no_line_numbers};
  const Tally tally = tally_of(report, in);
  auto notes = notes_on(report, in, tally, shown, context);
  out.is_partial = report.end == search::WalkReport::End::deadline;
  out.files.reserve(report.files.size());
  for (search::FoundFile& found : report.files) {
    GrepFile& file = out.files.emplace_back();
    file.path = shown_below(shown, found.path);
    if (!is_utf8(found.path)) file.escaped = true;
    file.matches = static_cast<std::int64_t>(found.matches.matches);
    if (in.output_mode == OutputMode::content) file.lines = lines_of(found.matches);
    found.matches = {};  // a large answer is not in memory twice
  }
  out.truncated = tally.all > static_cast<std::uint64_t>(in.offset) + tally.shown ||
                  report.undecided_count > 0 || report.end != search::WalkReport::End::complete;
  const auto escaped = std::ranges::count_if(
      out.files, [](const GrepFile& file) { return file.escaped.has_value(); });
  add_note_on_escaped(static_cast<size_t>(escaped), notes);
  if (!notes.empty()) out.notes = std::move(notes);
  return out;
}

// With the index where there is one that tells; its answers are those of a walk.
Result<search::GrepReport> search_below(const search::Matcher& matcher, const sys::Fd& directory,
                                        search::GrepOptions options, const GrepInput& in,
                                        const workspace::Workspace& files, Context& context,
                                        std::string_view shown) {
  // What is left out because of its links is reported, and the index does not know that. It knows
  // files as the bytes that they are.
  const bool may_ask = context.index && !options.scan.encoding && !in.hidden && !in.no_ignore &&
                       options.hard_links == search::HardLinks::search;
  const InRoot place = may_ask ? root_of(files, directory) : InRoot{};
  if (!place.root) return search::grep(matcher, options, search::walk_of(directory), shown);
  const auto together =
      matcher.matches_newlines() ? search::Together::in_a_file : search::Together::in_a_line;
  const auto candidates = context.index->ask(place.root->directory, place.root->path,
                                             {.directory = place.below,
                                              .required = matcher.required(),
                                              .together = together,
                                              .around = {options.scan.before, options.scan.after},
                                              .limits = options.walk});
  if (candidates)
    return search::grep(matcher, options,
                        search::files_of(place.root->directory, place.below, *candidates), shown);
  const auto narrowed = context.index->narrowed(place.root->path, matcher.required(), together);
  if (narrowed) options.narrowed = &*narrowed;
  options.below = place.below;
  Result<search::GrepReport> report =
      search::grep(matcher, options, search::walk_of(directory), shown);
  if (report) context.index->consider(place.root->directory, place.root->path, report->files_seen);
  return report;
}

// Whether there is any file to search.
bool lets_through(const sys::Fd& directory, const search::GrepOptions& options) {
  class First final : public search::Visitor {
   public:
    First(const search::GlobSet* types, std::atomic<bool>& found) : types_(types), found_(found) {}
    search::Next visit(const search::Item& item) override {
      const bool is_wanted =
          item.kind == sys::FileKind::file &&
          (!types_ || types_->decide(search::Candidate(item.path, item.name, false)) ==
                          search::Verdict::matched);
      if (is_wanted) found_ = true;
      return is_wanted ? search::Next::stop : search::Next::go_on;
    }

   private:
    const search::GlobSet* types_;
    std::atomic<bool>& found_;
  };
  std::atomic<bool> found = false;
  std::deque<First> visitors;
  const auto report = search::walk(directory, options.walk, [&]() -> search::Visitor& {
    return visitors.emplace_back(options.types, found);
  });
  // What was not looked at may hold one.
  return found || !report || report->end != search::WalkReport::End::complete;
}

void add_note(std::string note, GrepOutput& out) {
  if (!out.notes) out.notes.emplace();
  out.notes->push_back(std::move(note));
}

// Letters beyond ASCII are other bytes in other encodings.
void add_note_on_encoding(const GrepInput& in, const Context& context, GrepOutput& out) {
  if (is_ascii(in.pattern) || in.encoding) return;
  add_note(fmt::format("files were taken for UTF-8 or UTF-16; {} takes them for another encoding",
                       context.parameter("encoding")),
           out);
}

// Where nothing was looked for.
void add_notes_on_nothing(const GrepInput& in, bool is_nothing_wanted, const Context& context,
                          GrepOutput& out) {
  if (is_nothing_wanted)
    add_note(fmt::format("no file was searched: {}, exclude or type let none through",
                         context.parameter("include")),
             out);
  add_note_on_encoding(in, context, out);
  // An include also finds what is hidden or ignored, but not what such a directory holds.
  const bool is_found_anyway = !in.include.empty() && !(in.no_ignore && in.hidden);
  if (is_found_anyway)
    return add_note("hidden and ignored directories and binary files were not searched", out);
  add_note(fmt::format("{} files were not searched", in.no_ignore && in.hidden ? "binary"
                                                     : in.no_ignore            ? "hidden and binary"
                                                     : in.hidden ? "ignored and binary"
                                                                 : "hidden, ignored and binary"),
           out);
}

Result<GrepOutput> grep(const GrepInput& in, Context& context) {
  const workspace::Workspace& files = *TRY(need_files(context, "grep"));
  const auto matcher = TRY(search::Matcher::make(in.pattern, regex_of(in)));
  search::GrepOptions options = options_of(in, context);
  options.hard_links = files.hard_links() == workspace::HardLinks::refuse
                           ? search::HardLinks::skip
                           : search::HardLinks::search;
  if (in.encoding) {
    options.scan.encoding = TRY(find_encoding(*in.encoding));
    TRY(Decoder::open(*options.scan.encoding));
  }
  const Result<sys::Fd> directory = files.open_directory(in.path);
  const search::GlobSet globs = TRY(globs_of(in, files, directory ? &*directory : nullptr));
  if (!globs.empty()) options.walk.globs = &globs;
  if (!in.include.empty()) options.walk.glob_use = search::GlobUse::overriding;
  const search::GlobSet types = in.type ? TRY(search::globs_of_type(*in.type)) : search::GlobSet();
  if (in.type) options.types = &types;
  const std::string shown = files.display(in.path);
  if (directory) {
    search::GrepReport report =
        TRY(search_below(*matcher, *directory, options, in, files, context, shown));
    if (report.end == search::WalkReport::End::cancelled) TRY(context.checkpoint());
    const bool is_filtered = options.types || !in.include.empty() || !in.exclude.empty();
    // An index leaves out files that cannot match, and they are not counted then.
    if (report.files_found == 0 && is_filtered && report.files_wanted == 0)
      report.files_wanted = lets_through(*directory, options) ? 1 : 0;
    GrepOutput out = output_of(report, in, shown, context);
    if (report.files_found == 0)
      add_notes_on_nothing(in, is_filtered && report.files_wanted == 0, context, out);
    return out;
  }
  if (directory.error().code != Code::unsupported &&
      directory.error().code != Code::invalid_argument)
    return Error(directory.error());
  const workspace::OpenFile file = TRY(files.open_file(in.path));
  search::GrepReport report = TRY(search::grep_file(*matcher, options, file.file, shown));
  if (report.end == search::WalkReport::End::cancelled) TRY(context.checkpoint());
  GrepOutput out = output_of(report, in, ".", context);
  if (report.files_found == 0) add_note_on_encoding(in, context, out);
  return out;
}

}  // namespace

Tool tool_grep() {
  return make_tool(
      {.name = "grep",
       .group = "fs",
       .title = "Search file contents",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"Where a function is used",
                     R"({"pattern": "open_file\\(", "include": ["*.cc", "*.h"]})"},
                    {"Files that mention a word",
                     R"({"pattern": "deadline", "output_mode": "files_with_matches"})"},
                    {"Plain text with its surroundings",
                     R"({"pattern": "a[i] = {", "path": "src", "literal": true, "context": 2})"}}},
      grep);
}

}  // namespace helve::tools
