// What the server needs of others to offer resources and prompts. app/ connects the workspace, the
// stored results and the prompt files; all of them must be thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/content.h"

namespace helve::mcp {

using Arguments = std::map<std::string, std::string>;

// Values for an argument that is being typed, the best first. More than kMaxCompletions are cut.
struct Completions {
  std::vector<std::string> values;
  std::optional<std::uint64_t> total;  // how many there are in all, when known
  bool more = false;
};
constexpr size_t kMaxCompletions = 100;

// One argument being typed, and those already given.
struct Typed {
  std::string_view argument;
  std::string_view value;
  const Arguments& given;
};

struct Resource {
  std::string uri;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
  std::optional<std::uint64_t> size = {};
};

struct ResourceTemplate {
  std::string uri_template;
  std::string name;
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

struct ResourcePage {
  std::vector<Resource> resources;
  std::optional<std::string> next = {};  // cursor of the next page
};

class ResourceSource {
 public:
  virtual ~ResourceSource() = default;
  // The first page when there is no cursor. A cursor that this source did not give out:
  // invalid_argument.
  virtual Result<ResourcePage> list(std::optional<std::string_view> cursor,
                                    std::stop_token stop) = 0;
  virtual std::vector<ResourceTemplate> templates() = 0;
  // At least one content. not_found: there is no such resource.
  virtual Result<std::vector<ResourceContent>> read(std::string_view uri, std::stop_token stop) = 0;
  // `uri_template` is one of templates(), else not_found.
  virtual Result<Completions> complete(std::string_view uri_template, const Typed& typed) = 0;
};

struct PromptArgument {
  std::string name;
  std::string title = {};
  std::string description = {};
  bool required = false;
};

struct Prompt {
  std::string name;
  std::string title = {};
  std::string description = {};
  std::vector<PromptArgument> arguments = {};
};

struct PromptMessage {
  enum class Role : unsigned char { user, assistant } role = Role::user;
  Content content;
};

struct RenderedPrompt {
  std::string description;
  std::vector<PromptMessage> messages;
};

class PromptSource {
 public:
  virtual ~PromptSource() = default;
  virtual std::vector<Prompt> list() = 0;  // in a stable order
  // not_found: no such prompt. invalid_argument: an argument is missing, unknown or wrong.
  virtual Result<RenderedPrompt> get(std::string_view name, const Arguments& arguments,
                                     std::stop_token stop) = 0;
  virtual Result<Completions> complete(std::string_view name, const Typed& typed) = 0;
};

}  // namespace helve::mcp
