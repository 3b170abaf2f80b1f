// What a person can say to the chat itself.
#include <fmt/format.h>

#include <charconv>

#include "app/chat.h"
#include "app/context_report.h"
#include "app/model_memory.h"
#include "app/offered.h"
#include "app/prompt_message.h"
#include "app/prompt_parts.h"
#include "base/text.h"
#include "session/export.h"
#include "terminal/width.h"

namespace helve::app {
namespace {

using terminal::short_count;
using terminal::shown;

constexpr size_t kListed = 10;

std::string dollars(std::int64_t micro_dollars) {
  return fmt::format("${:.4f}", static_cast<double>(micro_dollars) / 1e6);
}

std::string tokens_text(std::int64_t input, std::int64_t output, std::int64_t cached) {
  std::string text = fmt::format("{} tokens in, {} out", short_count(static_cast<size_t>(input)),
                                 short_count(static_cast<size_t>(output)));
  if (cached > 0) text += fmt::format(", {} from caches", short_count(static_cast<size_t>(cached)));
  return text;
}

std::string age(std::int64_t ms) {
  const std::int64_t minutes = std::max<std::int64_t>(0, ms) / 60'000;
  if (minutes < 1) return "now";
  if (minutes < 60) return fmt::format("{} min ago", minutes);
  if (minutes < 48 * 60) return fmt::format("{} h ago", minutes / 60);
  return fmt::format("{} days ago", minutes / (24 * 60));
}

}  // namespace

std::span<const Chat::Command> Chat::commands() {
  static constexpr Command kCommands[] = {
      {"help", "", "what can be said here", &Chat::help},
      {"tools", "", "the tools that the agent has", &Chat::list_tools},
      {"context", "", "what fills the model's window", &Chat::show_context},
      {"capabilities", "", "sum up anew what the tools can do, for every session",
       &Chat::refresh_capabilities},
      {"compact", "", "summarise what was said, to make room", &Chat::compact},
      {"model", "[[PROVIDER] NAME]", "show or change the model", &Chat::change_model},
      {"sessions", "[NUMBER|ID]", "list sessions, or go on with one", &Chat::change_session},
      {"new", "", "begin a new session", &Chat::begin_new},
      {"undo", "[CHANGE]", "take back the last change of files", &Chat::undo},
      {"retry", "", "ask the model again", &Chat::retry},
      {"cost", "", "tokens and dollars so far", &Chat::show_cost},
      {"export", "[FILE]", "write the session to a Markdown file", &Chat::export_session},
      {"rename", "TITLE", "give the session another title", &Chat::rename},
      {"thinking", "[on|off]", "show thoughts, or only their first line", &Chat::set_thinking},
      {"quit", "", "leave", &Chat::quit},
  };
  return kCommands;
}

void Chat::obey(std::string_view line) {
  const size_t space = line.find_first_of(" \t\n");
  const std::string_view name = line.substr(1, space == line.npos ? space : space - 1);
  const std::string_view argument = space == line.npos ? "" : trim(line.substr(space));
  if (prompt_.editor()) view_.echo(line);
  std::vector<std::string_view> names;
  for (const Command& each : commands()) {
    names.push_back(each.name);
    if (each.name != name) continue;
    if (const Result<void> done = (this->*each.run)(argument); !done)
      view_.error(done.error().message, done.error().hint);
    return;
  }
  const std::string_view near = nearest(name, names);
  view_.error(fmt::format("there is no command /{}", preview(name, 40)),
              near.empty() ? "/help lists them" : fmt::format("did you mean /{}?", near));
}

Result<void> Chat::help(std::string_view) {
  cli::Rows rows;
  for (const Command& each : commands())
    rows.emplace_back(
        fmt::format("/{}{}{}", each.name, each.arguments.empty() ? "" : " ", each.arguments),
        each.summary);
  rows.emplace_back("!COMMAND", "run it in the sandbox; the model does not see it");
  rows.emplace_back("@FILE", "name a file; Tab completes it, images are attached");
  if (prompt_.editor()) {
    rows.emplace_back("Alt-Enter", "a new line; so does a \\ at the end of one");
    rows.emplace_back("Ctrl-C", "clear the line; stop the agent; leave");
    rows.emplace_back("Ctrl-O", "all that the last calls were given and answered");
    rows.emplace_back("Ctrl-R", "search earlier prompts");
  }
  view_.note(cli::two_columns(rows, columns() - 1, screen_.out.style));
  return {};
}

Result<void> Chat::list_tools(std::string_view) {
  const World& world = session_.world();
  const Offered offered = offered_under(world, world.place()->policy.get());
  if (offered.offers.empty()) return tell("The agent has no tools."), Result<void>();
  size_t widest = 0;
  for (const model::Offer& each : offered.offers)
    widest = std::max(widest, terminal::columns_of(each.name));
  std::string text;
  for (const model::Offer& each : offered.offers) {
    const std::string name = terminal::padded(shown(each.name), widest);
    text += terminal::fitted(
                fmt::format("  {}  {}", terminal::with_look(terminal::bold, name, colours_),
                            shown(cli::first_sentence(each.description))),
                columns() - 1) +
            "\n";
  }
  view_.note(text);
  if (!offered.toolbox) return {};
  std::vector<std::string> others;
  for (const model::Offer& each : offered.toolbox->tools()) others.push_back(shown(each.name));
  view_.note(cli::wrap(fmt::format("What it finds when it looks for it: {}.", join(others, ", ")),
                       columns() - 1, 2));
  return {};
}

Result<void> Chat::show_context(std::string_view) {
  World& world = session_.world();
  const std::shared_ptr<const Place> place = world.place();
  ContextReport report{.workspace = place->who.workspace, .session = {}};
  std::vector<std::string> notices;
  const std::string message =
      session_.is_known() ? message_of(session_.staff().store(), session_.id()) : "";
  report.system = shares_of(
      gather_prompt(*place, surroundings_, world.clock, {session_.agent(), message}, notices));
  report.tools = shares_of(offered_under(world, place->policy.get()).offers);
  report.window = TRY(session_.staff().model_of(session_.agent(), stop_))->facts.window;
  if (session_.is_known()) {
    const session::Transcript transcript =
        TRY(session::Transcript::peek(session_.staff().store(), world.clock, session_.id()));
    report.session = session_.id();
    report.conversation = shares_of(transcript);
    report.counted = transcript.counted();
  }
  view_.note(text_of(report, columns() - 1, screen_.out.style));
  return {};
}

Result<void> Chat::refresh_capabilities(std::string_view) {
  if (session_.is_job_running()) return busy();
  view_.begin("Summing up the tools", now());
  session_.start_call("capabilities_refresh", {}, ChatSession::Show::result);
  return {};
}

Result<void> Chat::compact(std::string_view) {
  if (session_.is_busy()) return busy();
  if (!session_.is_known()) return tell("There is nothing to shorten yet."), Result<void>();
  view_.begin("Making room", now());
  session_.compact();
  return {};
}

Result<const ChosenModel*> Chat::use_model(ModelFlags flags) {
  Staff& staff = session_.staff();
  ModelFlags before = staff.model_flags();
  staff.change_model(std::move(flags));
  Result<const ChosenModel*> model = staff.model_of(session_.agent(), stop_);
  if (!model) staff.change_model(std::move(before));
  return model;
}

Result<void> Chat::change_model(std::string_view words) {
  Staff& staff = session_.staff();
  if (words.empty()) {
    const ChosenModel& model = *TRY(staff.model_of(session_.agent(), stop_));
    tell(shown(model.description));
    return {};
  }
  if (session_.is_busy()) return busy();
  ModelFlags flags = staff.model_flags();
  const size_t space = words.find(' ');
  flags.model = space == words.npos ? words : trim(words.substr(space));
  if (space != words.npos) {
    flags.provider = words.substr(0, space);
    flags.base_url.clear();
  }
  const ChosenModel& model = *TRY(use_model(std::move(flags)));
  if (session_.is_known()) TRY(staff.remember_model(session_.id()));
  tell(fmt::format("From now on: {}", shown(model.description)));
  return {};
}

Result<void> Chat::change_session(std::string_view which) {
  Staff& staff = session_.staff();
  if (which.empty()) {
    const auto sessions = TRY(own_sessions(session_.world(), staff, kListed));
    listed_.clear();
    cli::Rows rows;
    const std::int64_t now_ms = session_.world().clock.unix_ms();
    for (const store::Conversation& each : sessions) {
      listed_.push_back(each.session);
      rows.emplace_back(
          fmt::format("{}{}", listed_.size(), each.session == session_.id() ? " ●" : ""),
          fmt::format("{} · {} · {}", shown(preview(each.title, 50)), age(now_ms - each.changed_ms),
                      each.session));
    }
    if (rows.empty()) return tell("There are none in this workspace yet."), Result<void>();
    view_.note(cli::two_columns(rows, columns() - 1, screen_.out.style));
    tell("/sessions NUMBER goes on with one.");
    return {};
  }
  if (session_.is_busy()) return busy();
  std::string id(which);
  size_t number = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  if (error == std::errc() && end == which.data() + which.size()) {
    if (number < 1 || number > listed_.size())
      return Error{Code::not_found, fmt::format("there is no session {}", number),
                   "/sessions lists them with their numbers"};
    id = listed_[number - 1];
  }
  const store::Conversation known =
      TRY(staff.store().use([&](store::Store& store) { return store.conversation(id); }));
  const auto model = use_model(recalled(known.model, staff.model_flags()));
  if (!model) view_.error(model.error().message, model.error().hint);
  session_.become({known.session, true});
  view_.set_session(session_.id());
  tell(fmt::format("Now in {}: {}", known.session, shown(preview(known.title, 60))));
  return {};
}

Result<void> Chat::begin_new(std::string_view) {
  if (session_.is_busy()) return busy();
  session_.become_new();
  view_.set_session(session_.id());
  tell(fmt::format("A new session: {}", session_.id()));
  return {};
}

Result<void> Chat::undo(std::string_view change) {
  if (session_.is_job_running()) return busy();
  JsonObject arguments;
  if (!change.empty()) arguments["change"] = change;
  view_.begin("Undoing", now());
  session_.start_call("undo", std::move(arguments), ChatSession::Show::line);
  return {};
}

Result<void> Chat::retry(std::string_view) {
  if (session_.is_busy()) return busy();
  if (!session_.is_known()) return tell("Nothing was asked yet."), Result<void>();
  view_.begin("Waiting", now());
  session_.retry();
  return {};
}

std::string Chat::summary_of_cost(const store::Spent& spent, bool is_priced) const {
  std::string text = tokens_text(spent.input + spent.cache_read + spent.cache_write, spent.output,
                                 spent.cache_read);
  if (spent.micro_dollars > 0)
    text += fmt::format(", {}{}", dollars(spent.micro_dollars), is_priced ? "" : " and more");
  return text;
}

Result<void> Chat::show_cost(std::string_view) {
  const Consumption run = happenings_.consumption();
  const store::Spent now{.input = run.usage.input,
                         .output = run.usage.output,
                         .cache_read = run.usage.cache_read,
                         .cache_write = run.usage.cache_write,
                         .micro_dollars = run.micro_dollars};
  cli::Rows rows;
  if (session_.is_known())
    rows.emplace_back("session", summary_of_cost(TRY(session_.record()).spent, run.is_priced));
  rows.emplace_back("this chat", summary_of_cost(now, run.is_priced));
  view_.note(cli::two_columns(rows, columns() - 1, screen_.out.style));
  if (!run.is_priced)
    tell("The price of this model is not known; `prices` in the configuration sets it.");
  return {};
}

Result<void> Chat::export_session(std::string_view file) {
  if (!session_.is_known()) return tell("There is nothing to write yet."), Result<void>();
  const std::string path = file.empty() ? session_.id() + ".md" : std::string(file);
  const session::Exported exported = TRY(session_.staff().store().use([&](store::Store& store) {
    return session::export_session(store, session_.id(), session::ExportFormat::markdown);
  }));
  const dispatch::Outcome outcome =
      session_.call("write", JsonObject{{"path", path}, {"content", exported.text}}, stop_);
  if (outcome.error) return *outcome.error;
  tell(shown(trim(helve::text_of(outcome.product.content))));
  if (!exported.is_whole)
    tell(fmt::format("It ends with entry {}: `helve sessions export` writes the rest.",
                     exported.last));
  return {};
}

Result<void> Chat::rename(std::string_view title) {
  if (title.empty()) return Error{Code::invalid_argument, "a title is missing", "/rename TITLE"};
  if (!session_.is_known())
    return tell("The session begins with the first prompt."), Result<void>();
  TRY(session_.staff().store().use([&](store::Store& store) {
    return store.rename_conversation(session_.id(), cut_utf8(title, store::kMaxTitle));
  }));
  tell("Renamed.");
  return {};
}

Result<void> Chat::set_thinking(std::string_view word) {
  if (word != "on" && word != "off" && !word.empty())
    return Error{Code::invalid_argument, "thinking is on or off", "/thinking on"};
  view_.set_thinking(word.empty() ? !view_.shows_thinking() : word == "on");
  tell(view_.shows_thinking() ? "Thoughts are shown." : "Thoughts are folded to their first line.");
  return {};
}

Result<void> Chat::quit(std::string_view) {
  is_leaving_ = true;
  return {};
}

void Chat::greet() {
  const Place& place = *session_.world().home;
  const auto model = session_.staff().model_of(session_.agent(), stop_);
  std::string name = "no model";
  if (model) name = fmt::format("{} ({})", shown((*model)->name), shown((*model)->provider));
  std::string workspace = place.who.workspace;
  if (!surroundings_.home.empty() && workspace.starts_with(surroundings_.home + "/"))
    workspace.replace(0, surroundings_.home.size(), "~");
  const auto mode = static_cast<cli::Approvals>(place.settings.config.approvals.mode);
  const auto dim = [&](const std::string& text) {
    return terminal::with_look(terminal::dim, text, colours_);
  };
  const size_t width = columns() - 1;
  std::string rows = terminal::fitted(terminal::with_look(terminal::bold, "helve", colours_) +
                                          dim(" · " + name + " · " + shown(workspace)),
                                      width) +
                     "\n" +
                     terminal::fitted(dim(fmt::format("approvals {} · session {} · /help",
                                                      cli::name_of(mode), shown(session_.id()))),
                                      width) +
                     "\n";
  view_.note(rows);
  if (!session_.is_known()) return;
  if (const auto known = session_.record())
    tell(fmt::format("Going on with: {}", shown(preview(known->title, 60))));
}

void Chat::take_leave() {
  if (!session_.is_known()) return;
  const Consumption run = happenings_.consumption();
  std::string text;
  if (run.usage.context() > 0)
    text = summary_of_cost({.input = run.usage.input,
                            .output = run.usage.output,
                            .cache_read = run.usage.cache_read,
                            .cache_write = run.usage.cache_write,
                            .micro_dollars = run.micro_dollars},
                           run.is_priced) +
           "\n";
  tell(fmt::format("{}Go on with: {} --session {} chat", text, surroundings_.invoked_as,
                   session_.id()));
}

}  // namespace helve::app
