// Themes: what tools can do, in one line for each theme and without their names, so that a model
// knows what there is before it looks for a tool.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/inventory.h"

namespace helve::tools {

// Tools of one group, or of one server.
struct ToolGroup {
  std::string name;
  bool is_server = false;
  struct Line {
    std::string name;
    std::string description;
  };
  std::vector<Line> tools;
};
enum class Servers : bool { leave_out, include };
std::vector<ToolGroup> groups_of(const Inventory& inventory, Servers servers);

// A group each, and how many tools it has.
std::vector<std::string> themes_by_group(std::span<const ToolGroup> groups);
// Whether a theme is one of those.
bool is_count(std::string_view theme);

// The question that makes themes of the groups, and what of the answer they are: bounded, and
// without lines that name tools.
extern const std::string_view kThemesSystem;
std::string themes_question(std::span<const ToolGroup> groups);
std::vector<std::string> themes_in(std::string_view answer, std::span<const ToolGroup> groups);

// The lines of a list, whatever they say.
std::vector<std::string> listed_themes(std::string_view text);

}  // namespace helve::tools
