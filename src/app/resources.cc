#include "app/resources.h"

#include <fmt/format.h>

#include "app/uri.h"
#include "base/text.h"

namespace helve::app {
namespace {

constexpr std::string_view kResultPrefix = "helve://results/";
constexpr std::string_view kResultTemplate = "helve://results/{id}";
constexpr std::string_view kText = "text/plain";
constexpr char kFileCursor = 'f';            // followed by the path of the last file
constexpr std::int64_t kPageBytes = 512 * 1024;  // what `read` gives at most at once

Error no_resource(std::string_view uri) {
  return Error{Code::not_found, fmt::format("there is no resource '{}'", preview(escape_for_display(uri), 200)), "resources/list has them",
               "unknown_resource"};
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool Resources::may(std::string_view tool) const {
  const Registry::Found found = world_.registry->find(tool);
  const dispatch::Policy* policy = world_.policy;
  return found.tool && (!policy || policy->allows(world_.registry->index_of(*found.tool)));
}

Result<mcp::ResourcePage> Resources::list(std::optional<std::string_view> cursor, std::stop_token stop) {
  mcp::ResourcePage page;
  if (!cursor) {
    TRY(add_results(page));
    TRY(add_files(page, "", stop));
    return page;
  }
  if (!cursor->starts_with(kFileCursor)) return Error{Code::invalid_argument, "there is no such page", "start again without a cursor", "invalid_cursor"};
  TRY(add_files(page, TRY(percent_decoded(cursor->substr(1))), stop));
  return page;
}

Result<void> Resources::add_results(mcp::ResourcePage& page) {
  if (!world_.results || !may("read_large_result")) return {};
  for (const Results::Stored& stored : TRY(world_.results->list(world_.who.session))) {
    page.resources.push_back({.uri = std::string(kResultPrefix) + stored.id,
                              .name = stored.id,
                              .title = fmt::format("Stored result of {}", stored.tool),
                              .description = fmt::format("{} characters", stored.chars),
                              .mime_type = std::string(kText)});
  }
  return {};
}

Result<void> Resources::add_files(mcp::ResourcePage& page, std::string_view after, std::stop_token stop) {
  const workspace::Workspace* files = world_.files;
  if (!files || !may("read") || !may("ls")) return {};
  const std::vector<workspace::FileInfo> found = TRY(files->files_after(after, kResourcesOnAPage, stop));
  const std::string& root = files->roots().front().path;
  for (const workspace::FileInfo& file : found) {
    page.resources.push_back({.uri = file_uri(root + "/" + file.path), .name = escape_invalid_utf8(base_name(file.path)),
                              .title = escape_invalid_utf8(file.path), .size = file.size});
  }
  if (found.size() == kResourcesOnAPage) page.next = kFileCursor + percent_encoded(found.back().path);
  return {};
}

std::string Resources::file_template() const {
  const workspace::Workspace* files = world_.files;
  return files ? file_uri(files->roots().front().path) + "/{+path}" : "";
}

std::vector<mcp::ResourceTemplate> Resources::templates() {
  std::vector<mcp::ResourceTemplate> templates;
  if (std::string uri = file_template(); !uri.empty() && may("read")) {
    templates.push_back({.uri_template = std::move(uri), .name = "file", .title = "A file of the workspace", .description = "Text files, whole"});
  }
  if (world_.results && may("read_large_result")) {
    templates.push_back({.uri_template = std::string(kResultTemplate), .name = "result", .title = "A stored result",
                         .description = "Output that was too long to be shown, whole", .mime_type = std::string(kText)});
  }
  return templates;
}

Result<std::string> Resources::file_text(const std::string& path, std::stop_token stop) {
  std::string text;
  std::int64_t offset = 0;
  for (;;) {
    const Json arguments = JsonObject{{"path", path}, {"offset", offset}, {"max_bytes", kPageBytes}};
    dispatch::Outcome outcome = world_.dispatcher->call({.tool = "read", .arguments = &arguments, .caller = Caller::mcp, .who = world_.who,
                                                         .policy = world_.policy, .cap = dispatch::Cap::none, .stop = stop});
    if (outcome.error) return std::move(*outcome.error);
    const Json page = TRY(parse_json(outcome.product.json));
    text += string_at(page, "content");
    const Json* next = find(page, "next_offset");
    if (!next || !next->is_int64()) return text;
    if (text.size() > kMaxResourceBytes)
      return Error{Code::too_large, fmt::format("'{}' has more than {}", escape_for_display(path), human_size(kMaxResourceBytes)),
                   "the read tool reads it page by page"};
    offset = next->get_int64();
  }
}

Result<std::vector<ResourceContent>> Resources::read(std::string_view uri, std::stop_token stop) {
  if (uri.starts_with(kResultPrefix)) {
    if (!world_.results || !may("read_large_result")) return no_resource(uri);
    std::string text = TRY(world_.results->text(world_.who.session, uri.substr(kResultPrefix.size())));
    return std::vector{ResourceContent{std::string(uri), std::string(kText), escape_invalid_utf8(text)}};
  }
  Result<std::string> path = path_of_uri(uri);
  if (!path) return no_resource(uri);
  return std::vector{ResourceContent{std::string(uri), std::string(kText), TRY(file_text(*path, stop))}};
}

Result<mcp::Completions> Resources::complete(std::string_view uri_template, const mcp::Typed& typed) {
  mcp::Completions completions;
  if (uri_template == kResultTemplate && world_.results && may("read_large_result")) {
    for (const Results::Stored& stored : TRY(world_.results->list(world_.who.session))) {
      if (stored.id.starts_with(typed.value)) completions.values.push_back(stored.id);
    }
    return completions;
  }
  const workspace::Workspace* files = world_.files;
  if (!files || uri_template != file_template()) return no_resource(uri_template);
  if (!may("ls")) return completions;
  completions.values = files->complete_path(typed.value, mcp::kMaxCompletions + 1);
  completions.more = completions.values.size() > mcp::kMaxCompletions;
  return completions;
}

}  // namespace helve::app
