// Happening: what happens in a conversation, as much of it as a screen shows. It owns what it says,
// so that it can wait for the thread that draws.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace helve::terminal {

struct Happening {
  enum class Kind : unsigned char {
    prompt,       // somebody said `text`; `name` is who, `id` the post
    model_asked,  //
    text,         //
    thinking,     //
    call_shaped,  // the model writes a call of `name`
    retry,        // `text` says why and when
    answer,       // it is complete: tokens, context and window are known
    call_begun,   // `id`, `name`, `text` has the arguments
    call_output,  // `id`, `text`
    call_ended,   // `id`, `name`, `text` has the result, of an error message and hint in lines
    question_answered,  // `name` is the tool, `text` the answer
    subagent_begun,     // `id`, `text` has the prompt
    subagent_ended,     // `id`, `text` says how
    compacted,          // `text` says how much
    warning,            //
  };
  Kind kind = Kind::warning;
  std::string session = {};
  std::string id = {};
  std::string name = {};
  std::string text = {};
  std::vector<std::string> subject = {};  // of a call: the arguments that say what it is about
  bool is_change = false;                 // of a call: what it answers may be a diff
  bool shows_result = false;              // of a call: somebody wants to see all of it
  bool is_error = false;
  int status = 0;  // of a call: what the program that it ran left to a shell
  std::chrono::milliseconds elapsed{};
  std::int64_t tokens = 0;   // that the model wrote
  std::int64_t context = 0;  // tokens in the window
  std::int64_t window = 0;   // 0: not known
};

}  // namespace helve::terminal
