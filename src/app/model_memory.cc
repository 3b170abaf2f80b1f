#include "app/model_memory.h"

#include "app/model_input.h"

namespace helve::app {

std::string remembered(const ModelFlags& flags, const std::string& current_directory) {
  if (!flags.choose()) return "";
  ModelInput input;
  input.provider = flags.provider;
  input.base_url = flags.base_url;
  input.model = flags.model;
  input.protocol = flags.protocol;
  input.script = flags.script.empty() || flags.script.starts_with('/')
                     ? flags.script
                     : current_directory + "/" + flags.script;
  return schema::encode(input);
}

ModelFlags recalled(std::string_view text, ModelFlags others) {
  const Result<Json> json = parse_json(text);
  if (!json) return others;
  const Result<ModelInput> input = schema::decode<ModelInput>(*json);
  if (!input) return others;
  ModelFlags flags = input->flags();
  flags.record = std::move(others.record);
  return flags;
}

}  // namespace helve::app
