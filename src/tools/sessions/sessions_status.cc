// sessions_status: how a session stands.
#include <fmt/format.h>

#include "base/text.h"
#include "session/fork.h"
#include "session/item.h"
#include "sys/clock.h"
#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

struct SessionsStatusInput {
  std::optional<std::string> session_id;

  static constexpr auto schema() {
    return object("Show how a session stands: messages, tokens, cost, and whether it is at work.",
                  opt<&SessionsStatusInput::session_id>("Which session; default: this one")
                      .positional()
                      .min_length(1));
  }
};

struct SessionsStatusOutput {
  std::string session_id;
  std::string title;
  std::string agent;
  std::optional<std::string> parent;
  std::string state;
  bool at_work = false;
  std::int64_t messages = 0;
  std::int64_t entries = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> cost_usd;
  std::optional<std::int64_t> context_tokens;
  std::optional<std::string> model;

  static constexpr auto schema() {
    return object(
        "A session.", arg<&SessionsStatusOutput::session_id>("Its id"),
        arg<&SessionsStatusOutput::title>("What it is about"),
        arg<&SessionsStatusOutput::agent>("Whose it is"),
        opt<&SessionsStatusOutput::parent>("The session that began it"),
        arg<&SessionsStatusOutput::state>("started, in_progress, done, stopped or failed"),
        arg<&SessionsStatusOutput::at_work>("Whether a process works on it now"),
        arg<&SessionsStatusOutput::messages>("What people, programs and its model said"),
        arg<&SessionsStatusOutput::entries>("Messages, calls' results, summaries, …"),
        arg<&SessionsStatusOutput::input_tokens>("That models have read, sub-agents with them"),
        arg<&SessionsStatusOutput::output_tokens>("That models have written"),
        opt<&SessionsStatusOutput::cost_usd>("As far as prices are known; absent: none is"),
        opt<&SessionsStatusOutput::context_tokens>("In its model's window, as last counted"),
        opt<&SessionsStatusOutput::model>("That answered last"));
  }
  std::string text() const {
    std::string out = session_id + "\n";
    const auto line = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) out += fmt::format("{}: {}\n", name, escape_for_display(value));
    };
    line("title", title);
    line("agent", agent);
    line("parent", parent.value_or(""));
    line("state", state);
    line("messages", fmt::format("{} ({} entries)", messages, entries));
    line("tokens", fmt::format("{} in, {} out", input_tokens, output_tokens));
    line("cost", cost_usd ? dollars_text(*cost_usd) : "");
    if (context_tokens) line("in the window", fmt::format("{} tokens", *context_tokens));
    line("model", model.value_or(""));
    return out;
  }
};

// Of a program that calls tools and lets no model answer.
Result<store::Conversation> conversation_of(store::Store& store, const std::string& id,
                                            bool is_own) {
  Result<store::Conversation> found = store.conversation(id);
  if (found || !is_own || found.error().type != "unknown_session") return found;
  store::Conversation none;
  none.session = id;
  return none;
}

Result<SessionsStatusOutput> sessions_status(const SessionsStatusInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  const std::string id = in.session_id.value_or(context.who.session);
  const store::Conversation found = TRY(conversation_of(store, id, id == context.who.session));
  SessionsStatusOutput out{
      .session_id = id,
      .title = escape_invalid_utf8(found.title),
      .agent = found.agent,
      .parent = {},
      .state = std::string(session::name_of(TRY(session::state_of(store, found)))),
      .at_work = found.is_at_work,
      .entries = static_cast<std::int64_t>(found.entries),
      .input_tokens = input_tokens(found.spent),
      .output_tokens = found.spent.output,
      .cost_usd = cost_of(found.spent),
      .context_tokens = {},
      .model = {}};
  if (!found.parent.empty()) out.parent = found.parent;
  const std::uint64_t prompts = TRY(store.count_entries(id, kind_of(session::Prompt{})));
  const std::uint64_t answers = TRY(store.count_entries(id, kind_of(session::Answer{})));
  out.messages = static_cast<std::int64_t>(prompts + answers);
  const std::optional<store::Entry> last = TRY(store.last_entry(id, kind_of(session::Answer{})));
  const Result<session::Item> item =
      last ? session::item_of(*last) : Result<session::Item>(session::Remark{});
  if (const auto* answer = item ? std::get_if<session::Answer>(&*item) : nullptr) {
    if (answer->usage.context() > 0) out.context_tokens = answer->usage.context();
    if (!answer->model.empty()) out.model = answer->model;
  }
  return out;
}

}  // namespace

Tool tool_sessions_status() {
  return make_tool(
      {.name = "sessions_status",
       .group = "sessions",
       .title = "Status of a session",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"This session", "{}"}, {"Another one", R"({"session_id": "s_…"})"}}},
      sessions_status);
}

}  // namespace helve::tools
