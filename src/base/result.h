// Result<T>: a value or an Error. TRY takes the value out or returns the error to the caller.
#pragma once

#include <expected>
#include <utility>

#include "base/error.h"

namespace helve {

template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
  using Base = std::expected<T, Error>;

 public:
  using Base::Base;
  Result(Error error) : Base(std::unexpect, std::move(error)) {}  // so that `return Error{…}` works
};

template <>
class [[nodiscard]] Result<void> : public std::expected<void, Error> {
  using Base = std::expected<void, Error>;

 public:
  using Base::Base;
  Result(Error error) : Base(std::unexpect, std::move(error)) {}
};

template <class T>
T take(Result<T>&& result) {
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace helve

// An expression: TRY(parse(x)) is the value, or returns the error from the enclosing function. Not
// inside a braced list: the compiler does not destroy what the list had built before it
// (tests/checks/try_use.py looks for that).
#define TRY(...)                                             \
  ({                                                         \
    auto try_result_ = (__VA_ARGS__);                        \
    if (!try_result_) return std::move(try_result_).error(); \
    ::helve::take(std::move(try_result_));                   \
  })
