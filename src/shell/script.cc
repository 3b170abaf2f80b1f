#include "shell/script.h"

#include <algorithm>
#include <array>

namespace helve::shell {

std::string_view name_of(Varies varies) {
  constexpr std::array<std::string_view, 10> kNames{
      "nothing",     "a parameter",        "a command substitution", "an arithmetic expansion",
      "a process",   "a translation",      "a home directory",       "an expansion of braces",
      "a file glob", "words that are read"};
  return kNames[static_cast<size_t>(varies)];
}

bool Redirection::writes() const {
  if (kind != Kind::out && kind != Kind::append && kind != Kind::in_out) return false;
  if (!target.literal()) return true;
  const std::string_view path = target.text;
  return path != "/dev/null" && path != "/dev/stdout" && path != "/dev/stderr" &&
         path != "/dev/tty" && !may_connect();
}

bool Redirection::reads() const {
  return kind == Kind::in && !(target.literal() && target.text == "/dev/null");
}

bool Redirection::may_connect() const {
  if (kind == Kind::here_doc || kind == Kind::here_string || kind == Kind::descriptor) return false;
  if (target.varies == Varies::process) return false;
  const std::string_view start = target.literal() ? target.text : target.head;
  for (const std::string_view network : {"/dev/tcp/", "/dev/udp/"}) {
    if (start.starts_with(network) || (!target.literal() && network.starts_with(start)))
      return true;
  }
  return false;
}

bool Command::takes_input() const {
  return fed || std::ranges::any_of(redirections, [](const Redirection& redirection) {
           return redirection.reads() || redirection.is_text() ||
                  redirection.kind == Redirection::Kind::in_out;
         });
}

void Script::doubt(std::string reason, std::uint32_t at) {
  if (unknowns.size() < kMaxUnknowns) unknowns.push_back({std::move(reason), at});
}

}  // namespace helve::shell
