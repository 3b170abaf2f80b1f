// Offered: what of the tools a model is told in full, and what it has to look for.
#pragma once

#include <memory>
#include <vector>

#include "agent/toolbox.h"
#include "app/wire.h"

namespace helve::app {

struct Offered {
  std::vector<model::Offer> offers;
  std::shared_ptr<const agent::Toolbox> toolbox;  // null: it is told all of them
};

// Of what is allowed under the policy; null: everything is. All of them where somebody has chosen
// which tools there are, or where they are few; else those that most tasks need, and the dialect's.
Offered offered_under(const World& world, const dispatch::Policy* policy);

}  // namespace helve::app
