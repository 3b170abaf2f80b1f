#include "app/prompt_message.h"

#include "session/item.h"

namespace helve::app {
namespace {

std::string text_of_post(const store::Post& post) {
  const Result<Json> body = parse_json(post.body, {.bytes = store::kMaxEntryBytes});
  const Result<model::Message> message =
      body ? model::message_from_json(*body) : Result<model::Message>(body.error());
  return message ? model::text_of(*message) : post.body;
}

}  // namespace

std::string message_of(store::SharedStore& shared, const std::string& session) {
  const Result<std::string> text = shared.use([&](store::Store& store) -> Result<std::string> {
    std::string waiting;
    for (const store::Post& post : TRY(store.posts(session))) waiting += text_of_post(post) + "\n";
    if (!waiting.empty()) return waiting;
    const std::optional<store::Entry> last =
        TRY(store.last_entry(session, session::kind_of(session::Prompt{})));
    if (!last) return waiting;
    const session::Item item = TRY(session::item_of(*last));
    const auto* prompt = std::get_if<session::Prompt>(&item);
    return prompt ? model::text_of(prompt->message) : waiting;
  });
  return text.value_or("");
}

}  // namespace helve::app
