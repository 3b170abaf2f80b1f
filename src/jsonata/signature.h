// Signature: the types of a function's parameters, such as <s-(sf)n?:s>, and how arguments are
// fitted to them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "jsonata/value.h"

namespace helve::jsonata {

struct Parameter {
  static constexpr std::uint8_t kMany = 0xFF;
  std::uint16_t types = 0;  // a bit for each letter that fits
  std::uint8_t least = 1;
  std::uint8_t most = 1;   // kMany: any number
  bool takes_few = false;  // only as many as it must; after a second modifier, such as n+?
  bool from_context = false;
  bool any_context = false;     // of whatever type; after ?-
  bool is_array = false;        // anything else becomes an array of one
  bool has_item_type = false;   // of an array
  bool is_single_type = false;  // the item type is one letter, so that a value alone can fit
  char item_type = 0;           // its first letter; 0: none, which nothing fits
};

class Signature {
 public:
  static constexpr size_t kMaxParameters = 16;

  // Letters: array, string, number, boolean, null, function, object, missing.
  static constexpr std::string_view kTypes = "asnblfom";

  // `code` says what is wrong and `offset` where: S0401, S0402.
  struct Fault {
    std::string_view code;
    size_t offset = 0;
    std::string_view value;
  };
  constexpr explicit Signature(std::string_view text) { fault_ = read(text); }

  constexpr const Fault& fault() const { return fault_; }
  constexpr std::span<const Parameter> parameters() const { return {parameters_.data(), count_}; }

  static constexpr std::uint16_t bit(char letter) { return bits({&letter, 1}); }
  // How many of the letters each parameter takes, the first ones as many as they can, or as few as
  // they must; false when they do not fit.
  bool match(std::string_view letters, std::array<std::uint8_t, kMaxParameters>& taken) const;
  // The argument, from 0, at which letters that do not fit go wrong.
  size_t first_misfit(std::string_view letters) const;

 private:
  static constexpr std::uint16_t bits(std::string_view letters) {
    std::uint16_t set = 0;
    for (const char letter : letters)
      if (kTypes.find(letter) != kTypes.npos)
        set |= static_cast<std::uint16_t>(1u << kTypes.find(letter));
    return set;
  }
  static constexpr size_t closing(std::string_view text, size_t from, char open, char close) {
    size_t depth = 1;
    size_t at = from;
    while (at < text.size()) {
      ++at;
      const char c = at < text.size() ? text[at] : '\0';
      if (c == close && --depth == 0) break;
      if (c == open) ++depth;
    }
    return at;
  }
  constexpr void add(Parameter parameter) {
    if (count_ < kMaxParameters) parameters_[count_++] = parameter;
  }
  constexpr Fault read(std::string_view text) {
    char last_type = 0;
    for (size_t at = 1; at < text.size() && text[at] != ':'; ++at) {
      const char letter = text[at];
      Parameter none;
      Parameter& last = count_ > 0 ? parameters_[count_ - 1] : none;
      switch (letter) {
        case 's':
        case 'n':
        case 'b':
        case 'l':
        case 'o': {
          const char both[] = {letter, 'm'};
          add({.types = bits({both, 2})});
          last_type = letter;
          break;
        }
        case 'a':
          add({.types = bits(kTypes), .is_array = true});
          last_type = letter;
          break;
        case 'f':
          add({.types = bits("f")});
          last_type = letter;
          break;
        case 'j':
          add({.types = bits("asnblom")});
          last_type = letter;
          break;
        case 'x':
          add({.types = bits(kTypes)});
          last_type = letter;
          break;
        case '-':
          last.from_context = true;
          last.any_context = last.least == 0;
          [[fallthrough]];
        case '?':
          if (last.least == 0 || last.most > 1)
            last.takes_few = true;
          else
            last.least = 0;
          break;
        case '+':
          last.most = Parameter::kMany;
          break;
        case '(': {
          const size_t end = closing(text, at, '(', ')');
          const std::string_view choice = text.substr(at + 1, end - at - 1);
          if (choice.find('<') != choice.npos) return {"S0402", at, choice};
          add({.types = static_cast<std::uint16_t>(bits(choice) | bits("m"))});
          last_type = '(';
          at = end;
          break;
        }
        case '<': {
          if (last_type != 'a' && last_type != 'f') return {"S0401", at, {}};
          const size_t end = closing(text, at, '<', '>');
          last.has_item_type = true;
          last.is_single_type = end == at + 2;
          if (end > at + 1) last.item_type = text[at + 1];
          at = end;
          break;
        }
        default:
          break;
      }
    }
    return {};
  }
  class Matching;

  std::array<Parameter, kMaxParameters> parameters_{};
  size_t count_ = 0;
  Fault fault_;
};

}  // namespace helve::jsonata
