#include "app/resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/uri.h"
#include "base/text.h"

namespace helve::app {
namespace {

constexpr std::string_view kResultPrefix = "helve://results/";
constexpr std::string_view kResultTemplate = "helve://results/{id}";
constexpr std::string_view kText = "text/plain";
constexpr char kFileCursor = 'f';                // followed by the path of the last file
constexpr std::int64_t kPageBytes = 512 * 1024;  // what `read` gives at most at once

Error no_resource(std::string_view uri) {
  return Error{Code::not_found,
               fmt::format("there is no resource '{}'", preview(escape_for_display(uri), 200)),
               "resources/list has them", "unknown_resource"};
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// One request, answered from one place.
class Request {
 public:
  Request(const World& world, std::stop_token stop)
      : registry_(*world.registry), place_(world.place()), stop_(std::move(stop)) {}

  const workspace::Workspace* files() const { return place_->files.get(); }
  Results* results() const { return may("read_large_result") ? place_->stages.results : nullptr; }
  const std::string& session() const { return place_->who.session; }

  // The tool is loaded, and the policy allows it without asking anybody.
  bool may(std::string_view tool) const {
    const Tool* found = registry_.find(tool).tool;
    if (!found || !place_->policy) return found;
    return place_->policy->decide(registry_.index_of(*found), found->spec.effect).verdict ==
           dispatch::Verdict::allow;
  }

  Result<Json> call(std::string_view tool, const Json& arguments) const {
    dispatch::Outcome outcome = place_->dispatcher->call({.tool = tool,
                                                          .arguments = &arguments,
                                                          .caller = Caller::mcp,
                                                          .who = place_->who,
                                                          .policy = place_->policy.get(),
                                                          .cap = dispatch::Cap::none,
                                                          .stop = stop_});
    if (outcome.error) return std::move(*outcome.error);
    return parse_json(outcome.product.json);
  }

  // Empty when there are no files.
  std::string file_template() const {
    return files() ? file_uri(files()->roots().front().path) + "/{+path}" : "";
  }

  Result<void> add_results(mcp::ResourcePage& page) const;
  Result<void> add_files(mcp::ResourcePage& page, std::string_view after) const;
  Result<std::string> file_text(const std::string& path) const;
  Result<std::string> result_text(std::string_view id) const;

 private:
  const Registry& registry_;
  const std::shared_ptr<const Place> place_;
  const std::stop_token stop_;
};

Result<void> Request::add_results(mcp::ResourcePage& page) const {
  if (!results()) return {};
  for (const Results::Stored& stored : TRY(results()->list(session()))) {
    page.resources.push_back({.uri = std::string(kResultPrefix) + stored.id,
                              .name = stored.id,
                              .title = fmt::format("Stored result of {}", stored.tool),
                              .description = fmt::format("{} characters", stored.chars),
                              .mime_type = std::string(kText)});
  }
  return {};
}

Result<void> Request::add_files(mcp::ResourcePage& page, std::string_view after) const {
  if (!files() || !may("read") || !may("ls")) return {};
  const std::vector<workspace::FileInfo> found =
      TRY(files()->files_after(after, kResourcesOnAPage, stop_));
  const std::string& root = files()->roots().front().path;
  for (const workspace::FileInfo& file : found) {
    page.resources.push_back({.uri = file_uri(root + "/" + file.path),
                              .name = escape_invalid_utf8(base_name(file.path)),
                              .title = escape_invalid_utf8(file.path),
                              .size = file.size});
  }
  if (found.size() == kResourcesOnAPage)
    page.next = kFileCursor + percent_encoded(found.back().path);
  return {};
}

std::int64_t integer_at(const Json& json, std::string_view name) {
  const Json* value = find(json, name);
  return value && value->is_int64() ? value->get_int64() : 0;
}

// The `read` tool spells out bytes that are no text. It says so in a note.
bool is_spelt_out(const Json& page) {
  const Json* notes = find(page, "notes");
  if (!notes || !notes->is_array()) return false;
  return std::ranges::any_of(notes->get_array(), [](const Json& note) {
    return note.is_string() && note.get_string().find("not UTF-8") != std::string::npos;
  });
}

// The whole file as it is, or an error: never a part of it, and nothing that is not in it.
Result<std::string> Request::file_text(const std::string& path) const {
  const std::string name = escape_for_display(path);
  std::string text;
  for (std::int64_t offset = 0;;) {
    const Json page = TRY(
        call("read", JsonObject{{"path", path}, {"offset", offset}, {"max_bytes", kPageBytes}}));
    const auto size = static_cast<std::uint64_t>(integer_at(page, "size"));
    if (size > kMaxResourceBytes)
      return Error{Code::too_large,
                   fmt::format("'{}' has more than {}", name, human_size(kMaxResourceBytes)),
                   "the read tool reads it page by page"};
    if (is_spelt_out(page))
      return Error{Code::unsupported, fmt::format("'{}' is not UTF-8 text as a whole", name),
                   "the read tool shows what is"};
    text += string_at(page, "content");
    const std::int64_t next = integer_at(page, "next_offset");
    if (next > offset && text.size() <= size) {
      offset = next;
      continue;
    }
    if (text.size() == size) return text;
    return Error{
        Code::unsupported,
        fmt::format("'{}' cannot be given whole: a line is longer than {}, or it changed meanwhile",
                    name, human_size(kPageBytes)),
        "the read tool reads it page by page"};
  }
}

Result<std::string> Request::result_text(std::string_view id) const {
  std::string text;
  for (std::int64_t number = 1;; ++number) {
    const Json page = TRY(call("read_large_result", JsonObject{{"id", id}, {"page", number}}));
    if (static_cast<std::uint64_t>(integer_at(page, "chars")) > kMaxResourceBytes)
      return Error{Code::too_large,
                   fmt::format("{} has more than {}", id, human_size(kMaxResourceBytes)),
                   "read_large_result reads it page by page"};
    text += string_at(page, "text");
    if (number >= integer_at(page, "pages")) return text;
  }
}

}  // namespace

Result<mcp::ResourcePage> Resources::list(std::optional<std::string_view> cursor,
                                          std::stop_token stop) {
  const Request request(world_, std::move(stop));
  mcp::ResourcePage page;
  if (!cursor) {
    TRY(request.add_results(page));
    TRY(request.add_files(page, ""));
    return page;
  }
  if (!cursor->starts_with(kFileCursor))
    return Error{Code::invalid_argument, "there is no such page", "start again without a cursor",
                 "invalid_cursor"};
  TRY(request.add_files(page, TRY(percent_decoded(cursor->substr(1)))));
  return page;
}

std::vector<mcp::ResourceTemplate> Resources::templates() {
  const Request request(world_, {});
  std::vector<mcp::ResourceTemplate> templates;
  if (std::string uri = request.file_template(); !uri.empty() && request.may("read")) {
    templates.push_back({.uri_template = std::move(uri),
                         .name = "file",
                         .title = "A file of the workspace",
                         .description = "Text files, whole"});
  }
  if (request.results()) {
    templates.push_back({.uri_template = std::string(kResultTemplate),
                         .name = "result",
                         .title = "A stored result",
                         .description = "Output that was too long to be shown, whole",
                         .mime_type = std::string(kText)});
  }
  return templates;
}

Result<std::vector<ResourceContent>> Resources::read(std::string_view uri, std::stop_token stop) {
  const Request request(world_, std::move(stop));
  if (uri.starts_with(kResultPrefix)) {
    Result<std::string> text = request.result_text(uri.substr(kResultPrefix.size()));
    // What is no id names nothing.
    if (!text &&
        (text.error().code == Code::invalid_argument || text.error().code == Code::not_found))
      return no_resource(uri);
    if (!text) return std::move(text).error();
    return std::vector{ResourceContent{std::string(uri), std::string(kText), std::move(*text)}};
  }
  Result<std::string> path = path_of_uri(uri);
  if (!path) return no_resource(uri);
  std::string text = TRY(request.file_text(*path));
  return std::vector{ResourceContent{std::string(uri), std::string(kText), std::move(text)}};
}

Result<mcp::Completions> Resources::complete(std::string_view uri_template,
                                             const mcp::Typed& typed) {
  const Request request(world_, {});
  mcp::Completions completions;
  if (uri_template == kResultTemplate && request.results()) {
    for (const Results::Stored& stored : TRY(request.results()->list(request.session()))) {
      if (stored.id.starts_with(typed.value)) completions.values.push_back(stored.id);
    }
    return completions;
  }
  if (!request.files() || uri_template != request.file_template()) return no_resource(uri_template);
  if (!request.may("ls")) return completions;
  completions.values = request.files()->complete_path(typed.value, mcp::kMaxCompletions + 1);
  completions.more = completions.values.size() > mcp::kMaxCompletions;
  return completions;
}

}  // namespace helve::app
