// A page of a text file that is not UTF-8: lines are found in the file's own bytes, and only the
// page is decoded.
#pragma once

#include "workspace/page.h"

namespace helve::workspace {

// As read_page. `text` says how the file is encoded, and that it begins with a mark.
Result<Page> read_decoded_page(const OpenFile& file, const PageRequest& request,
                               const Detected& text, std::string_view shown,
                               const std::function<Result<void>(std::uint64_t)>& checkpoint);

Result<void> read_block(const OpenFile& file, std::string& out, size_t bytes, std::uint64_t offset,
                        std::string_view shown);
Error past_end(std::string_view shown, std::uint64_t skip, std::uint64_t total);
Error past_column(std::string_view shown, std::uint64_t line, std::uint64_t length);

}  // namespace helve::workspace
