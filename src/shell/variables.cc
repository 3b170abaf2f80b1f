#include "shell/variables.h"

#include <algorithm>
#include <array>

namespace helve::shell {
namespace {

using std::string_view;

constexpr std::array<string_view, 24> kHarmless{"LANG",
                                                "LANGUAGE",
                                                "TZ",
                                                "TERM",
                                                "COLUMNS",
                                                "LINES",
                                                "NO_COLOR",
                                                "FORCE_COLOR",
                                                "CLICOLOR",
                                                "CLICOLOR_FORCE",
                                                "COLORTERM",
                                                "CI",
                                                "RUST_BACKTRACE",
                                                "PYTHONUNBUFFERED",
                                                "PYTHONDONTWRITEBYTECODE",
                                                "PYTHONHASHSEED",
                                                "PYTHONIOENCODING",
                                                "PYTHONUTF8",
                                                "NODE_ENV",
                                                "DEBIAN_FRONTEND",
                                                "GIT_TERMINAL_PROMPT",
                                                "GIT_OPTIONAL_LOCKS",
                                                "BLOCKSIZE",
                                                "BLOCK_SIZE"};

// The last ones are numbers to bash, which evaluates what they are set to.
constexpr std::array<string_view, 68> kRunning{"PATH",
                                               "IFS",
                                               "ENV",
                                               "SHELL",
                                               "SHELLOPTS",
                                               "BASHOPTS",
                                               "PS1",
                                               "PS4",
                                               "PS0",
                                               "CDPATH",
                                               "GLOBIGNORE",
                                               "HOME",
                                               "PAGER",
                                               "EDITOR",
                                               "VISUAL",
                                               "BROWSER",
                                               "LESS",
                                               "LESSOPEN",
                                               "LESSCLOSE",
                                               "MANOPT",
                                               "FCEDIT",
                                               "MAKEFLAGS",
                                               "MAKEFILES",
                                               "MFLAGS",
                                               "CC",
                                               "CXX",
                                               "AR",
                                               "PERL5LIB",
                                               "PERL5DB",
                                               "PERL5OPT",
                                               "RUBYLIB",
                                               "RUBYOPT",
                                               "CLASSPATH",
                                               "LOCPATH",
                                               "GCONV_PATH",
                                               "NLSPATH",
                                               "HOSTALIASES",
                                               "TERMINFO",
                                               "TERMCAP",
                                               "OPENSSL_CONF",
                                               "CURL_HOME",
                                               "WGETRC",
                                               "INPUTRC",
                                               "ZDOTDIR",
                                               "FPATH",
                                               "GOFLAGS",
                                               "GOROOT",
                                               "GOPATH",
                                               "GOENV",
                                               "GOTOOLCHAIN",
                                               "GOPROXY",
                                               "MALLOC_CHECK_",
                                               "PROMPT_COMMAND",
                                               "EXECIGNORE",
                                               "HISTFILE",
                                               "DISPLAY",
                                               "POSIXLY_CORRECT",
                                               "XDG_CONFIG_HOME",
                                               "XDG_DATA_HOME",
                                               "XDG_CONFIG_DIRS",
                                               "TMPDIR",
                                               "RIPGREP_CONFIG_PATH",
                                               "RANDOM",
                                               "SRANDOM",
                                               "OPTIND",
                                               "HISTCMD",
                                               "SECONDS",
                                               "LINENO"};

constexpr std::array<string_view, 14> kRunningStarts{
    "LD_",  "DYLD_", "GIT_",  "BASH",  "PYTHON",  "NODE_",   "npm_",
    "NPM_", "PIP_",  "CARGO", "RUSTC", "RUSTUP_", "DOCKER_", "SSH_"};

constexpr std::array<string_view, 12> kRunningEnds{"PAGER", "EDITOR",  "_COMMAND", "_ASKPASS",
                                                   "_RSH",  "_SHELL",  "_OPTS",    "OPTIONS",
                                                   "FLAGS", "_CONFIG", "_PATH",    "_WRAPPER"};

// Programs that show or change nothing, as people name them to be asked nothing.
bool is_quiet(const Word& value) {
  return value.literal() &&
         (value.text.empty() || value.text == "cat" || value.text == "true" || value.text == ":");
}

}  // namespace

Influence influence_of(string_view name, const Word& value) {
  if (name.starts_with("LC_") || std::ranges::find(kHarmless, name) != kHarmless.end())
    return Influence::none;
  if ((name.ends_with("PAGER") || name.ends_with("EDITOR")) && is_quiet(value))
    return Influence::none;
  if (std::ranges::find(kRunning, name) != kRunning.end()) return Influence::runs;
  const auto starts = [&](string_view start) { return name.starts_with(start); };
  const auto ends = [&](string_view end) { return name.ends_with(end); };
  if (std::ranges::any_of(kRunningStarts, starts) || std::ranges::any_of(kRunningEnds, ends))
    return Influence::runs;
  return Influence::unknown;
}

}  // namespace helve::shell
