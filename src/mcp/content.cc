#include "mcp/content.h"

#include "mcp/object_writer.h"

namespace helve::mcp {
namespace {

void append_media(std::string& out, std::string_view type, std::string_view data,
                  std::string_view mime_type) {
  ObjectWriter block(out);
  block.text("type", type);
  block.text("data", data);
  block.text("mimeType", mime_type);
  block.close();
}

void append_link(std::string& out, const ResourceLink& link) {
  ObjectWriter block(out);
  block.raw("type", "\"resource_link\"");
  block.text("uri", link.uri);
  block.text("name", link.name);
  block.text_if_any("mimeType", link.mime_type);
  block.text_if_any("description", link.description);
  block.close();
}

bool knows(Version version, const Content& block) {
  if (std::holds_alternative<AudioContent>(block)) return version >= Version::v2025_03_26;
  if (std::holds_alternative<ResourceLink>(block)) return version >= Version::v2025_06_18;
  return true;
}

}  // namespace

void append_text_block(std::string& out, std::string_view text) {
  out += R"({"type":"text","text":)";
  append_json_string(out, text);
  out += '}';
}

void append_resource_content(std::string& out, const ResourceContent& content) {
  ObjectWriter resource(out);
  resource.text("uri", content.uri);
  resource.text_if_any("mimeType", content.mime_type);
  if (content.blob.empty())
    resource.text("text", content.text);
  else
    resource.text("blob", content.blob);
  resource.close();
}

void append_block(std::string& out, const Content& block, Version version) {
  if (const auto* text = std::get_if<TextContent>(&block))
    return append_text_block(out, text->text);
  if (!knows(version, block)) return append_text_block(out, text_of({block}));
  if (const auto* image = std::get_if<ImageContent>(&block)) {
    append_media(out, "image", image->data, image->mime_type);
  } else if (const auto* audio = std::get_if<AudioContent>(&block)) {
    append_media(out, "audio", audio->data, audio->mime_type);
  } else if (const auto* link = std::get_if<ResourceLink>(&block)) {
    append_link(out, *link);
  } else if (const auto* resource = std::get_if<ResourceContent>(&block)) {
    out += R"({"type":"resource","resource":)";
    append_resource_content(out, *resource);
    out += '}';
  }
}

}  // namespace helve::mcp
