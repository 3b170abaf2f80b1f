#include "tools/command_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "store/documents.h"
#include "sys/file_at.h"
#include "tool/services.h"
#include "tools/files.h"

namespace helve::tools {
namespace {

constexpr char kEscape = '\x1b';
constexpr size_t kMaxEscapeCode = 64;       // bytes; of one that is waited for
constexpr size_t kPiece = 64u << 10;        // bytes that are told at once
constexpr size_t kMaxCommand = 128u << 10;  // what the kernel takes as one argument
// Bytes; with a line that says what is left out it fits into a document.
constexpr std::uint64_t kMostTaken = store::kMaxDocumentBytes - 1000;

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

// The length of the escape code that `text` begins with, as ECMA-48 forms them; 0: it is none, or
// cut off.
size_t escape_code_length(std::string_view text) {
  if (text.size() < 2 || text[0] != kEscape) return 0;
  size_t at = 2;
  switch (text[1]) {
    case '[':
      while (at < text.size() && is_between(text[at], '\x20', '\x3f')) ++at;
      return at < text.size() && is_between(text[at], '\x40', '\x7e') ? at + 1 : 0;
    case ']':  // a title or a link, up to BEL or ESC backslash
    case 'P':
    case '^':
    case '_':
      for (; at < text.size() && text[at] != '\n'; ++at) {
        if (text[at] == '\x07') return at + 1;
        if (text[at] == kEscape && at + 1 < text.size() && text[at + 1] == '\\') return at + 2;
      }
      return 0;
    default:
      at = 1;
      while (at < text.size() && is_between(text[at], '\x20', '\x2f')) ++at;
      return at < text.size() && is_between(text[at], '\x30', '\x7e') ? at + 1 : 0;
  }
}

// Whether more bytes could make an escape code of `text`, which begins as one.
bool is_cut_escape_code(std::string_view text) {
  constexpr size_t kLongest = 4096;  // what is longer is none
  if (text.size() >= kLongest || escape_code_length(text) > 0) return false;
  if (text.size() == 1) return true;
  if (std::string_view("]P^_").contains(text[1])) return text.find('\n') == text.npos;
  const bool has_parameters = text[1] == '[';
  const auto goes_on = [&](char c) {
    return is_between(c, '\x20', has_parameters ? '\x3f' : '\x2f');
  };
  return std::ranges::all_of(text.substr(has_parameters ? 2 : 1), goes_on);
}

std::string without_escape_codes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t next = std::min(text.find(kEscape), text.size());
    out.append(text.substr(0, next));
    text.remove_prefix(next);
    const size_t length = escape_code_length(text);
    if (length == 0 && !text.empty()) out += kEscape;
    text.remove_prefix(std::min(text.size(), std::max<size_t>(length, 1)));
  }
  return out;
}

// A terminal ends its lines with both characters.
std::string with_plain_lines(std::string text) {
  size_t to = 0;
  for (size_t from = 0; from < text.size(); ++from) {
    if (text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = text[from];
  }
  text.resize(to);
  return text;
}

bool is_plain(std::string_view text) {
  return text.find_first_of(std::string_view("\x1b\r\0", 3)) == text.npos && is_utf8(text);
}

}  // namespace

std::string readable(std::string_view bytes, Origin origin) {
  if (is_plain(bytes)) return escape_lines_for_display(bytes);
  std::string text = without_escape_codes(bytes);
  if (origin == Origin::terminal) text = with_plain_lines(std::move(text));
  return escape_lines_for_display(text);
}

size_t whole_length(std::string_view bytes) {
  const size_t escape = bytes.rfind(kEscape);
  if (escape != bytes.npos && is_cut_escape_code(bytes.substr(escape))) return escape;
  constexpr size_t kLongestCharacter = 4;
  for (size_t back = 1; back < kLongestCharacter && back <= bytes.size(); ++back) {
    const auto first = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((first & 0xc0) == 0x80) continue;  // within a character
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return length > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

namespace {

void keep(const std::string& bytes, std::string_view why, Context& context, ShownOutput& shown) {
  const Result<Results::Stored> stored =
      context.results->keep(context.who.session, context.tool, Effect::execute, bytes);
  if (!stored) {
    shown.notes.push_back("the whole output could not be kept: " + describe(stored.error()));
    return;
  }
  shown.stored = stored->id;
  shown.notes.push_back(
      fmt::format("{}: {} reads {}", why, context.other_tool("read_large_result"), stored->id));
}

constexpr std::string_view kChanged = "control characters are not shown as they were";

bool is_as_it_was(const std::string& text, const std::string& raw, Origin origin) {
  return text == (origin == Origin::terminal ? with_plain_lines(raw) : raw);
}

class Written final : public LongText {
 public:
  explicit Written(process::Output output) : output_(std::move(output)) {}
  void read(const Take& take) const override { output_.each_piece(take); }

 private:
  const process::Output output_;
};

}  // namespace

process::OutputLimits output_limits(const process::Settings& settings, const Context& context) {
  process::OutputLimits limits = settings.output;
  if (context.wants_written) limits.capture_bytes = std::max(limits.capture_bytes, kMostTaken);
  return limits;
}

std::unique_ptr<const LongText> all_written(process::Output output) {
  return std::make_unique<Written>(std::move(output));
}

ShownOutput show_output(const process::Output& output, size_t chars, Context& context,
                        Origin origin) {
  const auto [raw, is_cut] = output.shown(chars);
  ShownOutput shown{.text = readable(raw, origin), .stored = {}, .notes = {}};
  if (!is_cut && is_as_it_was(shown.text, raw, origin)) return shown;
  if (is_cut && output.lost() > 0)
    shown.notes.push_back(fmt::format("of {} of output, {} in the middle were not kept",
                                      human_size(output.size()), human_size(output.lost())));
  if (context.wants_written) return shown;
  const std::string size = fmt::format("the output had {}", human_size(output.size()));
  if (context.results)
    keep(output.whole(), is_cut ? size : kChanged, context, shown);
  else if (is_cut)
    shown.notes.push_back(size);
  return shown;
}

ShownOutput show_part(const std::string& bytes, Context& context, Origin origin) {
  ShownOutput shown{.text = readable(bytes, origin), .stored = {}, .notes = {}};
  if (is_as_it_was(shown.text, bytes, origin)) return shown;
  if (context.results)
    keep(bytes, kChanged, context, shown);
  else
    shown.notes.emplace_back(kChanged);
  return shown;
}

Result<process::Commands*> need_commands(const Context& context) {
  if (context.commands) return context.commands;
  return Error{Code::denied, "this session may not run commands",
               "it was started without a workspace", "no_files"};
}

Result<std::string> directory_to_run_in(const std::optional<std::string>& workdir,
                                        const Context& context) {
  const workspace::Workspace& files = *TRY(need_files(context, std::string(context.tool)));
  Result<sys::Fd> directory = files.open_directory(workdir.value_or("."));
  if (!directory) {
    Error error = std::move(directory).error();
    error.message = fmt::format("cannot run there: {}", error.message);
    return error;
  }
  const auto path = sys::path_of(*directory);
  if (!path || path->ends_with(" (deleted)"))
    return Error{Code::not_found, "the directory to run in is gone", "name another workdir",
                 "bad_workdir"};
  return *path;
}

Result<void> check_command(std::string_view command) {
  if (trim(command).empty())
    return Error{Code::invalid_argument, "the command is empty", "say what to run", "bad_command"};
  if (command.find('\0') != command.npos)
    return Error{Code::invalid_argument, "the command contains a NUL byte",
                 "no program can be given one", "bad_command"};
  if (command.size() >= kMaxCommand)
    return Error{Code::too_large,
                 fmt::format("the command has {}, and the system takes {}",
                             human_size(command.size()), human_size(kMaxCommand)),
                 "write it to a file and run that", "bad_command"};
  return {};
}

size_t LiveOutput::length_to_tell(std::string_view bytes) const {
  const size_t whole = whole_length(bytes);
  // What follows a terminal's carriage return says whether a line ends.
  const bool waits = origin_ == Origin::terminal && bytes.substr(0, whole).ends_with('\r');
  return waits ? whole - 1 : whole;
}

void LiveOutput::tell(const process::Output& output, Until until) {
  while (listener_ && told_ < output.size()) {
    const process::Output::Part part = output.part(told_, kPiece);
    if (part.offset > told_)
      listener_->output(
          fmt::format("\n[… {} of output left out …]\n", human_size(part.offset - told_)));
    const bool is_last = part.offset + part.bytes.size() >= output.size();
    const size_t whole =
        is_last && until == Until::end ? part.bytes.size() : length_to_tell(part.bytes);
    told_ = part.offset + whole;
    if (whole == 0) return;
    listener_->output(readable(std::string_view(part.bytes).substr(0, whole), origin_));
  }
}

}  // namespace helve::tools
