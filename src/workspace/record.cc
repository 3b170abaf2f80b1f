#include "workspace/record.h"

#include <fmt/core.h>

#include <charconv>
#include <iterator>

#include "base/quick_hash.h"
#include "base/text.h"

namespace helve::workspace {
namespace {

// One line for each field, words separated by blanks; the last line vouches for all before it. What
// was staged follows in the same way.
constexpr std::string_view kFirstLine = "helve change 2";
constexpr std::string_view kEarlierFirstLine = "helve change 1";  // nothing told what was staged
constexpr std::string_view kWhat = "AMDR";                        // as Changed::What counts
constexpr std::string_view kKind = "fdlpsx";                      // as sys::FileKind counts
constexpr std::string_view kNothing = "-";
constexpr std::string_view kRenamed = "renamed", kHandedOn = "handed";
// The lines that hold one text each.
constexpr std::pair<std::string_view, std::string Record::*> kTexts[] = {
    {"id", &Record::id},           {"tool", &Record::tool},   {"call", &Record::call_id},
    {"session", &Record::session}, {"owner", &Record::owner}, {"machine", &Record::machine}};

bool is_plain(unsigned char c) { return c > ' ' && c < 0x7f && c != '%'; }

void append_word(std::string& out, std::string_view word) {
  out += ' ';
  if (word.empty()) out += kNothing;
  if (word == kNothing) {
    out += "%2d";
    return;
  }
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(byte)) {
      out += c;
    } else {
      out += fmt::format("%{:02x}", byte);
    }
  }
}

std::optional<std::uint64_t> number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return value;
}

std::string plain(std::string_view word) {
  std::string out;
  if (word == kNothing) return out;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%' || i + 2 >= word.size()) {
      out += word[i];
      continue;
    }
    out += static_cast<char>(number(word.substr(i + 1, 2), 16).value_or('?'));
    i += 2;
  }
  return out;
}

std::string digest_text(const std::optional<Digest>& digest) {
  return digest ? digest->text() : std::string();
}

void append_file(std::string& out, const Record::File& file) {
  out += fmt::format("file {} {} {} {}", kWhat[static_cast<size_t>(file.what)],
                     kKind[static_cast<size_t>(file.kind)], file.beside ? 'b' : 'j',
                     file.undoable ? 'u' : 'n');
  for (const std::string* word : {&file.path, &file.to, &file.temporary}) append_word(out, *word);
  out += fmt::format(" {} {} {} {} {:o}", file.old.device, file.old.inode, file.old.size,
                     static_cast<std::uint64_t>(file.old.modified_ns), file.old_mode);
  append_word(out, digest_text(file.old_digest));
  append_word(out, digest_text(file.new_digest));
  out += '\n';
}

std::optional<Record::File> parse_file(const std::vector<std::string_view>& words) {
  constexpr size_t kWords = 15;
  if (words.size() != kWords) return {};
  Record::File file;
  const size_t what = kWhat.find(words[1]), kind = kKind.find(words[2]);
  if (what == kWhat.npos || kind == kKind.npos) return {};
  file.what = static_cast<Changed::What>(what);
  file.kind = static_cast<sys::FileKind>(kind);
  file.beside = words[3] == "b";
  file.undoable = words[4] == "u";
  file.path = plain(words[5]);
  file.to = plain(words[6]);
  file.temporary = plain(words[7]);
  const auto device = number(words[8]), inode = number(words[9]), size = number(words[10]),
             modified = number(words[11]), mode = number(words[12], 8);
  if (!device || !inode || !size || !modified || !mode) return {};
  file.old = {*device, *inode, *size, static_cast<std::int64_t>(*modified)};
  file.old_mode = static_cast<std::uint32_t>(*mode);
  file.old_digest = Digest::parse(words[13]);
  file.new_digest = Digest::parse(words[14]);
  return file;
}

bool parse_staged(const std::vector<std::string_view>& words, Record& record) {
  constexpr size_t kWords = 6;
  if (words.size() != kWords) return false;
  const auto index = number(words[1]), device = number(words[2]), inode = number(words[3]),
             size = number(words[4]), modified = number(words[5]);
  if (!index || *index >= record.files.size() || !device || !inode || !size || !modified) {
    return false;
  }
  record.files[*index].staged = {*device, *inode, *size, static_cast<std::int64_t>(*modified)};
  return true;
}

bool parse_blob(const std::vector<std::string_view>& words, Record& record) {
  constexpr size_t kWords = 4;
  const auto index = words.size() == kWords ? number(words[1]) : std::nullopt;
  if (!index || *index >= record.files.size()) return false;
  record.files[*index].old_blob = plain(words[2]);
  record.files[*index].repository = plain(words[3]);
  return true;
}

bool parse_mode(const std::vector<std::string_view>& words, Record& record) {
  constexpr size_t kWords = 3;
  const auto index = words.size() == kWords ? number(words[1]) : std::nullopt;
  const auto mode = words.size() == kWords ? number(words[2], 8) : std::nullopt;
  if (!index || *index >= record.files.size() || !mode) return false;
  record.files[*index].new_mode = static_cast<std::uint32_t>(*mode);
  return true;
}

std::string vouch(std::string_view text) { return fmt::format("end {:016x}\n", quick_hash(text)); }

bool parse_line(std::string_view line, Record& record) {
  const std::vector<std::string_view> words = split(line, ' ');
  if (words.size() < 2) return false;
  const std::string_view name = words[0];
  if (name == "staged") return parse_staged(words, record);
  if (name == "file") {
    auto file = parse_file(words);
    if (file) record.files.push_back(std::move(*file));
    return file.has_value();
  }
  if (name == "blob") return parse_blob(words, record);
  if (name == "mode") return parse_mode(words, record);
  std::string value = plain(words[1]);
  for (const auto& [word, member] : kTexts) {
    if (name != word) continue;
    record.*member = std::move(value);
    return true;
  }
  if (name == "undoes") {
    Undoing& undoing = record.undoes.emplace_back(std::move(value));
    for (size_t i = 2; i < words.size(); ++i) undoing.paths.push_back(plain(words[i]));
  } else if (name == "made") {
    record.made.push_back(std::move(value));
  } else if (name == kRenamed || name == kHandedOn) {
    auto& renames = name == kRenamed ? record.renames : record.handed_on;
    if (words.size() > 2) renames.push_back({std::move(value), plain(words[2])});
  } else if (name == "unknown") {
    record.unknown.push_back(std::move(value));
  } else if (name == "left") {
    record.left.push_back(std::move(value));
  } else if (name == "clock") {
    record.clock_ns = static_cast<std::int64_t>(number(words[1]).value_or(0));
  } else if (name == "time") {
    record.time_ns = static_cast<std::int64_t>(number(words[1]).value_or(0));
  }
  return true;
}

// A part is its lines and the one that vouches for them. Empty when the text does not begin with
// one that is whole.
std::string_view first_part(std::string_view text) {
  constexpr std::string_view kEnd = "\nend ";
  const size_t end = text.find(kEnd);
  if (end == text.npos) return {};
  const std::string_view lines = text.substr(0, end + 1);
  return text.substr(lines.size()).starts_with(vouch(lines)) ? lines : std::string_view();
}

bool parse_lines(std::string_view lines, Record& record) {
  for (const std::string_view line : split(lines, '\n')) {
    if (!line.empty() && !parse_line(line, record)) return false;
  }
  return true;
}

}  // namespace

std::string Record::name() const { return fmt::format("{:016x}.{}", time_ns, id); }

std::string Record::begun_name() const {
  return fmt::format("{:016x}.{}", begun_ns == 0 ? time_ns : begun_ns, id);
}

std::string Record::kept_name(size_t index) const {
  return fmt::format("{}.{}", begun_name(), index);
}

std::string Record::text() const {
  std::string out(kFirstLine);
  out += '\n';
  const auto line = [&](std::string_view name, std::string_view value) {
    out += name;
    append_word(out, value);
    out += '\n';
  };
  for (const auto& [name, member] : kTexts) line(name, this->*member);
  line("time", std::to_string(begun_ns == 0 ? time_ns : begun_ns));
  if (clock_ns != 0) line("clock", std::to_string(clock_ns));
  for (const Undoing& undoing : undoes) {
    out += "undoes";
    append_word(out, undoing.id);
    for (const std::string& path : undoing.paths) append_word(out, path);
    out += '\n';
  }
  for (const std::string& directory : made) line("made", directory);
  for (const std::string& directory : left) line("left", directory);
  for (const File& file : files) append_file(out, file);
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].new_mode) out += fmt::format("mode {} {:o}\n", i, *files[i].new_mode);
    if (files[i].old_blob.empty()) continue;
    out += fmt::format("blob {}", i);
    append_word(out, files[i].old_blob);
    append_word(out, files[i].repository);
    out += '\n';
  }
  for (const std::string& path : unknown) line("unknown", path);
  for (const auto& [name, moved] : {std::pair(kRenamed, &renames), {kHandedOn, &handed_on}}) {
    for (const Rename& rename : *moved) {
      out += name;
      append_word(out, rename.from);
      append_word(out, rename.to);
      out += '\n';
    }
  }
  return out + vouch(out);
}

std::string Record::staged_text() const {
  std::string out;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].staged) continue;
    const Version& staged = *files[i].staged;
    fmt::format_to(std::back_inserter(out), "staged {} {} {} {} {}\n", i, staged.device,
                   staged.inode, staged.size, static_cast<std::uint64_t>(staged.modified_ns));
  }
  return out.empty() ? out : out + vouch(out);
}

bool Record::is_of_version_to_come(std::string_view text) {
  constexpr std::string_view kAnyFirstLine = "helve change ";
  const size_t end = text.find('\n');
  if (end == text.npos || !text.starts_with(kAnyFirstLine)) return false;
  const std::string_view line = text.substr(0, end);
  return line != kFirstLine && line != kEarlierFirstLine;
}

std::optional<Record> Record::parse(std::string_view text) {
  std::string_view lines = first_part(text);
  const std::string_view first = lines.substr(0, lines.find('\n'));
  if (first != kFirstLine && first != kEarlierFirstLine) return {};
  Record record{.is_of_this_version = first == kFirstLine};
  if (!parse_lines(lines.substr(first.size()), record) || record.id.empty()) return {};
  text.remove_prefix(lines.size());
  text.remove_prefix(text.find('\n') + 1);
  lines = first_part(text);
  if (!parse_lines(lines, record)) return {};
  return record;
}

}  // namespace helve::workspace
