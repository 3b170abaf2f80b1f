#include "app/settings_page.h"

#include <fmt/format.h>

#include "config/config.h"

namespace helve::app {
namespace {

constexpr std::string_view kIntroduction =
    R"(# Settings

helve reads, each place stronger than the one before:

1. `~/.config/helve/config.yaml`, or the file that `HELVE_CONFIG` or `--config` names
2. `.helve/config.yaml` of the workspace; until `helve trust` it can only narrow: deny, ask, lower limits
3. the environment: `HELVE_TOOLS_DENY=write` is `tools.deny: [write]`
4. flags

A stronger place replaces what a weaker one says. Rules are the exception: denies and asks of all places add up, a tool
must be in every `allow` list there is, and the strictest verdict on an effect counts. A deny always wins.

`tools.load` decides which tools exist; the rules decide who may call them. `read_large_result` is loaded with any choice of tools,
because it reads their long answers; deny it to leave it out. A rule names a tool (`read`, or `Read`, as other systems
call it), a group (`group:fs`) or a pattern (`read*`). Names that do not exist are errors.

`ask` wants a person's approval, and so do the modes `smart` and `always` of `approvals`; its `allow` rules of all places add up
and spare the question. [approvals.md](approvals.md) says who is asked, where, and what an answer is good for.

`agents` are named sets of rules that hold besides those for everybody. `--agent reviewer` or `default_agent: reviewer` chooses one.

`model` says which model is used, `agents` may have their own, `prices` what models cost, and `agent` how far one goes for a prompt:
[models.md](models.md). The file of a workspace that is not trusted chooses none of these but lower limits.

In the environment a list is separated by commas; `agents`, `approvals.allow`, `commands`, `prices` and `roots` are JSON. `helve doctor` shows what is set, and where.

| key | type | default | environment variable | meaning |
|---|---|---|---|---|
)";

// In a table, a bar would end the cell.
std::string code(std::string_view text) {
  if (text.empty()) return "";
  std::string out = "`";
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out + "`";
}

}  // namespace

std::string settings_markdown() {
  std::string out(kIntroduction);
  for (const config::Key& key : config::keys()) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", code(key.path), code(key.type),
                       code(key.default_value), code(key.variable), key.description);
  }
  return out;
}

JsonArray settings_json() {
  JsonArray out;
  for (const config::Key& key : config::keys()) {
    out.push_back(JsonObject{{"key", key.path},
                             {"type", key.type},
                             {"default", key.default_value},
                             {"variable", key.variable},
                             {"description", key.description}});
  }
  return out;
}

}  // namespace helve::app
