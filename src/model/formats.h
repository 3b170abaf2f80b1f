// Tools in the formats of model providers. Each is a small lowering pass from the full JSON Schema
// 2020-12 of a tool to what the provider takes. What a provider's subset has no words for is asked
// for as text (model/json_text.h). A tool that cannot be expressed at all is left out by name, with
// the reason, so that one odd schema never costs a whole turn.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::model {

// A tool as it is offered: under the names that the session's dialect gives it.
struct Offer {
  std::string name;
  std::string description;
  JsonObject input_schema;
};

struct Omitted {
  size_t index = 0;  // among the offers
  std::string name;
  std::string reason;  // names the parameter where one is to blame
  std::string hint;    // what to do

  // "query is left out: parameter 'filter' takes any JSON, …; give it a type …".
  std::string text() const;
};

struct Lowered {
  JsonArray tools;  // in the order of the offers
  std::vector<Omitted> omitted;
};

// A name that a request may have, made of one that a model wrote.
std::string valid_name(std::string_view name);

Lowered to_anthropic(std::span<const Offer> offers);  // {name, description, input_schema}
Lowered to_openai(
    std::span<const Offer> offers);  // {type: function, function: {name, description, parameters}}
Lowered to_openai_strict(
    std::span<const Offer> offers);  // the same with strict: true; optional parameters may be null
Lowered to_gemini(
    std::span<const Offer> offers);  // function declarations {name, description, parameters}

}  // namespace helve::model
