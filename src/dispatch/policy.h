// Policy: which of the loaded tools a session may see and call. Evaluated once into a set per
// session; a check is then one bit. Deny always wins, whatever the order and whatever name was
// used.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/registry.h"

namespace helve::dispatch {

enum class Verdict : unsigned char { allow, ask, deny };

// One layer of rules, as written in a config file. Patterns as Registry::expand takes them.
struct Rules {
  std::string source;              // "global", "agent 'coder'", a file: named in refusals
  std::vector<std::string> allow;  // empty: everything
  std::vector<std::string> deny;
  std::vector<std::string> ask;
  // By effect; the strictest of all layers counts.
  std::array<Verdict, 4> effects{};
  std::string effects_from = {};  // what set them; empty: tools.effects of the source
};

class Policy {
 public:
  // Layers: global rules first, then the agent's. A name that nothing knows is an error, never
  // ignored: a misspelt deny would leave a tool open.
  static Result<Policy> make(const Registry& registry, const std::vector<Rules>& layers);

  // A sub-agent's policy: parent ∩ own rules ∩ preset (empty: no preset), minus every deny of both,
  // intersected as sets after expansion.
  static Result<Policy> spawn(const Registry& registry, const Policy& parent,
                              const std::vector<Rules>& layers,
                              const std::vector<std::string>& preset);

  // Whether the tool is offered and may be called at all. On refusal the reason names the rule.
  bool allows(size_t tool) const { return tools_[tool].verdict != Verdict::deny; }
  // Why the tool is denied, or why a person must be asked.
  std::string_view reason(size_t tool) const { return tools_[tool].reason; }
  // The verdict for a call with this effect: deny > ask > allow.
  struct Decision {
    Verdict verdict;
    std::string reason;
  };
  Decision decide(size_t tool, Effect effect) const;
  bool decides_plainly() const { return plain_; }  // no rule asks or looks at effects

 private:
  struct Entry {
    Verdict verdict = Verdict::allow;
    std::string reason;
  };
  std::vector<Entry> tools_;
  std::array<Entry, 4> effects_;
  bool plain_ = true;
};

}  // namespace helve::dispatch
