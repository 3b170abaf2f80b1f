// ModelInput: the flags that choose a model, for every command that asks one.
#pragma once

#include <array>
#include <iterator>

#include "app/model_choice.h"
#include "schema/schema.h"

namespace helve::app {

constexpr auto kProviderNames = [] {
  std::array<std::string_view, std::size(model::kPresets) + 3> names;
  size_t next = 0;
  for (const model::Preset& preset : model::kPresets) names[next++] = preset.name;
  for (const std::string_view name : {kCustom, kScripted, kRecorded}) names[next++] = name;
  return names;
}();

// To be inherited first: the fields are found at its beginning.
struct ModelInput {
  std::string provider, base_url, model;
  std::optional<config::Protocol> protocol;
  std::string script, record;

  static constexpr auto schema() {
    using schema::opt;
    return schema::object(
        "Which model is asked",
        opt<&ModelInput::provider>("Who has the model: `helve models` lists them")
            .suggest(kProviderNames)
            .shorthand('p'),
        opt<&ModelInput::base_url>("Where the API is, with /v1 where it has one"),
        opt<&ModelInput::model>("The model, as the provider calls it").shorthand('m'),
        opt<&ModelInput::protocol>("text: for models that know no tool calls"),
        opt<&ModelInput::script>("The file that the provider `scripted` or `recorded` tells")
            .file(),
        opt<&ModelInput::record>("Add all replies of the model to this file").file());
  }
  ModelFlags flags() const { return {provider, base_url, model, protocol, record, script}; }
};

}  // namespace helve::app
