// AllowedTools: the inventory of one call: what is loaded, under the rules of who calls.
#pragma once

#include "dispatch/policy.h"
#include "tool/inventory.h"
#include "tool/registry.h"

namespace helve::dispatch {

class AllowedTools final : public Inventory {
 public:
  // Borrows both; without a policy everything loaded is allowed.
  AllowedTools(const Registry& registry, const Policy* policy)
      : registry_(registry), policy_(policy) {}

  std::vector<const Tool*> tools() const override {
    std::vector<const Tool*> allowed;
    for (const Tool& tool : registry_.tools()) {
      if (!policy_ || policy_->allows(registry_.index_of(tool))) allowed.push_back(&tool);
    }
    return allowed;
  }

 private:
  const Registry& registry_;
  const Policy* const policy_;
};

}  // namespace helve::dispatch
