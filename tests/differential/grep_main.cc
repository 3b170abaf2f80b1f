// differential_grep PATTERN DIRECTORY [OPTION…]: what our search finds, printed as ripgrep prints
// it without headings, for comparison with ripgrep. The options are ripgrep's: -i -S -w -F -U -c -l
// -A N -B N -C N -g GLOB --hidden --no-ignore, and --quiet, which prints only the number of
// matches.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "search/grep.h"

namespace {

using namespace helve;
using namespace helve::search;

struct Arguments {
  RegexOptions regex;
  GrepOptions grep;
  std::vector<std::string> globs;
  bool quiet = false;
};

Arguments parse(int count, char** words) {
  Arguments out;
  out.grep.scan.longest_shown = 0;
  out.grep.walk.glob_use = GlobUse::overriding;
  for (int i = 3; i < count; ++i) {
    const std::string_view word = words[i];
    const auto number = [&] {
      return static_cast<size_t>(i + 1 < count ? std::atoi(words[++i]) : 0);
    };
    if (word == "-i") out.regex.case_mode = CaseMode::insensitive;
    if (word == "-S") out.regex.case_mode = CaseMode::smart;
    if (word == "-w") out.regex.word = true;
    if (word == "-F") out.regex.kind = PatternKind::literal;
    if (word == "-U") out.regex.newlines = Newlines::matched;
    if (word == "-c") out.grep.scan.wanted = Wanted::count;
    if (word == "-l") out.grep.scan.wanted = Wanted::presence;
    if (word == "-A") out.grep.scan.after = number();
    if (word == "-B") out.grep.scan.before = number();
    if (word == "-C") out.grep.scan.before = out.grep.scan.after = number();
    if (word == "-m") out.grep.max_results = number();
    if (word == "-g" && i + 1 < count) out.globs.emplace_back(words[++i]);
    if (word == "--hidden") out.grep.walk.hidden = Hidden::show;
    if (word == "--no-ignore") out.grep.walk.ignore = IgnoreRules::none;
    if (word == "--quiet") out.quiet = true;
  }
  return out;
}

std::string printed(const GrepReport& report, const ScanOptions& scan) {
  std::string out;
  bool first = true;
  for (const FoundFile& file : report.files) {
    if (scan.wanted == Wanted::presence) out += file.path + "\n";
    if (scan.wanted == Wanted::count)
      out += fmt::format("{}:{}\n", file.path, file.matches.matches);
    if (scan.wanted != Wanted::lines) continue;
    bool new_file = true;
    for (const FileMatches::Line& line : file.matches.lines) {
      const bool context = scan.before + scan.after > 0;
      if (context && !first && (new_file || line.follows_gap)) out += "--\n";
      first = new_file = false;
      const char mark = line.is_match ? ':' : '-';
      out += fmt::format("{}{}{}{}{}\n", file.path, mark, line.number, mark,
                         file.matches.text_of(line));
    }
  }
  return out;
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", describe(error).c_str());
  return 2;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  Arguments arguments = parse(count, words);
  const auto globs = GlobSet::from_patterns(arguments.globs);
  if (!globs) return fail(globs.error());
  if (!arguments.globs.empty()) arguments.grep.walk.globs = &*globs;
  const auto matcher = Matcher::make(words[1], arguments.regex);
  if (!matcher) return fail(matcher.error());
  const auto directory = sys::open_directory(words[2]);
  if (!directory) return fail(sys::to_error(directory.error(), "open", words[2]));
  const auto report = grep(**matcher, arguments.grep, walk_of(*directory), words[2]);
  if (!report) return fail(report.error());
  const std::string out = arguments.quiet ? fmt::format("{}\n", report->matches)
                                          : printed(*report, arguments.grep.scan);
  std::fwrite(out.data(), 1, out.size(), stdout);
  return report->matches > 0 ? 0 : 1;
}
