#include "schema/references.h"

#include <charconv>

#include "base/text.h"
#include "schema/subschemas.h"

namespace helve::schema {
namespace {

std::string decode_percent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ptr == &text[i + 1] + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string unescape_pointer(std::string_view step) {
  std::string out;
  for (size_t i = 0; i < step.size(); ++i) {
    const bool escaped = step[i] == '~' && i + 1 < step.size();
    if (!escaped)
      out += step[i];
    else
      out += step[++i] == '1' ? '/' : '~';
  }
  return out;
}

// An identifier relative to its base, as far as schemas use it: absolute, from the root of the
// host, or beside the base.
std::string join_uri(std::string_view base, std::string_view relative) {
  if (relative.empty()) return std::string(base);
  if (relative.find(':') < relative.find('/')) return std::string(relative);
  const size_t scheme = base.find("://");
  const size_t host = scheme == base.npos ? 0 : scheme + 3;
  const size_t end = relative.starts_with('/') ? base.find('/', host) : base.rfind('/');
  if (end == base.npos || end < host)
    return std::string(base) + (host > 0 ? "/" : "") + std::string(relative);
  return std::string(base.substr(0, relative.starts_with('/') ? end : end + 1)).append(relative);
}

std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri) {
  const size_t hash = uri.find('#');
  if (hash == uri.npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

}  // namespace

const Json* at_pointer(const Json& document, std::string_view pointer) {
  if (pointer.empty()) return &document;
  const Json* here = &document;
  for (std::string_view step : split(pointer.substr(1), '/')) {
    if (const JsonObject* object = here->if_object()) {
      here = object->if_contains(unescape_pointer(step));
    } else if (const JsonArray* array = here->if_array()) {
      size_t i = 0;
      const auto end = std::from_chars(step.data(), step.data() + step.size(), i);
      const bool is_index = end.ec == std::errc{} && end.ptr == step.data() + step.size();
      here = is_index && i < array->size() ? &(*array)[i] : nullptr;
    } else {
      return nullptr;
    }
    if (!here) return nullptr;
  }
  return here;
}

References::References(const Json& document, size_t depth) {
  named_.emplace("", &document);
  index(document, "", depth);
}

void References::index(const Json& schema, const std::string& base, size_t depth) {
  const JsonObject* object = schema.if_object();
  if (!object || depth == 0) return;
  std::string own_base = base;
  if (const std::string_view id = split_fragment(string_at(schema, "$id")).first; !id.empty()) {
    own_base = join_uri(base, id);
    named_.emplace(own_base, &schema);
  }
  for (std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const std::string_view anchor = string_at(schema, keyword);
    if (!anchor.empty()) named_.emplace((own_base + '#').append(anchor), &schema);
  }
  if (!own_base.empty()) base_of_.emplace(&schema, own_base);
  each_subschema(*object, [&](const Json& child, std::string_view, std::string_view) {
    index(child, own_base, depth - 1);
  });
}

const Json* References::resolve(const Json& holder, std::string_view reference) const {
  const auto [uri, encoded] = split_fragment(reference);
  const auto base = base_of_.find(&holder);
  const std::string target = join_uri(base == base_of_.end() ? "" : base->second, uri);
  const auto resource = named_.find(target);
  const std::string fragment = decode_percent(encoded);
  const Json* found = nullptr;
  if (!fragment.empty() && fragment[0] != '/') {
    const auto anchor = named_.find(target + '#' + fragment);
    found = anchor == named_.end() ? nullptr : anchor->second;
  } else if (resource != named_.end()) {
    found = at_pointer(*resource->second, fragment);
  }
  return found && (found->is_object() || found->is_bool()) ? found : nullptr;
}

}  // namespace helve::schema
