#include "session/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sys/clock.h"
#include "tool/content.h"

namespace helve::session {
namespace {

using model::Message;
using model::Role;
using model::ToolCall;
using model::ToolResult;

constexpr size_t kCharsPerToken = 4;
constexpr std::int64_t kTokensPerImage = 1'500;

constexpr std::string_view kSummaryIntro =
    "This session goes on from an earlier part that no longer fits. What happened there:\n\n";

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

size_t size_of(const std::vector<Content>& content) {
  size_t chars = 0;
  for (const Content& block : content) {
    if (const auto* text = std::get_if<TextContent>(&block))
      chars += text->text.size();
    else if (const auto* resource = std::get_if<ResourceContent>(&block))
      chars += resource->text.size();
    else
      chars += kTokensPerImage * kCharsPerToken;
  }
  return chars;
}

std::vector<Content> pruned_content(const ToolResult& result) {
  return text_content(
      fmt::format("[This output of {} characters was removed to save room. Call the tool again if "
                  "you need it.]",
                  size_of(result.content)));
}

// What is known of a call whose process died before it told the end.
Error fate_of(std::string_view outcome) {
  if (outcome.empty())
    return {Code::cancelled, "the process ended before this call: it did not run, or only read",
            "make the call again if you still need it", "not_run"};
  if (outcome == store::kRunning || outcome == store::kLost)
    return {Code::internal,
            "the process ended during this call: it may or may not have had its effect",
            "look at the state of things before you make it again", "lost"};
  return {Code::internal,
          fmt::format("this call was finished ({}), but the process ended before its answer was "
                      "written down",
                      outcome),
          "its effect stands: look at the state of things before you make it again", "lost_answer"};
}

}  // namespace

std::int64_t estimate_tokens(std::string_view text) {
  return static_cast<std::int64_t>(text.size() / kCharsPerToken);
}

std::int64_t estimate_tokens(const Message& message) {
  size_t chars = 0;
  for (const model::Part& part : message.parts) {
    chars += std::visit(
        Overloaded{[](const model::Text& text) { return text.text.size(); },
                   [](const model::Thinking& thinking) { return thinking.text.size(); },
                   [](const model::Image&) -> size_t { return kTokensPerImage * kCharsPerToken; },
                   [](const ToolCall& call) { return call.name.size() + call.arguments.size(); },
                   [](const ToolResult& result) { return size_of(result.content); }},
        part);
  }
  return static_cast<std::int64_t>(chars / kCharsPerToken) + 4;
}

Message message_of(const Summary& summary) {
  return model::user_message(std::string(kSummaryIntro) + summary.text);
}

ToolResult error_result(const ToolCall& call, const Error& error) {
  return {call.id, call.name, text_content(to_text(to_json(error))), true};
}

Result<Transcript> Transcript::open(store::SharedStore& store, const sys::Clock& clock,
                                    std::string session) {
  Transcript transcript = TRY(peek(store, clock, std::move(session)));
  TRY(transcript.repair());
  return transcript;
}

Result<Transcript> Transcript::peek(store::SharedStore& store, const sys::Clock& clock,
                                    std::string session) {
  Transcript transcript(store, clock, std::move(session));
  TRY(transcript.load());
  return transcript;
}

Result<void> Transcript::load() {
  // What a summary stands for need not be read.
  const std::optional<store::Entry> summary = TRY(store_->use(
      [&](store::Store& store) { return store.last_entry(session_, kind_of(Summary{})); }));
  if (summary) {
    const Item item = TRY(item_of(*summary));
    entries_ = std::min(std::get<Summary>(item).last, summary->number);
    counts_from_ = summary->number;  // before, what is not read was counted, too
  }
  for (;;) {
    const std::vector<store::Entry> entries = TRY(store_->use([&](store::Store& store) {
      return store.entries(session_, entries_, store::kMaxEntriesRead);
    }));
    if (entries.empty()) return {};
    for (const store::Entry& entry : entries) {
      apply(TRY(item_of(entry)), entry.number);
      entries_ = entry.number;
    }
  }
}

Result<void> Transcript::repair() {
  const std::vector<OpenCall> open = open_calls();
  if (open.empty()) return {};
  std::map<std::string, std::string, std::less<>> outcomes;
  const std::vector<CallRecord> known = TRY(store_->use([&](store::Store& store) {
    Result<std::uint64_t> lost =
        store.mark_lost(now_ms() - std::chrono::milliseconds(store::kUnknownAge).count());
    return lost ? store.calls({.session = session_, .limit = store::kMaxListed})
                : Result<std::vector<CallRecord>>(std::move(lost).error());
  }));
  for (const CallRecord& record : known) outcomes.emplace(record.id, record.outcome);
  std::vector<ToolResult> results;
  for (const OpenCall& each : open) {
    const auto found = outcomes.find(each.id);
    results.push_back(
        error_result(each.call, fate_of(found == outcomes.end() ? "" : found->second)));
  }
  std::vector<Item> items;
  for (const ToolResult& each : results) items.emplace_back(Finished{each});
  TRY(add_all(std::move(items)));
  repaired_ = std::move(results);
  return {};
}

std::int64_t Transcript::now_ms() const { return clock_->unix_ms(); }

std::vector<Transcript::OpenCall> Transcript::open_calls() const {
  std::vector<OpenCall> open;
  for (const Awaited& each : awaited_)
    if (!each.result) open.push_back(each.open);
  return open;
}

bool Transcript::is_unanswered() const {
  return !context_.empty() && (context_.back().role != Role::assistant || !awaited_.empty());
}

Result<void> Transcript::add(Item item, const Along& along) {
  store::Entry entry = to_entry(item);
  entry.created_ms = now_ms();
  entry.post = along.post;
  const auto append = [&](store::Store& store) {
    return store.append_entries(session_, std::span(&entry, 1), along.spent, along.keep);
  };
  entries_ = TRY(along.longest ? store_->use_within(*along.longest, append) : store_->use(append));
  apply(std::move(item), entries_);
  return {};
}

Result<void> Transcript::add_all(std::vector<Item> items) {
  std::vector<store::Entry> entries;
  for (const Item& item : items) {
    entries.push_back(to_entry(item));
    entries.back().created_ms = now_ms();
  }
  const std::uint64_t last = TRY(store_->use([&](store::Store& store) {
    return store.append_entries(session_, entries, {}, store::Keep::process_death);
  }));
  entries_ = last - items.size();
  for (Item& item : items) apply(std::move(item), ++entries_);
  return {};
}

Result<void> Transcript::charge(const store::Spent& spent) {
  TRY(store_->use([&](store::Store& store) {
    return store.append_entries(session_, {}, spent, store::Keep::process_death);
  }));
  return {};
}

Result<std::vector<store::Post>> Transcript::inbox() {
  return store_->use([&](store::Store& store) { return store.posts(session_); });
}

void Transcript::show(Message message, std::uint64_t number) {
  estimated_ += estimate_tokens(message);
  context_.push_back(std::move(message));
  numbers_.push_back(number);
}

std::int64_t Transcript::estimate() const {
  std::int64_t tokens = 0;
  for (const Message& message : context_) tokens += estimate_tokens(message);
  return tokens;
}

// Of what providers count, the part that no message has: the system's prompt and the tools.
std::int64_t Transcript::others() const { return std::max<std::int64_t>(tokens() - estimate(), 0); }

void Transcript::count_anew(std::int64_t others) {
  counted_ = 0;
  estimated_ = estimate() + others;
}

void Transcript::summarise(const Summary& summary) {
  const std::int64_t others = this->others();
  const auto end = std::ranges::upper_bound(numbers_, summary.last);
  context_.erase(context_.begin(), context_.begin() + (end - numbers_.begin()));
  numbers_.erase(numbers_.begin(), end);
  context_.insert(context_.begin(), message_of(summary));
  numbers_.insert(numbers_.begin(), summary.last);
  begins_with_summary_ = true;
  count_anew(others);
}

void Transcript::prune(const Pruned& pruned) {
  const std::int64_t others = this->others();
  for (Message& message : context_) {
    for (model::Part& part : message.parts) {
      auto* const result = std::get_if<ToolResult>(&part);
      if (result && std::ranges::find(pruned.calls, result->call_id) != pruned.calls.end())
        result->content = pruned_content(*result);
    }
  }
  count_anew(others);
}

// All of them in one message, in the order of the calls.
void Transcript::show_results(std::uint64_t number) {
  Message results{Role::tool, {}};
  for (Awaited& each : awaited_)
    results.parts.emplace_back(each.result ? std::move(*each.result)
                                           : error_result(each.open.call, fate_of("")));
  awaited_.clear();
  awaited_at_.clear();
  open_ = 0;
  show(std::move(results), number);
}

void Transcript::apply(Item item, std::uint64_t number) {
  // Nothing comes between calls and their results.
  if (!awaited_.empty() &&
      (std::holds_alternative<Prompt>(item) || std::holds_alternative<Answer>(item)))
    show_results(number);
  std::visit(
      Overloaded{[&](Prompt& prompt) { show(std::move(prompt.message), number); },
                 [&](Answer& answer) {
                   size_t index = 0;
                   for (const ToolCall* call : model::calls_of(answer.message)) {
                     call_ids_.insert(call->id);
                     awaited_at_.emplace(call->id, awaited_.size());
                     ++open_;
                     awaited_.push_back(
                         {{*call, index < answer.calls.size() ? answer.calls[index] : ""}, {}});
                     ++index;
                   }
                   show(std::move(answer.message), number);
                   if (answer.usage.context() > 0 && number > counts_from_) {
                     counted_ = answer.usage.context();
                     estimated_ = 0;
                   }
                 },
                 [&](Finished& finished) {
                   const auto [first, last] = awaited_at_.equal_range(finished.result.call_id);
                   for (auto at = first; at != last; ++at) {
                     std::optional<ToolResult>& result = awaited_[at->second].result;
                     if (!result) --open_;
                     result = finished.result;
                   }
                   if (!awaited_.empty() && open_ == 0) show_results(number);
                 },
                 [&](const Summary& summary) { summarise(summary); },
                 [&](const Pruned& pruned) { prune(pruned); }, [](Remark&) {}},
      item);
}

void Transcript::make_ids_unique(Message& answer) {
  std::set<std::string, std::less<>> fresh;
  std::map<std::string, int, std::less<>> next;  // where others have tried already
  for (model::Part& part : answer.parts) {
    auto* const call = std::get_if<ToolCall>(&part);
    if (!call) continue;
    const std::string given = call->id.empty() ? "call" : call->id;
    int& number = next.try_emplace(given, 2).first->second;
    std::string id = given;
    while (call_ids_.contains(id) || fresh.contains(id) || id == "call")
      id = fmt::format("{}_{}", given, number++);
    fresh.insert(id);
    call->id = std::move(id);
  }
}

}  // namespace helve::session
