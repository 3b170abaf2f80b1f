#include "session/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "session/history.h"
#include "sys/clock.h"

namespace helve::session {
namespace {

constexpr size_t kWindow = 64;  // entries read at once

// A block that ends where it should, whatever the text has in it.
std::string fenced(std::string_view language, std::string_view text) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.ends_with('\n') ? "" : "\n",
                     fence);
}

// A name between backticks, on one line.
std::string quoted(std::string_view name) {
  std::string text = escape_for_display(name);
  std::ranges::replace(text, '`', '\'');
  return "`" + text + "`";
}

std::string paragraph(std::string_view text) {
  return text.empty() ? "" : fmt::format("{}\n\n", trim(text));
}

std::string usage_words(const model::Usage& usage) {
  if (usage.context() == 0) return "";
  return fmt::format(" · {} tokens in, {} out", usage.context() - usage.output, usage.output);
}

struct Markdown {
  const store::Entry& entry;

  std::string heading(std::string_view what) const {
    return fmt::format("## {} · {} · {}\n\n", entry.number, what, sys::utc(entry.created_ms));
  }
  std::string operator()(const Prompt& prompt) const {
    return heading(escape_for_display(prompt.sender.empty() ? "user" : prompt.sender)) +
           paragraph(readable(prompt.message));
  }
  std::string operator()(const Answer& answer) const {
    std::string out = heading(fmt::format(
        "assistant{}{}", answer.model.empty() ? "" : " " + escape_for_display(answer.model),
        usage_words(answer.usage)));
    for (const model::Part& part : answer.message.parts) {
      const auto* const thinking = std::get_if<model::Thinking>(&part);
      if (thinking && !thinking->text.empty())
        out += fmt::format("<details><summary>Thinking</summary>\n\n{}\n</details>\n\n",
                           fenced("text", thinking->text));
    }
    out += paragraph(readable(answer.message));
    for (const model::ToolCall* call : model::calls_of(answer.message))
      out += fmt::format("Calls {} ({}):\n\n{}\n", quoted(call->name), quoted(call->id),
                         fenced("json", call->arguments));
    if (answer.stop == model::Stop::length || answer.stop == model::Stop::refusal)
      out += fmt::format("*(ended by {})*\n\n", model::name_of(answer.stop));
    return out;
  }
  std::string operator()(const Finished& finished) const {
    const model::ToolResult& result = finished.result;
    return heading(fmt::format("{} of {} ({})", result.is_error ? "error" : "result",
                               quoted(result.name), quoted(result.call_id))) +
           fenced("text", text_of(result.content)) + "\n";
  }
  std::string operator()(const Summary& summary) const {
    return heading(fmt::format("summary of all up to {}", summary.last)) + paragraph(summary.text);
  }
  std::string operator()(const Pruned& pruned) const {
    std::string out = heading("no longer shown to the model");
    for (const std::string& call : pruned.calls)
      out += fmt::format("- the result of {}\n", quoted(call));
    return out + "\n";
  }
  std::string operator()(const Remark& remark) const {
    return heading("remark") + paragraph(remark.text);
  }
};

std::string head_of(const store::Conversation& of) {
  const store::Spent& spent = of.spent;
  std::string out = fmt::format(
      "# {}\n\n", escape_for_display(of.title.empty() ? of.session : std::string(of.title)));
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format("- {}: {}\n", name, escape_for_display(value));
  };
  line("session", of.session);
  line("agent", of.agent);
  line("purpose", of.purpose);
  line("workspace", of.workspace);
  line("parent", of.parent);
  line("begun", sys::utc(of.created_ms));
  line("changed", sys::utc(of.changed_ms));
  line("tokens", fmt::format("{} in, {} out", spent.input + spent.cache_read + spent.cache_write,
                             spent.output));
  if (spent.micro_dollars > 0)  // otherwise no price is known
    line("cost", fmt::format("${:.4f}", static_cast<double>(spent.micro_dollars) / 1e6));
  return out + "\n";
}

std::string head_line(const store::Conversation& of) {
  return to_text(JsonObject{{"kind", "session"},
                            {"session_id", of.session},
                            {"title", of.title},
                            {"agent", of.agent},
                            {"purpose", of.purpose},
                            {"workspace", of.workspace},
                            {"parent", of.parent},
                            {"created", sys::utc(of.created_ms)},
                            {"changed", sys::utc(of.changed_ms)},
                            {"entries", of.entries},
                            {"usage", JsonObject{{"input", of.spent.input},
                                                 {"output", of.spent.output},
                                                 {"cache_read", of.spent.cache_read},
                                                 {"cache_write", of.spent.cache_write}}},
                            {"micro_dollars", of.spent.micro_dollars}}) +
         "\n";
}

}  // namespace

std::string to_markdown(const store::Entry& entry) {
  const Markdown markdown{entry};
  const Result<Item> item = item_of(entry);
  if (item) return std::visit(markdown, *item);
  return markdown.heading("cannot be read") + paragraph(item.error().message);
}

std::string to_jsonl(const store::Entry& entry) {
  JsonObject line{
      {"number", entry.number}, {"kind", entry.kind}, {"created", sys::utc(entry.created_ms)}};
  if (const Result<Item> item = item_of(entry)) {
    for (auto& [key, value] : to_json(*item)) line[key] = value;
  } else {
    line["error"] = item.error().message;
  }
  return to_text(line) + "\n";
}

Result<Exported> export_session(store::Store& store, std::string_view session, ExportFormat format,
                                std::uint64_t after, size_t max_bytes) {
  const store::Conversation conversation = TRY(store.conversation(session));
  const bool is_markdown = format == ExportFormat::markdown;
  Exported out{.text = is_markdown ? head_of(conversation) : head_line(conversation),
               .last = after};
  for (;;) {
    const std::vector<store::Entry> read = TRY(store.entries(session, out.last, kWindow));
    if (read.empty()) return out;
    for (const store::Entry& entry : read) {
      if (out.text.size() >= max_bytes) {
        out.is_whole = false;
        return out;
      }
      out.text += is_markdown ? to_markdown(entry) : to_jsonl(entry);
      out.last = entry.number;
      ++out.entries;
    }
  }
}

}  // namespace helve::session
