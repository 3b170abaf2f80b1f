// helve: one binary. Reads the command line, runs it, and leaves nothing unwritten.
#include <exception>

#include "app/app.h"
#include "cli/output.h"
#include "cli/render.h"
#include "cli/run.h"
#include "sys/limits.h"
#include "sys/memory.h"
#include "sys/stream.h"

namespace helve::app {
namespace {

int run(std::string_view invoked_as, const std::vector<std::string>& words, cli::Output& output) {
  cli::Screen screen = output.screen();
  Surroundings surroundings = surroundings_of_process();
  if (invoked_as.find('/') != invoked_as.npos) surroundings.invoked_as = invoked_as;
  App app(std::move(surroundings), screen);

  // Understand the words and do what they say: call a tool, serve, or show something.
  const int code =
      cli::run(app.program(), words, screen, [&](const cli::Options& options, cli::Screen& s) {
        fit_screen(s, options, app.surroundings());
      });

  // The answer comes first; recorded calls are written when the app goes.
  const Result<void> written = output.flush();
  return written ? code : show(written.error(), cli::Form::text, screen);
}

}  // namespace
}  // namespace helve::app

int main(int argc, char** argv) {
  using namespace helve;
  sys::take_standard_streams();
  // A reader that has seen enough, such as `head`, must not cut off what is to be recorded.
  sys::ignore_broken_pipes();
  sys::share_memory_between_threads();
  sys::allow_many_open_files();
  cli::Output output;
  try {
    return app::run(argc > 0 ? argv[0] : "",
                    std::vector<std::string>(argv + std::min(argc, 1), argv + argc), output);
  } catch (const std::exception& exception) {
    output.screen().err.write(std::string("helve: ") + exception.what() + "\n");
    return exit_code(Code::internal);
  }
}
