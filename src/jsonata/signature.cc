#include "jsonata/signature.h"

#include <bitset>

namespace helve::jsonata {

// Tries the ways in which the first `until` parameters can take letters, each from each letter on
// only once.
class Signature::Matching {
 public:
  Matching(const Signature& signature, std::string_view letters, size_t until, bool whole)
      : signature_(signature), letters_(letters), until_(until), whole_(whole) {}

  bool run(size_t parameter = 0, size_t at = 0) {
    if (at > kMaxLetters) return false;
    if (parameter == until_) return !whole_ || at == letters_.size();
    if (failed_[parameter][at]) return false;
    const Parameter& here = signature_.parameters_[parameter];
    size_t fits = 0;
    while (at + fits < letters_.size() && fits < here.most &&
           here.types & bits(letters_.substr(at + fits, 1)))
      ++fits;
    for (size_t i = here.least; i <= fits; ++i) {
      const size_t count = here.takes_few ? i : fits + here.least - i;
      taken_[parameter] = static_cast<std::uint8_t>(count);
      if (run(parameter + 1, at + count)) return true;
    }
    failed_[parameter].set(at);
    return false;
  }
  const std::array<std::uint8_t, kMaxParameters>& taken() const { return taken_; }

 private:
  static constexpr size_t kMaxLetters = Parameter::kMany;  // arguments beyond do not fit

  const Signature& signature_;
  std::string_view letters_;
  size_t until_;
  bool whole_;
  std::array<std::uint8_t, kMaxParameters> taken_{};
  std::array<std::bitset<kMaxLetters + 1>, kMaxParameters> failed_{};
};

bool Signature::match(std::string_view letters,
                      std::array<std::uint8_t, kMaxParameters>& taken) const {
  Matching matching(*this, letters, count_, true);
  const bool fits = matching.run();
  taken = matching.taken();
  return fits;
}

size_t Signature::first_misfit(std::string_view letters) const {
  size_t good = 0;
  for (size_t until = 1; until <= count_; ++until) {
    Matching matching(*this, letters, until, false);
    if (!matching.run()) break;
    good = 0;
    for (size_t i = 0; i < until; ++i) good += matching.taken()[i];
  }
  return good;
}

}  // namespace helve::jsonata
