// What was set, and where: the answer to "why is it so?".
#include <fmt/format.h>

#include "config/config.h"

namespace helve::config {
namespace {

using VisitValue = std::function<void(const std::string& path, const Json& value)>;

bool holds_mappings(const Json& value) {
  const JsonArray* items = value.if_array();
  return items && !items->empty() && items->front().is_object();
}

// Visits all that is no mapping, nor a list of mappings.
void visit_values(const Json& value, const std::string& path, const VisitValue& visit) {
  if (const JsonObject* object = value.if_object()) {
    for (const auto& [key, inner] : *object)
      visit_values(inner, path.empty() ? std::string(key) : path + "." + std::string(key), visit);
  } else if (holds_mappings(value)) {
    const JsonArray& items = value.get_array();
    for (size_t i = 0; i < items.size(); ++i)
      visit_values(items[i], fmt::format("{}[{}]", path, i), visit);
  } else if (!value.is_null()) {
    visit(path, value);
  }
}

// Rules of all places hold; of other settings the last one does.
bool adds_up(std::string_view path) {
  return path.starts_with("agents[") || path.starts_with("approvals.allow") ||
         path.starts_with("commands") || (path.starts_with("tools.") && path != "tools.load");
}

}  // namespace

const Layer* Loaded::decider(std::string_view path) const {
  for (size_t i = layers.size(); i-- > 0;) {
    if (layers[i].says(path)) return &layers[i];
  }
  return nullptr;
}

std::vector<Said> Loaded::said() const {
  std::vector<Said> all;
  for (const Layer& layer : layers) {
    visit_values(layer.value, "", [&](const std::string& path, const Json& value) {
      // A list is replaced as a whole.
      if (adds_up(path) || decider(path.substr(0, path.find('['))) == &layer)
        all.push_back({path, path.ends_with("model.key") ? "(not shown)" : to_text(value),
                       layer.place_of(path)});
    });
  }
  return all;
}

}  // namespace helve::config
