// Layer: what one place says, before it is mixed with the others, and how to point at a word in it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "config/settings.h"

namespace helve::config {

struct Layer {
  std::string source;                            // a file, "the environment", "the command line"
  Json value = JsonObject();                     // shaped like a config file
  std::map<std::string, int> lines;              // files: path -> line
  std::map<std::string, std::string> variables;  // environment: path -> variable
  bool is_command_line = false;
  // Where relative roots begin. Empty: wherever helve runs; not set: they are not allowed.
  std::optional<std::string> base = "";

  // Whether it has a value for a path of keys, such as "limits.inline_chars".
  bool says(std::string_view path) const;
  // "FILE:LINE" or "HELVE_X" of the path or of what holds it, else the source.
  std::string place_of(std::string_view path) const;
  // "FILE:LINE: path: message (hint)".
  std::string complain(std::string_view path, std::string_view message,
                       std::string_view hint = {}) const;
};

// Collects what is wrong in all layers, to say it at once.
class Complaints {
 public:
  void add(const Layer& layer, std::string_view path, std::string_view message,
           std::string_view hint = {});
  // Line 0: none in particular.
  void add_line(const Layer& layer, int line, std::string_view message);
  bool empty() const { return details_.empty(); }
  size_t size() const { return details_.size(); }
  Error to_error() const;

 private:
  void add(std::string text, JsonObject detail);
  std::string text_;
  JsonArray details_;
};

// Complains about routes that mean nothing, and puts the home directory for ~ in their paths.
void check_routes(const Layer& layer, const std::string& home, std::vector<RouteSettings>& routes,
                  Complaints& complaints);

// Makes a path absolute: puts the home directory for ~, and the layer's base before a relative one.
// Complains where there is none.
void resolve_path(const Layer& layer, const std::string& home, std::string_view at,
                  std::string& path, Complaints& complaints);

// Complains about what means nothing, and makes the paths absolute.
void check_model(const Layer& layer, const std::string& home, const std::string& at,
                 ModelSettings& model, Complaints& complaints);
void check_embeddings(const Layer& layer, const std::string& home, EmbeddingSettings& embeddings,
                      Complaints& complaints);
void check_agents(const Layer& layer, const std::string& home, std::vector<Agent>& agents,
                  Complaints& complaints);
// Whether a model's key stands in it.
bool holds_key(const Layer& layer);

// The variables that begin with HELVE_, as a layer. Unknown ones become notices: a typing error
// must not stop helve, and other programs may use the prefix.
Layer environment_layer(const std::map<std::string, std::string>& environment,
                        std::vector<std::string>& notices);

// Only what narrows: denies, asks, stricter effects, a stricter mode and smaller limits than
// `current` has. The rest becomes notices. The layer must have been decoded without complaint
// before.
Layer narrowed(const Layer& layer, const Settings& current, std::vector<std::string>& notices);

}  // namespace helve::config
