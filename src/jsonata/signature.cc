#include "jsonata/signature.h"

#include <algorithm>

namespace helve::jsonata {

bool Signature::match_from(size_t parameter, std::string_view letters,
                           std::array<std::uint8_t, kMaxParameters>& taken, bool whole,
                           size_t until) const {
  if (parameter == until) return !whole || letters.empty();
  const Parameter& here = parameters_[parameter];
  size_t fits = 0;
  while (fits < letters.size() && fits < here.most && here.types & bits(letters.substr(fits, 1)))
    ++fits;
  for (size_t count = fits + 1; count-- > here.least;) {
    taken[parameter] = static_cast<std::uint8_t>(count);
    if (match_from(parameter + 1, letters.substr(count), taken, whole, until)) return true;
  }
  return false;
}

bool Signature::match(std::string_view letters,
                      std::array<std::uint8_t, kMaxParameters>& taken) const {
  return match_from(0, letters, taken, true, count_);
}

size_t Signature::first_misfit(std::string_view letters) const {
  size_t good = 0;
  std::array<std::uint8_t, kMaxParameters> taken;
  for (size_t until = 1; until <= count_; ++until) {
    taken.fill(0);
    if (!match_from(0, letters, taken, false, until)) break;
    good = 0;
    for (size_t i = 0; i < until; ++i) good += taken[i];
  }
  return good;
}

}  // namespace helve::jsonata
