#include "tools/session_access.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxLastWords = 2'000;  // characters

Code code_of(const agent::Ending& ending) {
  if (ending.error) return ending.error->code;
  switch (ending.end) {
    case agent::End::cancelled:
      return Code::cancelled;
    case agent::End::refused:
      return Code::denied;
    case agent::End::time:
      return Code::timeout;
    case agent::End::cut:
    case agent::End::turns:
    case agent::End::tokens:
    case agent::End::cost:
      return Code::too_large;
    default:
      return Code::internal;
  }
}

}  // namespace

Result<store::Store*> need_store(const Context& context) {
  if (context.store) return context.store->get();
  return Error{Code::unsupported, "sessions are not kept here",
               "start helve without --profile bare, and with a state directory", "no_store"};
}

Result<agent::Agents*> need_agents(const Context& context) {
  if (context.agents) return context.agents->get();
  return Error{Code::unsupported, "no agents can be run from here",
               "they need a model and a store: `helve doctor` shows what is configured",
               "no_agents"};
}

std::string sender_of(const Context& context) {
  return context.means_any_session() ? "user" : context.who.session;
}

std::int64_t input_tokens(const store::Spent& spent) {
  return spent.input + spent.cache_read + spent.cache_write;
}

double dollars(std::int64_t micro_dollars) { return static_cast<double>(micro_dollars) / 1e6; }

std::optional<double> cost_of(const store::Spent& spent) {
  if (spent.micro_dollars == 0) return std::nullopt;
  return dollars(spent.micro_dollars);
}

std::string dollars_text(double dollars) { return fmt::format("${:.4f}", dollars); }

Error failed_work(std::string_view whose, const std::string& session, const agent::Ending& ending) {
  Error error{code_of(ending),
              fmt::format("{} {} ended with '{}'", whose, session, agent::name_of(ending.end)),
              "sessions_history shows how far it came", "session_failed"};
  if (ending.error) {
    error.message += ": " + ending.error->message;
    if (!ending.error->hint.empty()) error.hint = ending.error->hint + "; " + error.hint;
  }
  if (!ending.text.empty())
    error.message += ". It said last: " + preview(ending.text, kMaxLastWords);
  error.details = JsonObject{{"outcome", agent::name_of(ending.end)}, {"session_id", session}};
  return error;
}

std::function<void(const agent::Work&)> telling_progress(Context& context) {
  return [&context, begun = std::chrono::steady_clock::now()](const agent::Work& work) {
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
    context.progress(work.calls(), {},
                     fmt::format("{} calls, {} s", work.calls(), elapsed.count()));
  };
}

}  // namespace helve::tools
