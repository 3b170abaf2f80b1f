// FileType: what a file is, told by its first bytes and not by its name.
#pragma once

#include <optional>
#include <string_view>

namespace helve::media {

struct FileType {
  std::string_view name;  // "PNG image", "ELF executable": for people
  std::string_view mime_type;
  std::string_view hint;  // how to look into it; may be empty
};

constexpr size_t kTypeBytes = 4096;  // of the start, enough for every type
constexpr std::string_view kPdfMark = "%PDF-";

// The hint where there is no better one.
constexpr std::string_view kLookInto = "a command such as file or xxd can look into it";

// Nothing when the type is not known, text among them.
std::optional<FileType> file_type(std::string_view start);

}  // namespace helve::media
