// The engines of others behind a Matcher: Hyperscan, which finds the lines that may match in one
// pass of linear time, and PCRE2 for look-around and references, which takes no more steps than it
// is allowed.
//
// Both are immutable once made, so any thread may use them with a scratch space of its own.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "search/interrupt.h"
#include "search/nfa.h"
#include "search/regex_render.h"

struct hs_database;
struct hs_scratch;
struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;
struct pcre2_real_jit_stack_8;

namespace helve::search {

class HyperscanEngine {
 public:
  struct Free {
    void operator()(hs_database* database) const;
    void operator()(hs_scratch* scratch) const;
  };
  using Scratch = std::unique_ptr<hs_scratch, Free>;

  // Null when Hyperscan cannot take the pattern, or does not run on this processor.
  static std::unique_ptr<HyperscanEngine> compile(const BytePattern& pattern);

  // Calls `visit` with the end of each match, in no certain order, until it returns true. False
  // when memory ran out.
  using Visit = bool (*)(void* state, size_t end);
  bool scan(std::string_view text, Scratch& scratch, Visit visit, void* state) const;

 private:
  std::unique_ptr<hs_database, Free> database_;
};

class Pcre2Engine {
 public:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
    void operator()(pcre2_real_match_data_8* data) const;
    void operator()(pcre2_real_match_context_8* context) const;
    void operator()(pcre2_real_jit_stack_8* stack) const;
  };
  struct Scratch {
    std::unique_ptr<pcre2_real_match_data_8, Free> data;
    std::unique_ptr<pcre2_real_jit_stack_8, Free> stack;
    std::unique_ptr<pcre2_real_match_context_8, Free> context;
  };

  static Result<std::unique_ptr<Pcre2Engine>> compile(const Regex& regex);

  // The first match at or after `from`; nothing when it is interrupted. Fails (too_large,
  // "pattern_too_complex") when the search takes too many steps or too much memory.
  Result<std::optional<Span>> find(std::string_view text, size_t from, Scratch& scratch,
                                   Interrupt& interrupt) const;

 private:
  std::unique_ptr<pcre2_real_code_8, Free> code_;
};

}  // namespace helve::search
