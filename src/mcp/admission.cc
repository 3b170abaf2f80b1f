// What a request must be before anything is done for it: of an era that we serve, of a method that
// the era has and we offer, with a _meta that makes sense, and unlike those that still run.
#include <fmt/format.h>

#include "base/text.h"
#include "mcp/call_listener.h"
#include "mcp/session.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kClientInfo = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";

enum class Era : unsigned char { legacy, modern, both };

struct MethodEntry {
  std::string_view name;
  Method method;
  Era era;
  bool runs;  // may take long
};

constexpr MethodEntry kMethods[] = {
    {"tools/call", Method::tools_call, Era::both, true},
    {"tools/list", Method::tools_list, Era::both, false},
    {"resources/read", Method::resources_read, Era::both, true},
    {"resources/list", Method::resources_list, Era::both, true},
    {"resources/templates/list", Method::resources_templates, Era::both, true},
    {"prompts/get", Method::prompts_get, Era::both, true},
    {"prompts/list", Method::prompts_list, Era::both, true},
    {"completion/complete", Method::complete, Era::both, true},
    {"ping", Method::ping, Era::legacy, false},
    {"initialize", Method::initialize, Era::legacy, false},
    {"logging/setLevel", Method::set_level, Era::legacy, false},
    {"server/discover", Method::discover, Era::modern, false},
    {"subscriptions/listen", Method::listen, Era::modern, false},
};

const MethodEntry* find_method(std::string_view name, bool modern) {
  for (const MethodEntry& entry : kMethods) {
    if (entry.name != name) continue;
    return entry.era == Era::both || (entry.era == Era::modern) == modern ? &entry : nullptr;
  }
  return nullptr;
}

Session::Taken refuse_clash(const Request& request, Flights::Clash clash, std::string& out) {
  const bool id = clash == Flights::Clash::id;
  append_error(out, request.id, id ? RpcCode::invalid_request : RpcCode::invalid_params,
               fmt::format("{} {} belongs to a request that still runs",
                           id ? "id" : "progressToken", id ? request.id : request.progress_token));
  return Session::Taken::answered;
}

}  // namespace

Session::Taken Session::take_request(Message& message, Inside inside, Request& request,
                                     std::string& out) {
  request.id.swap(message.id);
  request.params = message.params && !message.params->is_null() ? message.params : nullptr;
  request.progress_token.clear();
  request.log_level = kLogNothing;
  auto refuse = [&](RpcCode code, std::string_view text) {
    append_error(out, request.id, code, text);
    return Taken::answered;
  };
  if (request.params && !request.params->is_object()) {
    return refuse(RpcCode::invalid_params, "params must be an object");
  }
  if (!read_era(message, request, out)) return Taken::answered;
  const MethodEntry* entry = find_method(message.method, request.modern());
  if (!entry || !offers(entry->method)) {
    return refuse(RpcCode::method_not_found,
                  fmt::format("there is no method '{}' in {}", preview(message.method, 80),
                              name_of(request.version)));
  }
  if (entry->method == Method::initialize && inside == Inside::batch) {
    return refuse(RpcCode::invalid_request, "initialize cannot be part of a batch");
  }
  request.method = entry->method;
  if (!read_meta(request, out)) return Taken::answered;
  if (subscriptions_.has(request.id)) return refuse_clash(request, Flights::Clash::id, out);
  if (!entry->runs) {
    const Flights::Clash clash = flights_.clash(request);
    if (clash != Flights::Clash::none) return refuse_clash(request, clash, out);
    answer_now(request, out);
    return Taken::answered;
  }
  // Before the flight starts: from then on nothing may fail.
  std::optional<Turns::Turn> turn;
  if (request.method == Method::tools_call && changes_something(request)) turn = turns_.take();
  const Flights::Clash clash = flights_.start(request);
  if (clash != Flights::Clash::none) return refuse_clash(request, clash, out);
  request.turn = std::move(turn);
  return Taken::to_run;
}

// Which revision serves the request. False: it was answered with an error.
bool Session::read_era(const Message& message, Request& request, std::string& out) const {
  auto refuse = [&](RpcCode code, std::string_view text, std::string_view data = {}) {
    append_error(out, request.id, code, text, data);
    return false;
  };
  const Json* meta = request.param("_meta");
  if (meta && !meta->is_object())
    return refuse(RpcCode::invalid_params, "params._meta must be an object");
  const Json* named = meta ? find(*meta, kProtocolVersion) : nullptr;
  if (!named) {
    if (!version_ && message.method != "initialize" && message.method != "ping") {
      return refuse(
          RpcCode::invalid_params,
          fmt::format(
              "not initialized: send initialize first, or name a version in params._meta[\"{}\"]",
              kProtocolVersion));
    }
    request.version = version_.value_or(kLatestLegacy);
    request.structured = structured_;
    return true;
  }

  if (!named->is_string()) {
    return refuse(RpcCode::invalid_params,
                  fmt::format("params._meta[\"{}\"] must be a string", kProtocolVersion));
  }
  const Json* capabilities = find(*meta, kClientCapabilities);
  if (!capabilities || !capabilities->is_object()) {
    return refuse(RpcCode::invalid_params,
                  fmt::format("params._meta[\"{}\"] must be an object", kClientCapabilities));
  }
  const std::optional<Version> version = find_version(named->get_string());
  if (!version || !is_modern(*version)) {
    std::string data = fmt::format(R"({{"supported":["{}"],"requested":)", name_of(kModern));
    append_json_string(data, cut_utf8(named->get_string(), kMaxIdBytes));
    return refuse(RpcCode::unsupported_version,
                  "this protocol version is not served without a handshake", data + '}');
  }
  request.version = *version;
  request.structured = structured_for(find(*meta, kClientInfo));
  return true;
}

// What else the request's _meta asks for. False: it was answered with an error.
bool Session::read_meta(Request& request, std::string& out) const {
  auto refuse = [&](RpcCode code, std::string_view text) {
    append_error(out, request.id, code, text);
    return false;
  };
  if (const Json* meta = request.param("_meta")) {
    if (const Json* token = find(*meta, "progressToken"); token && !token->is_null()) {
      request.progress_token = read_id(*token);
      if (request.progress_token.empty()) {
        return refuse(RpcCode::invalid_params,
                      "the progressToken must be a string or an integer of at most 1024 bytes");
      }
    }
    if (const Json* level = request.modern() ? find(*meta, kLogLevel) : nullptr) {
      const auto known =
          find_log_level(level->is_string() ? std::string_view(level->get_string()) : "");
      if (!known)
        return refuse(RpcCode::invalid_params,
                      fmt::format("params._meta[\"{}\"] is no log level", kLogLevel));
      request.log_level = *known;
    }
  }
  return true;
}

bool Session::structured_for(const Json* client_info) const {
  return gets_structured(server_.options().structured,
                         client_info ? string_at(*client_info, "name") : "");
}

bool Session::offers(Method method) const {
  const Options& options = server_.options();
  switch (method) {
    case Method::resources_list:
    case Method::resources_templates:
    case Method::resources_read:
      return options.resources != nullptr;
    case Method::prompts_list:
    case Method::prompts_get:
      return options.prompts != nullptr;
    case Method::complete:
      return options.resources || options.prompts;
    default:
      return true;
  }
}

}  // namespace helve::mcp
