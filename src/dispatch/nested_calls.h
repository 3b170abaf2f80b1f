// NestedCalls: what a running tool calls, through the same dispatcher and by the rules of its own
// call. A rule or a person that would refuse the inner call refuses it here as well.
#pragma once

#include "dispatch/dispatcher.h"

namespace helve::dispatch {

class NestedCalls final : public Calls {
 public:
  // Borrows all three until the outer call ends.
  NestedCalls(Dispatcher& dispatcher, const Call& outer, const Context& context)
      : dispatcher_(dispatcher), outer_(outer), context_(context) {}

  const Tool* find(std::string_view name) const override;
  Answer call(std::string_view name, const Json& arguments, Want want) override;

 private:
  Dispatcher& dispatcher_;
  const Call& outer_;
  const Context& context_;
};

}  // namespace helve::dispatch
