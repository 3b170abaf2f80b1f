// Type: the ordinary table that a described struct becomes. Decoding, encoding, JSON Schema and
// command-line flags all work on this table; nothing here depends on the struct itself, so it
// compiles once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace helve::schema {

enum class Kind : std::uint8_t {
  boolean,
  integer,
  number,
  string,
  enumeration,
  object,
  array,
  map,
  json,
  optional
};

struct Field;
struct Type;

// What decoding must do to a value it only knows by address. Only the operations of the type's kind
// are set.
struct Operations {
  void* (*construct)() = nullptr;         // object: a default value, for the defaults
  void (*destroy)(void*) = nullptr;       // object
  void* (*append)(void*) = nullptr;       // array: a new last element
  void (*clear)(void*) = nullptr;         // array, map
  size_t (*size)(const void*) = nullptr;  // array, map
  const void* (*element)(const void*, size_t) = nullptr;  // array
  void* (*insert)(void*, std::string) = nullptr;          // map: the value under a new key
  void (*each)(const void*, void (*)(void*, std::string_view, const void*),
               void*) = nullptr;                 // map
  void* (*emplace)(void*) = nullptr;             // optional: a default value inside
  const void* (*inside)(const void*) = nullptr;  // optional: null when empty
};

struct Type {
  Kind kind;
  std::uint8_t bytes = 0;                        // integer, enumeration: size of the C++ type
  bool is_signed = false;                        // integer
  std::span<const std::string_view> names = {};  // enumeration: by value, from 0
  const Type* inner = nullptr;                   // array, map, optional
  std::string_view description = {};             // object
  std::span<const Field> fields = {};            // object
  Operations operations = {};
};

// A bound that keeps 64-bit integers exact.
struct Bound {
  bool set = false;
  bool integral = false;
  std::int64_t integer = 0;
  double number = 0;
};

enum class Place : std::uint8_t { flag, positional };

// A letter that gives a field one value, as -i for --case insensitive.
struct Switch {
  char letter = 0;
  std::string_view value = {};  // empty: the letter is taken and says nothing
};

// What the words of a field are names of: help says it and completion offers them.
enum class Names : std::uint8_t { nothing, files, directories };

// One member of a described struct. The builder methods chain:
// arg<&In::limit>("…").min(1).shorthand('n').
struct Field {
  std::string_view name;
  std::string_view description;
  const Type* type = nullptr;
  void* (*access)(void*) = nullptr;  // the member of the struct at this address
  bool required = false;
  Place place = Place::flag;
  char letter = 0;  // -n
  std::array<Switch, 3> switches = {};
  bool takes_stdin = false;  // on the command line "-" reads standard input
  Names names = Names::nothing;
  std::span<const std::string_view> suggestions = {};  // that completion offers; others do as well
  Bound lowest, highest;                               // numbers
  std::int64_t shortest = -1,
               longest = -1;    // characters of a string, items of an array, entries of a map
  std::string_view regex = {};  // strings
  bool only_object = false;     // JSON

  // A copy with this change. It stands before its users: clang cannot evaluate them at compile time
  // otherwise.
  template <class Change>
  constexpr Field with(Change change) const {
    Field copy = *this;
    change(copy);
    return copy;
  }

  constexpr Field min(std::int64_t value) const {
    return with([&](Field& f) { f.lowest = {true, true, value, double(value)}; });
  }
  constexpr Field max(std::int64_t value) const {
    return with([&](Field& f) { f.highest = {true, true, value, double(value)}; });
  }
  constexpr Field min_number(double value) const {
    return with([&](Field& f) { f.lowest = {true, false, 0, value}; });
  }
  constexpr Field max_number(double value) const {
    return with([&](Field& f) { f.highest = {true, false, 0, value}; });
  }
  constexpr Field min_length(std::int64_t count) const {
    return with([&](Field& f) { f.shortest = count; });
  }
  constexpr Field max_length(std::int64_t count) const {
    return with([&](Field& f) { f.longest = count; });
  }
  constexpr Field pattern(std::string_view expression) const {
    return with([&](Field& f) { f.regex = expression; });
  }
  constexpr Field an_object() const {
    return with([](Field& f) { f.only_object = true; });
  }
  constexpr Field shorthand(char c) const {
    return with([&](Field& f) { f.letter = c; });
  }
  constexpr Field shorthand_for(char c, std::string_view value) const {
    return with([&](Field& f) {
      size_t next = 0;
      while (f.switches[next].letter != 0) ++next;
      f.switches[next] = {c, value};
    });
  }
  constexpr Field positional() const {
    return with([&](Field& f) { f.place = Place::positional; });
  }
  constexpr Field flag() const {
    return with([&](Field& f) { f.place = Place::flag; });
  }
  constexpr Field from_stdin() const {
    return with([&](Field& f) { f.takes_stdin = true; });
  }
  constexpr Field file() const {
    return with([&](Field& f) { f.names = Names::files; });
  }
  constexpr Field directory() const {
    return with([&](Field& f) { f.names = Names::directories; });
  }
  constexpr Field suggest(std::span<const std::string_view> words) const {
    return with([&](Field& f) { f.suggestions = words; });
  }
};

}  // namespace helve::schema
