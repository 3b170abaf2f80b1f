#include "mcp/elicitation.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "dispatch/approvals.h"
#include "dispatch/question_text.h"
#include "mcp/message.h"
#include "mcp/object_writer.h"

namespace helve::mcp {
namespace {

using Answer = Approver::Answer;
using dispatch::answer_text;
using Event = dispatch::PendingApprovals::Event;

constexpr std::string_view kField = "decision";
constexpr std::string_view kInput = "approval";  // the name of the question in inputRequests
constexpr std::chrono::milliseconds kUsualTimeout{120'000};

struct Choice {
  Answer answer;
  std::string_view title;
};
constexpr Choice kChoices[] = {{Answer::once, "Allow this call"},
                               {Answer::session, "Allow such calls until the session ends"},
                               {Answer::always, "Always allow such calls"},
                               {Answer::deny, "Deny"}};

// Revisions before 2025-11-25 have no titled choices and no default.
std::string schema_of(const Approver::Question& question, Version version) {
  JsonArray names, titles, choices;
  for (const Choice& choice : kChoices) {
    if (choice.answer == Answer::always && !question.can_be_always()) continue;
    names.emplace_back(name_of(choice.answer));
    titles.emplace_back(choice.title);
    choices.push_back({{"const", name_of(choice.answer)}, {"title", choice.title}});
  }
  JsonObject field{{"type", "string"}, {"title", "Decision"}};
  if (version >= Version::v2025_11_25) {
    field["oneOf"] = std::move(choices);
    field["default"] = name_of(Answer::deny);
  } else {
    field["enum"] = std::move(names);
    field["enumNames"] = std::move(titles);
  }
  return to_text(JsonObject{{"type", "object"},
                            {"properties", JsonObject{{kField, std::move(field)}}},
                            {"required", JsonArray{kField}}});
}

std::string message_of(const Approver::Question& question) {
  std::string message = dispatch::question_text(question);
  if (question.can_be_always()) message += answer_text(question, Answer::always);
  return message;
}

std::string as_id(std::string_view id) { return fmt::format("\"{}\"", id); }

}  // namespace

bool shows_forms(const Json* capabilities, Version version) {
  const Json* const elicitation = capabilities ? find(*capabilities, "elicitation") : nullptr;
  if (!elicitation || !elicitation->is_object() || version < Version::v2025_06_18) return false;
  const JsonObject& modes = elicitation->get_object();
  return modes.empty() || modes.contains("form") || version == Version::v2025_06_18;
}

std::string form_of(const Approver::Question& question, Version version) {
  std::string out;
  ObjectWriter form(out);
  if (version >= Version::v2025_11_25) form.raw("mode", "\"form\"");
  form.text("message", message_of(question));
  form.raw("requestedSchema", schema_of(question, version));
  form.close();
  return out;
}

Result<Answer> read_form(const Json* result) {
  const std::string_view action = result ? string_at(*result, "action") : "";
  if (action == "decline" || action == "cancel") return Answer::deny;
  const Json* const content = result ? find(*result, "content") : nullptr;
  const std::string_view decision = content ? string_at(*content, kField) : "";
  const std::optional<Answer> answer = find_answer(decision);
  if (action == "accept" && answer) return *answer;
  return Error{Code::unavailable, result ? "the client's answer is no decision"
                                         : "the client could not show the question"};
}

LegacyElicitation::LegacyElicitation(Sink& sink, const sys::Clock& clock)
    : sink_(sink),
      pending_(clock, [this](Event event, const auto& pending, auto) { tell(event, pending); }) {}

void LegacyElicitation::tell(Event event, const dispatch::PendingApprovals::Pending& pending) {
  std::string line;
  if (event == Event::asked) {
    line = fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"elicitation/create","params":{}}})"
                       "\n",
                       as_id(pending.id),
                       form_of(pending.question, version_.load().value_or(kLatestLegacy)));
  } else if (event == Event::withdrawn) {
    append_notification(
        line, "notifications/cancelled",
        fmt::format(R"({{"requestId":{},"reason":"the question is not open any more"}})",
                    as_id(pending.id)));
  }
  if (!line.empty()) sink_.send(line);
}

bool LegacyElicitation::take(std::string_view id, const Json* result) {
  if (!id.starts_with("\"a_")) return false;
  id = id.substr(1, id.size() - 2);
  Result<Answer> answer = read_form(result);
  Result<void> taken = answer ? pending_.answer(id, *answer) : pending_.fail(id, answer.error());
  // An answer that was not offered decides nothing.
  if (!taken && taken.error().code == Code::invalid_argument)
    taken = pending_.fail(id, std::move(taken).error());
  return true;
}

std::string ModernElicitation::digest() const {
  const Json* const arguments = request_.param("arguments");
  return digest_of_call(session_, tool_, arguments ? to_text(*arguments) : "");
}

Result<void> ModernElicitation::open() {
  const Json* const state = request_.param("requestState");
  if (!state || state->is_null()) return {};
  const std::string_view text = state->is_string() ? std::string_view(state->get_string()) : "";
  opened_ = TRY(states_.open(text, digest()));
  return {};
}

// Only for the very question that was put, if it is still the one to ask; once, and in time.
std::optional<Answer> ModernElicitation::given_answer(const Question& question,
                                                      std::string_view asked) {
  const Json* const responses = request_.param("inputResponses");
  const Json* const response = responses ? find(*responses, kInput) : nullptr;
  if (!opened_ || !response || opened_->question != asked) return {};
  const Result<Answer> answer = read_form(response);
  if (!answer || (*answer == Answer::always && !question.can_be_always())) return {};
  if (!states_.use(*opened_)) return {};
  return *answer;
}

Result<Answer> ModernElicitation::ask(const Question& question, std::stop_token) {
  const std::string form = form_of(question, request_.version);
  const std::string asked = sha256_hex(form);
  if (const std::optional<Answer> answer = given_answer(question, asked)) return *answer;
  const std::string state = states_.seal(digest(), asked, question.timeout.value_or(kUsualTimeout));
  input_required_ = fmt::format(
      R"("inputRequests":{{"{}":{{"method":"elicitation/create","params":{}}}}},"requestState":"{}")",
      kInput, form, state);
  return Error{Code::denied, "a person must decide first",
               "answer the inputRequests and call again", std::string(dispatch::kApprovalPending)};
}

}  // namespace helve::mcp
