// Many sessions at once in one process, each with a model behind HTTP that takes its time:
//   bench_sessions PORT SESSIONS
// Prints the seconds that it took, the peak of resident memory in KB, and how many answered.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>

#include "agent/runner.h"
#include "model/http_model.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/memory.h"
#include "tool/make.h"

namespace helve {
namespace {

struct NoteInput {
  std::string path;
  static constexpr auto schema() {
    return object("Reads a note.", arg<&NoteInput::path>("Which one"));
  }
};
struct NoteOutput {
  std::string note;
  std::string text() const { return note; }
  static constexpr auto schema() { return object("", arg<&NoteOutput::note>("The note")); }
};
// "notes-3.txt" has "note 3.".
Result<NoteOutput> read_note(const NoteInput& in, Context&) {
  const size_t digits = in.path.find_first_of("0123456789");
  return NoteOutput{"note " + in.path.substr(digits, in.path.find('.') - digits) + ".\n"};
}

int run(const std::string& port, int count) {
  std::vector<Tool> tools;
  tools.push_back(make_tool({.name = "read", .group = "bench"}, read_note));
  const Registry registry = *Registry::load(std::move(tools));
  dispatch::Dispatcher dispatcher(registry, {});
  sys::RealClock clock;
  std::string directory = "/tmp/helve-bench-XXXXXX";
  if (!mkdtemp(directory.data())) return 1;
  int answered = 0;
  const auto begun = std::chrono::steady_clock::now();
  {
    store::SharedStore store(store::Opener(directory + "/helve.db", {}, clock));
    const std::unique_ptr<sys::HttpClient> client = sys::make_http_client();
    model::Endpoint endpoint;
    endpoint.base_url = "http://127.0.0.1:" + port + "/v1";
    endpoint.model = "mock";
    const auto model = std::make_shared<model::HttpModel>(model::kOpenAi, endpoint, *client);
    const auto offers = std::make_shared<const std::vector<model::Offer>>(std::vector<model::Offer>{
        {"read", "Reads a note.", registry.tools().front().input_schema()}});
    agent::Runner runner(
        store, clock,
        [&](const store::Conversation& conversation)
            -> Result<std::shared_ptr<const agent::Setup>> {
          auto setup = std::make_shared<agent::Setup>();
          setup->model = model;
          setup->dispatcher = &dispatcher;
          setup->who.session = conversation.session;
          setup->system = "You read notes.";
          setup->offers = offers;
          return setup;
        },
        [](const agent::Event&) {}, {.limits = {static_cast<size_t>(count), 1, 1}});
    std::vector<std::shared_ptr<agent::Work>> works;
    for (int i = 0; i < count; ++i) {
      const std::string session = "s_" + std::to_string(i);
      const auto made = store.use([&](store::Store& each) {
        return each.begin_conversation({.session = session, .created_ms = clock.unix_ms()});
      });
      auto posted = runner.post({.session = session, .message = model::user_message("read")});
      if (!made || !posted) return 1;
      works.push_back(*posted);
    }
    for (const auto& work : works) {
      const Result<agent::Ending> ending = work->wait({});
      if (ending && ending->ok() && !ending->text.empty())
        ++answered;
      else if (ending && ending->error)
        fprintf(stderr, "%s\n", describe(*ending->error).c_str());
    }
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  std::filesystem::remove_all(directory);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  printf("%.3f %ld %d\n", taken.count(), usage.ru_maxrss, answered);
  return 0;
}

}  // namespace
}  // namespace helve

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  helve::sys::share_memory_between_threads();
  helve::sys::allow_many_open_files();
  return helve::run(argv[1], atoi(argv[2]));
}
