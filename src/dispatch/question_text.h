// What a person reads before deciding about a call: safe to show anywhere, whatever the call says.
#pragma once

#include <string>
#include <string_view>

#include "tool/approver.h"

namespace helve::dispatch {

// What would run and why it asks, in lines that end with \n. The command is shown whole; what is
// left out of other arguments is said.
std::string question_text(const Approver::Question& question);
constexpr size_t kMaxShownCommand = 20'000;  // characters; about a longer one nobody is asked
constexpr std::string_view kBar = "  | ";    // before each line of a command

// What an answer allows. The rules of `always` stand on lines of their own.
std::string answer_text(const Approver::Question& question, Approver::Answer answer);

}  // namespace helve::dispatch
