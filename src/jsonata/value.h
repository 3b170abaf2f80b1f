// Value: what expressions compute with, in 16 bytes. Scalars stand in it; text, arrays and objects
// are borrowed from the document that is queried or from the Arena of the evaluation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "jsonata/arena.h"

namespace helve::jsonata {

struct Object;
struct Function;
struct Tuple;
using Word = std::uint64_t;  // of a Document's tape

enum class Type : unsigned char {
  undefined,
  null,
  boolean,
  number,
  string,
  array,
  object,
  function,
  tuple,    // an item of a stream that carries bound variables; never seen from outside
  failure,  // in a Fallible only
};

struct Value {
  // What arrays are besides: the language treats a sequence of one as its item.
  static constexpr std::uint8_t kSequence = 1;
  static constexpr std::uint8_t kKeepSingleton = 2;
  static constexpr std::uint8_t kConstructed = 4;  // by [...] in a path: not flattened
  static constexpr std::uint8_t kOuterWrapper = 8;
  static constexpr std::uint8_t kTuples = 16;
  static constexpr std::uint8_t kOnTape = 32;  // arrays and objects of a document

  union {
    std::uint64_t bits = 0;
    double real;
    bool truth;
    const char* bytes;
    const Value* elements;
    Object* object;
    const Function* function;
    const Tuple* tuple;
    const Word* node;
  };
  std::uint32_t size = 0;  // bytes of a string, elements of an array; the document of a node
  Type type = Type::undefined;
  std::uint8_t flags = 0;

  static Value undefined() { return {}; }
  static Value null() { return of(Type::null); }
  static Value boolean(bool truth) {
    Value value = of(Type::boolean);
    value.truth = truth;
    return value;
  }
  static Value number(double real) {
    Value value = of(Type::number);
    value.real = real;
    return value;
  }
  // Borrows the text.
  static Value string(std::string_view text) {
    Value value = of(Type::string);
    value.bytes = text.data();
    value.size = static_cast<std::uint32_t>(text.size());
    return value;
  }
  static Value array(std::span<const Value> elements, std::uint8_t flags = 0) {
    Value value = of(Type::array);
    value.elements = elements.data();
    value.size = static_cast<std::uint32_t>(elements.size());
    value.flags = flags;
    return value;
  }
  static Value of(Object* object) {
    Value value = of(Type::object);
    value.object = object;
    return value;
  }
  static Value of(const Function* function) {
    Value value = of(Type::function);
    value.function = function;
    return value;
  }
  static Value of(const Tuple* tuple) {
    Value value = of(Type::tuple);
    value.tuple = tuple;
    return value;
  }
  // An array or an object of a document.
  static Value of(Type type, const Word* node, std::uint32_t document) {
    Value value = of(type);
    value.node = node;
    value.size = document;
    value.flags = kOnTape;
    return value;
  }

  bool is_undefined() const { return type == Type::undefined; }
  bool is_number() const { return type == Type::number; }
  bool is_string() const { return type == Type::string; }
  bool is_array() const { return type == Type::array; }
  bool is_object() const { return type == Type::object; }
  bool is_function() const { return type == Type::function; }
  bool on_tape() const { return flags & kOnTape; }
  bool is_sequence() const { return flags & kSequence; }
  bool is_stream() const { return flags & kTuples; }
  std::string_view text() const { return {bytes, size}; }
  // Of an array that is not on a tape.
  std::span<const Value> items() const { return {elements, size}; }
  Value with(std::uint8_t more) const {
    Value value = *this;
    value.flags |= more;
    return value;
  }

 private:
  static Value of(Type type) {
    Value value;
    value.type = type;
    return value;
  }
};
static_assert(sizeof(Value) == 16);

// An object that an expression made. Its members come in the order in which JavaScript keeps them,
// which is whole numbers first and then as they were added; they are put in order when somebody
// asks for them.
struct Object {
  struct Member {
    std::string_view key;
    Value value;
  };
  static constexpr size_t kScanned = 12;  // members up to which no index is kept

  Member* members = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  std::uint32_t* index = nullptr;  // open addressing, 0: free, else the number of a member from 1
  std::uint32_t index_size = 0;
  bool disordered = false;

  std::span<const Member> all() {
    if (disordered) put_in_order();
    return {members, size};
  }
  const Value* find(std::string_view key) const;
  // Adds or replaces; borrows the key.
  void set(std::string_view key, Value value, Arena& arena);
  void erase(std::string_view key);

 private:
  std::uint32_t find_place(std::string_view key) const;  // the member, or size
  void add_to_index(std::uint32_t place);
  void fill_index();
  void put_in_order();
};

// An array that grows; its items must be taken before the arena is released.
class Items {
 public:
  explicit Items(Arena& arena) : arena_(&arena) {}
  void push(Value value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 4 : size_t{capacity_} * 2);
    items_[size_++] = value;
  }
  void append(std::span<const Value> values) {
    if (size_ + values.size() > capacity_) {
      const size_t doubled = size_t{capacity_} * 2;
      reserve(size_ + values.size() > doubled ? size_ + values.size() : doubled);
    }
    if (!values.empty()) std::memcpy(items_ + size_, values.data(), values.size_bytes());
    size_ += static_cast<std::uint32_t>(values.size());
  }
  void reserve(size_t capacity) {
    items_ = static_cast<Value*>(
        arena_->grow(items_, size_t{capacity_} * sizeof(Value), capacity * sizeof(Value)));
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  size_t size() const { return size_; }
  std::span<Value> all() { return {items_, size_}; }
  Value array(std::uint8_t flags = 0) const {
    return Value::array(std::span<const Value>(items_, size_), flags);
  }
  Value sequence() const { return array(Value::kSequence); }

 private:
  Arena* arena_;
  Value* items_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

// What JavaScript takes for an index of an array: "0", "17", but not "017" or "-1".
bool is_index_key(std::string_view key);
// Index keys come first, by number.
bool index_key_less(std::string_view a, std::string_view b);
std::uint64_t hash_of(std::string_view text);

}  // namespace helve::jsonata
