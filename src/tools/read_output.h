// ReadOutput: what `read` answers, whatever the file is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tool/make.h"

namespace helve::tools {

constexpr size_t kMaxShownLine = 2000;  // characters

enum class ReadKind : unsigned char { text, notebook, image, pdf, binary, files };

// One of several files.
struct ReadFile {
  std::string path;
  std::optional<Json> answer;
  std::optional<Json> error;

  static constexpr auto schema() {
    return object("One of the files.", arg<&ReadFile::path>("The file, as it was named"),
                  opt<&ReadFile::answer>("What reading it alone answers"),
                  opt<&ReadFile::error>("Why it could not be read, instead: message and hint"));
  }
};

struct ReadOutput {
  std::optional<std::string> path;
  ReadKind kind = ReadKind::text;
  std::optional<std::string> content_;  // named so beside the function
  std::optional<std::int64_t> start_line;
  std::optional<std::int64_t> end_line;
  std::optional<std::int64_t> total_lines;
  std::optional<std::int64_t> start_column;
  std::optional<std::int64_t> next_offset;
  std::optional<std::int64_t> next_column;
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> truncated_lines;
  std::optional<std::string> encoding;
  std::optional<std::string> type;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> total_cells;
  std::optional<std::string> pages;
  std::optional<std::string> next_pages;
  std::optional<std::int64_t> total_pages;
  std::optional<std::vector<std::string>> notes;
  std::optional<std::vector<ReadFile>> files;

  // Not part of the structured value.
  std::vector<ImageContent> images = {};
  std::vector<Content> parts = {};  // of several files
  bool is_partial = false;          // one of them could not be read

  static constexpr auto schema() {
    return object(
        "A page of a file, or what the file is.",
        opt<&ReadOutput::path>("The file, as the workspace names it"),
        arg<&ReadOutput::kind>("What the file is; files: several were asked for"),
        opt<&ReadOutput::content_>("Text: the lines of the page with their line endings, without "
                                   "numbers. Notebook: the cells. PDF: the text of the pages"),
        opt<&ReadOutput::start_line>(
            "Number of the first line (notebook: cell) shown, from 1; 0 when there is none"),
        opt<&ReadOutput::end_line>("Number of the last line (notebook: cell) shown"),
        opt<&ReadOutput::total_lines>("Lines of the whole file; absent for files over 64 MB"),
        opt<&ReadOutput::start_column>("Where in the first line the content starts, if asked for"),
        opt<&ReadOutput::next_offset>("The offset that continues; absent when nothing follows"),
        opt<&ReadOutput::next_column>("The column that continues, when the page ends in a line"),
        opt<&ReadOutput::size>("Size of the whole file in bytes"),
        opt<&ReadOutput::truncated_lines>(
            "Lines that are not shown to their end, when there are any"),
        opt<&ReadOutput::encoding>("The text's encoding, when it is not UTF-8"),
        opt<&ReadOutput::type>("What a file that is no text is, such as PNG image"),
        opt<&ReadOutput::mime_type>("The type as MIME names it, when it is known"),
        opt<&ReadOutput::width>("Pixels of the image in the file"),
        opt<&ReadOutput::height>("Pixels of the image in the file"),
        opt<&ReadOutput::total_cells>("Cells of the notebook"),
        opt<&ReadOutput::pages>("Pages of the PDF that are shown, such as 1-5"),
        opt<&ReadOutput::next_pages>("The pages that continue; absent when nothing follows"),
        opt<&ReadOutput::total_pages>("Pages of the PDF"),
        opt<&ReadOutput::notes>("What is not shown as it is in the file"),
        opt<&ReadOutput::files>("The files, in the order asked"));
  }

  std::string text() const;
  std::vector<Content> content() const;
  void note(std::string what) {
    if (!notes) notes.emplace();
    notes->push_back(std::move(what));
  }
};

// Calls `visit` with every line, without its newline.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size());
    visit(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

bool is_too_long(std::string_view line);

}  // namespace helve::tools
