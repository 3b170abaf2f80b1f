#include "app/happenings.h"

#include <fmt/format.h>

#include "agent/toolbox.h"
#include "terminal/status_line.h"

namespace helve::app {
namespace {

using terminal::Happening;
using Kind = Happening::Kind;
using std::chrono::milliseconds;

constexpr size_t kMostWaiting = 10'000;
constexpr size_t kMostBegun = 200;  // bytes of a call in which it names a tool

// What a person said; what was added to it for the model is left out.
std::string said(const model::Message& message) {
  for (const model::Part& part : message.parts)
    if (const auto* text = std::get_if<model::Text>(&part)) return text->text;
  return "";
}

// A tool's error is JSON, for models; what the dispatcher has to say stands behind it.
std::string error_lines(const std::vector<Content>& content) {
  const auto* first = content.empty() ? nullptr : std::get_if<TextContent>(&content.front());
  const Result<Json> error = first ? parse_json(first->text) : Result<Json>(Json());
  const std::string_view message = error ? string_at(*error, "message") : "";
  if (message.empty()) return text_of(content);
  std::string text(message);
  if (const std::string_view hint = string_at(*error, "hint"); !hint.empty())
    text.append("\nhint: ").append(hint);
  for (const Content& block : std::span(content).subspan(1))
    if (const auto* note = std::get_if<TextContent>(&block)) text.append("\n").append(note->text);
  return text;
}

std::string answer_words(const agent::ApprovalResolved& resolved) {
  if (!resolved.answer) return "not answered: " + resolved.question.tool;
  switch (*resolved.answer) {
    case Approver::Answer::deny:
      return "denied: " + resolved.question.tool;
    case Approver::Answer::once:
      return "allowed once: " + resolved.question.tool;
    case Approver::Answer::session:
      return "allowed for this session: " + resolved.question.tool;
    case Approver::Answer::always:
      return "allowed always: " + resolved.question.tool;
  }
  return "";
}

struct Convert {
  const Registry* registry;
  Happening happening = {};

  void describe_tool(std::string_view name) {
    happening.name = name;
    const Tool* tool = registry ? registry->find(name).tool : nullptr;
    if (!tool) return;
    happening.subject = tool->spec.subject;
    happening.is_change = tool->spec.effect == Effect::write;
  }

  bool operator()(const agent::PromptTaken& taken) {
    happening.kind = Kind::prompt;
    happening.id = taken.post;
    happening.name = taken.prompt.sender;
    happening.text = said(taken.prompt.message);
    return true;
  }
  bool operator()(const agent::ModelAsked&) {
    happening.kind = Kind::model_asked;
    return true;
  }
  bool operator()(const agent::TextAdded& added) {
    happening.kind = Kind::text;
    happening.text = added.text;
    return true;
  }
  bool operator()(const agent::ThinkingAdded& added) {
    happening.kind = Kind::thinking;
    happening.text = added.text;
    return true;
  }
  bool operator()(const agent::CallShaped& shaped) {
    happening.kind = Kind::call_shaped;
    happening.name = shaped.name;
    happening.text = shaped.arguments;
    return true;
  }
  bool operator()(const agent::AnswerVoid& failed) {
    happening.kind = Kind::retry;
    happening.text = fmt::format("{} (attempt {}, in {:.1f} s)", failed.why.message, failed.attempt,
                                 static_cast<double>(failed.wait.count()) / 1000);
    return true;
  }
  bool operator()(const agent::AnswerGiven& given) {
    happening.kind = Kind::answer;
    happening.tokens = given.answer.usage.output;
    happening.context = given.context;
    happening.window = given.window;
    return true;
  }
  bool operator()(const agent::CallBegun& begun) {
    happening.kind = Kind::call_begun;
    describe_tool(begun.tool);
    happening.id = begun.id;
    happening.text = begun.arguments;
    return true;
  }
  bool operator()(const agent::CallProgress&) { return false; }
  bool operator()(const agent::CallOutput& output) {
    happening.kind = Kind::call_output;
    happening.id = output.id;
    happening.text = output.text;
    return true;
  }
  bool operator()(const agent::CallEnded& ended) {
    happening.kind = Kind::call_ended;
    describe_tool(ended.tool);
    happening.id = ended.result.call_id;
    happening.text =
        ended.result.is_error ? error_lines(ended.result.content) : text_of(ended.result.content);
    happening.is_error = ended.result.is_error;
    happening.status = ended.status;
    happening.elapsed = std::chrono::duration_cast<milliseconds>(ended.duration);
    return true;
  }
  bool operator()(const agent::ApprovalAsked&) { return false; }
  bool operator()(const agent::ApprovalResolved& resolved) {
    happening.kind = Kind::question_answered;
    happening.name = resolved.question.tool;
    happening.text = answer_words(resolved);
    return true;
  }
  bool operator()(const agent::SubagentBegun& begun) {
    happening.kind = Kind::subagent_begun;
    happening.id = begun.session;
    happening.text = begun.prompt;
    return true;
  }
  bool operator()(const agent::SubagentProgress&) { return false; }
  bool operator()(const agent::SubagentEnded& ended) {
    happening.kind = Kind::subagent_ended;
    happening.id = ended.session;
    happening.is_error = !ended.ending.ok();
    happening.text = fmt::format("{} call{}, {}", ended.calls, ended.calls == 1 ? "" : "s",
                                 terminal::short_duration(ended.elapsed));
    if (!ended.ending.ok())
      happening.text += fmt::format(", ended by {}", agent::name_of(ended.ending.end));
    return true;
  }
  bool operator()(const agent::Compacted& compacted) {
    happening.kind = Kind::compacted;
    const auto shown = [](std::int64_t tokens) {
      return terminal::short_count(static_cast<size_t>(std::max<std::int64_t>(0, tokens)));
    };
    const std::int64_t saved = compacted.before - compacted.after;
    const std::string after = shown(compacted.after), before = shown(compacted.before);
    happening.text = after != before
                         ? fmt::format("made room: {} of {} tokens are left", after, before)
                     : saved > 0 ? fmt::format("made a little room: {} tokens", shown(saved))
                                 : "there is nothing yet that could be shortened";
    return true;
  }
  bool operator()(const agent::Warned& warned) {
    happening.kind = Kind::warning;
    happening.text = warned.text;
    return true;
  }
  bool operator()(const agent::RunEnded&) { return false; }
};

// The tool that a call of agent::kToolCall names at its beginning; empty: it has not come yet.
std::string_view named_in(std::string_view begun) {
  for (const std::string_view token : {"{", "\"tool\"", ":", "\""}) {
    begun.remove_prefix(std::min(begun.find_first_not_of(" \t\r\n"), begun.size()));
    if (!begun.starts_with(token)) return "";
    begun.remove_prefix(token.size());
  }
  const size_t end = begun.find('"');
  return end == begun.npos ? "" : begun.substr(0, end);
}

}  // namespace

std::optional<Happening> happening_of(const agent::Event& event, const Registry* registry) {
  Convert convert{registry};
  convert.happening.session = event.session;
  if (!std::visit(convert, event.what)) return std::nullopt;
  return std::move(convert.happening);
}

void Happenings::add(const agent::Event& event) {
  std::optional<Happening> happening = happening_of(event, &registry_);
  if (!happening) return;
  if (const auto* piece = std::get_if<agent::CallShaped>(&event.what))
    happening->name = name_of(event.session, *piece);
  if (const auto* given = std::get_if<agent::AnswerGiven>(&event.what)) {
    std::lock_guard lock(mutex_);
    consumption_.usage += given->answer.usage;
    consumption_.micro_dollars += given->micro_dollars;
    consumption_.is_priced = consumption_.is_priced && given->is_priced;
  }
  add(std::move(*happening));
}

// Whoever waits is to read what will be called, and not by way of what.
std::string Happenings::name_of(std::string_view session, const agent::CallShaped& piece) {
  std::string name(piece.name);
  std::lock_guard lock(mutex_);
  if (!name.empty()) begun_.erase(std::string(session));
  if (name == agent::kToolCall) begun_.emplace(session, "");
  const auto found = begun_.find(session);
  if (found == begun_.end()) return name;
  found->second += piece.arguments;
  if (const std::string_view meant = named_in(found->second); !meant.empty()) name = meant;
  const bool is_over = name != piece.name || found->second.size() > kMostBegun;
  if (is_over) begun_.erase(found);
  return name;
}

void Happenings::add(Happening happening) {
  {
    std::lock_guard lock(mutex_);
    if (happening.kind == Kind::call_output && waiting_.size() >= kMostWaiting) return;
    waiting_.push_back(std::move(happening));
  }
  filled_.notify_one();
}

std::vector<Happening> Happenings::take() {
  std::lock_guard lock(mutex_);
  if (waiting_.empty()) {
    ++found_empty_;
    emptied_.notify_all();
  }
  return std::exchange(waiting_, {});
}

// Who takes shows all of it before they come for more.
void Happenings::wait_until_shown(milliseconds longest, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const std::uint64_t before = found_empty_;
  emptied_.wait_for(lock, stop, longest, [&] { return found_empty_ > before; });
}

void Happenings::wait_for(milliseconds longest) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, longest, [this] { return !waiting_.empty(); });
}

Consumption Happenings::consumption() const {
  std::lock_guard lock(mutex_);
  return consumption_;
}

}  // namespace helve::app
