#include "app/verbose.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::app {
namespace {

// Cut before it is made safe, since there may be much of it, and after, since escapes are longer.
std::string shown(std::string_view text, size_t count) {
  return preview(escape_for_display(first_chars(trim(text), count + 1)), count);
}

}  // namespace

void show_calls(dispatch::Stages& stages, const Tell& tell) {
  stages.on_call = [tell](const dispatch::Call& call, std::string_view arguments) {
    tell(fmt::format("  → {}({})\n", escape_for_display(call.tool),
                     shown(arguments, kShownArguments)));
  };
  stages.on_outcome = [tell](const dispatch::Call&, const dispatch::Outcome& outcome) {
    const std::string text =
        outcome.error ? "error: " + outcome.error->message : text_of(outcome.product.content);
    tell(fmt::format("  ← {}\n", shown(text, kShownResult)));
  };
}

}  // namespace helve::app
