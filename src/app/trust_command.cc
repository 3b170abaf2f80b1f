// helve trust: agrees to the content of a workspace's config file, so that it may do more than
// narrow.
#include <fmt/format.h>

#include "app/app.h"
#include "base/text.h"
#include "cli/render.h"
#include "config/files.h"
#include "config/trust.h"
#include "sys/file_at.h"

namespace helve::app {
namespace {

struct TrustInput {
  std::optional<std::string> dir;
  bool list = false;
  bool remove = false;
  static constexpr auto schema() {
    return schema::object(
        "Trust the config file of a workspace, as it is now",
        schema::opt<&TrustInput::dir>("The workspace; default: --root, or the current directory")
            .directory()
            .positional(),
        schema::opt<&TrustInput::list>("Show what is trusted"),
        schema::opt<&TrustInput::remove>("Trust it no longer"));
  }
};

constexpr std::string_view kDetails =
    "Until then .helve/config.yaml of a workspace can only narrow what is allowed: a repository "
    "that you cloned must not grant itself anything. "
    "Trust is bound to the content; a file that changes must be trusted again.";

Result<int> list_trusted(const config::TrustStore& store, cli::Run& run) {
  const std::vector<config::TrustStore::Entry> entries = TRY(store.list());
  if (run.options.json) {
    JsonArray array;
    for (const auto& entry : entries)
      array.push_back(JsonObject{{"path", entry.path}, {"sha256", entry.hash}});
    cli::show_json(Json(std::move(array)), run.screen);
    return 0;
  }
  if (entries.empty()) run.screen.err.write("helve: nothing is trusted\n");
  for (const auto& entry : entries)
    run.screen.out.write(
        fmt::format("{}  {}\n", entry.hash.substr(0, 12), escape_for_display(entry.path)));
  return 0;
}

// Trust is bound to the path without links, also when the file is gone.
std::string real_path(const std::string& directory) {
  const auto opened = sys::open_directory(directory);
  return opened ? sys::path_of(*opened).value_or(directory) : directory;
}

Result<int> trust(const TrustInput& in, App& app, cli::Run& run) {
  const std::string& file = app.surroundings().trust_file();
  if (file.empty())
    return Error{Code::not_found, "the state directory is not known", "set HOME or XDG_STATE_HOME"};
  config::TrustStore store(file);
  if (in.list) return list_trusted(store, run);
  const std::string workspace =
      in.dir ? *in.dir : run.options.root.value_or(app.surroundings().current_directory);
  const std::optional<config::WorkspaceFile> found = TRY(config::read_workspace_file(workspace));
  if (!found && !in.remove)
    return Error{
        Code::not_found,
        fmt::format("'{}' has no {}", escape_for_display(workspace), config::kWorkspaceConfig),
        "there is nothing to trust"};
  const std::string path =
      found ? found->path : real_path(workspace) + "/" + config::kWorkspaceConfig;
  std::string said;
  if (in.remove) {
    said = TRY(store.untrust(path)) ? "is no longer trusted" : "was not trusted";
  } else {
    TRY(store.trust(path, found->content));
    said = "is trusted";
    // What was agreed to is shown, so that nobody agrees to something else.
    if (!run.options.json)
      run.screen.out.write(escape_lines_for_display(found->content) +
                           (found->content.ends_with('\n') ? "" : "\n"));
  }
  if (run.options.json)
    cli::show_json(JsonObject{{"path", path}, {"trusted", !in.remove}}, run.screen);
  else
    run.screen.err.write(fmt::format("helve: {} {}\n", escape_for_display(path), said));
  return 0;
}

}  // namespace

cli::Command trust_command(App& app) {
  return cli::make_command<TrustInput>(
      "trust", kDetails, {{"What is trusted", "helve trust --list"}},
      [&app](const TrustInput& in, cli::Run& run) { return trust(in, app, run); });
}

}  // namespace helve::app
