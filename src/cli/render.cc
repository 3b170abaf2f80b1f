#include "cli/render.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tool/content.h"

namespace helve::cli {
namespace {

// People must see what is there, not what escape codes in it make of their terminal; programs get
// the bytes.
std::string for_stream(std::string_view text, const Stream& stream) {
  return stream.is_terminal ? escape_lines_for_display(text) : std::string(text);
}

// The first `told` bytes are there already.
void show_text(const std::string& text, size_t told, const Stream& stream) {
  if (text.empty()) return;
  stream.write(for_stream(std::string_view(text).substr(std::min(told, text.size())), stream));
  if (!text.ends_with('\n')) stream.write("\n");
}

void tell(std::string_view text, const Stream& stream) {
  for (std::string_view line : split(text, '\n')) {
    if (!line.empty())
      stream.write(
          fmt::format("{} {}\n", stream.style.bold("helve:"), escape_lines_for_display(line)));
  }
}

// One word for all of its lines, which stand below each other, and are broken where a terminal
// ends.
void tell_hint(std::string_view text, const Screen& screen) {
  constexpr std::string_view kBelow = "        ";
  const Stream& stream = screen.err;
  std::string before = fmt::format("  {} ", stream.style.cyan("hint:"));
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const std::string safe = escape_lines_for_display(line);
    const bool is_long = stream.is_terminal && kBelow.size() + count_chars(safe) > screen.width;
    const std::string rows = is_long ? wrap(safe, screen.width, kBelow.size()) : "";
    stream.write(before + (is_long ? rows.substr(kBelow.size()) : safe + "\n"));
    before = kBelow;
  }
}

// The problems of invalid input, each with where and what; null for any other error.
const JsonArray* problems_of(const Error& error) {
  const JsonArray* list = error.details.if_array();
  return error.type == "invalid_input" && list && !list->empty() ? list : nullptr;
}

void tell_problem(const Json& problem, const Screen& screen) {
  const std::string_view path = string_at(problem, "path");
  tell(path.empty() ? std::string(string_at(problem, "message"))
                    : fmt::format("{}: {}", path, string_at(problem, "message")),
       screen.err);
  tell_hint(string_at(problem, "hint"), screen);
}

}  // namespace

void show_json(const Json& value, Screen& screen) {
  screen.out.write(screen.out.is_terminal ? escape_lines_for_display(to_pretty(value))
                                          : to_text(value) + "\n");
}

JsonObject error_json(const Error& error) {
  JsonObject inner;
  inner["error_type"] = error.type_name();
  inner["code"] = name_of(error.code);
  inner["message"] = error.message;
  if (!error.hint.empty()) inner["hint"] = error.hint;
  if (!error.details.is_null()) inner["details"] = error.details;
  JsonObject out;
  out["ok"] = false;
  out["error"] = std::move(inner);
  return out;
}

int show(const Error& error, Form form, Screen& screen) {
  if (form == Form::json) {
    show_json(Json(error_json(error)), screen);
    return exit_code(error.code);
  }
  if (const JsonArray* problems = problems_of(error)) {
    for (const Json& problem : *problems) tell_problem(problem, screen);
  } else {
    tell(error.message, screen.err);
    tell_hint(error.hint, screen);
  }
  return exit_code(error.code);
}

int show(const dispatch::Outcome& outcome, Form form, Screen& screen) {
  for (const std::string& note : outcome.notes) tell("note: " + note, screen.err);
  if (outcome.error) return show(*outcome.error, form, screen);
  if (form == Form::text) {
    show_text(text_of(outcome.product.content), outcome.product.told_bytes, screen.out);
  } else if (!screen.out.is_terminal) {
    screen.out.write(outcome.product.json + "\n");
  } else if (Result<Json> value = parse_json(outcome.product.json)) {
    show_json(*value, screen);
  } else {
    screen.out.write(outcome.product.json + "\n");
  }
  return outcome.product.is_partial ? exit_code(Code::partial) : outcome.product.shell_status;
}

}  // namespace helve::cli
