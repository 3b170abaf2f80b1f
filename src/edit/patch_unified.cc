// Reads unified diffs as git and diff write them, and hunks that name no file.
#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "edit/patch_reader.h"

namespace helve::edit {

namespace {

constexpr std::string_view kNowhere = "/dev/null";

// What stands before the hunks of a file.
struct Header {
  std::string old_name, new_name;  // as written, with prefixes
  std::string from, to;            // of a rename or copy, which have none
  bool git = false;
  bool copies = false;
  bool creates = false;
  bool removes = false;
  bool mode_changes = false;
  bool executable = false;
  size_t line = 0;
};

int octal(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = c >= '0' && c <= '7' ? value * 8 + (c - '0') : 256;
  return value;
}

// A name in quotes, with \t, \\, \" and \303: git writes so what would end it early.
std::string unquoted(std::string_view text) {
  std::string out;
  for (size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    static constexpr std::string_view kLetters = "abfnrtv";
    static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
    const size_t letter = kLetters.find(text[i]);
    if (letter != kLetters.npos) {
      out += kMeanings[letter];
    } else if (i + 2 < text.size() && octal(text.substr(i, 3)) < 256) {
      out += static_cast<char>(octal(text.substr(i, 3)));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Up to the tab that a time stands behind.
std::string name_in(std::string_view text) {
  if (text.starts_with('"')) return unquoted(text);
  text = text.substr(0, text.find('\t'));
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  return std::string(text);
}

// "a/x b/x" into both names, when it can be told where the first ends.
void names_of_git_line(std::string_view rest, Header& header) {
  if (rest.starts_with('"')) {
    header.old_name = unquoted(rest);
    const size_t second = rest.find(" \"", 1);
    header.new_name = second == rest.npos ? header.old_name : unquoted(rest.substr(second + 1));
    return;
  }
  const size_t half = rest.size() / 2;
  if (rest.size() % 2 == 0 || rest[half] != ' ') return;
  const std::string_view first = rest.substr(0, half);
  const std::string_view second = rest.substr(half + 1);
  if (first.substr(first.find('/') + 1) != second.substr(second.find('/') + 1)) return;
  header.old_name = first;
  header.new_name = second;
}

// git's prefixes come in pairs; a folder that is called "a" is not one of them.
void strip_prefixes(std::string& old_name, std::string& new_name) {
  static constexpr std::string_view kPairs[][2] = {{"a/", "b/"}, {"i/", "w/"}, {"c/", "i/"},
                                                   {"c/", "w/"}, {"o/", "w/"}, {"b/", "a/"}};
  for (const auto& [first, second] : kPairs) {
    const bool old_has = old_name == kNowhere || old_name.starts_with(first);
    const bool new_has = new_name == kNowhere || new_name.starts_with(second);
    if (!old_has || !new_has) continue;
    if (old_name != kNowhere) old_name.erase(0, 2);
    if (new_name != kNowhere) new_name.erase(0, 2);
    return;
  }
}

Result<FilePatch> to_patch(Header header, std::vector<Hunk> hunks) {
  FilePatch patch{.path = {}, .hunks = std::move(hunks), .patch_line = header.line};
  strip_prefixes(header.old_name, header.new_name);
  const bool creates = header.creates || header.old_name == kNowhere;
  const bool removes = header.removes || header.new_name == kNowhere;
  if (creates && removes)
    return bad_patch(header.line, "a file that is created and removed", "name one file");
  if (!header.from.empty() && !header.to.empty()) {
    patch.path = header.from;
    patch.to = header.to;
    patch.copies = header.copies;
  } else {
    patch.path = removes || header.new_name.empty() ? header.old_name : header.new_name;
  }
  if (patch.path.empty())
    return bad_patch(header.line, "no file is named", "add --- and +++ lines, or give path");
  if (creates) {
    patch.kind = FilePatch::Kind::add;
    patch.replaces = false;
  }
  if (removes) patch.kind = FilePatch::Kind::remove;
  patch.executable = header.executable;
  if (header.mode_changes) patch.note = kModeIsLeft;
  if (header.mode_changes && patch.hunks.empty() && patch.to.empty() && !removes) {
    return Error{Code::unsupported,
                 fmt::format("line {} of the patch: it changes only the mode of {}", header.line,
                             escape_for_display(patch.path)),
                 "apply_patch changes what files hold; chmod changes modes", "mode_change"};
  }
  return patch;
}

class UnifiedParser {
 public:
  UnifiedParser(PatchReader& reader, std::string_view path) : reader_(reader), path_(path) {}

  Result<std::vector<FilePatch>> run() {
    while (!reader_.done()) TRY(parse_line());
    TRY(finish());
    return std::move(patches_);
  }

 private:
  Result<void> parse_line() {
    const std::string_view line = reader_.line();
    if (line.starts_with("diff --git ")) {
      TRY(finish());
      header_.emplace(Header{.git = true, .line = reader_.number()});
      names_of_git_line(line.substr(11), *header_);
      reader_.next();
      return {};
    }
    if (line.starts_with("--- ") && reader_.peek().starts_with("+++ ")) return parse_names();
    if (line.starts_with("@@") || is_bare_hunk(line)) return parse_hunk();
    if (header_ && header_->git && hunks_.empty()) TRY(parse_extended(line));
    TRY(refuse_binary(line));
    if (!hunks_.empty() && !line.empty() &&
        std::string_view(" +-").find(line[0]) != std::string_view::npos && line != "-- ") {
      return bad_patch(reader_.number(), "the hunk before it is longer than its @@ line says",
                       kCountHint);
    }
    reader_.next();
    return {};
  }

  // Lines without any header, for the file that the caller named.
  bool is_bare_hunk(std::string_view line) const {
    return !header_ && hunks_.empty() && !path_.empty() && !line.empty() &&
           std::string_view(" +-").find(line[0]) != std::string_view::npos;
  }

  Result<void> parse_names() {
    if (!header_ || !hunks_.empty() || header_has_names_) {
      TRY(finish());
      header_.emplace(Header{.line = reader_.number()});
    }
    header_has_names_ = true;
    header_->old_name = name_in(reader_.line().substr(4));
    reader_.next();
    header_->new_name = name_in(reader_.line().substr(4));
    reader_.next();
    return {};
  }

  Result<void> parse_extended(std::string_view line) {
    const auto after = [&](std::string_view key) {
      return line.starts_with(key) ? std::optional(line.substr(key.size())) : std::nullopt;
    };
    if (auto name = after("rename from ")) header_->from = name_in(*name);
    if (auto name = after("rename to ")) header_->to = name_in(*name);
    if (auto name = after("copy from ")) header_->from = name_in(*name);
    if (auto name = after("copy to ")) {
      header_->to = name_in(*name);
      header_->copies = true;
    }
    if (auto mode = after("new file mode ")) {
      header_->creates = true;
      header_->executable = mode->starts_with("100755");
      if (mode->starts_with("120000") || mode->starts_with("160000")) {
        return Error{Code::unsupported,
                     fmt::format("line {} of the patch: it makes a link", reader_.number()),
                     "apply_patch makes ordinary files", "link_in_patch"};
      }
    }
    if (after("deleted file mode ")) header_->removes = true;
    if (after("old mode ") || after("new mode ")) header_->mode_changes = true;
    return {};
  }

  Result<void> refuse_binary(std::string_view line) const {
    const bool binary = line.starts_with("GIT binary patch") ||
                        (line.starts_with("Binary files ") && line.ends_with(" differ"));
    if (!binary) return {};
    return Error{Code::unsupported,
                 fmt::format("line {} of the patch: a binary file", reader_.number()),
                 "apply_patch changes text; write replaces a whole file", "binary_patch"};
  }

  Result<void> parse_hunk() {
    Hunk hunk{.anchors = {}, .lines = {}, .patch_line = reader_.number()};
    HunkRange range;
    std::string_view anchor;
    if (parse_range(reader_.line(), range)) {
      hunk.numbered = true;
      hunk.old_line = range.old_line;
      reader_.next();
      TRY(read_counted(hunk, range));
    } else {
      // Numbers that cannot be read are no line to look for.
      const bool numbers = reader_.line().starts_with("@@ -");
      while (!numbers && !reader_.done() && parse_anchor(reader_.line(), anchor)) {
        if (!anchor.empty()) hunk.anchors.push_back(anchor);
        reader_.next();
      }
      if (!reader_.done() && reader_.line().starts_with("@@")) {
        return bad_patch(reader_.number(), "an @@ line that cannot be read",
                         "write @@ -12,3 +12,4 @@, or @@ alone");
      }
      read_hunk_lines(reader_, hunk, Form::unified);
    }
    if (hunk.lines.empty())
      return bad_patch(hunk.patch_line, "a hunk without lines",
                       "begin its lines with ' ', '-' or '+'");
    hunks_.push_back(std::move(hunk));
    return {};
  }

  Result<void> read_counted(Hunk& hunk, HunkRange range) {
    while (range.old_count + range.new_count > 0) {
      const std::string_view line = reader_.done() ? std::string_view("@") : reader_.line();
      const char sign = line.empty() || line == "\r" ? ' ' : line[0];
      if (sign == '\\' && !hunk.lines.empty()) {
        hunk.lines.back().open_end = true;
        reader_.next();
        continue;
      }
      const bool takes_old = sign == ' ' || sign == '-';
      const bool takes_new = sign == ' ' || sign == '+';
      if ((!takes_old && !takes_new) || (takes_old && range.old_count == 0) ||
          (takes_new && range.new_count == 0)) {
        return bad_patch(hunk.patch_line, "the counts of this @@ line are not those of its lines",
                         kCountHint);
      }
      range.old_count -= takes_old ? 1 : 0;
      range.new_count -= takes_new ? 1 : 0;
      const bool bare = line.empty() || line == "\r";
      hunk.lines.push_back({static_cast<HunkLine::Kind>(sign), bare ? line : line.substr(1)});
      reader_.next();
    }
    if (!reader_.done() && reader_.line().starts_with("\\ ") && !hunk.lines.empty()) {
      hunk.lines.back().open_end = true;
      reader_.next();
    }
    return {};
  }

  Result<void> finish() {
    header_has_names_ = false;
    if (!header_ && !hunks_.empty()) {
      if (path_.empty()) {
        return bad_patch(hunks_.front().patch_line, "hunks without a file",
                         "add --- and +++ lines, or give path");
      }
      // The caller's name is no name of git's.
      patches_.push_back(
          {.path = std::string(path_), .hunks = std::exchange(hunks_, {}), .patch_line = 1});
      header_.reset();
      return {};
    }
    if (!header_) return {};
    patches_.push_back(TRY(to_patch(std::move(*header_), std::exchange(hunks_, {}))));
    header_.reset();
    return {};
  }

  static constexpr std::string_view kCountHint =
      "correct its numbers, or write @@ without any: the lines are then found by what they say";

  PatchReader& reader_;
  std::string_view path_;
  std::optional<Header> header_;
  bool header_has_names_ = false;
  std::vector<Hunk> hunks_;
  std::vector<FilePatch> patches_;
};

}  // namespace

Result<std::vector<FilePatch>> parse_unified(PatchReader& reader, std::string_view path) {
  return UnifiedParser(reader, path).run();
}

}  // namespace helve::edit
