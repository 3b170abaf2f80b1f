#include "app/offered.h"

#include <algorithm>
#include <array>

#include "app/selection.h"
#include "app/tool_formats.h"

namespace helve::app {
namespace {

// What most tasks need. The description of a tool is read with every request.
constexpr auto kUsual = std::to_array<std::string_view>(
    {"read", "grep", "glob", "ls", "edit", "write", "apply_patch", "exec", "process",
     "read_large_result", "memory_search", "memory_append", "agent", "skill_read"});

bool is_usual(const Tool& tool, const Dialect* dialect) {
  if (is_left_out(dialect, tool.spec.name)) return false;
  return has_word_for(dialect, tool.spec.name) ||
         std::ranges::find(kUsual, tool.spec.name) != kUsual.end();
}

}  // namespace

Offered offered_under(const World& world, const dispatch::Policy* policy) {
  cli::ToolList offered = allowed_tools(*world.registry, policy), rest;
  if (!world.home->settings.decider("tools.load") && offered.size() > kMaxServedTools) {
    const auto others = std::ranges::stable_partition(
        offered, [&](const Tool* tool) { return is_usual(*tool, world.dialect); });
    rest.assign(others.begin(), others.end());
    offered.erase(others.begin(), others.end());
  }
  Offered out{.offers = offers_of(world, offered), .toolbox = {}};
  if (rest.empty()) return out;
  out.toolbox = std::make_shared<const agent::Toolbox>(offers_of(world, rest));
  for (model::Offer& each : out.toolbox->offers()) out.offers.push_back(std::move(each));
  return out;
}

}  // namespace helve::app
