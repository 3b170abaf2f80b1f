#include "tools/kb_archive.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/hash.h"
#include "base/text.h"

namespace helve::tools {
namespace {

constexpr size_t kRoomForQuotes = 1000;                    // bytes; short texts stay readable
constexpr std::int64_t kLatestTime = 253'402'300'799'999;  // ms; the end of the year 9999
constexpr std::string_view kFormat = "helve-documents-1";
constexpr std::string_view kEndBegin = R"({"end":true,)";
constexpr std::string_view kFields[] = {"path", "mime_type", "source"};

Error damaged(std::string why) {
  return {Code::invalid_argument, std::move(why), "", "damaged_archive"};
}

std::int64_t integer_at(const Json& value, std::string_view key) {
  const Json* found = find(value, key);
  return found && found->is_int64() ? found->get_int64() : 0;
}

bool is_set(const Json& value, std::string_view key) {
  const Json* found = find(value, key);
  return found && found->is_bool() && found->get_bool();
}

// What lists show without a look at it.
Result<std::string> word_at(const Json& value, std::string_view key) {
  const std::string_view word = string_at(value, key);
  if (escape_for_display(word) == word) return std::string(word);
  return damaged(fmt::format("its {} has characters that cannot be shown", key));
}

// Of a clock; 0 where there is none.
Result<std::int64_t> time_at(const Json& value, std::string_view key) {
  const std::int64_t time = integer_at(value, key);
  if (time >= -kLatestTime && time <= kLatestTime) return time;
  return damaged(fmt::format("its {} is no time", key));
}

Result<std::string> content_of(const Json& value) {
  const Json* text = find(value, "content");
  if (text && text->is_string()) return std::string(text->get_string());
  const Json* bytes = find(value, "content_base64");
  if (!bytes || !bytes->is_string()) return damaged("it has no content");
  std::optional<std::string> decoded = from_base64(bytes->get_string());
  if (!decoded) return damaged("its content is not Base64");
  return std::move(*decoded);
}

}  // namespace

Archived archived_of(std::vector<store::DocumentVersion> versions) {
  Archived archived;
  std::uint64_t bytes = 0;
  size_t too_old = 0;
  for (store::DocumentVersion& version : versions) {
    if (version.bytes > kMaxArchivedVersion) {
      archived.left_out.push_back(fmt::format("version {} of {} is too large for an archive: {}",
                                              version.number, version.path,
                                              human_size(version.bytes)));
      continue;
    }
    bytes += version.bytes;
    if (bytes > kMaxArchivedDocument)
      ++too_old;
    else
      archived.versions.push_back(std::move(version));
  }
  if (too_old > 0)
    archived.left_out.push_back(fmt::format(
        "{}: the oldest versions are left out ({}), as an archive holds {} of a document",
        versions.back().path, too_old, human_size(kMaxArchivedDocument)));
  return archived;
}

std::string archive_header() { return fmt::format("{{\"format\":\"{}\"}}\n", kFormat); }

Result<void> check_header(std::string_view line) {
  const Result<Json> value = parse_json(line);
  if (value && string_at(*value, "format") == kFormat) return {};
  return Error{Code::invalid_argument, "this is no archive of documents", "kb_export writes one",
               "not_an_archive"};
}

std::string end_line(const ArchiveEnd& end) {
  return fmt::format("{}\"documents\":{},\"versions\":{},\"parts\":{}}}\n", kEndBegin,
                     end.documents, end.versions, end.parts);
}

std::optional<ArchiveEnd> end_in(std::string_view line) {
  if (!line.starts_with(kEndBegin)) return {};
  const Result<Json> value = parse_json(line);
  if (!value) return {};
  return ArchiveEnd{.documents = integer_at(*value, "documents"),
                    .versions = integer_at(*value, "versions"),
                    .parts = integer_at(*value, "parts")};
}

std::string to_line(const ArchiveLine& line) {
  const store::DocumentVersion& version = line.version;
  JsonObject out{{"path", version.path},
                 {"version", static_cast<std::int64_t>(version.number)},
                 {"versions", static_cast<std::int64_t>(line.versions)},
                 {"mime_type", version.mime_type},
                 {"source", version.source.kind},
                 {"written_ms", version.created_ms}};
  if (!version.source.from.empty()) out["from"] = escape_invalid_utf8(version.source.from);
  if (version.source.modified_ms != 0) out["modified_ms"] = version.source.modified_ms;
  if (!version.source.hash.empty()) out["source_sha256"] = version.source.hash;
  if (!version.note.empty()) out["change_note"] = escape_invalid_utf8(version.note);
  if (!version.agent.empty()) out["agent"] = version.agent;
  if (!version.session.empty()) out["session"] = version.session;
  if (version.is_removed) {
    out["removed"] = true;
  } else {
    out["sha256"] = version.hash;
    std::string text;
    if (is_utf8(line.content)) append_json_string(text, line.content);
    if (!text.empty() && text.size() <= base64_size(line.content.size()) + kRoomForQuotes)
      out["content"] = line.content;
    else
      out["content_base64"] = to_base64(line.content);
  }
  return to_text(out) + "\n";
}

Result<ArchiveLine> from_line(std::string_view text) {
  const Result<Json> value = parse_json(text, {.bytes = text.size()});
  if (!value) return damaged("it is not whole: " + value.error().message);
  for (std::string_view field : kFields) {
    if (string_at(*value, field).empty()) return damaged(fmt::format("it has no {}", field));
  }
  ArchiveLine line;
  store::DocumentVersion& version = line.version;
  version.path = TRY(store::document_path(string_at(*value, "path")));
  const std::int64_t number = integer_at(*value, "version");
  const std::int64_t versions = integer_at(*value, "versions");
  if (number < 1 || versions < 1) return damaged("it has no version");
  version.number = static_cast<std::uint64_t>(number);
  line.versions = static_cast<size_t>(versions);
  if (version.number > store::kMaxVersionNumber || line.versions > store::kMaxVersions)
    return damaged("there are no versions of such numbers");
  version.mime_type = TRY(word_at(*value, "mime_type"));
  version.source.kind = TRY(word_at(*value, "source"));
  version.source.from = string_at(*value, "from");
  version.source.modified_ms = TRY(time_at(*value, "modified_ms"));
  version.source.hash = TRY(word_at(*value, "source_sha256"));
  version.note = string_at(*value, "change_note");
  version.agent = string_at(*value, "agent");
  version.session = string_at(*value, "session");
  version.created_ms = TRY(time_at(*value, "written_ms"));
  version.is_removed = is_set(*value, "removed");
  if (version.is_removed) return line;
  line.content = TRY(content_of(*value));
  version.hash = sha256_hex(line.content);
  if (version.hash != string_at(*value, "sha256"))
    return damaged("its content is not the one that was written");
  return line;
}

}  // namespace helve::tools
