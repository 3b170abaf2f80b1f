// Files in what a person types: @name is completed, and what it names is told to the model. Text
// files stay names, which the model reads when it needs them; images are attached.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/message.h"
#include "terminal/line_editor.h"

namespace helve::app {

class ChatSession;

constexpr size_t kMaxAttached = 5u << 20;  // characters of an image in base64
constexpr size_t kMaxReferences = 20;

// The names behind @ in a text, each once.
std::vector<std::string> references_in(std::string_view text);
// The first part is the text as it was typed.
model::Message message_of(const std::string& text, ChatSession& session);
// Files whose name or path begins with `word`, newest first; ignored ones are not offered.
std::vector<terminal::Candidate> files_like(std::string_view word, ChatSession& session);

}  // namespace helve::app
