// Selection: which tools exist, and under whose names they are shown.
#pragma once

#include <vector>

#include "cli/options.h"
#include "config/config.h"
#include "tool/dialect.h"
#include "tool/registry.h"

namespace helve::app {

// What the world is built for. A tool call on the command line and an agent cannot do without a
// workspace: an MCP client may name one later, and those who only look want to know why there is
// none.
enum class Purpose { call, serve, inspect, agent };

// Models choose badly among many tools, so MCP clients get at most kMaxServedTools unless somebody
// asked for more: those that their dialect has words for come first, and what
// would confuse a model of that dialect is left out.
constexpr size_t kMaxServedTools = 20;
Selection selection_of(const config::Load& load, bool is_explicit, Purpose purpose,
                       const std::vector<Tool>& tools, const Dialect* dialect = nullptr);

// Of `edit` and `editor`, which do the same, the one that the dialect does not have; and a tool
// that has no word there while its own name, but for its case, is the word for another.
bool is_left_out(const Dialect* dialect, std::string_view tool);
bool has_word_for(const Dialect* dialect, std::string_view tool);

Result<Registry> load_tools(const config::Loaded& settings, const cli::Options& options,
                            Purpose purpose);
// Null: helve's own names.
Result<const Dialect*> chosen_dialect(const config::Loaded& settings);

}  // namespace helve::app
