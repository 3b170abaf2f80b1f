#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/flag_docs.h"
#include "schema/flags.h"

namespace helve::cli {
namespace {

// Pages are put together from parts with an empty line between; empty parts leave no trace.
class Builder {
 public:
  explicit Builder(const Page& page) : page_(page) {}

  Builder& usage(std::string_view line, std::string_view second = {}) {
    const std::string more = second.empty() ? "" : fmt::format("       {}\n", second);
    return part(fmt::format("{} {}\n{}", page_.style.bold("usage:"), trim(line), more));
  }
  Builder& text(std::string_view text) { return part(wrap(text, page_.width, 0)); }
  Builder& list(std::string_view title, const Rows& rows) {
    if (rows.empty()) return *this;
    return part(heading(title) + two_columns(rows, page_.width, page_.style));
  }
  Builder& lines(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return *this;
    std::string body = heading(title);
    for (const std::string& line : lines) body += "  " + line + "\n";
    return part(body);
  }
  Builder& block(std::string_view title, std::string_view text) {
    return part(heading(title) + wrap(text, page_.width, 2));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string heading(std::string_view title) const { return page_.style.bold(title) + "\n"; }
  Builder& part(const std::string& text) {
    if (text.empty()) return *this;
    if (!out_.empty()) out_ += '\n';
    out_ += text;
    return *this;
  }

  const Page& page_;
  std::string out_;
};

Rows rows_of(const std::vector<FlagDoc>& docs) {
  Rows rows;
  for (const FlagDoc& doc : docs) rows.emplace_back(doc.term(), doc.explanation());
  return rows;
}

// The global flags by name, without those that `own` has itself: behind the tool they mean the
// tool's.
std::string global_names(const schema::Type& own) {
  const std::vector<FlagDoc> hidden = flags(own);
  std::vector<std::string> names;
  for (const FlagDoc& doc : global_flags()) {
    if (std::ranges::find(hidden, doc.name, &FlagDoc::name) == hidden.end())
      names.push_back(doc.negation.empty() ? doc.name : doc.negation);
  }
  return join(names, " ");
}

// Examples are given in canonical names; a dialect's face shows them only where no parameter is
// renamed.
std::vector<Example> examples_of(const Named& tool) {
  return tool.dialect && !tool.dialect->parameters.empty() ? std::vector<Example>()
                                                           : tool.tool->spec.examples;
}

std::vector<std::string> example_lines(const Named& tool, const schema::Type& type,
                                       const Style& style) {
  std::vector<std::string> lines;
  for (const Example& example : examples_of(tool)) {
    if (!example.what.empty()) lines.push_back(style.dim("# " + example.what));
    lines.push_back(command_line(tool.command(), type, example.arguments));
  }
  return lines;
}

std::vector<std::string> example_lines(const Command& command, const Style& style) {
  std::vector<std::string> lines;
  for (const CommandExample& example : command.examples) {
    lines.push_back(style.dim(fmt::format("# {}", example.what)));
    lines.emplace_back(example.line);
  }
  return lines;
}

std::string names_line(const Registry& registry, const Named& tool) {
  std::vector<std::string> names = other_names(registry, *tool.tool);
  std::erase(names, tool.name);
  if (tool.name != tool.tool->spec.name) names.insert(names.begin(), tool.tool->spec.name);
  return names.empty() ? "" : fmt::format("Other names: {}.", join(names, ", "));
}

}  // namespace

std::string program_help(const Program& program, const Registry& registry, const Page& page) {
  Builder builder(page);
  builder.usage("helve GROUP TOOL [arguments] [flags]", "helve COMMAND [arguments] [flags]");
  builder.text(
      "A tool runtime for AI agents: every tool is a command here, a tool for MCP clients and a "
      "function for models.");
  for (std::string_view group : registry.groups()) {
    Rows rows;
    for (const Named& tool : tools_of(registry, group))
      rows.emplace_back(tool.command(), summary_of(*tool.tool));
    builder.list(fmt::format("Tools: {}", group), rows);
  }
  Rows commands;
  for (const Command& command : program.commands)
    commands.emplace_back(command.name, first_sentence(command.input->description));
  builder.list("Commands", commands);
  builder.list("Global flags", rows_of(global_flags()));
  builder.text("helve help GROUP TOOL, or helve GROUP TOOL --help, tells more.");
  return builder.take();
}

std::string group_help(const Registry& registry, std::string_view group, const Page& page) {
  Rows rows;
  for (const Named& tool : tools_of(registry, group))
    rows.emplace_back(tool.word, summary_of(*tool.tool));
  return Builder(page)
      .usage(fmt::format("helve {} TOOL [arguments] [flags]", group))
      .list("Tools", rows)
      .text(fmt::format("helve {} TOOL --help tells more about one of them.", group))
      .take();
}

std::string tool_help(const Registry& registry, const Named& tool, const Page& page) {
  const Face face(tool);
  const schema::Type type = face.type();
  const std::string usage = tool.tool->input ? usage_of(type) : "--input FILE";
  Builder builder(page);
  builder.usage(fmt::format("helve {} {}", tool.command(), usage))
      .text(tool.dialect ? in_their_words(*tool.dialect, tool.tool->spec.description)
                         : tool.tool->spec.description);
  builder.list("Arguments", rows_of(positionals(type, face.defaults())))
      .list("Flags", rows_of(flags(type, face.defaults())));
  if (!tool.tool->input)
    builder.text("Arguments, as a JSON Schema:\n" + to_pretty(Json(tool.tool->input_schema())));
  builder.lines("Examples", example_lines(tool, type, page.style));
  builder.block("Global flags (helve help explains them)", global_names(type));
  return builder.text(names_line(registry, tool)).take();
}

std::string command_help(const Command& command, const Page& page) {
  const schema::Type& type = *command.input;
  return Builder(page)
      .usage(fmt::format("helve {} {}", command.name, usage_of(type)))
      .text(std::string(type.description) + ".")
      .text(command.details)
      .list("Arguments", rows_of(positionals(type)))
      .list("Flags", rows_of(flags(type)))
      .lines("Examples", example_lines(command, page.style))
      .block("Global flags (helve help explains them)", global_names(type))
      .take();
}

}  // namespace helve::cli
