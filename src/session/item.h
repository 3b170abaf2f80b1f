// Item: what a session remembers, one by one. The store keeps each as an entry that never changes;
// what a model is shown is made of them (session/transcript.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/message.h"
#include "model/model.h"
#include "store/conversation.h"

namespace helve::session {

// The sender of what the loop itself tells a model.
constexpr std::string_view kHelve = "helve";

// What somebody said to the model.
struct Prompt {
  std::string sender;  // "user", "cron", a session's id, kHelve, …
  model::Message message;
};

// What the model said.
struct Answer {
  model::Message message;
  model::Stop stop = model::Stop::end;
  model::Usage usage;
  std::string model;
  std::vector<std::string> calls;  // by which id the dispatcher knows each of the message's calls
};

// What came of one of its calls.
struct Finished {
  model::ToolResult result;
};

// Stands for all up to and including the entry `last`.
struct Summary {
  std::string text;
  std::uint64_t last = 0;
};

// The answers of these calls are no longer shown to the model.
struct Pruned {
  std::vector<std::string> calls;
};

// For people: the model does not see it.
struct Remark {
  std::string text;
};

using Item = std::variant<Prompt, Answer, Finished, Summary, Pruned, Remark>;

std::string_view kind_of(const Item& item);
JsonObject to_json(const Item& item);
store::Entry to_entry(const Item& item);
// The error names the entry.
Result<Item> item_of(const store::Entry& entry);

}  // namespace helve::session
