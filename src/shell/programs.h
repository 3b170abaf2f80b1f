// What is known about programs: what they do, and with which options they do no more than that.
#pragma once

#include <span>
#include <string_view>

#include "shell/effect.h"
#include "shell/options.h"

namespace helve::shell {

struct Program {
  static constexpr size_t kAnyNumber = static_cast<size_t>(-1);

  std::string_view name;
  Effect effect = Effect::read;
  Options options = {};          // do not change what it does
  Options writing = {};          // make it write
  size_t operands = kAnyNumber;  // more than these are not known
  // Says more about the words than options can; the word that may do anything, or kNone.
  size_t (*suspect)(std::span<const Word> words) = nullptr;
  bool any = false;          // whatever the words are
  bool lists = false;        // without operands it only reads
  bool also_writes = false;  // where the network is used

  bool writes() const { return effect == Effect::write || also_writes; }
};

// Null when nothing is known.
const Program* find_program(std::string_view name);

// By the subcommand of git, and by that of others such as "npm ls".
const Program* find_subcommand(std::string_view program, std::string_view subcommand);

// Of find: the ; or the + behind {} that ends the command which the word at `at` begins.
size_t end_of_exec(std::span<const Word> words, size_t at);

// effect_scripts.cc
size_t suspect_in_sed(std::span<const Word> words);
size_t suspect_in_awk(std::span<const Word> words);
bool is_harmless_sed(std::string_view script);
bool is_harmless_awk(std::string_view script);

}  // namespace helve::shell
