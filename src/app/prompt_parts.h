// Prompt parts: gathers what a model is told about the place where it works: how to work, the
// user's and the project's instructions, notes of earlier work, skills, facts.
//
// Nothing is started and nothing is walked: this comes before the first request of every session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/system_prompt.h"
#include "app/wire.h"

namespace helve::app {

// The part that tells where the agent works, as it was when it was gathered.
constexpr std::string_view kFactsPart = "workspace";
constexpr size_t kMaxInstructions = 32u << 10;  // bytes of one file
constexpr size_t kMaxMemoryBytes = 25u << 10;
constexpr size_t kMaxMemoryLines = 200;
constexpr size_t kMaxTopEntries = 60;
constexpr size_t kMaxPromptsPart = 64u << 10;  // bytes of the prompts of one owner

struct PromptWishes {
  std::string_view agent = {};    // whose prompt and notes it has
  std::string_view message = {};  // what contextual prompts must have to do with
};

// Of the facts in that part, those that stay while one works there: the directories, the day, what
// commands may. A part that has been told can stay as it is while these are the same.
std::string_view lasting_facts(std::string_view facts);

// What changes least comes first, for the sake of the providers' caches. A file that cannot be
// read, or is wrong, is left out and noticed.
std::vector<agent::PromptPart> gather_prompt(const Place& place, const Surroundings& surroundings,
                                             const sys::Clock& clock, const PromptWishes& wishes,
                                             std::vector<std::string>& notices);

}  // namespace helve::app
