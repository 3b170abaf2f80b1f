// Scratch: a directory for a while, which goes away with all that was made in it.
#pragma once

#include <string>
#include <string_view>

#include "app/surroundings.h"
#include "base/result.h"

namespace helve::app {

class Scratch {
 public:
  // In $TMPDIR, else /tmp; `name` is a part of its name.
  static Result<Scratch> make(std::string_view name, const Surroundings& surroundings);
  Scratch(Scratch&& other) noexcept;
  ~Scratch();

  const std::string& path() const { return path_; }
  // Makes one in it.
  Result<std::string> directory(std::string_view name) const;

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace helve::app
