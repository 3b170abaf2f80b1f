#include "search/nfa.h"

#include <algorithm>

#include "base/text.h"

namespace helve::search {
namespace {

using Kind = Node::Kind;

constexpr std::uint32_t kWordSet = 0;  // by Unicode
constexpr std::uint32_t kAsciiWordSet = 1;
constexpr char32_t kNoCharacter = UINT32_MAX;  // bytes that are none, and the ends of the text

struct Decoded {
  char32_t character = kNoCharacter;
  size_t length = 1;
};

char32_t assembled(std::string_view text) {
  char32_t c = static_cast<unsigned char>(text[0]);
  if (text.size() == 1) return c;
  c &= 0x7f >> text.size();
  for (size_t i = 1; i < text.size(); ++i)
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return c;
}

Decoded decode(std::string_view text, bool byte_mode) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80 || byte_mode) return {first, 1};
  const size_t length = char_length(text);
  if (length == 0) return {};
  return {assembled(text.substr(0, length)), length};
}

char32_t last_character(std::string_view text, bool byte_mode) {
  if (text.empty()) return kNoCharacter;
  for (size_t length = 1; length <= std::min<size_t>(4, text.size()); ++length) {
    const std::string_view end = text.substr(text.size() - length);
    const Decoded decoded = decode(end, byte_mode);
    if (decoded.character != kNoCharacter && decoded.length == length) return decoded.character;
  }
  return kNoCharacter;
}

}  // namespace

// Where the search stands: the characters around it.
struct NfaEngine::Position {
  std::string_view text;
  size_t at;
  bool byte_mode;
  Decoded next;

  Position(std::string_view whole, size_t place, bool bytes)
      : text(whole), at(place), byte_mode(bytes), next(decode(whole.substr(place), bytes)) {}
  char32_t previous() const { return last_character(text.substr(0, at), byte_mode); }
};

NfaEngine::NfaEngine(const Regex& regex) : byte_mode_(regex.byte_mode) {
  CharSet word;
  word.items.push_back({.kind = CharSet::Kind::word});
  word.settle(false, true);
  tests_.add(word, false, true);
  word.settle(false, false);
  tests_.add(word, false, false);
  emit(regex.root);
  program_.push_back({.op = Op::match});
  find_first_bytes();
}

std::uint32_t NfaEngine::add_set(const CharSet& set, bool ignore_case, bool unicode) {
  return tests_.add(set, ignore_case, unicode);
}

void NfaEngine::emit_literal(const Node& node) {
  const char32_t c = node.character;
  if (node.ignore_case && (c >= 0x80 || is_ascii_letter(c)) && (node.unicode || c < 0x80)) {
    CharSet set;
    set.items.push_back({.first = c, .last = c});
    set.settle(true, node.unicode && !byte_mode_);
    program_.push_back({.op = Op::set, .set = add_set(set, true, node.unicode)});
  } else if (byte_mode_) {
    for (const char byte : bytes_of(node))
      program_.push_back({.op = Op::character, .character = static_cast<unsigned char>(byte)});
  } else {
    program_.push_back({.op = Op::character, .character = c});
  }
}

std::uint32_t NfaEngine::split(bool prefer_next) {
  const std::uint32_t at = size();
  program_.push_back({.op = Op::split});
  (prefer_next ? program_[at].first : program_[at].second) = at + 1;
  return at;
}

void NfaEngine::emit_repeat(const Node& node) {
  const Node& child = node.children.front();
  const auto set_exit = [&](std::uint32_t at) {
    (node.greedy ? program_[at].second : program_[at].first) = size();
  };
  for (std::uint32_t i = 0; i < node.least; ++i) emit(child);
  if (node.most == kUnbounded) {
    const std::uint32_t at = split(node.greedy);
    emit(child);
    program_.push_back({.op = Op::jump, .first = at});
    set_exit(at);
    return;
  }
  std::vector<std::uint32_t> exits;
  for (std::uint32_t i = node.least; i < node.most; ++i) {
    exits.push_back(split(node.greedy));
    emit(child);
  }
  for (const std::uint32_t at : exits) set_exit(at);
}

void NfaEngine::emit(const Node& node) {
  switch (node.kind) {
    case Kind::empty:
      break;
    case Kind::literal:
      emit_literal(node);
      break;
    case Kind::set:
      program_.push_back(
          {.op = Op::set, .set = add_set(*node.set, node.ignore_case, node.unicode)});
      break;
    case Kind::concat:
      for (const Node& child : node.children) emit(child);
      break;
    case Kind::group:
    case Kind::atomic:
      emit(node.children.front());
      break;
    case Kind::repeat:
      emit_repeat(node);
      break;
    case Kind::alternate: {
      std::vector<std::uint32_t> ends;
      for (size_t i = 0; i + 1 < node.children.size(); ++i) {
        const std::uint32_t at = split(true);
        emit(node.children[i]);
        ends.push_back(size());
        program_.push_back({.op = Op::jump});
        program_[at].second = size();
      }
      emit(node.children.back());
      for (const std::uint32_t at : ends) program_[at].first = size();
      break;
    }
    default:
      program_.push_back({.op = Op::assertion, .kind = node.kind, .unicode = node.unicode});
  }
}

// What a match may begin with, so that a search can pass over the rest.
void NfaEngine::find_first_bytes() {
  std::vector<bool> seen(program_.size());
  std::vector<std::uint32_t> pending = {0};
  while (!pending.empty()) {
    const std::uint32_t at = pending.back();
    pending.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Instruction& instruction = program_[at];
    switch (instruction.op) {
      case Op::character:
        first_bytes_.set(byte_mode_
                             ? instruction.character
                             : static_cast<unsigned char>(utf8_of(instruction.character)[0]));
        break;
      case Op::set:
        first_bytes_ |= tests_.bytes(instruction.set);
        if (tests_.reaches_beyond_ascii(instruction.set))
          for (size_t c = 0x80; c < 256; ++c) first_bytes_.set(c);
        break;
      case Op::split:
        pending.push_back(instruction.second);
        [[fallthrough]];
      case Op::jump:
        pending.push_back(instruction.first);
        break;
      case Op::assertion:
        pending.push_back(at + 1);
        break;
      case Op::match:
        may_be_empty_ = true;
    }
  }
}

size_t NfaEngine::skip(std::string_view text, size_t at) const {
  if (may_be_empty_) return at;
  while (at < text.size() && !first_bytes_[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

bool NfaEngine::holds(const Instruction& assertion, const Position& position,
                      Scratch& scratch) const {
  const auto is_word = [&](char32_t c) {
    return c != kNoCharacter &&
           tests_.has(assertion.unicode && !byte_mode_ ? kWordSet : kAsciiWordSet, c,
                      scratch.memory);
  };
  const bool at_start = position.at == 0;
  const bool at_end = position.at == position.text.size();
  const auto before = [&] { return !at_start && is_word(position.previous()); };
  const auto after = [&] { return !at_end && is_word(position.next.character); };
  switch (assertion.kind) {
    case Kind::line_start:
      return at_start || position.text[position.at - 1] == '\n';
    case Kind::line_end:
      return at_end || position.text[position.at] == '\n';
    case Kind::text_start:
      return at_start;
    case Kind::text_end:
      return at_end;
    case Kind::word_boundary:
      return before() != after();
    case Kind::not_word_boundary:
      return before() == after();
    case Kind::word_start:
      return !before() && after();
    case Kind::word_end:
      return before() && !after();
    // Beside bytes that are no character there is no boundary.
    case Kind::word_start_half:
      return at_start || (position.previous() != kNoCharacter && !before());
    case Kind::word_end_half:
      return at_end || (position.next.character != kNoCharacter && !after());
    default:
      return false;
  }
}

bool NfaEngine::consumes(const Instruction& instruction, const Position& position,
                         Scratch& scratch) const {
  const char32_t c = position.next.character;
  if (instruction.op == Op::character) return c == instruction.character;
  if (byte_mode_) {
    return tests_.bytes(instruction.set)[c] ||
           (c >= 0x80 && tests_.reaches_beyond_ascii(instruction.set));
  }
  return tests_.has(instruction.set, c, scratch.memory);
}

// Adds what can be reached from `at` without taking up text, the preferred ways first.
void NfaEngine::follow(std::uint32_t at, size_t begin, const Position& position, Threads& threads,
                       Scratch& scratch) const {
  std::vector<std::uint32_t>& pending = scratch.pending;
  pending.push_back(at);
  while (!pending.empty()) {
    at = pending.back();
    pending.pop_back();
    const std::uint32_t place = threads.places[at];
    if (place < threads.list.size() && threads.list[place].at == at) continue;
    threads.places[at] = static_cast<std::uint32_t>(threads.list.size());
    threads.list.push_back({at, begin});
    const Instruction& instruction = program_[at];
    switch (instruction.op) {
      case Op::jump:
        pending.push_back(instruction.first);
        break;
      case Op::split:
        pending.push_back(instruction.second);
        pending.push_back(instruction.first);
        break;
      case Op::assertion:
        if (holds(instruction, position, scratch)) pending.push_back(at + 1);
        break;
      default:
        break;
    }
  }
}

std::optional<Span> NfaEngine::find(std::string_view text, size_t from, Scratch& scratch,
                                    Interrupt& interrupt) const {
  for (Threads* threads : {&scratch.now, &scratch.next}) {
    threads->list.clear();
    threads->places.resize(program_.size());
  }
  std::optional<Span> best;
  for (size_t at = from; at <= text.size();) {
    if (scratch.now.list.empty()) {
      if (best) break;
      at = skip(text, at);
      if (at == text.size() && !may_be_empty_) break;
    }
    if (interrupt.is_due(1 + scratch.now.list.size())) return std::nullopt;
    const Position position(text, at, byte_mode_);
    if (!best) follow(0, at, position, scratch.now, scratch);
    const bool has_next = at < text.size() && position.next.character != kNoCharacter;
    const size_t after = at + position.next.length;
    std::optional<Position> behind;
    for (const Thread& thread : scratch.now.list) {
      const Instruction& instruction = program_[thread.at];
      if (instruction.op == Op::match) {
        best = Span{thread.begin, at};
        break;  // those after it are less preferred
      }
      const bool takes = instruction.op == Op::character || instruction.op == Op::set;
      if (!takes || !has_next || !consumes(instruction, position, scratch)) continue;
      if (!behind) behind.emplace(text, after, byte_mode_);
      follow(thread.at + 1, thread.begin, *behind, scratch.next, scratch);
    }
    std::swap(scratch.now, scratch.next);
    scratch.next.list.clear();
    at = after;
  }
  return best;
}

}  // namespace helve::search
