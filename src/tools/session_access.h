// What the tools for sessions share: how they reach the store and the agents, and how they tell of
// sessions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/agents.h"
#include "store/call_store.h"
#include "tool/context.h"

namespace helve::tools {

Result<store::Store*> need_store(const Context& context);
Result<agent::Agents*> need_agents(const Context& context);

// The sender of what a call says: its session; at a shell without one, the person.
std::string sender_of(const Context& context);

std::int64_t input_tokens(const store::Spent& spent);
double dollars(std::int64_t micro_dollars);
// What a session cost, as far as prices were known; nothing where none was.
std::optional<double> cost_of(const store::Spent& spent);
std::string dollars_text(double dollars);

// Why a session's work came to no good end: how, where, and what was said last.
Error failed_work(std::string_view whose, const std::string& session, const agent::Ending& ending);

// Tells the caller of calls and time while it waits.
std::function<void(const agent::Work&)> telling_progress(Context& context);

}  // namespace helve::tools
