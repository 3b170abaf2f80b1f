// How a client and the server get to know each other: initialize and logging/setLevel of the legacy
// revisions, server/discover and subscriptions/listen of the modern ones, and the client's roots.
#include "mcp/call_listener.h"
#include "mcp/result_writer.h"
#include "mcp/session.h"

namespace helve::mcp {

void Session::initialize(const Request& request, std::string& out) {
  if (version_) {
    return append_error(out, request.id, RpcCode::invalid_request,
                        "initialize was answered before on this connection");
  }
  const Json* wanted = request.param("protocolVersion");
  if (!wanted || !wanted->is_string()) {
    return append_error(out, request.id, RpcCode::invalid_params,
                        "params.protocolVersion must be a string");
  }
  const std::optional<Version> known = find_version(wanted->get_string());
  version_ = known && !is_modern(*known) ? *known : kLatestLegacy;
  structured_ = structured_for(request.param("clientInfo"));
  if (const Json* capabilities = request.param("capabilities")) {
    const Json* roots = find(*capabilities, "roots");
    client_has_roots_ = roots && roots->is_object() && server_.options().on_roots;
    if (client_has_roots_) expect_roots();
    if (shows_forms(capabilities, *version_)) elicitation_.enable(*version_);
  }

  ResultWriter result(out, request, {});
  result.text("protocolVersion", name_of(*version_));
  result.raw("capabilities", server_.capabilities(*version_));
  result.raw("serverInfo", server_.info(*version_));
  result.text_if_any("instructions", server_.options().instructions);
  result.finish();
}

void Session::discover(const Request& request, std::string& out) {
  ResultWriter result(out, request, server_.info_member());
  result.key("supportedVersions");
  ((out += "[\"") += name_of(kModern)) += "\"]";
  result.raw("capabilities", server_.capabilities(request.version));
  result.text_if_any("instructions", server_.options().instructions);
  result.keep_for(kKeepDiscovery);
  result.finish();
}

void Session::set_level(const Request& request, std::string& out) {
  const Json* level = request.param("level");
  const auto known =
      find_log_level(level && level->is_string() ? std::string_view(level->get_string()) : "");
  if (!known) {
    return append_error(
        out, request.id, RpcCode::invalid_params,
        "params.level must be debug, info, notice, warning, error, critical, alert or emergency");
  }
  log_level_ = *known;
  ResultWriter(out, request, {}).finish();
}

void Session::listen(const Request& request, std::string& out) {
  Result<void> opened = subscriptions_.open(request, server_.lists());
  if (!opened) append_refusal(out, request, opened.error());
}

// Until the client has told its roots, nobody knows where it works; it must not be somewhere else.
void Session::expect_roots() {
  roots_.expect();
  if (server_.options().on_no_roots) {
    server_.options().on_no_roots("the client has roots, but has not told them yet");
  }
}

void Session::ask_roots() {
  if (!client_has_roots_) return;
  std::string question;
  roots_.ask(question);
  sink_.send(question);
}

}  // namespace helve::mcp
