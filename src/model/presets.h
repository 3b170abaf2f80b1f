// Presets: providers and local servers by name: where they are, how they talk, where their key is.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/wire.h"
#include "sys/http.h"

namespace helve::model {

struct Preset {
  std::string_view name;
  std::string_view wire;
  std::string_view base_url;
  std::string_view key;        // the variable that holds it; empty: none is needed
  std::string_view other_key;  // another one, looked at after it
  std::string_view url;        // the variable that names another place; empty: there is none
  bool is_local = false;       // looked for on this machine
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

// A variable of the environment; empty when it is not set.
using Lookup = std::function<std::string(std::string_view name)>;
// Where the variables say it is. The model is not chosen yet.
Endpoint endpoint_of(const Preset& preset, const Lookup& environment);

// The models that a server has, in its order.
Result<std::vector<std::string>> list_models(const Wire& wire, const Endpoint& endpoint,
                                             sys::HttpClient& client, std::stop_token stop);

struct Discovered {
  const Preset* preset;
  Endpoint endpoint;
  std::vector<std::string> models;
};
// The local servers that answer. Takes a second at most.
std::vector<Discovered> discover(const Lookup& environment, sys::HttpClient& client,
                                 std::stop_token stop);

}  // namespace helve::model
