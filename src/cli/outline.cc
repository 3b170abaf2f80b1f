#include "cli/outline.h"

#include "base/text.h"
#include "cli/names.h"

namespace helve::cli {
namespace {

void describe_input(OutlinePlace& place, const schema::Type& type,
                    const std::vector<Example>& examples) {
  place.positionals = positionals(type);
  place.flags = flags(type);
  for (const Example& example : examples)
    place.examples.push_back(command_line(place.path, type, example.arguments));
}

OutlinePlace tool_place(const Named& tool) {
  OutlinePlace place{.path = tool.command(), .text = tool.tool->spec.description};
  const Face face(tool);
  describe_input(place, face.type(), tool.tool->spec.examples);
  return place;
}

OutlinePlace command_place(const Command& command) {
  OutlinePlace place{.path = std::string(command.name),
                     .text = std::string(command.input->description) + "."};
  if (!command.details.empty()) place.text += "\n" + std::string(command.details);
  describe_input(place, *command.input, command.examples);
  return place;
}

}  // namespace

Outline outline_of(const Program& program, const Registry& registry) {
  Outline outline;
  outline.globals = flags(schema::kType<Options>);
  OutlinePlace root;
  std::vector<OutlinePlace> rest;
  for (std::string_view group : registry.groups()) {
    OutlinePlace place{.path = std::string(group)};
    std::vector<OutlinePlace> tools;
    std::vector<std::string> words;
    for (const Named& tool : tools_of(registry, group)) {
      place.words.emplace_back(tool.word, summary_of(*tool.tool));
      words.push_back(tool.word);
      tools.push_back(tool_place(tool));
    }
    root.words.emplace_back(group, "Tools: " + join(words, ", "));
    rest.push_back(std::move(place));
    std::ranges::move(tools, std::back_inserter(rest));
  }
  for (const Command& command : program.commands) {
    root.words.emplace_back(command.name, first_sentence(command.input->description));
    rest.push_back(command_place(command));
  }
  outline.places.push_back(std::move(root));
  std::ranges::move(rest, std::back_inserter(outline.places));
  return outline;
}

}  // namespace helve::cli
