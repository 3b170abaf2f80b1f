// helve context: what fills the window of a session before anybody says a word, or until now.
#include <fmt/format.h>

#include "app/app.h"
#include "app/context_report.h"
#include "app/model_choice.h"
#include "app/offered.h"
#include "app/prompt_message.h"
#include "app/prompt_parts.h"
#include "app/state_files.h"
#include "base/text.h"
#include "cli/render.h"

namespace helve::app {
namespace {

constexpr std::int64_t kMaxWindow = 1'000'000'000;

struct ContextInput {
  std::optional<std::int64_t> window;
  std::string message;
  static constexpr auto schema() {
    return schema::object(
        "Show what fills a model's window, in estimated tokens",
        schema::opt<&ContextInput::window>(
            "Tokens that the model takes; default: what is known of it")
            .min(1)
            .max(kMaxWindow),
        schema::opt<&ContextInput::message>(
            "What contextual prompts must have to do with; default: what the session was asked "
            "last")
            .shorthand('m'));
  }
};

// Adds what was said in a session; it goes on where it began, unless the options say otherwise.
Result<void> add_session(ContextReport& report, cli::Options& options, const App& app,
                         std::string& message) {
  report.session = *std::exchange(options.session, std::nullopt);
  const std::string database = app.surroundings().database();
  if (!TRY(state_file(database)))
    return Error{Code::not_found,
                 fmt::format("no session '{}'", escape_for_display(report.session)),
                 "leave --session out for a new one", "unknown_session"};
  const sys::RealClock clock;
  store::SharedStore store(store::Opener(database, {}, clock));
  const store::Conversation conversation =
      TRY(store.use([&](store::Store& opened) { return opened.conversation(report.session); }));
  const session::Transcript transcript =
      TRY(session::Transcript::peek(store, clock, report.session));
  report.conversation = shares_of(transcript);
  report.counted = transcript.counted();
  if (message.empty()) message = message_of(store, report.session);
  if (!options.root && !conversation.workspace.empty()) options.root = conversation.workspace;
  if (!options.agent && !conversation.agent.empty()) options.agent = conversation.agent;
  return {};
}

// 0: it is not known.
std::int64_t window_of(const Result<ModelPlan>& plan, const Place& place) {
  if (!plan) return 0;
  if (plan->settings.window) return *plan->settings.window;
  const model::ModelFacts facts =
      model::facts_of(plan->endpoint.model, price_rules(place.settings.config));
  return facts.is_window_known ? facts.window : 0;
}

Result<int> show_context(const ContextInput& in, App& app, cli::Run& run) {
  ContextReport report{.workspace = {}, .session = {}, .window = in.window.value_or(0)};
  cli::Options options = run.options;
  std::string message = in.message;
  if (options.session) TRY(add_session(report, options, app, message));
  const World& world = *TRY(app.open(options, Purpose::inspect));
  const Place& place = *world.home;
  if (place.files) report.workspace = place.files->roots().front().path;
  std::vector<std::string> notices;
  report.system = shares_of(
      gather_prompt(place, app.surroundings(), world.clock, {place.who.agent, message}, notices));
  // The one that would be used, where that can be told without asking anybody.
  const Result<ModelPlan> plan =
      plan_model(place.settings, place.who.agent, {}, app.surroundings());
  if (!in.window) report.window = window_of(plan, place);
  std::vector<model::Offer> offers = offered_under(world, place.policy.get()).offers;
  const bool is_told_by_wire =
      plan && plan->wire && plan->settings.protocol != config::Protocol::text;
  if (is_told_by_wire) offers = model::taken_by(*plan->wire, std::move(offers), notices);
  report.tools = shares_of(offers);
  for (const std::string& notice : notices)
    app.tell()(fmt::format("helve: note: {}\n", escape_for_display(notice)));
  if (run.options.json)
    cli::show_json(to_json(report), run.screen);
  else
    run.screen.out.write(text_of(report, run.screen.width, run.screen.out.style));
  return 0;
}

}  // namespace

cli::Command context_command(App& app) {
  return cli::make_command<ContextInput>(
      "context",
      "A new session in this workspace begins with that. With --session, what the model is shown "
      "of that session is added. Instructions come from AGENTS.md, or CLAUDE.md, of the workspace "
      "and from AGENTS.md beside the user's configuration.",
      {{"What a session begins with", "helve context"},
       {"With the prompts that a message brings", "helve context -m 'Make a release'"},
       {"How full a session is", "helve context --session s_1 --window 200000"}},
      [&app](const ContextInput& in, cli::Run& run) { return show_context(in, app, run); });
}

}  // namespace helve::app
