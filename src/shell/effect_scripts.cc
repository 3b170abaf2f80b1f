// Scripts of sed and awk: harmless when everything in them is known to be.
#include <algorithm>
#include <optional>

#include "shell/parser.h"
#include "shell/programs.h"

namespace helve::shell {
namespace {

// One pass over a script of sed. Its e runs commands and its w writes files, also as flags of s.
class SedReader {
 public:
  explicit SedReader(std::string_view script) : script_(script) {}

  bool is_harmless() {
    while (true) {
      at_ = std::min(script_.find_first_not_of(" \t\n;}", at_), script_.size());
      if (at_ == script_.size()) return true;
      if (!addresses() || !command()) return false;
    }
  }

 private:
  int peek() const { return at_ < script_.size() ? static_cast<unsigned char>(script_[at_]) : -1; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void skip(std::string_view characters) {
    at_ = std::min(script_.find_first_not_of(characters, at_), script_.size());
  }
  void skip_line() { at_ = std::min(script_.find('\n', at_), script_.size()); }

  // Up to the next delimiter that is not escaped.
  bool delimited(char delimiter) {
    for (; at_ < script_.size(); ++at_) {
      if (script_[at_] == '\\') {
        ++at_;
      } else if (script_[at_] == delimiter) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  // The same, where [/] is no delimiter. Sets in which one stands are not followed.
  bool regex(char delimiter) {
    while (at_ < script_.size()) {
      const char c = script_[at_++];
      if (c == delimiter) return true;
      if (c == '\n') return false;
      if (c == '\\') ++at_;
      if (c == '[' && !set(delimiter)) return false;
    }
    return false;
  }

  bool set(char delimiter) {
    take('^');
    take(']');
    while (at_ < script_.size()) {
      const char c = script_[at_++];
      if (c == ']') return true;
      if (c == delimiter || c == '\\' || c == '\n') return false;
      if (c != '[' || (peek() != ':' && peek() != '.' && peek() != '=')) continue;
      const size_t close = script_.find(":]", at_);
      if (peek() != ':' || close == script_.npos) return false;
      if (script_.substr(at_, close - at_).find(delimiter) != script_.npos) return false;
      at_ = close + 2;
    }
    return false;
  }

  bool address() {
    if (take('/')) {
      if (!regex('/')) return false;
      skip("IM");
    } else if (!take('$')) {
      skip("0123456789+~");
    }
    return true;
  }

  bool addresses() {
    if (peek() == '\\' || !address()) return false;
    skip(" \t");
    if (take(',')) {
      skip(" \t");
      if (peek() == '\\' || !address()) return false;
    }
    skip(" \t!");
    return true;
  }

  bool command() {
    const int c = peek();
    ++at_;
    switch (c) {
      case '{':
      case '=':
      case 'd':
      case 'D':
      case 'g':
      case 'G':
      case 'h':
      case 'H':
      case 'n':
      case 'N':
      case 'p':
      case 'P':
      case 'x':
      case 'z':
        return c == '{' || ends();
      case 'l':
      case 'q':
      case 'Q':
        skip(" 0123456789");
        return ends();
      case 's':
        return substitution();
      case 'y':
        return pair(false) && ends();
      case ':':
      case 'b':
      case 't':
      case 'T':
        return label();
      case '#':
      case 'r':
        skip_line();
        return true;
      default:  // also a, i and c, whose text may span lines in several ways
        return false;
    }
  }

  // Where one ends depends on the version, unless it is plain.
  bool label() {
    skip(" \t");
    while (is_name(peek()) || peek() == '-' || peek() == '.') ++at_;
    return ends();
  }

  bool pair(bool with_regex) {
    constexpr std::string_view kDelimiters = "/|,#@!%_+;~";
    const int c = peek();
    if (c == -1 || kDelimiters.find(static_cast<char>(c)) == kDelimiters.npos) return false;
    ++at_;
    const char delimiter = static_cast<char>(c);
    return (with_regex ? regex(delimiter) : delimited(delimiter)) && delimited(delimiter);
  }

  bool substitution() {
    if (!pair(true)) return false;
    skip("gpiIM0123456789");
    return ends();
  }

  bool ends() {
    skip(" \t");
    const int c = peek();
    return c == -1 || c == ';' || c == '\n' || c == '}' || c == '#';
  }

  std::string_view script_;
  size_t at_ = 0;
};

// The script that an option gives, which may be attached to it; nothing for other options.
// `words` are the word of the option, and its value when that is another one.
std::optional<std::string_view> script_of(std::span<const Word> words, const Options& options,
                                          char script_option) {
  const std::string_view text = words[0].text;
  const std::string_view value = words.size() > 1 ? words[1].text : std::string_view();
  constexpr std::string_view kLong = "--expression";
  if (text.starts_with("--")) {
    if (script_option != 'e' || !text.starts_with(kLong)) return std::nullopt;
    return text.size() > kLong.size() ? text.substr(kLong.size() + 1) : value;
  }
  const size_t at = text.find_first_not_of(options.flags, 1);
  if (script_option == '\0' || at == text.npos || text[at] != script_option) return std::nullopt;
  return at + 1 < text.size() ? text.substr(at + 1) : value;
}

// Looks at the script of sed or awk: the values of `script_option`, or else the first operand.
// Answers the word that is not harmless.
size_t suspect_in(std::span<const Word> words, const Options& options, char script_option,
                  bool (*is_harmless)(std::string_view)) {
  bool given = false;
  bool options_over = false;
  for (size_t at = 1; at < words.size();) {
    const size_t here = at;
    const Read read = options_over ? Read::operand : read_option(words, at, options);
    if (read == Read::unknown) return here;
    options_over = options_over || read == Read::separator;
    if (read == Read::operand) {
      if (!given && !(words[here].literal() && is_harmless(words[here].text))) return here;
      given = true;
      // Awk takes no options behind its script.
      options_over = options_over || script_option == '\0';
      at = here + 1;
      continue;
    }
    const std::span<const Word> option = words.subspan(here, at - here);
    const auto script = script_of(option, options, script_option);
    if (!script) continue;
    if (!std::ranges::all_of(option, &Word::literal) || !is_harmless(*script)) return here;
    given = true;
  }
  return given ? Segment::kNone : words.size() - 1;
}

constexpr Options kSedOptions{
    .flags = "nErsuz",
    .valued = "e",
    .optional = "i",
    .longs =
        "quiet silent regexp-extended separate unbuffered null-data expression= in-place? debug "
        "sandbox"};
constexpr Options kAwkOptions{.valued = "Fv"};

}  // namespace

bool is_harmless_sed(std::string_view script) { return SedReader(script).is_harmless(); }

// Without names that run or load something, and without output into files and pipes.
bool is_harmless_awk(std::string_view script) {
  for (const std::string_view word : {"system", "getline", "@"}) {
    if (script.find(word) != script.npos) return false;
  }
  for (size_t i = 0; i < script.size(); ++i) {
    const char next = i + 1 < script.size() ? script[i + 1] : '\0';
    if (script[i] == '>' && next != '=') return false;
    if (script[i] == '|' && next != '|') return false;
    if (script[i] == '|' || script[i] == '>') ++i;
  }
  return true;
}

size_t suspect_in_sed(std::span<const Word> words) {
  return suspect_in(words, kSedOptions, 'e', is_harmless_sed);
}

size_t suspect_in_awk(std::span<const Word> words) {
  // To gawk a file with such a name is a connection.
  const auto connects = [](const Word& word) { return word.text.find("/inet") != word.text.npos; };
  const auto found = std::ranges::find_if(words, connects);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  return suspect_in(words, kAwkOptions, '\0', is_harmless_awk);
}

}  // namespace helve::shell
