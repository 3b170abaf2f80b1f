#include "tools/edited_file.h"

namespace helve::tools {

Result<EditedFile> open_for_edit(const std::string& path, const Context& context,
                                 workspace::Workspace& files) {
  workspace::Snapshot snapshot = TRY(files.read_whole(path));
  TRY(files.check_seen(context.who.session, path, snapshot));
  edit::Decoded decoded = edit::decode_for_edit(std::move(snapshot.content));
  return EditedFile{path, files.display(path), std::move(decoded.text), decoded.format,
                    snapshot.version};
}

Result<workspace::Change> EditedFile::becomes(std::string new_text) const {
  workspace::Change change{.path = path, .expected = version};
  change.content = TRY(edit::encode_again(std::move(new_text), format));
  return change;
}

}  // namespace helve::tools
