#include "session/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::session {
namespace {

constexpr size_t kWindow = 64;  // entries read at once

std::string shortened(std::string_view text, size_t chars, Said& said) {
  said.is_cut = said.is_cut || first_chars(text, chars).size() < text.size();
  return preview(text, chars);
}

void add_calls(const model::Message& message, Said& said) {
  for (const model::ToolCall* call : model::calls_of(message)) {
    if (!said.text.empty()) said.text += '\n';
    said.text +=
        fmt::format("[calls {} {}]", call->name, shortened(call->arguments, kMaxTooled, said));
  }
}

// Empty text: there is nothing to show.
Said said_of(const store::Entry& entry, bool include_tools) {
  Said said{.number = entry.number, .created_ms = entry.created_ms};
  const Result<Item> item = item_of(entry);
  if (!item) {
    said.role = "broken";
    said.text = item.error().message;
  } else if (const auto* prompt = std::get_if<Prompt>(&*item)) {
    said.role = "user";
    said.sender = prompt->sender;
    said.text = shortened(readable(prompt->message), kMaxSaid, said);
  } else if (const auto* answer = std::get_if<Answer>(&*item)) {
    said.role = "assistant";
    said.sender = answer->model;
    said.text = shortened(readable(answer->message), kMaxSaid, said);
    if (include_tools) add_calls(answer->message, said);
  } else if (const auto* finished = std::get_if<Finished>(&*item); finished && include_tools) {
    said.role = "tool";
    said.sender = finished->result.name;
    said.text = fmt::format("{}{}", finished->result.is_error ? "[error] " : "",
                            shortened(text_of(finished->result.content), kMaxTooled, said));
    if (said.text.empty()) said.text = "(nothing)";
  } else if (const auto* summary = std::get_if<Summary>(&*item)) {
    said.role = "summary";
    said.text = shortened(summary->text, kMaxSaid, said);
  } else if (const auto* remark = std::get_if<Remark>(&*item)) {
    said.role = "remark";
    said.text = shortened(remark->text, kMaxSaid, said);
  }
  return said;
}

}  // namespace

std::string readable(const model::Message& message) {
  std::string text = model::text_of(message);
  for (const model::Part& part : message.parts) {
    const auto* const image = std::get_if<model::Image>(&part);
    if (!image) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("[image {}]", image->mime_type);
  }
  return text;
}

Result<History> read_history(store::Store& store, std::string_view session,
                             const HistoryQuery& query) {
  const size_t limit = std::clamp<size_t>(query.limit, 1, kMaxHistory);
  const std::uint64_t entries = TRY(store.conversation(session)).entries;
  std::uint64_t end = query.before > 0 ? std::min(query.before - 1, entries) : entries;
  History history;
  // One more than is shown tells whether there is more.
  while (end > 0 && history.said.size() <= limit) {
    const std::uint64_t begin = end - std::min<std::uint64_t>(end, kWindow);
    const std::vector<store::Entry> read = TRY(store.entries(session, begin, end - begin));
    for (auto entry = read.rbegin(); entry != read.rend() && history.said.size() <= limit;
         ++entry) {
      Said said = said_of(*entry, query.include_tools);
      if (!said.text.empty()) history.said.push_back(std::move(said));
    }
    end = begin;
  }
  if (history.said.size() > limit) {
    history.said.resize(limit);
    history.earlier = history.said.back().number;
  }
  std::ranges::reverse(history.said);
  return history;
}

}  // namespace helve::session
