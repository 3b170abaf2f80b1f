// The parts of `read` that are about files other than plain text.
#pragma once

#include <string>
#include <string_view>

#include "media/helper.h"
#include "tool/context.h"
#include "tools/read_output.h"
#include "workspace/workspace.h"

namespace helve::tools {

struct MediaRequest {
  std::uint64_t skip = 0;    // cells
  std::uint64_t limit = 0;   // cells; 0: as many as fit
  size_t bytes = 0;          // of text
  std::string_view pages;    // of a PDF, such as 1-5,8; empty: the first ones
  bool as_pictures = false;  // of a PDF's pages
};

// What the file's name promises, so that only such files are looked into before they are read as
// text.
enum class Promise : unsigned char { text, notebook, media };
Promise promise_of(std::string_view path);

// The file's first bytes.
Result<std::string> start_of(const workspace::OpenFile& file, std::string_view shown);

// `out` has the path and the size already. Each fills in the rest.

// A notebook by cells; an error when it is damaged.
Result<void> read_notebook(const workspace::OpenFile& file, const MediaRequest& request,
                           const Context& context, ReadOutput& out);
// A file that is no text: an image, the pages of a PDF, or a description.
Result<void> read_binary(const workspace::OpenFile& file, std::string_view start,
                         const MediaRequest& request, const Context& context, ReadOutput& out);
// Some pages of a PDF.
Result<void> read_pages(const workspace::OpenFile& file, const MediaRequest& request,
                        const Context& context, ReadOutput& out);
// The error with the name of the file that it is about.
Error about(std::string_view path, Error error);
// How long the helper may take, and when it is stopped.
media::HelperOptions helper_options(const Context& context);

}  // namespace helve::tools
