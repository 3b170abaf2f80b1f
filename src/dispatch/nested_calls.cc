#include "dispatch/nested_calls.h"

#include "dispatch/arguments.h"

namespace helve::dispatch {
namespace {

// Passes on how far the inner call is, and nothing of what it writes: that is for its tool.
class Silent final : public Listener {
 public:
  explicit Silent(Listener* outer) : outer_(outer) {}

  void progress(double done, std::optional<double> total, std::string_view message) override {
    if (outer_) outer_->progress(done, total, message);
  }
  void log(Level level, std::string_view message) override {
    if (outer_) outer_->log(level, message);
  }

 private:
  Listener* outer_;
};

}  // namespace

InnerCall bind_inner(const Registry& registry, const Demand& demand) {
  if (!demand.inner || !demand.inner->arguments.is_object()) return {};
  const auto [tool, dialect] = registry.find(demand.inner->tool);
  if (!tool) return {};
  Json arguments = demand.inner->arguments;
  if (dialect) {
    Result<JsonObject> canonical = to_canonical(*dialect, arguments.get_object());
    if (!canonical) return {};
    arguments = std::move(*canonical);
  }
  const Json* given = &arguments;
  Json decoded;
  std::vector<std::string> repairs;  // told when the call is made
  Result<std::unique_ptr<Bound>> bound = bind_arguments(*tool, given, decoded, repairs);
  if (!bound) return {};
  return {tool, std::move(*bound)};
}

const Tool* NestedCalls::find(std::string_view name) const {
  return dispatcher_.registry().find(name).tool;
}

Calls::Answer NestedCalls::call(std::string_view name, const Json& arguments, Want want) {
  Silent listener(outer_.listener);
  Outcome outcome = dispatcher_.call({.tool = name,
                                      .arguments = &arguments,
                                      .caller = Caller::pipe,
                                      .who = outer_.who,
                                      .named_session = outer_.named_session,
                                      .wants_written = want == Want::written,
                                      .allowed = allowed_,
                                      .policy = outer_.policy,
                                      .cap = Cap::none,
                                      .stop = context_.stop,
                                      .timeout = outer_.timeout,
                                      .listener = &listener,
                                      .approver = outer_.approver});
  return {.tool = outcome.tool,
          .error = std::move(outcome.error),
          .product = std::move(outcome.product),
          .notes = std::move(outcome.notes)};
}

}  // namespace helve::dispatch
