#include "base/error.h"

namespace helve {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::not_found:
      return "not_found";
    case Code::conflict:
      return "conflict";
    case Code::denied:
      return "denied";
    case Code::auth:
      return "auth";
    case Code::network:
      return "network";
    case Code::unsupported:
      return "unsupported";
    case Code::partial:
      return "partial";
    case Code::too_large:
      return "too_large";
    case Code::timeout:
      return "timeout";
    case Code::cancelled:
      return "cancelled";
    case Code::unavailable:
      return "unavailable";
    case Code::internal:
      return "internal";
  }
  return "internal";
}

std::optional<Code> find_code(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
    if (name_of(static_cast<Code>(i)) == name) return static_cast<Code>(i);
  }
  return std::nullopt;
}

int exit_code(Code code) {
  switch (code) {
    case Code::invalid_argument:
      return 2;
    case Code::not_found:
      return 3;
    case Code::conflict:
      return 4;
    case Code::denied:
    case Code::auth:
      return 5;
    case Code::network:
      return 6;
    case Code::unsupported:
      return 7;
    case Code::partial:
      return 8;
    case Code::timeout:
      return 124;
    case Code::cancelled:
      return 130;
    default:
      return 1;
  }
}

std::string describe(const Error& error) {
  if (error.hint.empty()) return error.message;
  return error.message + " (" + error.hint + ")";
}

JsonObject to_json(const Error& error) {
  JsonObject out;
  out["error_type"] = error.type_name();
  out["code"] = name_of(error.code);
  out["message"] = error.message;
  if (!error.hint.empty()) out["hint"] = error.hint;
  if (!error.details.is_null()) out["details"] = error.details;
  return out;
}

}  // namespace helve
