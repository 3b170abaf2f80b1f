// helve chat: a conversation with an agent at the terminal.
#include "app/app.h"
#include "app/chat.h"
#include "app/model_input.h"
#include "base/text.h"

namespace helve::app {
namespace {

struct ChatInput : ModelInput {
  std::vector<std::string> prompt;
  bool continue_ = false;

  static constexpr auto schema() {
    using schema::opt;
    return schema::joined(
        schema::object("Talk to an agent that uses the tools",
                       opt<&ChatInput::prompt>("What to begin with").positional(),
                       opt<&ChatInput::continue_>("Go on with the last session of this workspace")
                           .shorthand('c')),
        ModelInput::schema());
  }
};

constexpr std::string_view kDetails =
    "What is typed while the agent works is told to it as soon as it has a look. Ctrl-C stops it, "
    "a second one leaves. It asks before it does more than read; --approvals and rules change "
    "that. /help lists what else can be said. Without a terminal, prompts are read line by line "
    "from standard input.";

Result<int> chat(const ChatInput& in, App& app, cli::Run& run) {
  if (run.options.json)
    return Error{Code::invalid_argument, "a chat is no JSON",
                 "helve run --json shows every event as a line", "usage"};
  const std::stop_token stop = TRY(app.watch_signals(exit_code(Code::cancelled)));
  World& world = *TRY(app.open(run.options, Purpose::agent));
  Happenings happenings(*world.registry);
  ChatApprover approver;
  const bool is_plain = Chat::is_plain(app.surroundings());
  std::optional<ApproverAfterOutput> plain;
  if (is_plain && world.approver) plain.emplace(happenings, *world.approver);
  Staff& staff = *TRY(app.hire({.model = in.flags(),
                                .emit = [&](const agent::Event& event) { happenings.add(event); },
                                .approver = plain      ? static_cast<Approver*>(&*plain)
                                            : is_plain ? nullptr
                                                       : &approver}));
  int status = 0;
  {
    ChatSession session(world, staff, happenings,
                        TRY(choose_session(in.continue_, run.options, world, staff, stop)));
    Chat talk(session, happenings, is_plain ? nullptr : &approver, app.surroundings(), run.screen,
              stop);
    status = TRY(talk.run(join(in.prompt, " ")));
  }
  world.staff.reset();  // nobody tells anything from here on
  return status;
}

}  // namespace

Result<int> start_chat(App& app, cli::Run& run) { return chat({}, app, run); }

cli::Command chat_command(App& app) {
  return cli::make_command<ChatInput>(
      "chat", kDetails,
      {{"With the model that is configured", "helve chat"},
       {"With a model of a local server", "helve chat --provider ollama"},
       {"Go on where it was left", "helve chat --continue"}},
      [&app](const ChatInput& in, cli::Run& run) { return chat(in, app, run); });
}

}  // namespace helve::app
