#include "cli/man.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/outline.h"

namespace helve::cli {
namespace {

// Text that roff takes literally, whatever stands at the start of a line; other characters than
// ASCII by number.
std::string literal(std::string_view text) {
  std::string out;
  bool line_start = true;
  while (!text.empty()) {
    const std::string_view c = first_chars(text, 1);
    text.remove_prefix(c.size());
    if (line_start && (c == "." || c == "'")) out += "\\&";
    line_start = c == "\n";
    if (c == "\\")
      out += "\\e";
    else if (c == "-")
      out += "\\-";
    else if (c == "'")
      out += "\\(aq";
    else if (c == "\"")
      out += "\\(dq";
    else if (c == "`")
      out += "\\(ga";
    else if (c == "^")
      out += "\\(ha";
    else if (c == "~")
      out += "\\(ti";
    else if (c.size() > 1)
      out += fmt::format("\\[u{:04X}]", static_cast<unsigned>(code_point(c)));
    else
      out += c;
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  for (std::string_view line : split(text, '\n')) {
    if (!line.empty()) out += (out.empty() ? "" : ".br\n") + literal(line) + "\n";
  }
  return out;
}

void append_item(std::string& out, std::string_view term, std::string_view text) {
  out += fmt::format(".TP\n\\fB{}\\fR\n{}", literal(trim(term)), paragraphs(text));
}

void append_place(std::string& out, const OutlinePlace& place) {
  std::string usage = "helve " + place.path;
  for (const FlagDoc& doc : place.positionals)
    usage += fmt::format(fmt::runtime(doc.required ? " {}" : " [{}]"), doc.term());
  out += fmt::format(".SS \"{}\"\n{}", literal(usage), paragraphs(place.text));
  for (const FlagDoc& doc : place.positionals) append_item(out, doc.term(), doc.explanation());
  for (const FlagDoc& doc : place.flags) append_item(out, doc.term(), doc.explanation());
  if (place.examples.empty()) return;
  out += ".PP\nFor example:\n.PP\n.RS\n.nf\n";
  for (const std::string& example : place.examples) out += literal(example) + "\n";
  out += ".fi\n.RE\n";
}

constexpr std::string_view kIntroduction = R"(.SH DESCRIPTION
helve is a tool runtime for AI agents.
A tool is defined once; models, MCP clients and this command line use that one definition, and every call takes one path:
names are resolved, arguments checked, policy and hooks asked, the call recorded.
.PP
Tools are called by group and name.
Their parameters are positionals and flags; \fB\-\-input\fR gives them as JSON instead.
Every tool also answers to its aliases and to the names it has in dialects.
Global flags may stand before the group or after the tool; a flag that the tool itself has belongs to the tool there.
)";

constexpr std::string_view kEnd = R"(.SH OUTPUT
Answers go to standard output, notes and errors to standard error.
On a terminal, escape codes and invisible characters are shown, not obeyed.
With \fB\-\-json\fR the answer is the structured value of the tool, or
.PP
.RS
.nf
{\(dqok\(dq: false, \(dqerror\(dq: {\(dqerror_type\(dq, \(dqcode\(dq, \(dqmessage\(dq, \(dqhint\(dq, \(dqdetails\(dq}}
.fi
.RE
.SH "EXIT STATUS"
)";

struct ExitStatus {
  int status;
  std::string_view meaning;
};
constexpr ExitStatus kExitStatuses[] = {
    {0, "success"},
    {1, "any other failure"},
    {2, "wrong arguments or configuration"},
    {3, "not found"},
    {4, "conflict: it exists already, or changed meanwhile"},
    {5, "denied by policy, a hook or the system; or no credentials"},
    {6, "the network could not be reached"},
    {7, "unsupported"},
    {8, "done in part"},
    {124, "timed out"},
    {130, "cancelled"},
};

constexpr std::pair<std::string_view, std::string_view> kEnvironment[] = {
    {"NO_COLOR", "No colours when set and not empty."},
    {"HELVE_CONFIG", "The file to read instead of ~/.config/helve/config.yaml; --config wins."},
    {"HELVE_*", "Settings, as in the config files; flags win over them."},
    {"XDG_CONFIG_HOME", "Where the config directory is; default ~/.config."},
    {"XDG_STATE_HOME", "Where the state directory is; default ~/.local/state."},
};

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"~/.config/helve/config.yaml", "The user's settings."},
    {"~/.config/helve/hooks/", "Scripts that run before and after calls."},
    {"~/.config/helve/prompts/", "Prompts for MCP clients."},
    {".helve/config.yaml",
     "A workspace's settings. It can only narrow what is allowed until `helve trust` says that its "
     "content is trusted."},
    {"~/.local/state/helve/helve.db", "Recorded calls and stored results."},
    {"~/.local/state/helve/trust", "The workspace settings that are trusted, by their content."},
};

}  // namespace

std::string man_page(const Program& program, const Registry& registry) {
  const Outline outline = outline_of(program, registry);
  std::string out =
      fmt::format(".TH HELVE 1 \"version {0}\" \"helve {0}\" \"User Commands\"\n", HELVE_VERSION);
  out += ".SH NAME\nhelve \\- a tool runtime for AI agents\n.SH SYNOPSIS\n";
  out += "\\fBhelve\\fR \\fIGROUP\\fR \\fITOOL\\fR [\\fIarguments\\fR] [\\fIflags\\fR]\n.br\n";
  out += "\\fBhelve\\fR \\fICOMMAND\\fR [\\fIarguments\\fR] [\\fIflags\\fR]\n";
  out += kIntroduction;
  auto is_tool = [](const OutlinePlace& place) { return place.path.find(' ') != place.path.npos; };
  out += ".SH TOOLS\n";
  for (const OutlinePlace& place : outline.places) {
    if (is_tool(place) && place.is_leaf()) append_place(out, place);
  }
  out += ".SH COMMANDS\n";
  for (const OutlinePlace& place : outline.places) {
    if (!is_tool(place) && !place.text.empty()) append_place(out, place);
  }
  out += ".SH \"GLOBAL FLAGS\"\n";
  for (const FlagDoc& flag : outline.globals) append_item(out, flag.term(), flag.explanation());
  out += kEnd;
  for (const ExitStatus& exit : kExitStatuses)
    append_item(out, std::to_string(exit.status), exit.meaning);
  out += ".SH ENVIRONMENT\n";
  for (const auto& [name, text] : kEnvironment) append_item(out, name, text);
  out += ".SH FILES\n";
  for (const auto& [name, text] : kFiles) append_item(out, name, text);
  return out;
}

}  // namespace helve::cli
