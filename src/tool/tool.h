// Tool: what a tool is, for everyone: a Spec, the schemas of what goes in and comes out, and a
// function. The typed face is make_tool in tool/make.h; this is the one that dispatcher and
// surfaces see.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/type.h"
#include "tool/content.h"
#include "tool/demand.h"
#include "tool/long_text.h"

namespace helve {

struct Context;

enum class Effect : unsigned char { read, write, execute, network };
std::string_view name_of(Effect effect);

// How much of an answer is kept and shown.
struct Limits {
  size_t inline_chars = 10'000;  // more is kept as lr_N and shown by a preview
  size_t preview_chars = 500;
  size_t capture_bytes = 64u << 20;  // more is cut, and the answer says so
};

struct Example {
  std::string what;
  std::string arguments;  // JSON; the command-line form is derived from it
};

struct Spec {
  std::string name;        // canonical, snake_case: the source file's name
  std::string group;       // the command-line namespace
  bool top_level = false;  // on the command line also without its group
  std::string title = {};
  std::string description = {};  // default: the description of the input type
  Effect effect = Effect::read;  // the strongest it can have, when it depends on the arguments
  bool effect_varies = false;    // set by make_tool when the effect depends on the arguments
  bool terminal = false;         // ends the agent's loop
  bool concurrent = false;       // a model may make several at once, whatever the effect
  // Begins sessions or calls other tools. Whatever its own effect, those have theirs, so that it is
  // on record before it runs.
  bool delegates = false;
  bool idempotent = false;
  bool open_world = false;   // reaches beyond the workspace and the store
  bool destructive = false;  // may destroy what was there
  // The arguments that say what a call works on: a standing permission names these and leaves the
  // others free. Empty: all of them. Of a tool that runs commands the command is the first.
  std::vector<std::string> subject = {};
  std::vector<std::string> aliases = {};
  std::vector<Example> examples = {};
  Limits limits = {};
};

// What a tool that succeeded has to say: the structured value and what people and models read, from
// one output value.
struct Product {
  std::string json;
  std::vector<Content> content;
  bool is_partial = false;  // some of it could not be done, and the answer says what
  int shell_status = 0;     // what a shell is told; of a program that the call ran
  size_t told_bytes = 0;    // the listener has had so much of the text, or what it stands for
  // All that a command wrote, byte for byte; only where Context::wants_written, and null where no
  // command has ended.
  std::unique_ptr<const LongText> written = nullptr;
};

// Arguments that were decoded and found right, ready to run.
class Bound {
 public:
  virtual ~Bound() = default;
  virtual Effect effect() const = 0;
  // What it wants besides. The context is the one it would run in, but for the store and the
  // deadline.
  virtual Demand demand(const Context&) const { return {}; }
  virtual Result<Product> run(Context& context) = 0;
  // The arguments as decoded: canonical names, defaults filled in.
  virtual std::string arguments() const = 0;
};

struct Tool {
  Spec spec;
  const schema::Type* input =
      nullptr;  // null for tools from outside, which have only the JSON form
  const schema::Type* output = nullptr;
  JsonObject input_schema_json = {};  // set when `input` is null
  JsonObject output_schema_json =
      {};  // set when `output` is null; empty: the output is not described
  std::function<Result<std::unique_ptr<Bound>>(const Json&)> bind;

  JsonObject input_schema() const;
  JsonObject output_schema() const;
};

// Written by the build from src/tools/.
std::vector<Tool> builtin_tools();

}  // namespace helve
