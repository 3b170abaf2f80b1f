// Surfaces inside this process: the dispatcher itself, and a model's turn that ends in it.
#include "dispatch/dispatcher.h"
#include "guidance/library.h"
#include "knowledge/library.h"
#include "model/json_tags.h"
#include "process/commands.h"
#include "search/witness.h"
#include "store/call_store.h"
#include "store/recorder.h"
#include "store/results.h"
#include "surface.h"
#include "sys/clock.h"
#include "tools/agent_memories.h"
#include "workspace/workspace.h"

namespace helve::cases {
namespace {

class DirectSurface : public Surface {
 public:
  DirectSurface(const Place& place, const Registry& registry,
                std::unique_ptr<workspace::Workspace> files)
      : files_(std::move(files)),
        opener_(place.home + "/helve.db", {}, clock_),
        results_(opener_),
        recorder_(opener_),
        supervisor_(process::spawn_program(), clock_, nullptr),
        commands_(supervisor_, [place] { return settings(place); }),
        library_(place.root, no_embedder),
        guidance_(files_.get(), place.home + "/config/helve"),
        witness_({{files_->roots().front().path, &files_->roots().front().directory}}),
        memories_({.files = files_.get(), .find_embedder = no_embedder}, clock_),
        dispatcher_(registry,
                    {.files = files_.get(),
                     .witness = &witness_,
                     .commands = &commands_,
                     .library = &library_,
                     .memories = &memories_,
                     .clock = &clock_,
                     .guidance = &guidance_,
                     .store = [this] { return std::make_shared<store::CallStore>(opener_); }},
                    {.recorder = &recorder_, .results = &results_}),
        policy_(*dispatch::Policy::make(registry, {})),
        who_{"main", "tester", place.root, "s_cases"} {}

  Result<std::optional<Seen>> call(const std::string& tool, const std::string& arguments) override {
    return std::optional(dispatch(tool, arguments, Caller::test));
  }

 protected:
  Seen dispatch(std::string_view tool, std::string_view arguments, Caller caller) {
    dispatch::Outcome outcome = dispatcher_.call({.tool = tool,
                                                  .raw_arguments = arguments,
                                                  .caller = caller,
                                                  .who = who_,
                                                  .policy = &policy_});
    if (outcome.error) {
      const Error& error = *outcome.error;
      return {.code = std::string(name_of(error.code)),
              .type = std::string(error.type_name()),
              .message = error.message,
              .hint = error.hint};
    }
    return {.ok = true,
            .value = *parse_json(outcome.product.json),
            .text = text_of(outcome.product.content)};
  }

 private:
  // As the surfaces in other processes have it by their environment.
  static Result<std::shared_ptr<knowledge::Embedder>> no_embedder() {
    return Error{Code::unsupported, "the setting embeddings.provider is none",
                 "set it to builtin or endpoint to search by meaning"};
  }
  // As the surfaces in other processes have them by their configuration.
  static process::Settings settings(const Place& place) {
    process::Settings settings;
    settings.policy.roots = {place.root};
    settings.policy.protected_names = sandbox::default_protected_names();
    settings.environment = process::inherited_environment({{"PATH", "/usr/bin:/bin"}}, {});
    settings.shortest_timeout = kShortestTimeout;
    settings.output.directory = place.home;
    settings.trials = place.home + "/trials";
    return settings;
  }

  sys::RealClock clock_;
  std::unique_ptr<workspace::Workspace> files_;
  store::Opener opener_;
  store::StoreResults results_;
  store::StoreRecorder recorder_;
  process::Supervisor supervisor_;
  process::Commands commands_;
  knowledge::Library library_;
  guidance::Library guidance_;
  search::Witness witness_;
  tools::AgentMemories memories_;
  dispatch::Dispatcher dispatcher_;
  dispatch::Policy policy_;
  Identity who_;
};

// A model writes its call into text; the scanner finds it there.
class ModelSurface : public DirectSurface {
 public:
  using DirectSurface::DirectSurface;

  Result<std::optional<Seen>> call(const std::string& tool, const std::string& arguments) override {
    if (!parse_json(arguments.empty() ? "{}" : arguments)) return std::optional<Seen>();
    std::string turn = "Let me look.\n<json>{\"tool_name\": ";
    append_json_string(turn, tool);
    turn +=
        ", \"tool_input\": " + (arguments.empty() ? "{}" : arguments) + "}</json>\nThat is all.";
    model::json_tags::Scan scan = model::json_tags::scan(turn);
    if (scan.calls.size() != 1)
      return Error{Code::internal, "the scanner found no call in: " + turn};
    return std::optional(
        dispatch(scan.calls[0].tool_name, to_text(scan.calls[0].tool_input), Caller::model));
  }
};

template <class Kind>
Result<std::unique_ptr<Surface>> open(const Place& place, const Registry& registry) {
  auto files = TRY(workspace::Workspace::make(
      {.roots = {{place.root}}, .journal_directory = place.home + "/journal"}));
  return std::make_unique<Kind>(place, registry, std::move(files));
}

}  // namespace

Result<std::unique_ptr<Surface>> open_dispatcher(const Place& place, const Registry& registry) {
  return open<DirectSurface>(place, registry);
}
Result<std::unique_ptr<Surface>> open_model_turn(const Place& place, const Registry& registry) {
  return open<ModelSurface>(place, registry);
}

const std::vector<SurfaceKind>& surface_kinds() {
  static const std::vector<SurfaceKind> kKinds = {
      {"dispatcher", open_dispatcher}, {"model", open_model_turn},
      {"mcp", open_mcp_handshake},     {"mcp-stateless", open_mcp_stateless},
      {"json", open_cli_input},        {"flags", open_cli_flags},
      {"text", open_cli_text}};
  return kKinds;
}

}  // namespace helve::cases
