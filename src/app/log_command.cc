// helve log: the calls that were made, newest first.
#include <fmt/format.h>

#include <chrono>

#include "app/app.h"
#include "app/state_files.h"
#include "base/text.h"
#include "cli/render.h"

namespace helve::app {
namespace {

constexpr std::int64_t kMaxCalls = 10'000;
constexpr size_t kMinArguments = 20;  // characters

struct LogInput {
  std::int64_t limit = 20;
  std::optional<std::string> tool;
  static constexpr auto schema() {
    return schema::object(
        "Show the calls that were made, newest first",
        schema::opt<&LogInput::limit>("How many at most").min(1).max(kMaxCalls).shorthand('n'),
        schema::opt<&LogInput::tool>("Only calls of this tool"));
  }
};

std::string utc(std::int64_t unix_ms) {
  using namespace std::chrono;
  const sys_seconds at{floor<seconds>(milliseconds(unix_ms))};
  const sys_days day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::string duration(std::int64_t microseconds) {
  if (microseconds < 10'000)
    return fmt::format("{:.1f} ms", static_cast<double>(microseconds) / 1000);
  if (microseconds < 10'000'000) return fmt::format("{} ms", microseconds / 1000);
  return fmt::format("{} s", microseconds / 1'000'000);
}

JsonObject to_json(const CallRecord& call) {
  Result<Json> arguments = parse_json(call.arguments);
  JsonObject out{{"id", call.id},
                 {"session", call.who.session},
                 {"agent", call.who.agent},
                 {"user", call.who.user},
                 {"workspace", call.who.workspace},
                 {"caller", name_of(call.caller)},
                 {"tool", call.tool},
                 {"arguments", arguments ? *arguments : Json(call.arguments)},
                 {"effect", name_of(call.effect)},
                 {"started_ms", call.started_ms},
                 {"duration_us", call.duration_us},
                 {"outcome", call.outcome},
                 {"output_bytes", call.output_bytes}};
  if (!call.message.empty()) out["message"] = call.message;
  return out;
}

std::string to_line(const CallRecord& call, const cli::Screen& screen) {
  const cli::Style& style = screen.out.style;
  const std::string outcome = fmt::format("{:<14}", escape_for_display(call.outcome));
  const std::string head = fmt::format("{}  {} {:>8}  {:<5} ", utc(call.started_ms), outcome,
                                       duration(call.duration_us), name_of(call.caller));
  const std::string tool = escape_for_display(call.tool);
  const size_t used = count_chars(head) + count_chars(tool) + 1;
  const size_t room = screen.width > used + kMinArguments ? screen.width - used - 1 : kMinArguments;
  const std::string shown = call.outcome == "ok" ? style.green(outcome) : style.red(outcome);
  return fmt::format("{}  {} {:>8}  {:<5} {} {}\n", style.dim(utc(call.started_ms)), shown,
                     duration(call.duration_us), name_of(call.caller), style.bold(tool),
                     preview(escape_for_display(call.arguments), room));
}

Result<int> show_log(const LogInput& in, App& app, cli::Run& run) {
  std::vector<CallRecord> calls;
  if (TRY(state_file(app.surroundings().database()))) {
    const sys::RealClock clock;
    const std::unique_ptr<store::Store> store =
        TRY(store::Opener(app.surroundings().database(), {}, clock).open());
    calls = TRY(store->calls(
        {.session = run.options.session, .tool = in.tool, .limit = static_cast<size_t>(in.limit)}));
  }
  if (run.options.json) {
    JsonArray array;
    for (const CallRecord& call : calls) array.push_back(to_json(call));
    cli::show_json(Json(std::move(array)), run.screen);
    return 0;
  }
  if (calls.empty()) run.screen.err.write("helve: no calls are recorded\n");
  for (const CallRecord& call : calls) run.screen.out.write(to_line(call, run.screen));
  return 0;
}

}  // namespace

cli::Command log_command(App& app) {
  return cli::make_command<LogInput>(
      "log", "With --session only the calls of that session; times are UTC.",
      {{"The last calls, for a program", "helve log --limit 100 --json"}},
      [&app](const LogInput& in, cli::Run& run) { return show_log(in, app, run); });
}

}  // namespace helve::app
