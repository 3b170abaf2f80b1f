#include "media/notebook.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "media/markdown.h"

namespace helve::media {
namespace {

// Text stands as one string or as a list of lines.
std::string text_at(const Json& value, std::string_view key) {
  const Json* found = find(value, key);
  std::string out;
  if (!found) return out;
  if (const auto* text = found->if_string()) return std::string(*text);
  if (const auto* lines = found->if_array()) {
    for (const Json& line : *lines) {
      if (const auto* text = line.if_string()) out += *text;
    }
  }
  return out;
}

// Without the codes that color a terminal.
std::string without_colors(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t escape = text.find("\x1b[");
    out += text.substr(0, escape);
    if (escape == text.npos) break;
    const size_t end = text.find_first_not_of("0123456789;:?", escape + 2);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

void add_text(Cell& cell, CellOutput::Kind kind, const std::string& text) {
  if (text.empty()) return;
  std::string shown = escape_lines_for_display(without_colors(text));
  if (const std::string_view head = first_chars(shown, kMaxCellOutput);
      head.size() < shown.size()) {
    const size_t more = count_chars(std::string_view(shown).substr(head.size()));
    shown.resize(head.size());
    shown += fmt::format("… [{} more characters]", more);
  }
  cell.outputs.push_back({kind, std::move(shown)});
}

// One result in several forms: the picture, and the plainest text.
void add_data(Cell& cell, const Json& data) {
  for (const std::string_view mime : {"image/png", "image/jpeg", "image/gif", "image/webp"}) {
    if (!find(data, mime)) continue;
    if (auto bytes = from_base64(text_at(data, mime)))
      cell.outputs.push_back({CellOutput::Kind::image, std::move(*bytes)});
    else
      add_text(cell, CellOutput::Kind::error, "an image that is not valid base64");
    break;
  }
  for (const std::string_view mime : {"text/plain", "text/markdown", "text/html", "text/latex",
                                      "image/svg+xml", "application/javascript"}) {
    if (!find(data, mime)) continue;
    return add_text(cell, CellOutput::Kind::text, text_at(data, mime));
  }
  if (const Json* json = find(data, "application/json"))
    add_text(cell, CellOutput::Kind::text, helve::to_text(*json, 4 * kMaxCellOutput));
}

void add_error(Cell& cell, const Json& output) {
  std::string text = fmt::format("{}: {}", string_at(output, "ename"), string_at(output, "evalue"));
  if (const Json* trace = find(output, "traceback"); trace && trace->is_array()) {
    for (const Json& line : trace->get_array()) {
      if (const auto* part = line.if_string()) (text += '\n') += *part;
    }
  }
  add_text(cell, CellOutput::Kind::error, text);
}

void add_output(Cell& cell, const Json& output) {
  const std::string_view type = string_at(output, "output_type");
  if (type == "stream") {
    add_text(cell, CellOutput::Kind::text, text_at(output, "text"));
  } else if (type == "error" || type == "pyerr") {
    add_error(cell, output);
  } else if (const Json* data = find(output, "data")) {
    add_data(cell, *data);
  } else {  // format 3 has the forms beside the type, under short names
    JsonObject forms;
    for (const auto& [ours, theirs] : {std::pair("image/png", "png"),
                                       {"image/jpeg", "jpeg"},
                                       {"text/plain", "text"},
                                       {"text/html", "html"},
                                       {"image/svg+xml", "svg"}}) {
      if (const Json* form = find(output, theirs)) forms[ours] = *form;
    }
    add_data(cell, forms);
  }
}

Cell to_cell(const Json& json) {
  Cell cell{.type = std::string(string_at(json, "cell_type"))};
  if (cell.type.empty()) cell.type = "cell of no type";
  cell.source = text_at(json, find(json, "source") ? "source" : "input");
  for (const std::string_view key : {"execution_count", "prompt_number"}) {
    const Json* count = find(json, key);
    if (count && count->is_int64()) cell.execution_count = count->get_int64();
  }
  if (const Json* outputs = find(json, "outputs"); outputs && outputs->is_array()) {
    for (const Json& output : outputs->get_array()) add_output(cell, output);
  }
  return cell;
}

std::string language_of(const Json& notebook) {
  const Json* metadata = find(notebook, "metadata");
  if (!metadata) return {};
  for (const auto& [object, key] :
       {std::pair("language_info", "name"), {"kernelspec", "language"}}) {
    if (const Json* info = find(*metadata, object)) {
      if (const std::string_view name = string_at(*info, key); !name.empty())
        return std::string(name);
    }
  }
  return {};
}

Error damaged(std::string why) {
  return {Code::unsupported, "the notebook is damaged: " + std::move(why),
          "as=text reads the file as it is", "damaged_notebook"};
}

void append_part(std::string& out, std::string_view text) {
  out += text;
  if (!text.empty() && text.back() != '\n') out += '\n';
}

}  // namespace

Result<Notebook> parse_notebook(std::string_view json) {
  const Result<Json> parsed = parse_json(json, {.bytes = kMaxNotebook});
  if (!parsed) return damaged(parsed.error().message);
  const Json* cells = find(*parsed, "cells");
  if (const Json* sheets = find(*parsed, "worksheets");
      !cells && sheets && sheets->is_array() && !sheets->get_array().empty())
    cells = find(sheets->get_array()[0], "cells");
  if (!cells || !cells->is_array()) return damaged("it has no list of cells");
  Notebook notebook{.language = language_of(*parsed)};
  for (const Json& cell : cells->get_array()) notebook.cells.push_back(to_cell(cell));
  return notebook;
}

std::string to_text(const Cell& cell, size_t number) {
  std::string out = fmt::format("--- cell {}: {}", number, escape_for_display(cell.type));
  if (cell.execution_count) out += fmt::format(" [{}]", *cell.execution_count);
  out += " ---\n";
  append_part(out, cell.source);
  for (const CellOutput& output : cell.outputs) {
    switch (output.kind) {
      case CellOutput::Kind::text:
        out += "output:\n";
        append_part(out, output.text);
        break;
      case CellOutput::Kind::error:
        out += "error:\n";
        append_part(out, output.text);
        break;
      case CellOutput::Kind::image:
        out += "output: an image\n";
        break;
    }
  }
  return out;
}

std::string to_markdown(const Notebook& notebook) {
  std::string out;
  const auto begin_block = [&] {
    if (!out.empty()) out += '\n';
  };
  for (const Cell& cell : notebook.cells) {
    if (!trim(cell.source).empty()) {
      begin_block();
      if (cell.type == "code")
        append_code_block(out, notebook.language, cell.source);
      else
        append_part(out, cell.source);
    }
    for (const CellOutput& output : cell.outputs) {
      if (output.kind == CellOutput::Kind::image) continue;
      begin_block();
      append_code_block(out, "", output.text);
    }
  }
  return out;
}

}  // namespace helve::media
