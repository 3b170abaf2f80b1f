// A program with a tool of its own: `embed` calls it twice through the dispatcher, once wrongly;
// `embed mcp` serves it.
#include <helve/helve.h>

#include <iostream>
#include <string_view>

namespace helve {
std::vector<Tool> embed_tools();  // written by the build from tools/
}

namespace {

void show(const helve::dispatch::Outcome& outcome) {
  if (outcome.ok()) {
    std::cout << helve::text_of(outcome.product.content) << outcome.product.json << "\n";
  } else {
    std::cout << helve::describe(*outcome.error) << "\n";
  }
}

int serve(helve::dispatch::Dispatcher& dispatcher, const helve::Identity& who) {
  helve::sys::RealClock clock;
  helve::mcp::Server server(dispatcher, clock, nullptr, {.title = "embed"});
  helve::Result<helve::mcp::Stdio> stdio = helve::mcp::Stdio::make(server, who, 0, 1);
  return stdio && stdio->serve() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  helve::Result<helve::Registry> registry = helve::Registry::load(helve::embed_tools());
  if (!registry) {
    std::cerr << helve::describe(registry.error()) << "\n";
    return 1;
  }
  helve::dispatch::Dispatcher dispatcher(*registry, {});
  const helve::Identity who{.agent = "embed"};
  if (argc > 1 && std::string_view(argv[1]) == "mcp") return serve(dispatcher, who);

  show(dispatcher.call(
      {.tool = "greet", .raw_arguments = R"({"name": "world", "times": 2})", .who = who}));
  show(dispatcher.call(
      {.tool = "greet", .raw_arguments = R"({"nmae": "world", "times": 9})", .who = who}));
}
