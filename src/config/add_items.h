// Adds items to lists of a config file and leaves every other byte of it as it is: comments, order
// and layout are the user's own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::config {

struct NewItem {
  std::string list;  // "approvals.allow", "commands"
  std::string yaml;  // one line
};

// The text with the items at the ends of their lists, which are made where they are missing. What
// comes out has been read back and says what the text said and the items, nothing else; an error of
// type cannot_edit where no such text is found.
Result<std::string> with_items(std::string_view text, std::span<const NewItem> items);

// The same for a file of the user's own, which is replaced at once, or made with mode 0600. `lock`
// is a file that those who change it exclude each other by.
Result<void> add_items(const std::string& file, const std::string& lock,
                       std::span<const NewItem> items);

}  // namespace helve::config
