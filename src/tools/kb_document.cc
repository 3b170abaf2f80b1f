#include "tools/kb_document.h"

#include <fmt/format.h>

#include "base/text.h"
#include "knowledge/library.h"
#include "store/call_store.h"
#include "sys/clock.h"

namespace helve::tools {
namespace {

std::string sizes(std::int64_t lines, std::int64_t bytes) {
  return fmt::format("{} {}, {} {}", lines, lines == 1 ? "line" : "lines", bytes,
                     bytes == 1 ? "byte" : "bytes");
}

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(escape_invalid_utf8(text));
}

}  // namespace

Result<std::unique_ptr<store::Documents>> need_documents(const Context& context) {
  if (!context.store)
    return Error{Code::unsupported, "no documents are kept here",
                 "start helve without --profile bare, and with a state directory", "no_store"};
  if (!context.library)
    return Error{Code::unsupported, "there is no workspace whose documents these would be",
                 "start helve in one, or set kb.scope to user", "no_store"};
  return TRY(context.store->get())->documents(context.library->shelf());
}

Result<std::string> document_folder(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty() || path == ".") return "";
  return store::document_path(path);
}

store::DocumentVersion version_by(const Context& context, std::string path, store::Source source,
                                  const std::optional<std::string>& note) {
  return {.path = std::move(path),
          .source = std::move(source),
          .note = note.value_or(""),
          .agent = context.who.agent,
          .session = context.who.session};
}

Shown shown_content(std::string_view content) {
  Shown shown{.text = escape_invalid_utf8(content)};
  if (!is_utf8(content)) shown.escaped = true;
  return shown;
}

KbWritten KbWritten::of(const store::DocumentVersion& version) {
  return {.path = version.path,
          .version = static_cast<std::int64_t>(version.number),
          .bytes = static_cast<std::int64_t>(version.bytes),
          .lines = static_cast<std::int64_t>(version.lines)};
}

std::string KbWritten::text() const {
  return fmt::format("Stored {} (version {}, {})", path, version, sizes(lines, bytes));
}

KbDocument KbDocument::of(const store::DocumentVersion& version) {
  KbDocument out{.path = version.path,
                 .version = static_cast<std::int64_t>(version.number),
                 .mime_type = version.mime_type,
                 .bytes = static_cast<std::int64_t>(version.bytes),
                 .lines = static_cast<std::int64_t>(version.lines),
                 .source = version.source.kind,
                 .from = if_any(version.source.from),
                 .change_note = if_any(version.note),
                 .agent = if_any(version.agent),
                 .session = if_any(version.session),
                 .written = sys::utc(version.created_ms),
                 .removed = {}};
  if (version.is_removed) out.removed = true;
  return out;
}

std::string KbDocument::size_text() const { return sizes(lines, bytes); }

}  // namespace helve::tools
