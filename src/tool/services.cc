#include "tool/services.h"

#include "base/text.h"

namespace helve {

Results::Page Results::page_of(std::string_view text, std::uint64_t number) {
  const std::uint64_t chars = count_chars(text);
  Page page{.chars = chars, .pages = pages_of(chars)};
  if (number == 0 || number > page.pages) return page;
  text.remove_prefix(first_chars(text, kPageChars * (number - 1)).size());
  page.text = first_chars(text, kPageChars);
  return page;
}

Result<Results::Page> Results::page(std::string_view session, std::string_view id,
                                    std::uint64_t number) {
  return page_of(TRY(text(session, id)), number);
}

Telling::~Telling() {
  if (arrived_)
    notices_.arrived(session_, ids_);
  else
    notices_.failed(session_, ids_);
}

}  // namespace helve
