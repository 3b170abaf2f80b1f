#include "terminal/tool_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "terminal/diff_view.h"
#include "terminal/look.h"
#include "terminal/status_line.h"
#include "terminal/width.h"
#include "terminal/word_wrap.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostValue = 500;  // bytes of an argument in a line
constexpr size_t kToldInFull = 30;  // bytes that have room in any line
constexpr std::chrono::milliseconds kWorthTelling{1000};
constexpr std::string_view kIndent = "  ";

std::string text_of(const Json& value) {
  if (value.is_string()) return std::string(value.get_string());
  return to_text(value);
}

// One line of an argument; more are hinted at.
std::string short_text(const Json& value) {
  std::string text =
      value.is_string() ? std::string(value.get_string()) : to_text(value, kMostValue);
  std::ranges::replace(text, '\t', ' ');
  const std::string_view whole = trim(text);
  const std::string_view line = cut_utf8(whole.substr(0, whole.find('\n')), kMostValue);
  return shown(line) + (line.size() < whole.size() ? " …" : "");
}

std::string subject_of(const CallView& call) {
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : " ") + text;
  };
  for (const std::string& name : call.subject) {
    const Json* value = find(call.arguments, name);
    if (value != nullptr && !value->is_null()) add(short_text(*value));
  }
  if (!out.empty() || !call.arguments.is_object()) return out;
  // A tool that does not say: its first text bare, the others by name.
  bool is_first = true;
  for (const auto& [name, value] : call.arguments.get_object()) {
    const bool is_bare = value.is_string() && std::exchange(is_first, false);
    add(is_bare ? short_text(value) : fmt::format("{}={}", shown(name), short_text(value)));
    if (out.size() > kMostValue) break;
  }
  return out;
}

std::string mark_of(CallState state, bool colours) {
  switch (state) {
    case CallState::running:
      return with_look(dim, "●", colours);
    case CallState::ok:
      return with_look(green, "✓", colours);
    case CallState::failed:
      break;
  }
  return with_look(red, "✗", colours);
}

std::string outcome_of(const CallView& call) {
  std::string words = short_text(Json(call.summary));
  if (words.starts_with('(') && words.find(')') + 1 == words.size())  // "(no output)"
    words = words.substr(1, words.size() - 2);
  if (call.elapsed && *call.elapsed >= kWorthTelling)
    words += (words.empty() ? "" : ", ") + short_duration(*call.elapsed);
  if (words.empty() || call.state == CallState::failed) return words;
  return "(" + words + ")";
}

void add_lines(std::vector<std::string>& rows, std::string_view text, std::string_view indent) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string row(indent);
    for (const std::string_view part : split(line, '\t')) {
      if (part.data() != line.data()) row += "    ";
      row += shown(part);
    }
    rows.push_back(std::move(row));
  }
}

void add_prose(std::vector<std::string>& rows, std::string_view text, const LineStyle& style) {
  std::string wrapped;
  WordWrap wrap({.width = std::max<size_t>(style.columns, 10) - 1, .colours = false},
                [&](std::string_view piece) { wrapped += piece; });
  for (const std::string_view line : split(text, '\n')) {
    wrap.begin_line({std::string(kIndent)}, {std::string(kIndent)});
    wrap.put_all(line, plain);
    wrap.end_line();
  }
  for (const std::string_view row : split(wrapped, '\n'))
    if (!row.empty()) rows.emplace_back(row);
}

// What the call's own line tells in full is not told again.
void add_arguments(std::vector<std::string>& rows, const CallView& call, bool colours) {
  if (!call.arguments.is_object()) return;
  for (const auto& [name, value] : call.arguments.get_object()) {
    if (value.is_null()) continue;
    const std::string label = with_look(dim, shown(name) + ":", colours);
    const std::string text = text_of(value);
    const bool is_subject = std::ranges::find(call.subject, name) != call.subject.end();
    if (is_subject && text.size() <= kToldInFull && text.find('\n') == text.npos) continue;
    if (text.find('\n') == text.npos) {
      rows.push_back(fmt::format("{}{} {}", kIndent, label, shown(text)));
    } else {
      rows.push_back(std::string(kIndent) + label);
      add_lines(rows, text, "    ");
    }
  }
}

}  // namespace

std::string tool_line(const CallView& call, const LineStyle& style) {
  const size_t width = std::max<size_t>(style.columns, 10) - 1;
  const std::string name = shown(call.name);
  const std::string subject = subject_of(call);
  const std::string outcome = outcome_of(call);
  const size_t head = 2 + columns_of(name);
  const size_t room = width - std::min(width, head);
  // The subject has what the outcome leaves, but half at least.
  const size_t wanted = outcome.empty() ? 0 : columns_of(outcome) + 2;
  const size_t for_subject = std::max(room - std::min(room, wanted), room / 2);
  std::string line =
      mark_of(call.state, style.colours) + " " + with_look(bold, name, style.colours);
  if (!subject.empty() && for_subject > 2)
    line.append(kIndent).append(fitted(subject, for_subject - kIndent.size()));
  const size_t used = columns_of(line);
  if (!outcome.empty() && used + kIndent.size() < width) {
    const Look look = call.state == CallState::failed ? red : dim;
    line.append(kIndent).append(
        with_look(look, fitted(outcome, width - used - kIndent.size()), style.colours));
  }
  return fitted(line, width);
}

std::string more_lines(size_t count, const LineStyle& style) {
  return with_look(dim,
                   fmt::format("… {} more line{}{}", count, count == 1 ? "" : "s",
                               style.has_keys ? ", Ctrl-O shows all" : ""),
                   style.colours);
}

std::string tool_details(const CallView& call, const LineStyle& style, size_t most) {
  std::vector<std::string> rows;
  add_arguments(rows, call, style.colours);
  if (looks_like_diff(call.result)) {
    for (const std::string& row : diff_rows(call.result, style.colours))
      rows.push_back(std::string(kIndent) + row);
  } else if (call.is_prose) {
    add_prose(rows, call.result, style);
  } else if (!call.result.empty()) {
    add_lines(rows, call.result, kIndent);
  }
  const size_t left_out = rows.size() > most ? rows.size() - most : 0;
  rows.resize(rows.size() - left_out);
  std::string out;
  for (const std::string& row : rows) {
    out += most == kAllRows ? row : fitted(row, std::max<size_t>(style.columns, 10) - 1);
    out += '\n';
  }
  if (left_out > 0) out += std::string(kIndent) + more_lines(left_out, style) + "\n";
  return out;
}

}  // namespace helve::terminal
