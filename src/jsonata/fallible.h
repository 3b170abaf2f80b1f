// Fallible: what a step of an evaluation gives, or the news that it failed. Why it failed stands in
// the Evaluator, once: a value is two machine words and is passed in registers, and an Error would
// not be. TRY takes it apart like a Result.
#pragma once

#include "base/result.h"
#include "jsonata/value.h"

namespace helve::jsonata {

struct Failed {};

template <class T>
class [[nodiscard]] Fallible {
 public:
  Fallible(T value) : value_(value), good_(true) {}
  Fallible(Failed) : value_{}, good_(false) {}
  explicit operator bool() const { return good_; }
  Failed error() const { return {}; }
  T operator*() const { return value_; }

 private:
  T value_;
  bool good_;
};

template <>
class [[nodiscard]] Fallible<void> {
 public:
  Fallible() = default;
  Fallible(Failed) : good_(false) {}
  explicit operator bool() const { return good_; }
  Failed error() const { return {}; }

 private:
  bool good_ = true;
};

// The type of the value tells.
template <>
class [[nodiscard]] Fallible<Value> {
 public:
  Fallible(Value value) : value_(value) {}
  Fallible(Failed) { value_.type = Type::failure; }
  explicit operator bool() const { return value_.type != Type::failure; }
  Failed error() const { return {}; }
  Value operator*() const { return value_; }

 private:
  Value value_;
};

using Outcome = Fallible<Value>;

}  // namespace helve::jsonata

namespace helve {

template <class T>
T take(jsonata::Fallible<T>&& fallible) {
  if constexpr (!std::is_void_v<T>) return *fallible;
}

}  // namespace helve
