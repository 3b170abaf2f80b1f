#include "app/kept_facts.h"

#include <algorithm>

#include "app/prompt_parts.h"

namespace helve::app {

std::string KeptFacts::told(std::string_view session, std::string facts) {
  const auto known = std::ranges::find(kept_, session, &Kept::session);
  if (known == kept_.end()) {
    if (kept_.size() >= most_) kept_.pop_front();
    kept_.push_back({std::string(session), std::move(facts)});
  } else {
    if (lasting_facts(known->facts) != lasting_facts(facts)) known->facts = std::move(facts);
    kept_.splice(kept_.end(), kept_, known);
  }
  return kept_.back().facts;
}

}  // namespace helve::app
