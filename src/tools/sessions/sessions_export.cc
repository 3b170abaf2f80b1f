// sessions_export: a whole session as text.
#include <fmt/format.h>

#include "base/text.h"
#include "session/export.h"
#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

enum class Format : unsigned char { markdown, jsonl };

struct SessionsExportInput {
  std::string session_id;
  Format format = Format::markdown;
  std::int64_t after = 0;

  static constexpr auto schema() {
    return object(
        "Write a whole session as text: prompts, answers, thoughts, calls and their results, "
        "summaries, times and tokens.",
        arg<&SessionsExportInput::session_id>("Which session").min_length(1),
        opt<&SessionsExportInput::format>("markdown for people, jsonl for programs").shorthand('f'),
        opt<&SessionsExportInput::after>("Only entries after this number").min(0));
  }
};

struct SessionsExportOutput {
  std::string session_id;
  Format format = Format::markdown;
  std::int64_t entries = 0;
  std::string text_;
  std::optional<std::int64_t> next_after;

  static constexpr auto schema() {
    return object("A session as text.", arg<&SessionsExportOutput::session_id>("Whose it is"),
                  arg<&SessionsExportOutput::format>("Of the text"),
                  arg<&SessionsExportOutput::entries>("That are in it"),
                  arg<&SessionsExportOutput::text_>("All of it"),
                  opt<&SessionsExportOutput::next_after>("`after` of what did not fit"));
  }
  std::string text() const { return text_; }
};

Result<SessionsExportOutput> sessions_export(const SessionsExportInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  const bool is_markdown = in.format == Format::markdown;
  session::Exported exported = TRY(session::export_session(
      store, in.session_id,
      is_markdown ? session::ExportFormat::markdown : session::ExportFormat::jsonl,
      static_cast<std::uint64_t>(in.after)));
  SessionsExportOutput out{.session_id = in.session_id,
                           .format = in.format,
                           .entries = static_cast<std::int64_t>(exported.entries),
                           .text_ = std::move(exported.text),
                           .next_after = {}};
  if (!exported.is_whole) {
    out.next_after = static_cast<std::int64_t>(exported.last);
    out.text_ += is_markdown ? fmt::format("*(more follows after entry {})*\n", exported.last)
                             : fmt::format("{{\"kind\":\"more\",\"after\":{}}}\n", exported.last);
  }
  // JSON has its own way to write what must not be shown.
  if (is_markdown) out.text_ = escape_lines_for_display(out.text_);
  return out;
}

}  // namespace

Tool tool_sessions_export() {
  return make_tool({.name = "sessions_export",
                    .group = "sessions",
                    .title = "Export a session",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"To read", R"({"session_id": "s_…"})"},
                                 {"For a program", R"({"session_id": "s_…", "format": "jsonl"})"}}},
                   sessions_export);
}

}  // namespace helve::tools
