// Fd: a file descriptor with an owner. It is closed exactly once.
#pragma once

#include <utility>

namespace helve::sys {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    Fd(std::move(other)).swap(*this);
    return *this;
  }
  ~Fd();

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }
  void swap(Fd& other) noexcept { std::swap(number_, other.number_); }

 private:
  int number_ = -1;
};

}  // namespace helve::sys
