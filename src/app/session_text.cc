#include "app/session_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "session/item.h"

namespace helve::app {
namespace {

// A fence longer than any in the text.
std::string fenced(std::string_view text, std::string_view language) {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fmt::format("{}{}\n{}{}{}\n\n", fence, language, text, text.ends_with('\n') ? "" : "\n",
                     fence);
}

std::string told(const session::Item& item) {
  std::string out;
  if (const auto* prompt = std::get_if<session::Prompt>(&item)) {
    out = fmt::format("## {}\n\n{}\n\n", prompt->sender, trim(model::text_of(prompt->message)));
  } else if (const auto* answer = std::get_if<session::Answer>(&item)) {
    const std::string text = model::text_of(answer->message);
    if (!trim(text).empty()) out += fmt::format("## {}\n\n{}\n\n", answer->model, trim(text));
    for (const model::ToolCall* call : model::calls_of(answer->message))
      out += fmt::format("**{}**\n\n", call->name) + fenced(call->arguments, "json");
  } else if (const auto* finished = std::get_if<session::Finished>(&item)) {
    const std::string text = text_of(finished->result.content);
    out = fmt::format("{} of **{}**:\n\n", finished->result.is_error ? "Error" : "Result",
                      finished->result.name) +
          fenced(preview(text, kMaxExportedResult), "");
  } else if (const auto* summary = std::get_if<session::Summary>(&item)) {
    out = fmt::format("## summary\n\n{}\n\n", summary->text);
  } else if (const auto* remark = std::get_if<session::Remark>(&item)) {
    out = fmt::format("> {}\n\n", remark->text);
  }
  return out;
}

}  // namespace

Result<std::string> session_as_markdown(store::SharedStore& store, const std::string& session) {
  const store::Conversation conversation =
      TRY(store.use([&](store::Store& s) { return s.conversation(session); }));
  std::string out = fmt::format("# {}\n\n", conversation.title);
  for (std::uint64_t after = 0;;) {
    const std::vector<store::Entry> entries = TRY(store.use(
        [&](store::Store& s) { return s.entries(session, after, store::kMaxEntriesRead); }));
    if (entries.empty()) return out;
    for (const store::Entry& entry : entries) {
      out += told(TRY(session::item_of(entry)));
      if (out.size() > kMaxExport) return std::string(cut_utf8(out, kMaxExport)) + "\n\n…\n";
    }
    after = entries.back().number;
  }
}

}  // namespace helve::app
