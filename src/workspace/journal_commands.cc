// The part of workspace/journal.h about changes that commands made.
#include "workspace/journal.h"

namespace helve::workspace {

sys::OrErrno<void> Journal::keep(const Record& record, size_t index, std::string_view content) {
  const Record::File& file = record.files[index];
  const std::string name = record.kept_name(index);
  if (file.kind == sys::FileKind::symlink) return sys::make_link_at(kept_, name, content);
  const auto created = sys::create_new(kept_, name);
  if (!created) return std::unexpected(created.error());
  auto done = sys::write_all(*created, content);
  if (done) done = sys::set_mode(*created, file.old_mode);
  if (!done) (void)sys::remove_file_at(kept_, name);
  return done;
}

Result<void> Journal::add(const Record& record, Synced synced) {
  if (record.text().size() > kMaxRecord / 2)
    return Error{Code::too_large, "the change is too large for the journal", "",
                 "too_many_changes"};
  return write_entry(record, entries_, record.name(), synced);
}

}  // namespace helve::workspace
