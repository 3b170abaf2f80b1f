#include "schema/texts.h"

#include <algorithm>

#include "base/text.h"
#include "schema/validate.h"

namespace helve::schema {
namespace {

constexpr size_t kMaxDepth = 64;  // below it nothing is looked for

bool may_be_text(std::string_view text) {
  text = trim(text);
  return text.starts_with('{') || text.starts_with('[');
}

bool has_text(const Json& value, size_t depth) {
  if (depth == 0) return false;
  if (const auto* text = value.if_string()) return may_be_text(*text);
  if (const JsonArray* array = value.if_array())
    return std::ranges::any_of(*array, [&](const Json& item) { return has_text(item, depth - 1); });
  const JsonObject* object = value.if_object();
  return object && std::ranges::any_of(*object, [&](const auto& member) {
           return has_text(member.value(), depth - 1);
         });
}

// Whether a schema of a provider's subset says what an object or a list holds.
bool says_what_it_holds(const JsonObject& schema) {
  return schema.contains("properties") || schema.contains("items");
}

struct Decoded {
  Json* place;
  Json text;
  std::string path;
  bool was_asked;
};

// A string that fits where it stands is never touched, whatever it looks like.
std::vector<Decoded> decode_misfits(const Json& schema, const Json& value) {
  std::vector<Decoded> all;
  for (const Problem& problem : validate(schema, value)) {
    const auto* text = problem.misfit ? problem.misfit->if_string() : nullptr;
    if (!text || !may_be_text(*text)) continue;
    Result<Json> decoded = parse_json(*text);
    if (!decoded) continue;
    // The problem points into the value, which is ours to change.
    Json* const place = const_cast<Json*>(problem.misfit);
    all.push_back({place, std::exchange(*place, std::move(*decoded)), problem.path,
                   !problem.wanted || !says_what_it_holds(*problem.wanted)});
  }
  return all;
}

}  // namespace

std::optional<DecodedTexts> decode_texts(const JsonObject& schema, const Json& value) {
  if (!has_text(value, kMaxDepth)) return std::nullopt;
  const Json document(schema);
  DecodedTexts out{.value = value, .unasked = {}};
  std::vector<Decoded> all = decode_misfits(document, out.value);
  // What fits no better decoded stays what it was, so that it is refused by its own words.
  for (const Problem& problem : validate(document, out.value)) {
    std::erase_if(all, [&](Decoded& each) {
      if (each.place != problem.misfit) return false;
      *each.place = std::move(each.text);
      return true;
    });
  }
  if (all.empty()) return std::nullopt;
  for (Decoded& each : all) {
    if (!each.was_asked) out.unasked.push_back(std::move(each.path));
  }
  return out;
}

}  // namespace helve::schema
