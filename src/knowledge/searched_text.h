// What is searched of a document's content: its text, however that is encoded. The content itself
// stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace helve::knowledge {

class SearchedText {
 public:
  // Borrows the content.
  explicit SearchedText(std::string_view content);

  bool is_text() const { return is_text_; }
  // Decoded where it is no UTF-8; of what is no text, the bytes. Lines have the same numbers.
  std::string_view view() const { return is_decoded_ ? decoded_ : content_; }

 private:
  std::string_view content_;
  std::string decoded_;
  bool is_text_ = true;
  bool is_decoded_ = false;
};

}  // namespace helve::knowledge
