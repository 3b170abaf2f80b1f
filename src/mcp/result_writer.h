// ResultWriter: one answer, {"jsonrpc":"2.0","id":…,"result":{…}} and its newline. Modern answers
// get what they owe besides; legacy ones get nothing of it.
#pragma once

#include <string>
#include <string_view>

#include "mcp/object_writer.h"
#include "mcp/request.h"

namespace helve::mcp {

class ResultWriter : public ObjectWriter {
 public:
  // `server_info` is a JSON member for the _meta of modern results.
  ResultWriter(std::string& out, const Request& request, std::string_view server_info,
               std::string_view type = "complete")
      : ObjectWriter(begin(out, request.id)), modern_(request.modern()), server_info_(server_info) {
    if (modern_) text("resultType", type);
  }

  // How long a client may keep this answer. Always private: what we list depends on the user's own
  // policy and files.
  void keep_for(std::chrono::milliseconds time) {
    if (!modern_) return;
    integer("ttlMs", time.count());
    raw("cacheScope", "\"private\"");
  }

  // `meta` are further members of _meta, as JSON.
  void finish(std::string_view meta = {}) {
    if (modern_ || !meta.empty()) {
      key("_meta");
      out() += '{';
      out() += meta;
      if (modern_) {
        if (!meta.empty()) out() += ',';
        out() += server_info_;
      }
      out() += '}';
    }
    out() += "}}\n";
  }

 private:
  static std::string& begin(std::string& out, std::string_view id) {
    ((out += R"({"jsonrpc":"2.0","id":)") += id) += R"(,"result":)";
    return out;
  }

  const bool modern_;
  const std::string_view server_info_;
};

// How long lists may be kept that change only when the server says so, and those that change any
// time.
constexpr std::chrono::milliseconds kKeepList{300'000};
constexpr std::chrono::milliseconds kKeepDiscovery{3'600'000};
constexpr std::chrono::milliseconds kKeepNothing{0};

}  // namespace helve::mcp
