#include "model/formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "model/passes.h"
#include "model/simplify.h"
#include "schema/validate.h"

namespace helve::model {
namespace {

constexpr size_t kMaxNameLength = 64;
constexpr size_t kMaxShownName = 80;
constexpr size_t kMaxOpenAiTools = 128;  // in one request
constexpr std::string_view kUsualHint = "change the tool's schema, or use another provider";

// What is common to all providers is done once; the rest is a pass from a flattened schema to the
// provider's value.
struct Provider {
  std::string_view name;
  size_t max_tools;
  Result<JsonObject> (*lower)(const Offer& offer, JsonObject schema);
};

bool is_plain_name(std::string_view name, std::string_view extra) {
  return !name.empty() && name.size() <= kMaxNameLength &&
         std::all_of(name.begin(), name.end(), [&](unsigned char c) {
           return (c < 0x80 && std::isalnum(c)) || extra.find(static_cast<char>(c)) != extra.npos;
         });
}

Result<JsonObject> lower_one(const Provider& provider, const Offer& offer) {
  if (!is_plain_name(offer.name, "_-")) {
    return Error{Code::unsupported,
                 fmt::format("a name for {} has 1 to {} letters, digits, _ or -", provider.name,
                             kMaxNameLength),
                 "rename it"};
  }
  if (Result<void> checked = schema::check_schema(Json(offer.input_schema)); !checked) {
    return Error{Code::unsupported, "its schema cannot be used: " + checked.error().message};
  }
  return provider.lower(offer, TRY(flatten_root(offer.input_schema)));
}

Lowered lower(const Provider& provider, std::span<const Offer> offers) {
  Lowered out;
  std::set<std::string_view> names;
  for (const Offer& offer : offers) {
    Result<JsonObject> lowered =
        out.tools.size() == provider.max_tools
            ? Error{Code::unsupported,
                    fmt::format("{} takes at most {} tools", provider.name, provider.max_tools),
                    "allow fewer tools"}
        : !names.insert(offer.name).second
            ? Error{Code::unsupported, "another tool is offered under this name", "rename one"}
            : lower_one(provider, offer);
    if (lowered)
      out.tools.push_back(std::move(*lowered));
    else
      out.omitted.push_back({static_cast<size_t>(&offer - offers.data()),
                             preview(escape_for_display(offer.name), kMaxShownName),
                             std::move(lowered.error().message),
                             lowered.error().hint.empty() ? std::string(kUsualHint)
                                                          : std::move(lowered.error().hint)});
  }
  return out;
}

Result<JsonObject> lower_anthropic(const Offer& offer, JsonObject schema) {
  // Anthropic refuses the whole request for one parameter with another name.
  for (const auto& member : schema.at("properties").get_object()) {
    if (is_plain_name(member.key(), "_-.")) continue;
    return Error{Code::unsupported,
                 fmt::format("{} has a name other than 1 to {} letters, digits, _, - or .",
                             place_name(preview(std::string_view(member.key()), kMaxShownName)),
                             kMaxNameLength),
                 "rename it in the tool's schema"};
  }
  return JsonObject{{"name", offer.name},
                    {"description", offer.description},
                    {"input_schema", std::move(schema)}};
}

Result<JsonObject> lower_plain(const Offer& offer, JsonObject schema) {
  JsonObject function{
      {"name", offer.name}, {"description", offer.description}, {"parameters", std::move(schema)}};
  return JsonObject{{"type", "function"}, {"function", std::move(function)}};
}

Result<JsonObject> lower_strict(const Offer& offer, JsonObject schema) {
  JsonObject parameters = TRY(strict_schema(schema));
  JsonObject function{{"name", offer.name},
                      {"description", offer.description},
                      {"strict", true},
                      {"parameters", std::move(parameters)}};
  return JsonObject{{"type", "function"}, {"function", std::move(function)}};
}

Result<JsonObject> lower_declaration(const Offer& offer, JsonObject schema) {
  if (std::isdigit(static_cast<unsigned char>(offer.name[0])) || offer.name[0] == '-') {
    return Error{Code::unsupported, "a name for gemini begins with a letter or _", "rename it"};
  }
  JsonObject declaration{{"name", offer.name}, {"description", offer.description}};
  JsonObject parameters = TRY(gemini_schema(schema));
  if (!parameters.empty()) declaration["parameters"] = std::move(parameters);
  return declaration;
}

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

}  // namespace

std::string Omitted::text() const {
  return fmt::format("{} is left out: {}; {}", name, reason, hint);
}

std::string valid_name(std::string_view name) {
  std::string out(name.substr(0, kMaxNameLength));
  for (char& c : out) {
    if (!is_plain_name({&c, 1}, "_-")) c = '_';
  }
  return out.empty() ? "unknown" : out;
}

Lowered to_anthropic(std::span<const Offer> offers) {
  return lower({"anthropic", kAnyNumber, lower_anthropic}, offers);
}
Lowered to_openai(std::span<const Offer> offers) {
  return lower({"openai", kMaxOpenAiTools, lower_plain}, offers);
}
Lowered to_openai_strict(std::span<const Offer> offers) {
  return lower({"openai", kMaxOpenAiTools, lower_strict}, offers);
}
Lowered to_gemini(std::span<const Offer> offers) {
  return lower({"gemini", kAnyNumber, lower_declaration}, offers);
}

}  // namespace helve::model
