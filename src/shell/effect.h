// The effect of a command: whether it only reads, writes files, uses the network, or may do
// anything. What is said to read cannot write or run something: whatever is not known to be
// harmless may do anything. The settings and hooks of git and the configuration of programs are
// taken to be the user's own; the sandbox keeps commands from changing them.
#pragma once

#include <string>
#include <string_view>

#include "shell/unwrap.h"

namespace helve::shell {

enum class Effect : unsigned char { read, write, network, execute };  // in the order of strength
std::string_view name_of(Effect effect);

struct Effects {
  bool writes = false;
  bool network = false;
  bool execute = false;     // may do anything
  std::string reason = {};  // of the strongest; names the command, safe to show

  Effect strongest() const {
    return execute   ? Effect::execute
           : network ? Effect::network
           : writes  ? Effect::write
                     : Effect::read;
  }
};

Effects effects_of(const Analysis& script);
Effects effects_of(std::string_view script);

// What the words of one command make it do.
struct WordEffect {
  Effect effect = Effect::read;
  bool writes = false;  // as well, where the network is used
  // The word that makes the program do more than it does without it.
  size_t because_of = Segment::kNone;
};
WordEffect effect_of_words(const Command& command);

}  // namespace helve::shell
