// A session as a text that people keep: what was said, called and answered, as Markdown.
#pragma once

#include <string>

#include "store/shared_store.h"

namespace helve::app {

constexpr size_t kMaxExport = 16u << 20;      // bytes; the rest is left out, and the text says so
constexpr size_t kMaxExportedResult = 4'000;  // characters of one call's result

Result<std::string> session_as_markdown(store::SharedStore& store, const std::string& session);

}  // namespace helve::app
