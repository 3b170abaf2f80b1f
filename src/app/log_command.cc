// helve log: the calls that were made, newest first.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/app.h"
#include "app/state_files.h"
#include "base/text.h"
#include "cli/render.h"

namespace helve::app {
namespace {

constexpr std::int64_t kMaxCalls = 10'000;
constexpr std::string_view kGap = "  ";  // between columns
// Characters of the arguments and of the message that must fit for both to be shown.
constexpr size_t kMinDetail = 12;
constexpr size_t kMaxTool = 24;  // a call may ask for a tool by any name

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

std::string duration(std::int64_t microseconds) {
  if (microseconds < 1'000) return fmt::format("{} µs", microseconds);
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
  if (!call.decided.empty()) out["decided"] = call.decided;
  return out;
}

std::string fitted(const std::string& text, size_t room) {
  if (count_chars(text) <= room) return text;
  return room == 0 ? "" : preview(text, room - 1);
}

// What a listing shows of a call.
struct Line {
  std::string when, outcome, took, caller, tool, arguments, message;
  bool worked = false;
};

Line line_of(const CallRecord& call) {
  // Cut before it is made safe, since there may be much of it.
  auto shown = [](std::string_view text) {
    return escape_for_display(first_chars(text, cli::kMaxWidth));
  };
  return {sys::utc(call.started_ms) + "Z",
          shown(call.decided.empty() ? call.outcome : call.outcome + ", " + call.decided),
          duration(call.duration_us),
          std::string(name_of(call.caller)),
          fitted(shown(call.tool), kMaxTool),
          shown(call.arguments),
          call.outcome == "ok" ? "" : shown(call.message),
          call.outcome == "ok"};
}

// The arguments, and behind them why the call failed; both shrink where they do not fit.
std::string details_of(const Line& line, size_t room) {
  const size_t arguments = count_chars(line.arguments), message = count_chars(line.message);
  const size_t gap = arguments > 0 ? kGap.size() : 0;
  const size_t least = std::min(arguments, kMinDetail) + gap + std::min(message, kMinDetail);
  if (message == 0 || room < least) return fitted(line.arguments, room);
  const size_t left = room > message + gap ? room - message - gap : 0;
  const std::string first = fitted(line.arguments, std::max(left, kMinDetail));
  return first + std::string(gap, ' ') + fitted(line.message, room - count_chars(first) - gap);
}

// Lines in columns that are as wide as their widest word.
class Table {
 public:
  Table(const std::vector<CallRecord>& calls, const cli::Screen& screen) : screen_(screen) {
    for (const CallRecord& call : calls) lines_.push_back(line_of(call));
    if (screen.out.is_terminal) widen(kHeader);
    for (const Line& line : lines_) widen(line);
  }

  std::string text() const {
    const cli::Style& style = screen_.out.style;
    std::string out;
    if (screen_.out.is_terminal && !lines_.empty())
      out = style.dim(row(kHeader, kHeader.when, kHeader.outcome, kHeader.tool)) + "\n";
    for (const Line& line : lines_)
      out += row(line, style.dim(line.when),
                 line.worked ? style.green(line.outcome) : style.red(line.outcome),
                 style.bold(line.tool)) +
             "\n";
    return out;
  }

 private:
  void widen(const Line& line) {
    outcome_ = std::max(outcome_, count_chars(line.outcome));
    took_ = std::max(took_, count_chars(line.took));
    caller_ = std::max(caller_, count_chars(line.caller));
  }

  static std::string spaces(const std::string& text, size_t width) {
    const size_t used = count_chars(text);
    return std::string(width > used ? width - used : 0, ' ');
  }

  // The words as they are, and as they look: colours have no width.
  std::string row(const Line& line, const std::string& when, const std::string& outcome,
                  const std::string& tool) const {
    const std::string head =
        fmt::format("{}{}{}{}", when, spaces(line.when, kWhen), kGap, outcome) +
        fmt::format("{}{}{}{}", spaces(line.outcome, outcome_), kGap, spaces(line.took, took_),
                    line.took) +
        fmt::format("{}{}{}{}{}", kGap, line.caller, spaces(line.caller, caller_), kGap, tool);
    // One long name must not push the arguments of all others off the screen.
    const size_t used =
        kWhen + outcome_ + took_ + caller_ + count_chars(line.tool) + 5 * kGap.size();
    const std::string details = details_of(line, screen_.width > used ? screen_.width - used : 0);
    return details.empty() ? head : head + std::string(kGap) + details;
  }

  static constexpr size_t kWhen = std::string_view("2026-01-31 23:59:59Z").size();
  static inline const Line kHeader{"when", "outcome", "took", "from", "tool", "arguments", ""};
  const cli::Screen& screen_;
  std::vector<Line> lines_;
  size_t outcome_ = 0, took_ = 0, caller_ = 0;
};

// Which filter may be wrong, when nothing is found.
void tell_nothing(const LogInput& in, const Registry& registry, cli::Run& run) {
  if (!in.tool && !run.options.session) {
    run.screen.err.write("helve: no calls are recorded\n");
    return;
  }
  const Result<Registry::Found> known = in.tool ? registry.resolve(*in.tool) : Registry::Found{};
  run.screen.err.write("helve: no recorded call matches\n");
  if (!known)
    run.screen.err.write(fmt::format("  {} {}\n", run.screen.err.style.cyan("hint:"),
                                     escape_for_display(known.error().hint)));
}

Result<int> show_log(const LogInput& in, App& app, cli::Run& run) {
  const Registry& registry = *TRY(run.program.tools());
  std::optional<std::string> tool = in.tool;
  // Calls are written down under canonical names.
  if (const Tool* known = tool ? registry.find(*tool).tool : nullptr) tool = known->spec.name;
  std::vector<CallRecord> calls;
  if (TRY(state_file(app.surroundings().database()))) {
    const sys::RealClock clock;
    const std::unique_ptr<store::Store> store =
        TRY(store::Opener(app.surroundings().database(), {}, clock).open());
    calls = TRY(store->calls(
        {.session = run.options.session, .tool = tool, .limit = static_cast<size_t>(in.limit)}));
  }
  if (run.options.json) {
    JsonArray array;
    for (const CallRecord& call : calls) array.push_back(to_json(call));
    cli::show_json(Json(std::move(array)), run.screen);
    return 0;
  }
  if (calls.empty()) tell_nothing(in, registry, run);
  run.screen.out.write(Table(calls, run.screen).text());
  return 0;
}

}  // namespace

cli::Command log_command(App& app) {
  return cli::make_command<LogInput>(
      "log", "With --session only the calls of that session; times are UTC.",
      {{"The last calls, for a program", "helve log --limit 100 --json"},
       {"What was read lately", "helve log --tool read"}},
      [&app](const LogInput& in, cli::Run& run) { return show_log(in, app, run); });
}

}  // namespace helve::app
