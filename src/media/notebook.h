// Notebooks (.ipynb): their cells with what they put out, as text and images.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::media {

struct CellOutput {
  enum class Kind : unsigned char { text, error, image };
  Kind kind = Kind::text;
  std::string text;  // of an image: its bytes
};

struct Cell {
  std::string type;  // "code", "markdown", "raw"
  std::optional<std::int64_t> execution_count;
  std::string source;
  std::vector<CellOutput> outputs;
};

struct Notebook {
  std::string language;  // may be empty
  std::vector<Cell> cells;
};

constexpr size_t kMaxNotebook = 64u << 20;  // bytes of the file
constexpr size_t kMaxCellOutput = 10'000;   // characters of one output that are shown

// Format 3 and 4. unsupported (damaged_notebook) when it is no JSON or has no cells.
Result<Notebook> parse_notebook(std::string_view json);

// A cell as people read it: a line that names it, the source, then each output. Images are named,
// and shown by whoever shows the text.
std::string to_text(const Cell& cell, size_t number);

// The whole as Markdown: text as it is, code and what it put out as blocks, without images.
std::string to_markdown(const Notebook& notebook);

}  // namespace helve::media
