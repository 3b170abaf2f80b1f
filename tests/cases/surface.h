// Surface: one way to call a tool. All of them must give the same answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/registry.h"

namespace helve::cases {

// What a surface made of a call.
struct Seen {
  bool ok = false;
  std::string code, type, message, hint;  // of an error
  Json value;                             // the structured value
  std::optional<std::string> text;  // what a person or model reads, where the surface shows it
};

// Where one case runs on one surface: fresh directories, removed afterwards.
struct Place {
  std::string root;   // the workspace
  std::string home;   // everything else: config and state
  std::string helve;  // the binary
};

// What `timeout` is raised to: nobody waits for the usual ten seconds.
constexpr std::chrono::milliseconds kShortestTimeout{200};

class Surface {
 public:
  virtual ~Surface() = default;
  // Nothing when this surface cannot express the call. An error when it failed to answer at all.
  virtual Result<std::optional<Seen>> call(const std::string& tool,
                                           const std::string& arguments) = 0;
};

struct SurfaceKind {
  std::string_view name;
  Result<std::unique_ptr<Surface>> (*open)(const Place&, const Registry&);
};
// The dispatcher comes first: the others are compared with it.
const std::vector<SurfaceKind>& surface_kinds();

// In surfaces_process.cc.
Result<std::unique_ptr<Surface>> open_mcp_handshake(const Place&, const Registry&);
Result<std::unique_ptr<Surface>> open_mcp_stateless(const Place&, const Registry&);
Result<std::unique_ptr<Surface>> open_cli_input(const Place&, const Registry&);
Result<std::unique_ptr<Surface>> open_cli_flags(const Place&, const Registry&);
Result<std::unique_ptr<Surface>> open_cli_text(const Place&, const Registry&);
// In surfaces_direct.cc.
Result<std::unique_ptr<Surface>> open_dispatcher(const Place&, const Registry&);
Result<std::unique_ptr<Surface>> open_model_turn(const Place&, const Registry&);

}  // namespace helve::cases
