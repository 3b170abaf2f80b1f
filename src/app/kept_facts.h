// KeptFacts: what each session was told of the place where it works. Providers keep what they have
// read of a conversation only as long as its beginning stays the same: a file more in the workspace
// is no reason to have all of it read again. Another place, or another day, is one.
//
// Thread rule: one thread at a time.
#pragma once

#include <list>
#include <string>
#include <string_view>

namespace helve::app {

class KeptFacts {
 public:
  // Of so many sessions; then those go that were told longest ago.
  explicit KeptFacts(size_t most) : most_(most) {}

  // What the session is told: `facts`, or what it was told before where only that has changed since
  // which changes while one works.
  std::string told(std::string_view session, std::string facts);

 private:
  struct Kept {
    std::string session, facts;
  };

  const size_t most_;
  std::list<Kept> kept_;  // in the order in which they were told last
};

}  // namespace helve::app
