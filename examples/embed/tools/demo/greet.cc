// greet: says hello, as an example of a tool in somebody else's program.
#include <helve/tool.h>

namespace helve::tools {
namespace {

struct GreetInput {
  std::string name;
  int times = 1;

  static constexpr auto schema() {
    return object("Greet somebody.", arg<&GreetInput::name>("Whom to greet").min_length(1),
                  opt<&GreetInput::times>("How often").min(1).max(3));
  }
};

struct GreetOutput {
  std::vector<std::string> greetings;

  static constexpr auto schema() {
    return object("The greetings.", arg<&GreetOutput::greetings>("One for each time"));
  }
  std::string text() const {
    std::string lines;
    for (const std::string& greeting : greetings) lines += greeting + "\n";
    return lines;
  }
};

Result<GreetOutput> greet(const GreetInput& in, Context&) {
  GreetOutput out;
  out.greetings.assign(in.times, "Hello, " + in.name + "!");
  return out;
}

}  // namespace

Tool tool_greet() {
  return make_tool({.name = "greet", .group = "demo", .idempotent = true}, greet);
}

}  // namespace helve::tools
