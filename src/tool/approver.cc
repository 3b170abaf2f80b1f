#include "tool/approver.h"

#include <algorithm>
#include <iterator>

namespace helve {
namespace {

constexpr std::string_view kAnswers[] = {"deny", "once", "session", "always"};

}  // namespace

std::string_view name_of(Approver::Answer answer) { return kAnswers[static_cast<size_t>(answer)]; }

std::optional<Approver::Answer> find_answer(std::string_view name) {
  const auto* const found = std::ranges::find(kAnswers, name);
  if (found == std::end(kAnswers)) return {};
  return static_cast<Approver::Answer>(found - kAnswers);
}

}  // namespace helve
