// Options: the flags that every command and every tool takes. Described like any other input, so
// parsing, help, completion and the man page are the same as for tools.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/screen.h"
#include "schema/schema.h"

namespace helve::cli {

constexpr std::int64_t kMaxIdLength = 200;

enum class Profile { default_, bare };
enum class Approvals { off, smart, always };
constexpr std::string_view name_of(Approvals mode) {
  return schema::kType<Approvals>.names[static_cast<size_t>(mode)];
}

struct Options {
  // How to answer.
  bool json = false;
  std::optional<std::string> input;
  bool cap = false;
  bool verbose = false;
  Color color = Color::auto_;
  bool help = false;
  bool version = false;
  // Where, and as whom.
  std::optional<std::string> root;
  std::vector<std::string> add_dir;
  std::optional<std::string> session;
  std::optional<std::string> agent;
  std::optional<std::string> config;
  // Under which rules.
  Profile profile = Profile::default_;
  std::optional<std::string> tools;
  std::optional<std::string> dialect;
  bool read_only = false;
  std::optional<Approvals> approvals;
  bool record = true;
  std::optional<double> timeout;

  static constexpr auto schema() {
    using schema::opt;
    return schema::object(
        "Flags that every command and tool takes", opt<&Options::json>("Answer as JSON"),
        opt<&Options::input>("Arguments as JSON from a file; - is standard input").file(),
        opt<&Options::cap>("Cut long output as for a model; lr_N keeps it"),
        opt<&Options::verbose>("Show calls and results on standard error").shorthand('v'),
        opt<&Options::color>("When to use colour"), opt<&Options::help>("Show help").shorthand('h'),
        opt<&Options::version>("Show the version").shorthand('V'),
        opt<&Options::root>("Workspace; default: the current directory").directory().shorthand('C'),
        opt<&Options::add_dir>("Another directory that tools may work in").directory(),
        opt<&Options::session>("Session to continue; default: a new one")
            .min_length(1)
            .max_length(kMaxIdLength),
        opt<&Options::agent>("Agent whose rules apply; default: main")
            .min_length(1)
            .max_length(kMaxIdLength),
        opt<&Options::config>("Config file to read instead of the user's").file(),
        opt<&Options::profile>("bare: no policy, hooks or records"),
        opt<&Options::tools>("Load all, none, or these names and groups"),
        opt<&Options::dialect>("Whose names MCP clients and models see"),
        opt<&Options::read_only>("Refuse to write, execute or use the network"),
        opt<&Options::approvals>("When a person is asked: by rules, for all but reads, always"),
        opt<&Options::record>("Write calls down in the log"),
        opt<&Options::timeout>("Seconds that a call may take")
            .min_number(0.001)
            .max_number(86'400));
  }
};

}  // namespace helve::cli
