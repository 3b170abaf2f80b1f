#include "app/tool_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/dialect_face.h"
#include "mcp/tool_list.h"
#include "model/formats.h"
#include "model/json_tags.h"

namespace helve::app {
namespace {

Result<Formatted> mcp_tools(const World& world, const cli::ToolList& tools) {
  const DialectFace face(*world.registry, world.dialect);
  mcp::Options options;
  options.page_size = std::max<size_t>(tools.size(), 1);
  options.tool_name = [&](const Tool& tool) {
    return std::ranges::find(tools, &tool) == tools.end() ? "" : face.name(tool);
  };
  options.description = [&](const Tool& tool) { return face.description(tool); };
  options.input_schema = [&](const Tool& tool) { return face.input_schema(tool); };
  mcp::ToolList list(*world.registry, options, world.home->policy.get());
  const Json page = TRY(parse_json("{" + *TRY(list.page({}, std::nullopt)) + "}"));
  return Formatted{.json = page.at("tools")};
}

Formatted formatted(model::Lowered lowered) {
  Formatted out{.json = std::move(lowered.tools)};
  for (const model::Omitted& each : lowered.omitted) out.omitted.push_back(each.text());
  return out;
}

}  // namespace

std::vector<model::Offer> offers_of(const World& world, const cli::ToolList& tools) {
  const DialectFace face(*world.registry, world.dialect);
  std::vector<model::Offer> offers;
  for (const Tool* tool : tools)
    offers.push_back({face.name(*tool), face.description(*tool), face.input_schema(*tool)});
  return offers;
}

cli::ToolList allowed_tools(const Registry& registry, const dispatch::Policy* policy) {
  cli::ToolList tools;
  for (size_t i = 0; i < registry.tools().size(); ++i)
    if (!policy || policy->allows(i)) tools.push_back(&registry.tools()[i]);
  return tools;
}

Result<Formatted> format_tools(Format format, const World& world, const cli::ToolList& tools) {
  if (format == Format::mcp) return mcp_tools(world, tools);
  const std::vector<model::Offer> offers = offers_of(world, tools);
  switch (format) {
    case Format::anthropic:
      return formatted(model::to_anthropic(offers));
    case Format::openai:
      return formatted(model::to_openai(offers));
    case Format::openai_strict:
      return formatted(model::to_openai_strict(offers));
    case Format::gemini:
      return formatted(model::to_gemini(offers));
    case Format::json_tags:
      return Formatted{.text = model::json_tags::prompt(offers, model::json_tags::Calls::one)};
    default:
      return Error{Code::internal, "this format is shown elsewhere"};
  }
}

}  // namespace helve::app
