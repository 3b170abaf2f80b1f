// Config: what helve was told, from all places together, and where each rule came from.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/layer.h"
#include "config/settings.h"

namespace helve::config {

// The source of what flags say.
constexpr std::string_view kCommandLine = "the command line";

// Which tools exist. "None" is a choice of its own, never an empty list.
struct Load {
  enum class Kind : unsigned char { all, none, names } kind = Kind::all;
  std::vector<std::string> names;  // only for `names`; never empty then
  bool operator==(const Load&) const = default;
};

// The rules of one place. Denies and asks of all layers add up, allow lists intersect, the
// strictest verdict on an effect counts; so layers are kept apart, and a refusal can name the file.
struct RuleLayer {
  std::string source;  // "FILE", "the environment", "agent 'coder' in FILE"
  std::string agent;   // empty: the rules are for everybody
  std::vector<std::string> allow, deny, ask;
  std::array<Verdict, 4> effects{};  // read, write, execute, network
  size_t layer = 0;                  // Loaded::layers[layer] says it,
  std::string path = {};             // below this: "tools", "agents[0].tools"
};

// A rule and its place.
template <class Rule>
struct Placed {
  Rule rule;
  size_t layer = 0;  // Loaded::layers[layer] says it,
  std::string path;  // here: "approvals.allow[0]"
};

struct Config {
  Load load;
  ModelSettings model;
  EmbeddingSettings embeddings;
  std::vector<PriceSettings> prices;
  std::vector<Agent> agents;  // of all places; without tools: Loaded::rules has their rules
  std::string default_agent;  // empty, or the id of one of `agents`
  LoopSettings agent;
  ApprovalSettings approvals;  // without `allow`: Loaded::allow has the rules of all places
  std::vector<Root> roots;     // paths are absolute when they came from a file
  Limits limits;
  HookSettings hooks;
  JournalSettings journal;
  KbSettings kb;
  McpSettings mcp;
  SandboxSettings sandbox;
  ExecSettings exec;
  std::vector<RouteSettings> routes;  // paths are absolute
  bool record = true;
  bool sync = true;
  bool read_hard_links = true;
  bool index = true;
  Profile profile = Profile::default_;
  std::string dialect;
  Color color = Color::auto_;
  bool verbose = false;
};

// Where to look. No process is started and nothing is written by looking.
struct Sources {
  std::string user_file;   // ~/.config/helve/config.yaml; HELVE_CONFIG names another. Empty: none
  std::string workspace;   // the directory that may hold .helve/config.yaml. Empty: none
  std::string trust_file;  // <state>/trust. Empty: nothing is trusted
  std::string home;        // what ~ stands for
  JsonObject flags;        // shaped like a config file
  std::map<std::string, std::string> environment;  // at least what begins with HELVE_
};

// A setting as somebody wrote it.
struct Said {
  std::string path;   // "limits.timeout_seconds", "agents[0].tools.deny"
  std::string value;  // as JSON; a key is not told
  std::string place;  // "FILE:LINE", "HELVE_X", "the command line"
};

struct Loaded {
  struct File {
    std::string path;
    bool trusted = true;  // false: it could only narrow
  };
  Config config;
  std::vector<RuleLayer> rules;  // in the order of their places
  std::vector<Placed<AllowRule>> allow;
  std::vector<Placed<CommandRule>> commands;
  std::string user_file;             // where rules of the user's own go; empty: nowhere
  std::vector<File> files;           // those that exist and were read
  std::vector<std::string> notices;  // what was ignored, and why
  std::vector<Layer> layers;         // what each place says, the weakest first

  // Every setting that some place sets, with that place. Where a later place replaces what an
  // earlier one says, only the later one is told.
  std::vector<Said> said() const;
  // The layer that decides a setting; null: nobody sets it.
  const Layer* decider(std::string_view path) const;
  // The rules that hold for an agent: those for everybody, then its own.
  std::vector<RuleLayer> rules_for(std::string_view agent) const;
  // The agent of this id; null: there is none.
  const Agent* agent(std::string_view id) const;
  // The model of an agent, as its own settings and those for everybody have it.
  ModelSettings model_of(std::string_view agent) const;
};

// User file < workspace file < environment < flags; a later place wins, except for rules, which add
// up. A workspace file that is not trusted can only narrow. Everything wrong in any place is one
// error of type invalid_config, a line each:
// "FILE:LINE: agents[0].tools.alow: unknown key (did you mean 'allow'?)".
Result<Loaded> load(const Sources& sources);

// One key of a config file, for documentation and doctor.
struct Key {
  std::string path;           // "limits.inline_chars", "agents[].id"
  std::string type;           // "integer", "allow|ask|deny", "list of text"
  std::string default_value;  // as YAML; empty: none
  std::string description;
  std::string variable;  // HELVE_LIMITS_INLINE_CHARS; empty where the environment cannot reach
};
std::vector<Key> keys();

}  // namespace helve::config
