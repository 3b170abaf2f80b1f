// helve doctor: the findings, for people or programs.
#include <fmt/format.h>

#include <algorithm>

#include "app/app.h"
#include "app/doctor.h"
#include "app/settings_page.h"
#include "app/snippet.h"
#include "base/text.h"
#include "cli/render.h"

namespace helve::app {
namespace {

struct DoctorInput {
  bool settings = false;
  static constexpr auto schema() {
    return schema::object("Show what is configured, found and missing, and why",
                          schema::opt<&DoctorInput::settings>(
                              "Instead describe every setting there is, as Markdown or JSON"));
  }
};

constexpr size_t kTopicColumn = 18;  // after the mark and the topic

std::string shown(Mark mark, const cli::Style& style) {
  const std::string word = fmt::format("{:<4}", name_of(mark));
  return mark == Mark::ok     ? style.green(word)
         : mark == Mark::warn ? style.yellow(word)
                              : style.red(word);
}

std::string to_text(const Finding& finding, const cli::Screen& screen) {
  const std::string body = cli::wrap(finding.text, screen.width, kTopicColumn);
  std::string out = fmt::format("  {}  {:<10}{}", shown(finding.mark, screen.out.style),
                                finding.topic, std::string_view(body).substr(kTopicColumn));
  if (!finding.hint.empty()) out += cli::wrap("hint: " + finding.hint, screen.width, kTopicColumn);
  return out;
}

int show_settings(cli::Run& run) {
  if (run.options.json)
    cli::show_json(settings_json(), run.screen);
  else
    run.screen.out.write(settings_markdown());
  return 0;
}

Result<int> doctor(App& app, cli::Run& run) {
  const Examined examined = examine(run.options, app.surroundings());
  const std::vector<Finding>& findings = examined.findings;
  const bool failed = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.mark == Mark::fail; });
  const std::string program = program_path();
  if (run.options.json) {
    JsonArray checks;
    for (const Finding& finding : findings) {
      JsonObject check{
          {"status", name_of(finding.mark)}, {"topic", finding.topic}, {"message", finding.text}};
      if (!finding.hint.empty()) check["hint"] = finding.hint;
      checks.push_back(std::move(check));
    }
    cli::show_json(JsonObject{{"ok", !failed},
                              {"checks", std::move(checks)},
                              {"mcp", mcp_snippet(program, examined.workspace)}},
                   run.screen);
    return failed ? 1 : 0;
  }
  for (const Finding& finding : findings) run.screen.out.write(to_text(finding, run.screen));
  const auto show = [&](std::string_view client, const std::string& lines) {
    run.screen.out.write(fmt::format("\nFor {}:\n{}", client, cli::indented(lines, 2)));
  };
  show("an MCP client", mcp_snippet_text(program, examined.workspace));
  show("Claude Code", claude_code_command(program, examined.workspace));
  show("Codex, in ~/.codex/config.toml", codex_snippet(program, examined.workspace));
  return failed ? 1 : 0;
}

}  // namespace

cli::Command doctor_command(App& app) {
  return cli::make_command<DoctorInput>("doctor", "Exits with 1 when something does not work.", {},
                                        [&app](const DoctorInput& in, cli::Run& run) {
                                          return in.settings ? Result<int>(show_settings(run))
                                                             : doctor(app, run);
                                        });
}

}  // namespace helve::app
