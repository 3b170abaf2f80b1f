#include "terminal/keys.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace helve::terminal {
namespace {

constexpr std::string_view kPasteStart = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr size_t kMostSequence = 256;  // bytes; longer ones are no answer that we asked for
constexpr char kEscape = '\x1b';

struct Named {
  int code;
  Key key;
};
constexpr Named kByLetter[] = {
    {'A', Key::up},   {'B', Key::down}, {'C', Key::right}, {'D', Key::left},
    {'H', Key::home}, {'F', Key::end},  {'M', Key::enter},
};
constexpr Named kByNumber[] = {
    {1, Key::home}, {2, Key::insert},  {3, Key::remove},    {4, Key::end},
    {7, Key::home}, {5, Key::page_up}, {6, Key::page_down}, {8, Key::end},
};

std::optional<Key> find_key(std::span<const Named> keys, int code) {
  const auto* found = std::ranges::find(keys, code, &Named::code).base();
  if (found == keys.data() + keys.size()) return std::nullopt;
  return found->key;
}

// A modifier as terminals count them: 1 + shift + 2 alt + 4 ctrl.
KeyPress with_modifiers(KeyPress press, int modifiers) {
  if (modifiers < 2) return press;
  const int bits = modifiers - 1;
  press.shift = press.shift || (bits & 1) != 0;
  press.alt = press.alt || (bits & 2) != 0;
  press.ctrl = press.ctrl || (bits & 4) != 0;
  return press;
}

KeyPress from_control(unsigned char c) {
  switch (c) {
    case '\r':
      return {Key::enter};
    case '\t':
      return {Key::tab};
    case 0x7F:
    case '\b':
      return {Key::backspace};
    case kEscape:
      return {Key::escape};
    default:
      break;
  }
  // Ctrl-A to Ctrl-Z, then the signs @ \ ] ^ _.
  const char sign = c >= 1 && c <= 26 ? static_cast<char>('a' + c - 1) : static_cast<char>(c + '@');
  return {Key::character, std::string(1, sign), true};
}

// A key by its code point, as terminals with extended keyboards send it.
std::optional<KeyPress> from_code_point(int code, int modifiers) {
  if (code <= 0 || code > 0x10FFFF || (code >= 0xE000 && code <= 0xF8FF)) return std::nullopt;
  if (code < 0x20 || code == 0x7F)
    return with_modifiers(from_control(static_cast<unsigned char>(code)), modifiers);
  std::string text;
  append_code_point(text, static_cast<char32_t>(code));
  if (!is_utf8(text)) return std::nullopt;
  KeyPress press = with_modifiers({Key::character, std::move(text)}, modifiers);
  if (press.shift && press.text.size() == 1 && !press.ctrl)
    press.text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(press.text[0])));
  press.shift = false;
  return press;
}

// "1;5A" without its introducer.
std::optional<KeyPress> from_sequence(std::string_view sequence) {
  const char final = sequence.back();
  sequence.remove_suffix(1);
  int numbers[3] = {1, 1, 0};
  for (size_t i = 0; const std::string_view part : split(sequence, ';')) {
    if (i < std::size(numbers)) {
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), numbers[i]);
      if (error == std::errc::result_out_of_range) return std::nullopt;
    }
    ++i;
  }
  if (!sequence.empty() && sequence[0] >= '<' && sequence[0] <= '?') return std::nullopt;
  if (final == 'u') return from_code_point(numbers[0], numbers[1]);
  if (final == 'Z') return KeyPress{.key = Key::tab, .shift = true};
  if (final == '~' && numbers[0] == 27) return from_code_point(numbers[2], numbers[1]);
  const auto key = final == '~' ? find_key(kByNumber, numbers[0]) : find_key(kByLetter, final);
  if (!key) return std::nullopt;
  return with_modifiers({*key}, numbers[1]);
}

struct Taken {
  size_t bytes = 0;  // 0: more has to come
  std::optional<KeyPress> press = std::nullopt;
};

// Behind "\x1b[".
Taken take_control_sequence(std::string_view text) {
  if (text.starts_with('[')) return {text.size() > 1 ? 2u : 0u};  // function keys of a console
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= '@' && text[i] <= '~') return {i + 1, from_sequence(text.substr(0, i + 1))};
    if (text[i] < 0x20 || i > kMostSequence) return {i + 1};
  }
  return {};
}

// An answer of the terminal that ends with BEL or "\x1b\\".
Taken take_string(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\a' || i > kMostSequence) return {i + 1};
    if (text[i] == kEscape && i + 1 < text.size()) return {i + 2};
  }
  return {};
}

Taken take_plain(std::string_view text, bool is_all) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x20 || lead == 0x7F) return {1, from_control(lead)};
  if (const size_t length = char_length(text))
    return {length, KeyPress{Key::character, std::string(text.substr(0, length))}};
  const size_t expected = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (text.size() < expected && !is_all) return {};
  return {1};  // no character: dropped
}

Taken take_key(std::string_view text, bool is_all) {
  if (text[0] != kEscape) return take_plain(text, is_all);
  const auto behind = [](size_t bytes, Taken taken) {
    if (taken.bytes > 0) taken.bytes += bytes;
    return taken;
  };
  Taken taken;
  if (text.size() > 1) {
    switch (text[1]) {
      case '[':
        taken = behind(2, take_control_sequence(text.substr(2)));
        break;
      case 'O':
        taken = text.size() > 2 ? behind(2, {1, from_sequence(text.substr(2, 1))}) : Taken{};
        break;
      case ']':
      case 'P':
      case '_':
      case '^':
        taken = behind(2, take_string(text.substr(2)));
        break;
      default:
        taken = behind(1, take_key(text.substr(1, kMostSequence), is_all));
        if (taken.press) taken.press->alt = true;
    }
  }
  // What has been an unfinished sequence was the key, or Alt and the sign.
  if (taken.bytes == 0 && is_all) {
    if (text.size() != 2) return {text.size() == 1 ? 1 : text.size(), KeyPress{Key::escape}};
    return {2, KeyPress{.key = Key::character, .text = std::string(1, text[1]), .alt = true}};
  }
  return taken;
}

// Terminals send a return at the end of each pasted line.
std::string with_newlines(std::string_view pasted) {
  std::string out;
  for (size_t i = 0; i < pasted.size(); ++i) {
    if (pasted[i] != '\r')
      out += pasted[i];
    else if (i + 1 == pasted.size() || pasted[i + 1] != '\n')
      out += '\n';
  }
  return out;
}

}  // namespace

std::vector<KeyPress> KeyDecoder::feed(std::string_view bytes) {
  std::vector<KeyPress> keys;
  held_ += bytes;
  while (!held_.empty() && (in_paste_ ? take_pasted(keys) : take(keys, false))) {
  }
  return keys;
}

std::vector<KeyPress> KeyDecoder::nothing_more() {
  std::vector<KeyPress> keys;
  while (is_waiting() && take(keys, true)) {
  }
  return keys;
}

bool KeyDecoder::take(std::vector<KeyPress>& keys, bool is_all) {
  if (held_.starts_with(kPasteStart)) {
    held_.erase(0, kPasteStart.size());
    in_paste_ = true;
    return true;
  }
  Taken taken = take_key(held_, is_all);
  if (taken.press) keys.push_back(std::move(*taken.press));
  held_.erase(0, taken.bytes);
  return taken.bytes > 0;
}

bool KeyDecoder::take_pasted(std::vector<KeyPress>& keys) {
  const size_t end = held_.find(kPasteEnd);
  // Without an end in sight, what may be the beginning of it stays.
  const size_t bytes =
      end != held_.npos ? end : held_.size() - std::min(held_.size(), kPasteEnd.size() - 1);
  pasted_.append(held_, 0, std::min(bytes, kMostPasted - std::min(kMostPasted, pasted_.size())));
  held_.erase(0, bytes);
  if (end == held_.npos) return false;
  held_.erase(0, kPasteEnd.size());
  keys.push_back({Key::paste, with_newlines(pasted_)});
  pasted_.clear();
  in_paste_ = false;
  return true;
}

}  // namespace helve::terminal
