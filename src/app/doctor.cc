#include "app/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.h"
#include "app/embedder_choice.h"
#include "app/model_choice.h"
#include "app/state_files.h"
#include "base/text.h"
#include "cli/flag_docs.h"
#include "guidance/library.h"
#include "media/helper.h"
#include "process/spawner.h"
#include "sandbox/report.h"
#include "sys/file_error.h"

namespace helve::app {
namespace {

constexpr std::uint32_t kPrivate = 0077;  // bits that others must not have

constexpr std::string_view kDatabaseStart{"SQLite format 3\0", 16};

// Topics of what `helve sandbox explain` tells.
constexpr std::string_view kToldOfSandbox[] = {"level", "network", "processes", "memory", "walls"};

class Examination {
 public:
  Examination(const cli::Options& options, const Surroundings& surroundings)
      : options_(options), around_(surroundings) {}

  Examined run() {
    add(Mark::ok, "version", "helve " HELVE_VERSION);
    look_at_kernel();
    Result<std::unique_ptr<World>> world =
        make_world(options_, around_, Purpose::inspect, [](std::string_view) {});
    if (world) {
      look_at_workspace(**world);
      look_at_config(**world);
      look_at_settings(**world);
      look_at_hooks(**world);
      look_at_model(**world);
      look_at_embedder(**world);
      look_at_sandbox(**world);
      look_at_routes(**world);
      look_at_tools(**world);
      look_at_journal(**world);
      look_at_index(**world);
    } else {
      const Error& error = world.error();
      for (std::string_view line : split(error.message, '\n'))
        add(Mark::fail, error.type == "invalid_config" ? "config" : "start", line);
      if (!error.hint.empty()) findings_.back().hint = escape_for_display(error.hint);
    }
    look_at_state();
    look_at_prompts();
    look_at_helper();
    return {std::move(findings_), std::move(workspace_)};
  }

 private:
  // A finding is one line, whatever the paths in it are called.
  void add(Mark mark, std::string topic, std::string_view text, std::string_view hint = {}) {
    findings_.push_back(
        {mark, std::move(topic), escape_for_display(text), escape_for_display(hint)});
  }
  void add(Mark mark, std::string topic, const Error& error) {
    add(mark, std::move(topic), error.message, error.hint);
  }

  void look_at_kernel() {
    const auto root = sys::open_directory("/");
    if (root && sys::can_open_beneath(*root))
      return add(Mark::ok, "kernel", "openat2 works: files are opened beneath their root");
    add(Mark::fail, "kernel", "openat2 does not work",
        "Linux 5.6 or newer is needed, and a container that permits it");
  }

  void look_at_workspace(const World& world) {
    const workspace::Workspace* files = world.home->files.get();
    if (!files) return add(Mark::warn, "workspace", *world.home->no_files);
    workspace_ = files->roots().front().path;
    const config::Layer* more = world.home->settings.decider("roots");
    for (const workspace::Root& root : files->roots()) {
      const bool first = &root == &files->roots().front();
      std::string from = first || !more          ? world.root_from
                         : more->is_command_line ? "--add-dir"
                                                 : "roots in " + more->place_of("roots");
      if (root.access == workspace::Access::read_only) from += ", read-only";
      add(Mark::ok, "workspace", fmt::format("{} ({})", root.path, from));
    }
  }

  // Who calls, and every setting that is not left as it was.
  void look_at_settings(const World& world) {
    const config::Loaded& settings = world.home->settings;
    const config::Layer* named = settings.decider("default_agent");
    const std::string from = options_.agent ? "--agent"
                             : named        ? named->place_of("default_agent")
                                            : "the default";
    add(Mark::ok, "agent", fmt::format("{} ({})", world.home->who.agent, from));
    for (const config::Said& said : settings.said()) {
      if (said.path != "default_agent")
        add(Mark::ok, "settings", fmt::format("{}: {} ({})", said.path, said.value, said.place));
    }
  }

  void look_at_config(const World& world) {
    for (const config::Loaded::File& file : world.home->settings.files) {
      if (file.trusted)
        add(Mark::ok, "config", file.path);
      else
        add(Mark::warn, "config", file.path + " is not trusted: it can only narrow",
            "read it, then run: helve trust");
    }
    if (world.home->settings.files.empty())
      add(Mark::ok, "config", fmt::format("no files; {} would be read", around_.config_file()));
    for (const std::string& notice : world.home->settings.notices)
      add(Mark::warn, "config", notice);
    const config::Config& config = world.home->settings.config;
    if (config.profile == config::Profile::bare)
      add(Mark::warn, "config", "the bare profile has no policy, hooks or records");
    else if (!config.record)
      add(Mark::warn, "config", "calls are not recorded");
  }

  void look_at_hooks(const World& world) {
    if (!world.home->settings.config.hooks.enabled)
      return add(Mark::ok, "hooks", "disabled by the configuration");
    if (world.home->settings.config.profile == config::Profile::bare)
      return add(Mark::warn, "hooks", "not run: the bare profile has none");
    if (around_.environment.contains("HELVE_HOOK_POINT"))
      return add(Mark::warn, "hooks",
                 "not run: HELVE_HOOK_POINT is set, as for a program that a hook starts",
                 "unset it, unless this is one");
    size_t count = 0;
    if (world.home->hooks) {
      for (size_t i = 0; i < hooks::kPointNames.size(); ++i) {
        for (const hooks::Script& script : world.home->hooks->scripts(static_cast<hooks::Point>(i)))
          add(Mark::ok, "hooks", script.name), ++count;
      }
    }
    if (count == 0) add(Mark::ok, "hooks", fmt::format("none in {}", around_.hooks_directory()));
    for (size_t i = world.home->settings.notices.size(); i < world.notices.size(); ++i)
      add(Mark::warn, "hooks", world.notices[i]);
  }

  // Nobody is asked: whether it answers, helve models tells.
  void look_at_model(const World& world) {
    const Result<ModelPlan> plan =
        plan_model(world.home->settings, world.home->who.agent, {}, around_);
    if (!plan) return add(Mark::warn, "model", plan.error());
    if (const std::optional<Error> problem = plan->find_problem())
      return add(Mark::warn, "model", *problem);
    if (plan->provider.empty())
      return add(Mark::ok, "model", "none is configured: " + plan->describe() + " would be used",
                 "helve models shows what there is");
    add(Mark::ok, "model", plan->describe());
  }

  // Whether texts can be found by their meaning. A server is not asked.
  void look_at_embedder(const World& world) {
    const config::Config& config = world.home->settings.config;
    const auto embedder = choose_embedder(config.embeddings, around_, world.clock);
    if (embedder) return add(Mark::ok, "meaning", describe_embedder(config.embeddings, around_));
    const bool is_wanted = config.embeddings.provider != config::EmbeddingProvider::none;
    add(is_wanted ? Mark::warn : Mark::ok, "meaning",
        "only words are searched, not meaning: " + embedder.error().message, embedder.error().hint);
  }

  // The sandbox is made, to tell what holds; no command is run.
  void look_at_sandbox(const World& world) {
    if (!world.home->files) return;
    const std::string program = process::spawn_program();
    const Result<std::optional<sys::FileStatus>> status = state_file(program);
    if (!status || !*status)
      return add(Mark::fail, "sandbox", program + " is missing: no command can run",
                 "it is built and installed beside helve");
    const sandbox::Policy& policy = world.home->commands->settings().policy;
    const sandbox::Facts facts = sandbox::find_facts(world.supervisor->build(policy));
    if (facts.failure) return add(Mark::fail, "sandbox", *facts.failure);
    add(Mark::ok, "sandbox", program);
    for (const sandbox::Line& line : sandbox::explain(policy, facts)) {
      if (std::ranges::find(kToldOfSandbox, line.topic) != std::end(kToldOfSandbox))
        add(Mark::ok, "sandbox", fmt::format("{}: {}", line.topic, line.text));
    }
  }

  // Nothing is connected to: only what is needed here is looked for.
  void look_at_routes(const World& world) {
    process::Writable writable;
    if (const workspace::Workspace* files = world.home->files.get()) {
      for (const workspace::Root& root : files->roots()) {
        if (root.access == workspace::Access::writable) writable.push_back(root.path);
      }
    }
    for (const process::Route& route : routes_of(world.home->settings.config, around_)) {
      const Result<void> is_ready = process::check(route, writable);
      add(is_ready ? Mark::ok : Mark::warn, "routes", describe(route));
      if (!is_ready) add(Mark::warn, "routes", is_ready.error());
    }
  }

  void look_at_tools(const World& world) {
    const Registry& registry = *world.registry;
    std::vector<std::string> loaded;
    for (const Tool& tool : registry.tools()) loaded.push_back(tool.spec.name);
    if (loaded.empty())
      add(Mark::warn, "tools", "none are loaded",
          "--tools all, or tools.load in the configuration");
    else
      add(Mark::ok, "tools", fmt::format("{} loaded: {}", loaded.size(), join(loaded, ", ")));
    const dispatch::Policy* policy = world.home->policy.get();
    for (size_t i = 0; policy && i < registry.tools().size(); ++i) {
      const Spec& spec = registry.tools()[i].spec;
      const dispatch::Policy::Decision decision = policy->decide(i, spec.effect);
      if (!policy->allows(i))
        add(Mark::ok, "tools", fmt::format("{} is denied: {}", spec.name, policy->reason(i)));
      else if (decision.verdict == dispatch::Verdict::ask)
        add(Mark::ok, "tools", fmt::format("{} needs approval: {}", spec.name, decision.reason));
    }
  }

  void look_at_state() {
    const std::string& directory = around_.state_directory;
    const Result<std::optional<sys::FileStatus>> status = state_file(directory);
    if (!status) return add(Mark::fail, "state", status.error());
    if (!*status)
      return add(Mark::ok, "state", fmt::format("{} will be made when it is needed", directory));
    if ((*status)->mode & kPrivate) {
      add(Mark::warn, "state",
          fmt::format("{} has mode {:04o}: others may look into it", directory, (*status)->mode),
          "chmod 700 " + cli::shell_word(directory));
    } else {
      add(Mark::ok, "state", fmt::format("{} (mode {:04o})", directory, (*status)->mode));
    }
    look_at_database();
  }

  void look_at_database() {
    const std::string path = around_.database();
    const Result<std::optional<sys::FileStatus>> status = state_file(path);
    if (!status) return add(Mark::fail, "database", status.error());
    if (!*status)
      return add(Mark::ok, "database",
                 fmt::format("{} will be made with the first recorded call", path));
    if ((*status)->kind != sys::FileKind::file || !begins_like_a_database(**status)) {
      return add(Mark::fail, "database", fmt::format("{} is not a database", path),
                 fmt::format("mv {} {}", cli::shell_word(path), cli::shell_word(path + ".old")));
    }
    const std::string text =
        fmt::format("{} ({}, mode {:04o})", path, human_size((*status)->size), (*status)->mode);
    if ((*status)->mode & kPrivate)
      add(Mark::warn, "database", text + ": others may read it",
          "chmod 600 " + cli::shell_word(path));
    else
      add(Mark::ok, "database", text);
  }

  // To open it as a database could change it: an older one is brought up to date.
  bool begins_like_a_database(const sys::FileStatus& status) const {
    if (status.size == 0) return true;  // nothing was written yet
    const auto directory = sys::open_directory(around_.state_directory);
    if (!directory) return false;
    const auto file = sys::open_beneath(*directory, "helve.db", sys::Open::read);
    char start[kDatabaseStart.size()];
    return file && sys::read_at(*file, start, 0) == sizeof start &&
           std::string_view(start, sizeof start) == kDatabaseStart;
  }

  void look_at_journal(const World& world) {
    const config::Config& config = world.home->settings.config;
    const std::string directory = around_.journal_directory();
    if (config.profile == config::Profile::bare || !config.journal.enabled || directory.empty())
      return add(Mark::warn, "journal", "changes are not kept: undo takes none back",
                 directory.empty() ? "set HOME or XDG_STATE_HOME"
                                   : "journal.enabled and the profile decide it");
    add(Mark::ok, "journal",
        fmt::format("{} (changes of {} days, {} MB)", directory, config.journal.max_age_days,
                    config.journal.max_size_mb));
  }

  void look_at_index(const World& world) {
    const config::Config& config = world.home->settings.config;
    if (workspace_.empty()) return;
    if (!config.index || config.profile == config::Profile::bare || !world.index)
      return add(Mark::ok, "index", "not used: searches read every file");
    const std::string directory = world.index->index_of(workspace_).directory();
    const Result<std::optional<sys::FileStatus>> status = state_file(directory);
    if (!status) return add(Mark::warn, "index", status.error());
    add(Mark::ok, "index", *status ? directory : "none yet; helve index says when one is built");
  }

  void look_at_helper() {
    const std::string program = media::helper_program();
    const Result<std::optional<sys::FileStatus>> status = state_file(program);
    if (status && *status) return add(Mark::ok, "media", program);
    add(Mark::warn, "media",
        fmt::format("{} is missing: read cannot show PDFs, nor large images", program),
        "build it with libpoppler-cpp-dev, libpng-dev and libjpeg-dev");
  }

  void look_at_prompts() {
    const auto shelf =
        guidance::Library(nullptr, around_.config_directory).prompts_of(guidance::Owner::user);
    if (!shelf.items.empty())
      add(Mark::ok, "prompts",
          fmt::format("{} in {}", shelf.items.size(), around_.prompts_directory()));
    for (const std::string& problem : shelf.problems) add(Mark::warn, "prompts", problem);
  }

  const cli::Options& options_;
  const Surroundings& around_;
  std::vector<Finding> findings_;
  std::string workspace_;
};

}  // namespace

std::string_view name_of(Mark mark) {
  return mark == Mark::ok ? "ok" : mark == Mark::warn ? "warn" : "fail";
}

Examined examine(const cli::Options& options, const Surroundings& surroundings) {
  return Examination(options, surroundings).run();
}

}  // namespace helve::app
