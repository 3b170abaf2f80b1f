#include "model/presets.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "model/http_model.h"

namespace helve::model {
namespace {

constexpr size_t kMaxModelList = 16u << 20;  // bytes
constexpr std::chrono::milliseconds kLocalTime{1'000}, kListTime{15'000};

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// OLLAMA_HOST may be "host", "host:port" or a whole address, and may say where to listen.
std::string ollama_url(std::string host) {
  const bool is_url = host.find("://") != host.npos;
  std::string url = without_slash(is_url ? host : "http://" + host);
  if (const size_t any = url.find("://0.0.0.0"); any != url.npos)
    url.replace(any + 3, 7, "127.0.0.1");
  if (url.find(':', url.find("://") + 3) == url.npos) url += ":11434";
  return url.ends_with("/v1") ? url : url + "/v1";
}

std::string name_in(const Json& entry) {
  for (const char* key : {"id", "name"}) {
    std::string_view name = string_at(entry, key);
    if (name.starts_with("models/")) name.remove_prefix(7);  // as Gemini has them
    if (!name.empty()) return std::string(name);
  }
  return "";
}

Result<std::vector<std::string>> list_within(const Wire& wire, const Endpoint& endpoint,
                                             sys::HttpClient& client, std::stop_token stop,
                                             std::chrono::milliseconds time) {
  // The words that a request for a reply has are right for this one as well.
  Outgoing out = wire.encode({}, endpoint);
  out.headers.insert(out.headers.end(), endpoint.headers.begin(), endpoint.headers.end());
  // Where a list comes in pages, one that holds them all.
  const std::string_view path = &wire == &kAnthropic ? "/v1/models?limit=1000"
                                : &wire == &kGemini  ? "/models?pageSize=1000"
                                                     : "/models";
  const sys::HttpRequest request{.url = endpoint.base_url + std::string(path),
                                 .headers = std::move(out.headers),
                                 .connect_timeout = time,
                                 .idle_timeout = time,
                                 .total_timeout = time};
  std::string page;
  const Result<sys::HttpHead> answer = client.send(
      request,
      [&](const sys::HttpHead&, std::string_view bytes) {
        page += bytes;
        return page.size() <= kMaxModelList;
      },
      std::move(stop));
  if (!answer) return without_key(answer.error(), endpoint.key);
  const sys::HttpHead& head = *answer;
  const Result<Json> value = parse_json(page);
  if (head.status != 200) return answer_error(head, std::move(page), endpoint.key);
  if (!value)
    return Error{Code::network, "the server did not answer with a list of models",
                 "look at the base URL: it is the provider's API, with /v1 where it has one",
                 "bad_list"};
  const Json* list = find(*value, "data");
  if (!list) list = find(*value, "models");
  std::vector<std::string> names;
  if (list && list->is_array()) {
    for (const Json& entry : list->get_array()) {
      if (std::string name = name_in(entry); !name.empty()) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto* found = std::ranges::find(kPresets, name, &Preset::name);
  return found == std::end(kPresets) ? nullptr : found;
}

Endpoint endpoint_of(const Preset& preset, const Lookup& environment) {
  Endpoint endpoint{.base_url = std::string(preset.base_url), .key = "", .model = ""};
  if (!preset.url.empty()) {
    if (std::string url = environment(preset.url); !url.empty())
      endpoint.base_url =
          preset.name == "ollama" ? ollama_url(std::move(url)) : without_slash(std::move(url));
  }
  for (const std::string_view variable : {preset.key, preset.other_key}) {
    if (endpoint.key.empty() && !variable.empty()) endpoint.key = environment(variable);
  }
  return endpoint;
}

Result<std::vector<std::string>> list_models(const Wire& wire, const Endpoint& endpoint,
                                             sys::HttpClient& client, std::stop_token stop) {
  return list_within(wire, endpoint, client, std::move(stop), kListTime);
}

std::vector<Discovered> discover(const Lookup& environment, sys::HttpClient& client,
                                 std::stop_token stop) {
  std::vector<Discovered> places;
  for (const Preset& preset : kPresets) {
    if (preset.is_local) places.push_back({&preset, endpoint_of(preset, environment), {}});
  }
  std::vector<Result<std::vector<std::string>>> found(places.size(),
                                                      Error{Code::network, "not asked"});
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < places.size(); ++i) {
      threads.emplace_back([&, i] {
        found[i] = list_within(*find_wire(places[i].preset->wire), places[i].endpoint, client, stop,
                               kLocalTime);
      });
    }
  }
  std::vector<Discovered> out;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!found[i]) continue;
    places[i].models = std::move(*found[i]);
    out.push_back(std::move(places[i]));
  }
  return out;
}

}  // namespace helve::model
