#include "cli/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/flag_docs.h"
#include "cli/names.h"
#include "schema/flags.h"
#include "schema/schema.h"

namespace helve::cli {
namespace {

JsonArray strings(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

JsonObject tool_json(const Registry& registry, const Tool& tool) {
  const Spec& spec = tool.spec;
  JsonObject out;
  out["name"] = spec.name;
  out["group"] = spec.group;
  out["command"] = "helve " + named(tool).command();
  out["title"] = spec.title;
  out["description"] = spec.description;
  out["effect"] = name_of(spec.effect);
  out["idempotent"] = spec.idempotent;
  out["destructive"] = spec.destructive;
  out["open_world"] = spec.open_world;
  out["terminal"] = spec.terminal;
  out["other_names"] = strings(other_names(registry, tool));
  out["input_schema"] = tool.input_schema();
  out["output_schema"] = tool.output_schema();
  JsonArray examples;
  for (const Example& example : spec.examples) {
    Result<Json> arguments = parse_json(example.arguments);
    examples.push_back(JsonObject{{"what", example.what},
                                  {"arguments", arguments ? *arguments : Json(example.arguments)}});
  }
  out["examples"] = std::move(examples);
  return out;
}

std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string type_word(const schema::Type& type) {
  const schema::Type& inner = schema::plain(type);
  switch (inner.kind) {
    case schema::Kind::boolean:
      return "boolean";
    case schema::Kind::integer:
      return "integer";
    case schema::Kind::number:
      return "number";
    case schema::Kind::string:
      return "string";
    case schema::Kind::object:
      return "object";
    case schema::Kind::array:
      return "list of " + type_word(*inner.inner);
    case schema::Kind::map:
      return "map of " + type_word(*inner.inner);
    case schema::Kind::enumeration: {
      std::vector<std::string> names(inner.names.begin(), inner.names.end());
      return join(names, " or ");
    }
    default:
      return "any";
  }
}

void append_input(std::string& out, const schema::Type& type) {
  std::vector<FlagDoc> docs;
  for (const schema::Field& field : type.fields) {
    schema::Type one = type;
    one.fields = {&field, 1};
    std::ranges::move(positionals(one), std::back_inserter(docs));
    std::ranges::move(flags(one), std::back_inserter(docs));
  }
  out += "| parameter | type | on the command line | |\n|---|---|---|---|\n";
  for (size_t i = 0; i < docs.size(); ++i) {
    const schema::Field& field = type.fields[i];
    const std::string shown = docs[i].value.empty() || field.place == schema::Place::positional
                                  ? docs[i].name
                                  : docs[i].name + " " + docs[i].value;
    out += fmt::format("| `{}`{} | {} | `{}` | {} |\n", field.name,
                       field.required ? " (required)" : "",
                       field.only_object ? "object" : type_word(*field.type), cell(shown),
                       cell(docs[i].explanation()));
  }
  out += "\n";
}

void append_output(std::string& out, const schema::Type& type) {
  out += "| in the answer | type | |\n|---|---|---|\n";
  for (const schema::Field& field : type.fields) {
    out += fmt::format("| `{}`{} | {} | {} |\n", field.name, field.required ? "" : " (optional)",
                       type_word(*field.type), cell(field.description));
  }
  out += "\n";
}

void append_tool(std::string& out, const Registry& registry, const Tool& tool) {
  const Named own = named(tool);
  out += fmt::format("### {}\n\n{}\n\n", tool.spec.name, tool.spec.description);
  out +=
      fmt::format("`helve {} {}` · effect: {}", own.command(),
                  tool.input ? usage_of(*tool.input) : "--input FILE", name_of(tool.spec.effect));
  if (const auto names = other_names(registry, tool); !names.empty())
    out += " · also called " + join(names, ", ");
  out += "\n\n";
  if (tool.input && !tool.input->fields.empty()) append_input(out, *tool.input);
  if (tool.output && !tool.output->fields.empty()) append_output(out, *tool.output);
  if (tool.spec.examples.empty() || !tool.input) return;
  out += "```sh\n";
  for (const Example& example : tool.spec.examples)
    out += fmt::format("# {}\n{}\n", example.what,
                       command_line(own.command(), *tool.input, example.arguments));
  out += "```\n\n";
}

// The groups that have a listed tool, each with its tools.
template <class Visit>
void for_each_group(const Registry& registry, const ToolList& tools, Visit visit) {
  for (std::string_view group : registry.groups()) {
    ToolList members;
    std::ranges::copy_if(tools, std::back_inserter(members),
                         [&](const Tool* tool) { return tool->spec.group == group; });
    if (!members.empty()) visit(group, members);
  }
}

}  // namespace

std::string tools_table(const Registry& registry, const ToolList& tools, const Page& page) {
  std::string out;
  for_each_group(registry, tools, [&](std::string_view group, const ToolList& members) {
    Rows rows;
    for (const Tool* tool : members)
      rows.emplace_back(tool->spec.name,
                        fmt::format("{} [{}]", summary_of(*tool), name_of(tool->spec.effect)));
    if (!out.empty()) out += '\n';
    out += page.style.bold(group) + "\n" + two_columns(rows, page.width, page.style);
  });
  return out;
}

JsonArray tools_json(const Registry& registry, const ToolList& tools) {
  JsonArray out;
  for (const Tool* tool : tools) out.push_back(tool_json(registry, *tool));
  return out;
}

std::string tools_markdown(const Registry& registry, const ToolList& tools) {
  std::string out = "# Tools\n\n";
  for_each_group(registry, tools, [&](std::string_view group, const ToolList& members) {
    out += fmt::format("## {}\n\n", group);
    for (const Tool* tool : members) append_tool(out, registry, *tool);
  });
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace helve::cli
