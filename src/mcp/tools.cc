// tools/list and tools/call.
#include "dispatch/cap.h"
#include "mcp/call_listener.h"
#include "mcp/content.h"
#include "mcp/paging.h"
#include "mcp/result_writer.h"
#include "mcp/session.h"

namespace helve::mcp {
namespace {

void append_error_text(std::string& out, const Error& error) {
  std::string text = error.message;
  if (!error.hint.empty()) (text += "\nHint: ") += error.hint;
  append_text_block(out, text);
}

void append_notes(std::string& out, const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) {
    if (!text.empty()) text += '\n';
    (text += "Note: ") += note;
  }
  append_text_block(out, text);
}

void append_content(std::string& out, const dispatch::Outcome& outcome, Version version) {
  out += '[';
  const size_t start = out.size();
  auto separate = [&] {
    if (out.size() > start) out += ',';
  };
  if (outcome.error) append_error_text(out, *outcome.error);
  for (const Content& block : outcome.product.content) {
    separate();
    append_block(out, block, version);
  }
  if (!outcome.notes.empty()) {
    separate();
    append_notes(out, outcome.notes);
  }
  out += ']';
}

// A client may read the value alone, and some notes are told only once: they are a member of it,
// too. It still fits: our output schemas are open; one from outside may not be.
void append_value(ResultWriter& result, std::string& out, const dispatch::Outcome& outcome) {
  const std::string_view json = outcome.product.json;
  if (outcome.notes.empty() || json.back() != '}' || !outcome.tool->output_schema_json.empty())
    return result.raw("structuredContent", json);
  result.key("structuredContent");
  out += json.substr(0, json.size() - 1);
  out += out.back() == '{' ? R"("helve/notes":[)" : R"(,"helve/notes":[)";
  const size_t start = out.size();
  for (const std::string& note : outcome.notes) {
    if (out.size() > start) out += ',';
    append_json_string(out, note);
  }
  out += "]}";
}

// What programs want to know of a failure, beside the text for the model.
std::string error_meta(const Error& error) {
  std::string out = "\"helve/error\":";
  ObjectWriter object(out);
  object.text("error_type", error.type_name());
  object.text("code", name_of(error.code));
  object.text("message", error.message);
  object.text_if_any("hint", error.hint);
  if (!error.details.is_null()) object.value("details", error.details);
  object.close();
  return out;
}

std::string stored_meta(const Results::Stored& stored) {
  std::string out = "\"helve/stored_result\":";
  ObjectWriter object(out);
  object.text("id", stored.id);
  object.integer("chars", stored.chars);
  object.integer("pages",
                 (stored.chars + dispatch::kResultPageChars - 1) / dispatch::kResultPageChars);
  object.close();
  return out;
}

bool can_carry(Version version, std::string_view json) {
  if (json.empty() || version < Version::v2025_06_18) return false;
  return is_modern(version) || json.front() == '{';
}

}  // namespace

void Session::list_tools(const Request& request, std::string& out) {
  const auto cursor = read_cursor(request.params);
  if (!cursor) return append_refusal(out, request, cursor.error());
  const Result<ToolList::Page> page =
      server_.tools().page({request.version, request.structured}, *cursor);
  if (!page) return append_refusal(out, request, page.error());
  ResultWriter result(out, request, server_.info_member());
  result.members(**page);
  result.keep_for(kKeepList);
  result.finish();
  if (server_.options().on_listed) server_.options().on_listed();
}

// By what the tool says of itself: the arguments may tell that this call only reads.
bool Session::changes_something(const Request& request) const {
  const Json* name = request.param("name");
  if (!name || !name->is_string()) return false;
  const Tool* const tool = server_.dispatcher().registry().find(name->get_string()).tool;
  return tool && tool->spec.effect == Effect::write;
}

void Session::call_tool(Request& request, std::string& out) {
  const Json* name = request.param("name");
  if (!name || !name->is_string()) {
    return append_error(out, request.id, RpcCode::invalid_params,
                        "params.name must be the name of a tool");
  }
  const std::string_view tool = name->get_string();
  roots_.wait(request.stop.get_token(), server_.options().roots_wait);
  if (request.turn) request.turn->wait(request.stop.get_token());
  if (!request.modern()) return answer_call(request, tool, elicitation_.approver(), nullptr, out);
  if (!shows_forms(request.client_capabilities(), request.version))
    return answer_call(request, tool, nullptr, nullptr, out);

  ModernElicitation asked(server_.states(), request, who_.session, tool);
  if (const Result<void> opened = asked.open(); !opened)
    return append_refusal(out, request, opened.error());
  answer_call(request, tool, &asked, &asked, out);
}

void Session::answer_call(Request& request, std::string_view tool, Approver* approver,
                          const ModernElicitation* asked, std::string& out) {
  const std::shared_ptr<const Place> place = server_.place();
  CallListener listener(sink_, request, tool, server_.clock(), log_level_);
  dispatch::Call call{.tool = tool,
                      .caller = Caller::mcp,
                      .who = place ? *place->who : who_,
                      .policy = place ? place->policy : server_.policy(),
                      .stop = request.stop.get_token(),
                      .listener = &listener,
                      .approver = approver};
  const Json* arguments = request.param("arguments");
  if (arguments && arguments->is_string())
    call.raw_arguments = arguments->get_string();
  else
    call.arguments = arguments;
  dispatch::Outcome outcome = (place ? *place->dispatcher : server_.dispatcher()).call(call);
  listener.close();
  request.telling = std::move(outcome.telling);
  if (!outcome.tool)
    return append_refusal(out, request,
                          outcome.error.value_or(Error{Code::not_found, "unknown tool"}));

  if (asked && outcome.error && outcome.error->type == dispatch::kApprovalPending) {
    request.withdraw();  // the question has no room for notes
    ResultWriter result(out, request, server_.info_member(), "input_required");
    result.members(asked->input_required());
    return result.finish();
  }

  ResultWriter result(out, request, server_.info_member());
  result.key("content");
  append_content(out, outcome, request.version);
  std::string meta;
  if (outcome.error) {
    result.boolean("isError", true);
    meta = error_meta(*outcome.error);
  } else {
    if (request.structured && can_carry(request.version, outcome.product.json))
      append_value(result, out, outcome);
    if (outcome.stored) meta = stored_meta(*outcome.stored);
  }
  result.finish(meta);
  if (outcome.stored) changed(List::resources);
}

}  // namespace helve::mcp
