// Settings: everything a config file may say, described once. Decoding, the list of keys and the
// names of the environment variables all come from this description.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "config/agent_settings.h"
#include "config/command_settings.h"
#include "config/embedding_settings.h"
#include "config/model_settings.h"
#include "config/route_settings.h"
#include "schema/describe.h"

namespace helve::config {

enum class Verdict : unsigned char { allow, ask, deny };  // from lenient to strict
enum class Access : unsigned char { read_only, writable };
enum class Profile : unsigned char { default_, bare };
enum class Color : unsigned char { auto_, always, never };
enum class ApprovalMode : unsigned char { off, smart, always };  // from lenient to strict
enum class Fallback : unsigned char { deny, allow };

struct Effects {
  Verdict read = Verdict::allow;
  Verdict write = Verdict::allow;
  Verdict execute = Verdict::allow;
  Verdict network = Verdict::allow;

  static constexpr auto schema() {
    return schema::object(
        "What happens to calls with an effect; the strictest rule of all layers counts.",
        schema::opt<&Effects::read>("Calls that only read"),
        schema::opt<&Effects::write>("Calls that change files or stored data"),
        schema::opt<&Effects::execute>("Calls that run commands"),
        schema::opt<&Effects::network>("Calls that reach the network"));
  }
};

// Far more than a person writes; a bound because files come from outside.
constexpr std::int64_t kMaxRules = 1000;
constexpr std::int64_t kMaxPattern = 4096;  // characters

struct ToolRules {
  std::vector<std::string> allow, deny, ask;
  Effects effects;

  static constexpr auto schema() {
    return schema::object(
        "Which tools this agent may use.",
        schema::opt<&ToolRules::allow>("Only these tools, groups or patterns; empty: all")
            .max_length(kMaxRules),
        schema::opt<&ToolRules::deny>("Never these; a deny always wins").max_length(kMaxRules),
        schema::opt<&ToolRules::ask>("A person must agree to each call of these")
            .max_length(kMaxRules),
        schema::opt<&ToolRules::effects>("What happens to calls by effect"));
  }
};

struct ToolSettings {
  Json load = "all";
  std::vector<std::string> allow, deny, ask;
  Effects effects;

  static constexpr auto schema() {
    return schema::object(
        "Which tools exist and who may use them.",
        schema::opt<&ToolSettings::load>(
            "Which tools exist: all, none, or a list of names and groups"),
        schema::opt<&ToolSettings::allow>("Only these tools, groups or patterns; empty: all")
            .max_length(kMaxRules),
        schema::opt<&ToolSettings::deny>("Never these; a deny always wins").max_length(kMaxRules),
        schema::opt<&ToolSettings::ask>("A person must agree to each call of these")
            .max_length(kMaxRules),
        schema::opt<&ToolSettings::effects>("What happens to calls by effect"));
  }
};

struct Agent {
  std::string id;
  std::string description;
  ModelSettings model;
  std::string prompt, prompt_file;
  ToolRules tools;
  std::string memory;

  static constexpr auto schema() {
    return schema::object(
        "An agent and its rules.", schema::arg<&Agent::id>("Its name").min_length(1).max_length(64),
        schema::opt<&Agent::description>("What it is for; people and other agents choose by it")
            .max_length(kMaxPattern),
        schema::opt<&Agent::model>("Its model; what is not set is as for everybody"),
        schema::opt<&Agent::prompt>("What it is told before all else").max_length(100'000),
        schema::opt<&Agent::prompt_file>(
            "The same from a file: absolute, or ~/…; in a workspace's file also relative to the "
            "workspace")
            .max_length(4096),
        schema::opt<&Agent::tools>("Which tools it may use"),
        schema::opt<&Agent::memory>("The directory of its memory; a path as prompt_file is")
            .max_length(4096));
  }
};

struct AllowRule {
  std::string tool;
  std::map<std::string, Json> arguments;
  std::vector<std::string> beyond;
  std::string workspace;

  static constexpr auto schema() {
    return schema::object(
        "Calls that need no person's word.",
        schema::arg<&AllowRule::tool>("A tool, group or pattern").min_length(1).max_length(200),
        schema::opt<&AllowRule::arguments>(
            "Arguments that must be so; in texts * and ** stand for any characters, * for no slash")
            .max_length(kMaxRules),
        schema::opt<&AllowRule::beyond>(
            "Ways out of the sandbox: network, full, host:NAME, root:/PATH")
            .max_length(kMaxRules),
        schema::opt<&AllowRule::workspace>("Only in this workspace: absolute, or ~/…; empty: all")
            .max_length(4096));
  }
};

struct CommandRule {
  std::string pattern;
  Verdict verdict = Verdict::ask;
  std::string reason;
  std::vector<std::string> match, not_match;
  std::vector<std::string> beyond;
  std::string workspace;

  static constexpr auto schema() {
    return schema::object(
        "What happens to commands.",
        schema::arg<&CommandRule::pattern>("Words of a command, as docs/commands.md has them")
            .min_length(1)
            .max_length(kMaxPattern),
        schema::arg<&CommandRule::verdict>("allow, ask or deny"),
        schema::opt<&CommandRule::reason>("Why, for whoever is refused or asked")
            .max_length(kMaxPattern),
        schema::opt<&CommandRule::match>("Commands that it must mean; checked when it is read")
            .max_length(kMaxRules),
        schema::opt<&CommandRule::not_match>("Commands that it must not mean")
            .max_length(kMaxRules),
        schema::opt<&CommandRule::beyond>(
            "allow: ways out of the sandbox: network, full, host:NAME, root:/PATH")
            .max_length(kMaxRules),
        schema::opt<&CommandRule::workspace>("Only in this workspace: absolute, or ~/…; empty: all")
            .max_length(4096));
  }
};

struct ApprovalSettings {
  ApprovalMode mode = ApprovalMode::off;
  double timeout_seconds = 120;
  Fallback fallback = Fallback::deny;
  std::vector<AllowRule> allow;

  static constexpr auto schema() {
    return schema::object(
        "When a person is asked.",
        schema::opt<&ApprovalSettings::mode>(
            "off: where a rule asks; smart: for all that does more than read; always: for "
            "everything. Leaving the sandbox is asked for in every mode"),
        schema::opt<&ApprovalSettings::timeout_seconds>("How long an answer is waited for")
            .min_number(0.001)
            .max_number(86'400),
        schema::opt<&ApprovalSettings::fallback>(
            "What happens then; what leaves the sandbox is denied in any case"),
        schema::opt<&ApprovalSettings::allow>("Calls that need no person's word")
            .max_length(kMaxRules));
  }
};

struct Root {
  std::string path;
  Access access = Access::read_only;

  static constexpr auto schema() {
    return schema::object(
        "A directory besides the workspace.",
        schema::arg<&Root::path>(
            "Absolute, or ~/…; in a workspace's file also relative to the workspace")
            .min_length(1)
            .max_length(4096),
        schema::opt<&Root::access>("What tools may do there; default: read_only"));
  }
};

struct Limits {
  std::optional<std::int64_t> inline_chars;
  std::optional<double> timeout_seconds;
  std::int64_t max_frame_bytes = 64 << 20;

  static constexpr auto schema() {
    return schema::object(
        "Bounds of every call.",
        schema::opt<&Limits::inline_chars>(
            "Longer answers are stored and shown by a preview; default: each tool's own limit")
            .min(100)
            .max(10'000'000),
        schema::opt<&Limits::timeout_seconds>("A call that takes longer is ended; default: none")
            .min_number(0.001)
            .max_number(86'400),
        schema::opt<&Limits::max_frame_bytes>("A longer MCP message is refused")
            .min(4096)
            .max(1 << 30));
  }
};

struct HookSettings {
  bool enabled = true;
  double timeout_seconds = 10;

  static constexpr auto schema() {
    return schema::object(
        "Your scripts around every call.",
        schema::opt<&HookSettings::enabled>("Whether hook scripts run"),
        schema::opt<&HookSettings::timeout_seconds>("A script that takes longer is ended")
            .min_number(0.001)
            .max_number(600));
  }
};

struct JournalSettings {
  bool enabled = true;
  std::int64_t max_size_mb = 1024;
  std::int64_t max_age_days = 30;

  static constexpr auto schema() {
    return schema::object(
        "What is kept of changed files, so that changes can be shown and undone.",
        schema::opt<&JournalSettings::enabled>("Whether changes can be undone"),
        schema::opt<&JournalSettings::max_size_mb>(
            "What is kept for one workspace; the oldest changes are forgotten first")
            .min(1)
            .max(1 << 20),
        schema::opt<&JournalSettings::max_age_days>("Older changes are forgotten")
            .min(1)
            .max(36'500));
  }
};

enum class KbScope : unsigned char { workspace, user };

struct KbSettings {
  KbScope scope = KbScope::workspace;

  static constexpr auto schema() {
    return schema::object(
        "Documents that are kept.",
        schema::opt<&KbSettings::scope>(
            "workspace: each workspace has documents of its own; user: the same ones everywhere"));
  }
};

enum class Structured : unsigned char { auto_, always, never };

struct McpSettings {
  Structured structured = Structured::auto_;

  static constexpr auto schema() {
    return schema::object(
        "How MCP clients are served.",
        schema::opt<&McpSettings::structured>(
            "Whether answers have a structured value (structuredContent) beside the text, and "
            "tools an outputSchema; auto: unless the client is known to show its model the value "
            "instead of the text, as Claude Code and Codex do"));
  }
};

struct Settings {
  ToolSettings tools;
  ModelSettings model;
  EmbeddingSettings embeddings;
  std::vector<PriceSettings> prices;
  std::vector<Agent> agents;
  std::string default_agent;
  LoopSettings agent;
  ApprovalSettings approvals;
  std::vector<CommandRule> commands;
  std::vector<Root> roots;
  Limits limits;
  HookSettings hooks;
  JournalSettings journal;
  KbSettings kb;
  McpSettings mcp;
  SandboxSettings sandbox;
  ExecSettings exec;
  std::vector<RouteSettings> routes;
  bool record = true;
  bool sync = true;
  bool read_hard_links = true;
  bool index = true;
  Profile profile = Profile::default_;
  std::string dialect;
  Color color = Color::auto_;
  bool verbose = false;

  static constexpr auto schema() {
    return schema::object(
        "helve's configuration.",
        schema::opt<&Settings::tools>("Which tools exist and who may use them"),
        schema::opt<&Settings::model>("Which model is used, and how"),
        schema::opt<&Settings::embeddings>(
            "What makes vectors of texts, so that they are found by their meaning"),
        schema::opt<&Settings::prices>(
            "What models cost, before what is known of them; the first that fits counts")
            .max_length(kMaxRules),
        schema::opt<&Settings::agents>("Agents and their rules").max_length(kMaxRules),
        schema::opt<&Settings::default_agent>(
            "The agent that calls are made as, unless another is named")
            .max_length(64),
        schema::opt<&Settings::agent>("How far an agent goes for one prompt"),
        schema::opt<&Settings::approvals>("When a person is asked"),
        schema::opt<&Settings::commands>("What happens to commands; a deny always wins")
            .max_length(kMaxRules),
        schema::opt<&Settings::roots>("Directories besides the workspace").max_length(kMaxRules),
        schema::opt<&Settings::limits>("Bounds of every call"),
        schema::opt<&Settings::hooks>("Your scripts around every call"),
        schema::opt<&Settings::journal>("What is kept of changed files"),
        schema::opt<&Settings::kb>("Documents that are kept"),
        schema::opt<&Settings::mcp>("How MCP clients are served"),
        schema::opt<&Settings::sandbox>("What commands may reach"),
        schema::opt<&Settings::exec>("How commands run"),
        schema::opt<&Settings::routes>(
            "Commands that run elsewhere, by their first word; docs/routes.md explains them")
            .max_length(kMaxRules),
        schema::opt<&Settings::record>("Whether calls are recorded"),
        schema::opt<&Settings::sync>(
            "Whether changed files, and the record that a call began, are on disk before a call "
            "returns; without it a power failure may lose what was written last, or leave a change "
            "of several files half done"),
        schema::opt<&Settings::read_hard_links>(
            "Whether files with several names are read; one of them may be outside the workspace"),
        schema::opt<&Settings::index>(
            "Whether a search index is built and used where it makes searches faster"),
        schema::opt<&Settings::profile>(
            "bare: no policy, hooks or records; the tool's function is called directly"),
        schema::opt<&Settings::dialect>("Whose tool names are shown; empty: helve's own")
            .max_length(64),
        schema::opt<&Settings::color>("Colours on a terminal"),
        schema::opt<&Settings::verbose>("Whether calls and results are shown on standard error"));
  }
};

}  // namespace helve::config
