// prompts/list and prompts/get.
#include "mcp/arguments.h"
#include "mcp/content.h"
#include "mcp/paging.h"
#include "mcp/result_writer.h"
#include "mcp/session.h"

namespace helve::mcp {
namespace {

void append_argument(std::string& out, const PromptArgument& argument, Version version) {
  ObjectWriter object(out);
  object.text("name", argument.name);
  if (version >= Version::v2025_06_18) object.text_if_any("title", argument.title);
  object.text_if_any("description", argument.description);
  object.boolean("required", argument.required);
  object.close();
}

void append_prompt(std::string& out, const Prompt& prompt, Version version) {
  ObjectWriter object(out);
  object.text("name", prompt.name);
  if (version >= Version::v2025_06_18) object.text_if_any("title", prompt.title);
  object.text_if_any("description", prompt.description);
  object.key("arguments");
  out += '[';
  for (size_t i = 0; i < prompt.arguments.size(); ++i) {
    if (i > 0) out += ',';
    append_argument(out, prompt.arguments[i], version);
  }
  out += ']';
  object.close();
}

}  // namespace

void Session::list_prompts(const Request& request, std::string& out) {
  const std::vector<Prompt> prompts = server_.options().prompts->list();
  const size_t size = std::max<size_t>(server_.options().page_size, 1);
  const size_t pages = std::max<size_t>((prompts.size() + size - 1) / size, 1);
  const auto cursor = read_cursor(request.params);
  const Result<size_t> page = cursor ? find_page(*cursor, pages) : cursor.error();
  if (!page) return append_refusal(out, request, page.error());

  ResultWriter result(out, request, server_.info_member());
  result.key("prompts");
  out += '[';
  const size_t first = *page * size;
  for (size_t i = first; i < std::min(first + size, prompts.size()); ++i) {
    if (i > first) out += ',';
    append_prompt(out, prompts[i], request.version);
  }
  out += ']';
  if (*page + 1 < pages) result.text("nextCursor", cursor_of(*page + 1));
  result.keep_for(kKeepList);
  result.finish();
}

void Session::get_prompt(const Request& request, std::string& out) {
  const Json* name = request.param("name");
  if (!name || !name->is_string()) {
    return append_error(out, request.id, RpcCode::invalid_params,
                        "params.name must be the name of a prompt");
  }
  const Result<Arguments> arguments = read_arguments(request.param("arguments"));
  if (!arguments) return append_refusal(out, request, arguments.error());
  roots_.wait(request.stop.get_token(), server_.options().roots_wait);
  const auto prompt =
      server_.options().prompts->get(name->get_string(), *arguments, request.stop.get_token());
  if (!prompt) return append_refusal(out, request, prompt.error());

  ResultWriter result(out, request, server_.info_member());
  result.text_if_any("description", prompt->description);
  result.key("messages");
  out += '[';
  for (bool first = true; const PromptMessage& message : prompt->messages) {
    if (!std::exchange(first, false)) out += ',';
    out += message.role == PromptMessage::Role::user ? R"({"role":"user","content":)"
                                                     : R"({"role":"assistant","content":)";
    append_block(out, message.content, request.version);
    out += '}';
  }
  out += ']';
  result.finish();
}

}  // namespace helve::mcp
