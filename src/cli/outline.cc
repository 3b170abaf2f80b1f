#include "cli/outline.h"

#include "base/text.h"
#include "cli/names.h"

namespace helve::cli {
namespace {

void describe_input(OutlinePlace& place, const schema::Type& type) {
  place.positionals = positionals(type);
  place.flags = flags(type);
}

// Names of tools and groups are choices only once the registry is known.
void offer(std::vector<FlagDoc>& docs, std::string_view name,
           const std::vector<std::string>& choices) {
  for (FlagDoc& doc : docs) {
    if (doc.name == name) doc.choices = choices, doc.completes = Completes::choices;
  }
}

void offer_names(Outline& outline, const Registry& registry) {
  std::vector<std::string> tools, names;
  for (std::string_view group : registry.groups()) names.emplace_back(group);
  for (const Tool& tool : registry.tools()) tools.push_back(tool.spec.name);
  names.insert(names.end(), tools.begin(), tools.end());
  for (OutlinePlace& place : outline.places) {
    if (place.path == "call") offer(place.positionals, "NAME", tools);
    if (place.path == "tools") offer(place.positionals, "NAMES", names);
    if (place.path == "log") offer(place.flags, "--tool", tools);
  }
  names.insert(names.begin(), {"all", "none"});
  offer(outline.globals, "--tools", names);
}

bool has_word(const OutlinePlace& place, std::string_view word) {
  return std::ranges::any_of(place.words, [&](const auto& row) { return row.first == word; });
}

// Behind `help` stands what may stand behind the program, or a tool's own name; behind a group its
// tools.
void add_topics(Outline& outline, const Registry& registry) {
  const auto help = std::ranges::find(outline.places, "help", &OutlinePlace::path);
  if (help == outline.places.end()) return;
  help->words = outline.places.front().words;
  for (const Tool& tool : registry.tools()) {
    if (!has_word(*help, tool.spec.name))
      help->words.emplace_back(tool.spec.name, summary_of(tool));
  }
  std::vector<OutlinePlace> groups;
  for (const OutlinePlace& place : outline.places) {
    if (!place.is_leaf() && is_group(registry, place.path))
      groups.push_back({.path = "help " + place.path, .words = place.words});
  }
  std::ranges::move(groups, std::back_inserter(outline.places));
}

OutlinePlace tool_place(const Named& tool) {
  OutlinePlace place{.path = tool.command(), .text = tool.tool->spec.description};
  const Face face(tool);
  const schema::Type type = face.type();
  describe_input(place, type);
  for (const Example& example : tool.tool->spec.examples)
    place.examples.push_back(command_line(place.path, type, example.arguments));
  return place;
}

OutlinePlace command_place(const Command& command) {
  OutlinePlace place{.path = std::string(command.name),
                     .text = std::string(command.input->description) + "."};
  if (!command.details.empty()) place.text += "\n" + std::string(command.details);
  describe_input(place, *command.input);
  for (const CommandExample& example : command.examples) place.examples.emplace_back(example.line);
  return place;
}

}  // namespace

Outline outline_of(const Program& program, const Registry& registry) {
  Outline outline;
  outline.globals = global_flags();
  OutlinePlace root;
  std::vector<OutlinePlace> rest;
  for (std::string_view group : registry.groups()) {
    OutlinePlace place{.path = std::string(group)};
    std::vector<OutlinePlace> tools;
    std::vector<std::string> words;
    for (const Named& tool : tools_of(registry, group)) {
      tools.push_back(tool_place(tool));
      words.push_back(tool.word);
      // One that needs no group is shown without it.
      Rows& shown = tool.tool->spec.top_level ? root.words : place.words;
      shown.emplace_back(tool.word, summary_of(*tool.tool));
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
  offer_names(outline, registry);
  add_topics(outline, registry);
  return outline;
}

}  // namespace helve::cli
