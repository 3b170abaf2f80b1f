// resources/list, resources/templates/list and resources/read.
#include "mcp/content.h"
#include "mcp/paging.h"
#include "mcp/result_writer.h"
#include "mcp/session.h"

namespace helve::mcp {
namespace {

constexpr size_t kMaxUriBytes = 8u << 10;

// What resources and templates have in common, after the URI.
template <class Described>
void append_description(ObjectWriter& object, const Described& described, Version version) {
  object.text("name", described.name);
  if (version >= Version::v2025_06_18) object.text_if_any("title", described.title);
  object.text_if_any("description", described.description);
  object.text_if_any("mimeType", described.mime_type);
}

void append_resource(std::string& out, const Resource& resource, Version version) {
  ObjectWriter object(out);
  object.text("uri", resource.uri);
  append_description(object, resource, version);
  if (resource.size && version >= Version::v2025_03_26) object.integer("size", *resource.size);
  object.close();
}

void append_template(std::string& out, const ResourceTemplate& one, Version version) {
  ObjectWriter object(out);
  object.text("uriTemplate", one.uri_template);
  append_description(object, one, version);
  object.close();
}

template <class Items, class Append>
void append_list(std::string& out, const Items& items, Append append) {
  out += '[';
  for (bool first = true; const auto& item : items) {
    if (!std::exchange(first, false)) out += ',';
    append(item);
  }
  out += ']';
}

void append_unreadable(std::string& out, const Request& request, std::string_view uri,
                       const Error& error) {
  if (error.code != Code::not_found) return append_refusal(out, request, error);
  std::string data;
  ObjectWriter object(data);
  object.text("uri", uri);
  object.close();
  append_error(out, request.id,
               request.modern() ? RpcCode::invalid_params : RpcCode::resource_not_found,
               describe(error), data);
}

}  // namespace

void Session::list_resources(const Request& request, std::string& out) {
  const auto cursor = read_cursor(request.params);
  if (!cursor) return append_refusal(out, request, cursor.error());
  roots_.wait(request.stop.get_token(), server_.options().roots_wait);
  const Result<ResourcePage> page =
      server_.options().resources->list(*cursor, request.stop.get_token());
  if (!page) return append_refusal(out, request, page.error());
  ResultWriter result(out, request, server_.info_member());
  result.key("resources");
  append_list(out, page->resources,
              [&](const Resource& one) { append_resource(out, one, request.version); });
  if (page->next) result.text("nextCursor", *page->next);
  result.keep_for(kKeepNothing);
  result.finish();
}

void Session::list_templates(const Request& request, std::string& out) {
  const auto cursor = read_cursor(request.params);
  const Result<size_t> page = cursor ? find_page(*cursor, 1) : cursor.error();
  if (!page) return append_refusal(out, request, page.error());
  roots_.wait(request.stop.get_token(), server_.options().roots_wait);
  const std::vector<ResourceTemplate> templates = server_.options().resources->templates();
  ResultWriter result(out, request, server_.info_member());
  result.key("resourceTemplates");
  append_list(out, templates,
              [&](const ResourceTemplate& one) { append_template(out, one, request.version); });
  result.keep_for(kKeepList);
  result.finish();
}

void Session::read_resource(const Request& request, std::string& out) {
  const Json* uri = request.param("uri");
  if (!uri || !uri->is_string() || uri->get_string().size() > kMaxUriBytes) {
    return append_error(out, request.id, RpcCode::invalid_params,
                        "params.uri must be a URI of at most 8192 bytes");
  }
  const std::string_view name = uri->get_string();
  roots_.wait(request.stop.get_token(), server_.options().roots_wait);
  const auto contents = server_.options().resources->read(name, request.stop.get_token());
  if (!contents) return append_unreadable(out, request, name, contents.error());
  ResultWriter result(out, request, server_.info_member());
  result.key("contents");
  append_list(out, *contents,
              [&](const ResourceContent& one) { append_resource_content(out, one); });
  result.keep_for(kKeepNothing);
  result.finish();
}

}  // namespace helve::mcp
