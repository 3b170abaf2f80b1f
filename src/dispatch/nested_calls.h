// NestedCalls: what a running tool calls, through the same dispatcher and by the rules of its own
// call. A rule or a person that would refuse the inner call refuses it here as well.
#pragma once

#include "dispatch/dispatcher.h"

namespace helve::dispatch {

// The call that a demand speaks of; no tool where it cannot be made: whoever makes it is told then.
struct InnerCall {
  const Tool* tool = nullptr;
  std::unique_ptr<Bound> bound = nullptr;
};
InnerCall bind_inner(const Registry& registry, const Demand& demand);

class NestedCalls final : public Calls {
 public:
  // Borrows all of them until the outer call ends. `allowed` is Call::allowed of the inner ones.
  NestedCalls(Dispatcher& dispatcher, const Call& outer, const Allowed* allowed,
              const Context& context)
      : dispatcher_(dispatcher), outer_(outer), allowed_(allowed), context_(context) {}

  const Tool* find(std::string_view name) const override;
  Answer call(std::string_view name, const Json& arguments, Want want) override;

 private:
  Dispatcher& dispatcher_;
  const Call& outer_;
  const Allowed* const allowed_;
  const Context& context_;
};

}  // namespace helve::dispatch
