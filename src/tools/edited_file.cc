#include "tools/edited_file.h"

#include <fmt/core.h>

namespace helve::tools {

Error no_text(const std::string& shown, const Context& context) {
  return {Code::unsupported, fmt::format("{} is no text", escape_for_display(shown)),
          fmt::format("`{}` tells what it is", context.other_tool("read")), "binary_file"};
}

Result<EditedFile> open_for_edit(const std::string& path, const Context& context,
                                 workspace::Workspace& files) {
  workspace::Snapshot snapshot = TRY(files.read_whole(path));
  TRY(files.check_seen(context.who.session, path, snapshot));
  edit::Decoded decoded = edit::decode_for_edit(std::move(snapshot.content));
  return EditedFile{path, files.display(path), std::move(decoded.text), decoded.format,
                    snapshot.version};
}

DiffSummary EditedFile::difference_to(const std::string& new_text) const {
  if (!format) return summarize_diff(text, new_text);
  return summarize_diff(spell_undecoded(text), spell_undecoded(new_text));
}

Result<workspace::Change> EditedFile::becomes(std::string new_text) const {
  workspace::Change change{.path = path, .expected = version};
  change.content = TRY(edit::encode_again(std::move(new_text), format));
  return change;
}

}  // namespace helve::tools
