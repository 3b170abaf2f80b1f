#include "mcp/tool_list.h"

#include <utility>

#include "mcp/object_writer.h"
#include "mcp/paging.h"

namespace helve::mcp {
namespace {

// Every hint is stated: what is left out counts as the worst.
void append_annotations(std::string& out, const Spec& spec, Version version) {
  const bool reads = spec.effect == Effect::read;
  ObjectWriter hints(out);
  if (version < Version::v2025_06_18) hints.text_if_any("title", spec.title);
  hints.boolean("readOnlyHint", reads);
  hints.boolean("destructiveHint", !reads && spec.destructive);
  hints.boolean("idempotentHint", reads || spec.idempotent);
  hints.boolean("openWorldHint", spec.open_world);
  hints.close();
}

// Legacy clients take only objects as structured content.
bool can_be_declared(const JsonObject& output_schema, Version version) {
  if (output_schema.empty() || version < Version::v2025_06_18) return false;
  const Json* type = output_schema.if_contains("type");
  return is_modern(version) || (type && *type == "object");
}

}  // namespace

void ToolList::append_tool(std::string& out, const Tool& tool, std::string_view name,
                           Reader reader) const {
  const Version version = reader.version;
  ObjectWriter object(out);
  object.text("name", name);
  if (version >= Version::v2025_06_18) object.text_if_any("title", tool.spec.title);
  object.text("description",
              options_.description ? options_.description(tool) : tool.spec.description);
  object.value("inputSchema",
               options_.input_schema ? options_.input_schema(tool) : tool.input_schema());
  if (reader.structured) {
    const JsonObject output = tool.output_schema();
    if (can_be_declared(output, version)) object.value("outputSchema", output);
  }
  if (version >= Version::v2025_03_26) {
    object.key("annotations");
    append_annotations(out, tool.spec, version);
  }
  object.close();
}

std::vector<ToolList::Page> ToolList::render(Reader reader) const {
  std::vector<std::string> texts(1);
  size_t on_page = 0;
  for (const Tool& tool : registry_.tools()) {
    if (policy_ && !policy_->allows(registry_.index_of(tool))) continue;
    const std::string name = options_.tool_name ? options_.tool_name(tool) : tool.spec.name;
    if (name.empty()) continue;
    if (on_page == std::max<size_t>(options_.page_size, 1)) {
      texts.emplace_back();
      on_page = 0;
    }
    if (on_page++ > 0) texts.back() += ',';
    append_tool(texts.back(), tool, name, reader);
  }
  std::vector<Page> pages;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string page = "\"tools\":[" + texts[i] + ']';
    if (i + 1 < texts.size()) page += ",\"nextCursor\":\"" + cursor_of(i + 1) + '"';
    pages.push_back(std::make_shared<const std::string>(std::move(page)));
  }
  return pages;
}

Result<ToolList::Page> ToolList::page(Reader reader, std::optional<std::string_view> cursor) {
  std::lock_guard lock(mutex_);
  Pages& pages = pages_[static_cast<size_t>(reader.version)][reader.structured ? 1 : 0];
  if (pages.empty()) pages = render(reader);
  return pages[TRY(find_page(cursor, pages.size()))];
}

bool ToolList::set_policy(const dispatch::Policy* policy) {
  std::lock_guard lock(mutex_);
  const dispatch::Policy* before = std::exchange(policy_, policy);
  bool changed = false;
  for (size_t i = 0; i < registry_.tools().size(); ++i) {
    changed = changed || (!before || before->allows(i)) != (!policy || policy->allows(i));
  }
  if (changed) {
    for (auto& of_revision : pages_) of_revision.fill({});
  }
  return changed;
}

}  // namespace helve::mcp
