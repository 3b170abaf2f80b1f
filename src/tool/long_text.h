// LongText: a text of any length that is read in pieces, so that nobody holds all of it.
#pragma once

#include <functional>
#include <string_view>

namespace helve {

// For one thread at a time.
class LongText {
 public:
  // Says whether it wants more.
  using Take = std::function<bool(std::string_view piece)>;

  virtual ~LongText() = default;
  // From its beginning; the same whenever it is called.
  virtual void read(const Take& take) const = 0;
};

}  // namespace helve
