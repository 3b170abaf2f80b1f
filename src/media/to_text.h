// to_text: a document of any kind as the text that is kept of it and searched: Markdown, HTML,
// PDFs, notebooks, code and plain text.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/html.h"

namespace helve::media {

constexpr size_t kMaxDocument = 64u << 20;  // bytes of what is no PDF, which may have kMaxPdf
constexpr size_t kMaxDocumentPages = 2000;  // of a PDF that are read
constexpr size_t kMaxDocumentTitle = 300;   // characters

// How the text is to be read.
enum class TextForm : unsigned char { markdown, plain, code };

struct Converted {
  std::string text;   // valid UTF-8 whose lines end in \n
  std::string title;  // one line, as the document itself says it; empty: it has none
  TextForm form = TextForm::plain;
  std::vector<std::string> notes;  // what was left out or changed, a sentence each
  bool is_cut = false;             // a limit or a failure took some of its text away
};

struct ConvertOptions {
  std::string helper;                         // reads PDFs; empty: helve-media beside this program
  std::chrono::milliseconds timeout{30'000};  // of the helper, for each few pages
  HtmlOptions html = {};
};

// What it is tell the bytes, and the name where they cannot: text is told apart by its ending. HTML
// and notebooks become Markdown, and in a PDF a line stands before each page. Errors: unsupported
// (unsupported_type, and those of read_pdf), too_large, timeout, cancelled.
Result<Converted> to_text(std::string_view bytes, std::string_view name,
                          const ConvertOptions& options = {}, std::stop_token stop = {});

}  // namespace helve::media
