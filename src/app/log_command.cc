// helve log: the calls that were made, newest first.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/app.h"
#include "app/roots.h"
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
constexpr size_t kMaxWorkspace = 30;

struct LogInput {
  std::int64_t limit = 20;
  std::optional<std::string> tool;
  bool all_workspaces = false;
  static constexpr auto schema() {
    return schema::object(
        "Show the calls that were made, newest first",
        schema::opt<&LogInput::limit>("How many at most").min(1).max(kMaxCalls).shorthand('n'),
        schema::opt<&LogInput::tool>("Only calls of this tool"),
        schema::opt<&LogInput::all_workspaces>("Those of other workspaces, too").shorthand('a'));
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

// The end of a path tells more than its beginning.
std::string fitted_end(const std::string& text, size_t room) {
  if (count_chars(text) <= room) return text;
  return "…" + std::string(last_chars(text, room - 1));
}

// What a listing shows of a call.
struct Line {
  std::string when, outcome, took, caller, workspace, tool, arguments, message;
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
          fitted_end(shown(call.who.workspace), kMaxWorkspace),
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

// Whether a listing says where each call worked.
enum class Workspaces { hidden, shown };

// Lines in columns that are as wide as their widest word.
class Table {
 public:
  Table(const std::vector<CallRecord>& calls, Workspaces workspaces, const cli::Screen& screen)
      : screen_(screen), workspaces_(workspaces) {
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
    workspace_ = std::max(workspace_, count_chars(line.workspace));
    tool_ = std::max(tool_, count_chars(line.tool));
  }

  static std::string spaces(const std::string& text, size_t width) {
    const size_t used = count_chars(text);
    return std::string(width > used ? width - used : 0, ' ');
  }

  // The words as they are, and as they look: colours have no width.
  std::string row(const Line& line, const std::string& when, const std::string& outcome,
                  const std::string& tool) const {
    std::string head;
    size_t used = 0;
    const auto add = [&](const std::string& word, const std::string& looks, size_t width) {
      head.append(looks).append(spaces(word, width)).append(kGap);
      used += width + kGap.size();
    };
    add(line.when, when, kWhen);
    add(line.outcome, outcome, outcome_);
    add(line.took, spaces(line.took, took_) + line.took, 0);
    used += took_;
    add(line.caller, line.caller, caller_);
    if (workspaces_ == Workspaces::shown) add(line.workspace, line.workspace, workspace_);
    add(line.tool, tool, tool_);
    head += details_of(line, screen_.width > used ? screen_.width - used : 0);
    head.erase(head.find_last_not_of(' ') + 1);
    return head;
  }

  static constexpr size_t kWhen = std::string_view("2026-01-31 23:59:59Z").size();
  static inline const Line kHeader{"when",      "outcome", "took",      "from",
                                   "workspace", "tool",    "arguments", ""};
  const cli::Screen& screen_;
  const Workspaces workspaces_;
  std::vector<Line> lines_;
  size_t outcome_ = 0, took_ = 0, caller_ = 0, workspace_ = 0, tool_ = 0;
};

// Which filter may be wrong, when nothing is found.
void tell_nothing(const LogInput& in, const Registry& registry, bool is_elsewhere, cli::Run& run) {
  const auto hint = [&](std::string_view text) {
    if (!text.empty())
      run.screen.err.write(
          fmt::format("  {} {}\n", run.screen.err.style.cyan("hint:"), escape_for_display(text)));
  };
  const bool is_filtered = in.tool || run.options.session;
  run.screen.err.write(is_filtered    ? "helve: no recorded call matches\n"
                       : is_elsewhere ? "helve: no calls are recorded in this workspace\n"
                                      : "helve: no calls are recorded\n");
  const Result<Registry::Found> known = in.tool ? registry.resolve(*in.tool) : Registry::Found{};
  if (!known)
    hint(known.error().hint);
  else if (is_elsewhere)
    hint("--all-workspaces shows those of others");
}

// A session that is named, and a place that can be no workspace, leave nothing to narrow.
std::optional<std::string> workspace_of(const LogInput& in, App& app, const cli::Options& options) {
  if (in.all_workspaces || options.session) return std::nullopt;
  const Result<Workspace> opened =
      open_root(root_of(options, app.surroundings()), app.surroundings());
  return opened ? std::optional((*opened)->roots().front().path) : std::nullopt;
}

Result<int> show_log(const LogInput& in, App& app, cli::Run& run) {
  const Registry& registry = *TRY(run.program.tools());
  store::CallFilter filter{.session = run.options.session,
                           .tool = in.tool,
                           .workspace = workspace_of(in, app, run.options),
                           .limit = static_cast<size_t>(in.limit)};
  // Calls are written down under canonical names.
  if (const Tool* known = in.tool ? registry.find(*in.tool).tool : nullptr)
    filter.tool = known->spec.name;
  std::vector<CallRecord> calls;
  bool is_elsewhere = false;
  if (TRY(state_file(app.surroundings().database()))) {
    const sys::RealClock clock;
    const std::unique_ptr<store::Store> store =
        TRY(store::Opener(app.surroundings().database(), {}, clock).open());
    calls = TRY(store->calls(filter));
    if (calls.empty() && filter.workspace)
      is_elsewhere = !TRY(store->calls({.tool = filter.tool, .limit = 1})).empty();
  }
  if (run.options.json) {
    JsonArray array;
    for (const CallRecord& call : calls) array.push_back(to_json(call));
    cli::show_json(Json(std::move(array)), run.screen);
    return 0;
  }
  if (calls.empty()) tell_nothing(in, registry, is_elsewhere, run);
  const Workspaces workspaces = filter.workspace ? Workspaces::hidden : Workspaces::shown;
  run.screen.out.write(Table(calls, workspaces, run.screen).text());
  return 0;
}

}  // namespace

cli::Command log_command(App& app) {
  return cli::make_command<LogInput>(
      "log",
      "Those of this workspace; with --session only the calls of that session, wherever they were "
      "made. Times are UTC.",
      {{"The last calls, for a program", "helve log --limit 100 --json"},
       {"What was read lately", "helve log --tool read"},
       {"What was done anywhere", "helve log --all-workspaces"}},
      [&app](const LogInput& in, cli::Run& run) { return show_log(in, app, run); });
}

}  // namespace helve::app
