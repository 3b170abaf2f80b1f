// Instructions of one small dispatched call, to be run under `valgrind --tool=callgrind`:
//   bench_dispatch direct|bare|full CALLS
// direct: the tool's function alone. bare: through the dispatcher without stages. full: policy,
// hooks (one that says nothing), recording to a real database, results and capping.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "dispatch/dispatcher.h"
#include "store/recorder.h"
#include "store/results.h"
#include "sys/clock.h"
#include "tool/make.h"

namespace helve {
namespace {

struct AddInput {
  std::int64_t a = 0;
  std::int64_t b = 0;
  static constexpr auto schema() {
    return object("Adds two numbers.", arg<&AddInput::a>("One"), arg<&AddInput::b>("Other"));
  }
};
struct AddOutput {
  std::int64_t sum = 0;
  static constexpr auto schema() { return object("", arg<&AddOutput::sum>("The sum")); }
};
Result<AddOutput> add(const AddInput& in, Context&) { return AddOutput{in.a + in.b}; }

struct SilentHooks : Hooks {
  HookAnswer before(const HookCall&, std::stop_token) override { return {}; }
  HookAnswer after(const HookCall&, std::stop_token) override { return {}; }
};

int run(const std::string& mode, long calls) {
  std::vector<Tool> tools;
  tools.push_back(make_tool({.name = "add", .group = "bench"}, add));
  const Registry registry = *Registry::load(std::move(tools));
  const Identity who{"main", "bench", "/", "s_bench"};
  const Json arguments = *parse_json(R"({"a":1,"b":2})");
  if (mode == "direct") {
    Context context{.who = who};
    std::int64_t sum = 0;
    for (long i = 0; i < calls; ++i) sum += add({i, 2}, context)->sum;
    return sum == 0;
  }

  sys::RealClock clock;
  std::string directory = "/tmp/helve-bench-XXXXXX";
  if (!mkdtemp(directory.data())) return 1;
  const store::Opener opener(directory + "/helve.db", {}, clock);
  bool good = true;
  {
    SilentHooks hooks;
    store::StoreRecorder recorder(opener);
    store::StoreResults results(opener);
    const dispatch::Policy policy =
        *dispatch::Policy::make(registry, {{.source = "bench", .allow = {"add"}}});
    dispatch::Stages stages;
    if (mode == "full") stages = {.hooks = &hooks, .recorder = &recorder, .results = &results};
    dispatch::Dispatcher dispatcher(registry, {.clock = &clock}, stages);
    for (long i = 0; i < calls; ++i) {
      good = dispatcher
                 .call({.tool = "add",
                        .arguments = &arguments,
                        .who = who,
                        .policy = mode == "full" ? &policy : nullptr})
                 .ok() &&
             good;
    }
  }
  std::filesystem::remove_all(directory);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace helve

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: bench_dispatch direct|bare|full CALLS\n"), 2;
  return helve::run(argv[1], std::strtol(argv[2], nullptr, 10));
}
