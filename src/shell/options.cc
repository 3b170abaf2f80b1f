#include "shell/options.h"

#include <algorithm>

#include "shell/parser.h"

namespace helve::shell {
namespace {

enum class Value : unsigned char { unknown_name, none, needed, attached };

Value value_of_long(std::string_view longs, std::string_view name) {
  for (size_t at = longs.find(name); at != longs.npos; at = longs.find(name, at + 1)) {
    if (at > 0 && longs[at - 1] != ' ') continue;
    const size_t end = at + name.size();
    if (end == longs.size() || longs[end] == ' ') return Value::none;
    if (longs[end] == '=') return Value::needed;
    if (longs[end] == '?') return Value::attached;
  }
  return Value::unknown_name;
}

// The value is the next word: it must surely be there and must not look like an option, in case it
// is the option that is mistaken.
Read take_value(std::span<const Word> words, size_t& at) {
  if (at + 1 >= words.size()) return Read::unknown;
  const Word& value = words[at + 1];
  if (value.several) return Read::unknown;
  if (value.literal() && value.text.size() > 1 && value.text[0] == '-' && !is_digit(value.text[1]))
    return Read::unknown;
  at += 2;
  return Read::option;
}

Read read_long(std::span<const Word> words, size_t& at, std::string_view text,
               const Options& options) {
  const size_t dashes = options.single ? 1 : 2;
  if (text.size() <= dashes) return Read::unknown;
  text.remove_prefix(dashes);
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (name.empty()) return Read::unknown;
  const Value value = value_of_long(options.longs, name);
  if (value == Value::unknown_name) return Read::unknown;
  if (equals != text.npos) {
    if (value == Value::none) return Read::unknown;
  } else if (!words[at].literal()) {
    return Read::unknown;
  } else if (value == Value::needed) {
    return take_value(words, at);
  }
  ++at;
  return Read::option;
}

Read read_letters(std::span<const Word> words, size_t& at, const Options& options) {
  const std::string_view letters = std::string_view(words[at].text).substr(1);
  if (options.numbers && std::ranges::all_of(letters, is_digit)) {
    ++at;
    return Read::option;
  }
  for (size_t i = 0; i < letters.size(); ++i) {
    const char letter = letters[i];
    if (options.flags.find(letter) != options.flags.npos) continue;
    const bool attached = i + 1 < letters.size();
    if (options.optional.find(letter) != options.optional.npos) break;
    if (options.valued.find(letter) == options.valued.npos) return Read::unknown;
    if (!attached) return take_value(words, at);
    break;
  }
  ++at;
  return Read::option;
}

}  // namespace

bool may_give(std::string_view word, std::string_view option) {
  if (option.starts_with("--")) {
    const std::string_view name = word.substr(0, word.find('='));
    return name.size() > 2 && (option.starts_with(name) || name == option);
  }
  return word.starts_with('-') && !word.starts_with("--") && word.find(option[1]) != word.npos;
}

bool may_be_option(const Word& word) {
  const std::string_view start = word.literal() ? word.text : word.head;
  return start.empty() ? !word.literal() : start[0] == '-' && (start.size() > 1 || !word.literal());
}

Read read_option(std::span<const Word> words, size_t& at, const Options& options) {
  const Word& word = words[at];
  if (!may_be_option(word)) return Read::operand;
  if (word.literal() && word.text == "--") {
    ++at;
    return Read::separator;
  }
  if (options.single || (word.literal() && word.text.starts_with("--")))
    return read_long(words, at, word.literal() ? word.text : word.head, options);
  if (word.literal()) return read_letters(words, at, options);
  // A word that varies behind --name= is the value of that option.
  if (word.head.starts_with("--") && word.head.find('=') != std::string::npos && !word.several)
    return read_long(words, at, word.head, options);
  return Read::unknown;
}

}  // namespace helve::shell
