// What the tools for documents share: how they reach them, and how they tell of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/documents.h"
#include "tool/make.h"

namespace helve::tools {

constexpr std::int64_t kMaxNoteChars = 1'000;  // of a change_note

enum class KbConflict : unsigned char { error, overwrite };

Result<std::unique_ptr<store::Documents>> need_documents(const Context& context);

// The key of a folder; empty for "." and "", which mean all.
Result<std::string> document_folder(std::string_view path);

// A version that this call writes.
store::DocumentVersion version_by(const Context& context, std::string path, store::Source source,
                                  const std::optional<std::string>& note);
inline store::Expected expected_by(KbConflict conflict) {
  return conflict == KbConflict::error ? store::Expected::nothing() : store::Expected::anything();
}

// Bytes that are not UTF-8 are shown, not changed.
struct Shown {
  std::string text;
  std::optional<bool> escaped = {};
};
Shown shown_content(std::string_view content);

// What was written.
struct KbWritten {
  std::string path;
  std::int64_t version = 0;
  std::int64_t bytes = 0;
  std::int64_t lines = 0;

  static constexpr auto schema() {
    return object("A version that was written.", arg<&KbWritten::path>("The document"),
                  arg<&KbWritten::version>("Of the document, from 1"),
                  arg<&KbWritten::bytes>("Of its content"),
                  arg<&KbWritten::lines>("Of its content"));
  }
  static KbWritten of(const store::DocumentVersion& version);
  std::string text() const;
};

// A document as it is listed.
struct KbDocument {
  std::string path;
  std::int64_t version = 0;
  std::string mime_type;
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  std::string source;
  std::optional<std::string> from;
  std::optional<std::string> change_note;
  std::optional<std::string> agent, session;
  std::string written;
  std::optional<bool> removed;

  static constexpr auto schema() {
    return object(
        "A document, or one of its versions.", arg<&KbDocument::path>("Its logical path"),
        arg<&KbDocument::version>("From 1"), arg<&KbDocument::mime_type>("What its content is"),
        arg<&KbDocument::bytes>("Of its content"), arg<&KbDocument::lines>("Of its content"),
        arg<&KbDocument::source>(
            "Where the content came from: inline, file, edit (of what a file held), result, pipe, "
            "query, copy, move, import"),
        opt<&KbDocument::from>("Which file, result, call or document that was"),
        opt<&KbDocument::change_note>("What its writer said of the change"),
        opt<&KbDocument::agent>("Who wrote it"), opt<&KbDocument::session>("In which session"),
        arg<&KbDocument::written>("When"),
        opt<&KbDocument::removed>("True: this version removed the document"));
  }
  static KbDocument of(const store::DocumentVersion& version);
  std::string size_text() const;  // "12 lines, 340 bytes"
};

}  // namespace helve::tools
