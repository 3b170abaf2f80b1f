// completion/complete: values for an argument of a prompt or of a resource template while it is
// typed.
#include <fmt/format.h>

#include "base/text.h"
#include "mcp/arguments.h"
#include "mcp/result_writer.h"
#include "mcp/session.h"

namespace helve::mcp {
namespace {

void append_completions(std::string& out, const Completions& found) {
  const size_t shown = std::min(found.values.size(), kMaxCompletions);
  ObjectWriter completion(out);
  completion.key("values");
  out += '[';
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ',';
    append_json_string(out, found.values[i]);
  }
  out += ']';
  if (found.total) completion.integer("total", *found.total);
  completion.boolean("hasMore", found.more || shown < found.values.size());
  completion.close();
}

Result<Completions> find_completions(const Options& options, const Json& ref, const Typed& typed) {
  const std::string_view type = string_at(ref, "type");
  if (type == "ref/prompt" && options.prompts)
    return options.prompts->complete(string_at(ref, "name"), typed);
  if (type == "ref/resource" && options.resources)
    return options.resources->complete(string_at(ref, "uri"), typed);
  return Error{Code::invalid_argument,
               fmt::format("params.ref.type '{}' is not offered", preview(type, 80)),
               "use ref/prompt with a name or ref/resource with the uri of a template"};
}

}  // namespace

void Session::complete(const Request& request, std::string& out) {
  const Json* ref = request.param("ref");
  const Json* argument = request.param("argument");
  const Json* name = argument ? find(*argument, "name") : nullptr;
  const Json* value = argument ? find(*argument, "value") : nullptr;
  if (!ref || !ref->is_object() || !name || !name->is_string() || !value || !value->is_string()) {
    return append_error(
        out, request.id, RpcCode::invalid_params,
        "params must have ref and argument, an object with the strings name and value");
  }
  const Json* context = request.param("context");
  const Result<Arguments> given = read_arguments(context ? find(*context, "arguments") : nullptr);
  if (!given) return append_refusal(out, request, given.error());

  roots_.wait(request.stop.get_token(), server_.options().roots_wait);
  const Typed typed{name->get_string(), value->get_string(), *given};
  const Result<Completions> found = find_completions(server_.options(), *ref, typed);
  if (!found) return append_refusal(out, request, found.error());
  ResultWriter result(out, request, server_.info_member());
  result.key("completion");
  append_completions(out, *found);
  result.finish();
}

}  // namespace helve::mcp
