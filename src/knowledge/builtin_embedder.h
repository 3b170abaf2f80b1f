// The builtin embedder: a sentence encoder that runs in this process, for English. No network, no
// other program; its weights are in a file that `helve embedder install` makes.
#pragma once

#include <memory>
#include <string>

#include "knowledge/embedder.h"

namespace helve::knowledge {

// Changes whenever the same text would get another vector.
constexpr std::string_view kBuiltinEmbedder = "builtin-use-lite-1";
constexpr std::string_view kEncoderFileName = "use-lite-1.bin";

// What is behind them in a text is not read.
constexpr size_t kMaxEmbeddedBytes = 16u << 10;
constexpr size_t kMaxWindows = 8;

// Maps the file and looks at its beginning; weights are read when they are used. A text that is
// longer than the encoder can see at once is seen in several windows, and its vector is their mean.
// A text without any words has the vector of zeros, which is near to nothing.
Result<std::unique_ptr<Embedder>> open_builtin_embedder(const std::string& path);

}  // namespace helve::knowledge
