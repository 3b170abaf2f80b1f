#include "tools/guidance_access.h"

#include <fmt/format.h>

#include "base/diff.h"
#include "base/text.h"
#include "guidance/front_matter.h"

namespace helve::tools {
namespace {

constexpr std::string_view kChangeable = ".helve/";

}  // namespace

Result<guidance::Library*> need_guidance(const Context& context) {
  if (context.guidance) return context.guidance;
  return Error{Code::denied, fmt::format("{} has no access to prompts and skills", context.tool),
               "this session was started without them", "no_guidance"};
}

std::string numbered(std::string_view text) {
  std::string out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("{:>6}\t{}\n", number, escape_for_display(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Result<void> check_may_change(const guidance::File& file, bool agent_modification,
                              std::string_view what) {
  const auto refused = [&](std::string_view why, std::string hint) {
    return Error{Code::denied,
                 fmt::format("the {} '{}' is not changed by tools: {}", what, file.path, why),
                 std::move(hint), "agent_modification_disabled"};
  };
  if (file.owner == guidance::Owner::user)
    return refused("it is the user's own", "ask the user to change it");
  if (!file.path.starts_with(kChangeable))
    return refused("it lies among the other files of the workspace", "edit changes the file");
  if (!agent_modification)
    return refused("it says agent-modification: false", "ask the user to change it");
  return {};
}

void note_seen(const guidance::File& file, Context& context) {
  if (context.files && file.owner == guidance::Owner::project)
    context.files->saw(context.who.session, file.snapshot);
}

Result<void> check_seen(const guidance::File& file, Context& context) {
  if (!context.files) return {};
  Result<void> seen = context.files->check_seen(context.who.session, file.path, file.snapshot);
  if (!seen) seen.error().type = "mtime_conflict";
  return seen;
}

Result<void> not_written(std::string_view path, Result<void> checked) {
  if (checked) return {};
  Error error = std::move(checked).error();
  error.message = fmt::format("'{}' is not written: {}", path, error.message);
  if (error.hint.empty()) error.hint = "correct that and try again: nothing was changed";
  return error;
}

Result<GuidanceChange> change_lines(const GuidanceEdit& in, const guidance::File& file,
                                    Result<void> (*check)(const std::string& name,
                                                          std::string_view text),
                                    Context& context) {
  TRY(check_seen(file, context));
  edit::Patched patched = TRY(apply_items(file.text(), in.patches, file.path));
  // Without its fences what it says of itself would be part of the text.
  if (!guidance::front_of(file.text()).empty() && guidance::front_of(patched.content).empty())
    return Error{Code::invalid_argument, fmt::format("'{}' would have no front matter", file.path),
                 "leave the lines of --- where they are",
                 std::string(guidance::kInvalidFrontMatter)};
  TRY(not_written(file.path, check(in.name, patched.content)));
  std::string diff = short_diff(file.text(), patched.content);
  const workspace::Applied applied = TRY(context.guidance->write(
      file.path, std::move(patched.content), file.snapshot.version, author_of(context)));
  GuidanceChange out = changed(fmt::format("Changed {}", file.path), in.name, file.path, applied);
  out.diff = std::move(diff);
  return out;
}

std::string GuidanceChange::text() const {
  return fmt::format("{}{}{}", said, lines_of(notes), diff ? "\n" + *diff : "");
}

GuidanceChange changed(std::string said, std::string_view name, std::string_view path,
                       const workspace::Applied& applied) {
  return {.name = std::string(name),
          .path = std::string(path),
          .diff = {},
          .change = change_of(applied),
          .notes = applied.notes,
          .said = std::move(said)};
}

}  // namespace helve::tools
