#include "workspace/journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include "base/quick_hash.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/id.h"
#include "sys/process_identity.h"
#include "workspace/path.h"
#include "workspace/take_in.h"
#include "workspace/tree.h"

namespace helve::workspace {
namespace {

constexpr size_t kMaxId = 64;
constexpr size_t kMaxRecent = 256;  // calls that are remembered
constexpr std::string_view kAhead = "ahead";
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - 1;  // ns; one may follow
// What another machine or container shares with us cannot be asked for, but no change takes so
// long.
constexpr std::int64_t kForeignAge = 24 * 60 * 60 * 1000;  // ms

sys::OrErrno<std::vector<std::string>> names_in(const sys::Fd& directory) {
  std::vector<std::string> names;
  const auto read = sys::for_each_entry(directory, [&](const sys::DirectoryEntry& entry) {
    names.emplace_back(entry.name);
    return names.size() < kMaxEntries;
  });
  if (!read) return std::unexpected(read.error());
  return names;
}

// From the name of its file; 0 when it is none of ours.
std::int64_t time_in(std::string_view name) {
  std::int64_t time = 0;
  const char* end = name.data() + std::min(name.find('.'), name.size());
  const auto read = std::from_chars(name.data(), end, time, 16);
  return read.ptr == end && read.ec == std::errc() ? time : 0;
}

// From the name of its file.
std::string id_in(std::string_view name) { return std::string(name.substr(name.find('.') + 1)); }

std::string suffix_of(Journal::State state) {
  switch (state) {
    case Journal::State::begun:
      break;
    case Journal::State::staged:
      return ".staged";
    case Journal::State::back:
      return ".back";
    case Journal::State::made:
      return ".done";
  }
  return "";
}

std::string pending_name(const Record& record, Journal::State state) {
  return (state == Journal::State::made ? record.name() : record.begun_name()) + suffix_of(state);
}

// From the name of a pending record.
Journal::State state_in(std::string_view name) {
  using State = Journal::State;
  for (const State state : {State::staged, State::back, State::made}) {
    if (name.ends_with(suffix_of(state))) return state;
  }
  return State::begun;
}

std::int64_t unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::optional<Record> parse_named(std::string_view text, std::string_view name) {
  std::optional<Record> record = Record::parse(text);
  const std::int64_t time = time_in(name);
  if (record && time != 0) record->begun_ns = std::exchange(record->time_ns, time);
  return record;
}

sys::OrErrno<std::string> read_text(const sys::Fd& directory, std::string_view name) {
  const auto file = sys::open_beneath(directory, name, sys::Open::read, sys::Links::refuse);
  if (!file) return std::unexpected(file.error());
  const auto status = sys::status(*file);
  if (!status) return std::unexpected(status.error());
  if (status->size > kMaxRecord) return std::unexpected(std::errc::file_too_large);
  std::string text(status->size, 0);
  const auto got = sys::read_at(*file, text, 0);
  if (!got) return std::unexpected(got.error());
  text.resize(*got);
  return text;
}

bool is_gone(const Record& record) {
  switch (sys::liveness_of(record.owner, record.machine)) {
    case sys::Liveness::alive:
      return false;
    case sys::Liveness::gone:
      return true;
    case sys::Liveness::unknown:
      break;
  }
  return sys::RealClock().unix_ms() - record.time_ms() > kForeignAge;
}

std::string left_alone(const Record& record) {
  return fmt::format(
      "a change by {} that another machine or container began is not finished ({} files, the first "
      "is '{}'): unless it is still going on there, a start takes it back a day after it began",
      record.tool.empty() ? "a tool" : record.tool, record.files.size(),
      record.files.empty() ? "" : escape_for_display(record.files.front().path));
}

}  // namespace

// "TIME.ID", and an id has no dot.
std::string change_in(std::string_view name) {
  return std::string(name.substr(0, name.find('.', name.find('.') + 1)));
}

std::string journal_name(std::string_view root) {
  const Hash128 hash = quick_hash_128(root);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

Journal::Journal(std::string directory, const JournalLimits& limits)
    : path_(std::move(directory)), limits_(limits) {}

// The time of the newest change when that is not over yet: somebody has set the clock back. To list
// all names takes long, so the times of two files tell whether to.
std::int64_t Journal::newest_after(std::int64_t now_ns) const {
  const auto is_ahead = [&](const sys::OrErrno<sys::FileStatus>& status) {
    return status && status->modified_ns > now_ns;
  };
  if (!is_ahead(sys::status(entries_)) && !is_ahead(sys::status_at(directory_, kAhead))) return 0;
  const auto names = list_names();
  if (!names || names->empty()) return 0;
  const std::int64_t newest = time_in(names->front());
  if (newest >= now_ns) return std::min(newest, kLast);
  if (names->size() >= kMaxEntries) return 0;
  // Somebody has set their times alone, which is no reason to list all names again.
  (void)sys::set_modified_at(directory_, "entries", now_ns);
  (void)sys::remove_file_at(directory_, kAhead);
  return 0;
}

void Journal::remember_ahead(std::int64_t newest_ns) const {
  if (const auto status = sys::status(entries_))
    newest_ns = std::max(newest_ns, status->modified_ns);
  if (newest_ns <= unix_ns()) return;
  const auto ahead = sys::status_at(directory_, kAhead);
  if (ahead && ahead->modified_ns >= newest_ns) return;
  (void)sys::create_new(directory_, kAhead);
  (void)sys::set_modified_at(directory_, kAhead, newest_ns);
}

void Journal::name(Record& record, std::int64_t after_ns) {
  // It becomes a part of a file's name.
  const std::string& call = record.call_id;
  const bool usable =
      !call.empty() && call.size() <= kMaxId && std::ranges::all_of(call, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
      });
  const std::int64_t now = unix_ns();
  const std::lock_guard lock(mutex_);
  const std::int64_t newest = std::max(open_ ? newest_after(now) : 0, std::min(after_ns, kLast));
  last_time_ = std::max({last_time_ + 1, newest + 1, now});
  record.time_ns = last_time_;
  if (last_time_ != now) record.clock_ns = now;
  if (open_ && newest >= now) remember_ahead(last_time_);
  record.id = usable ? call : sys::new_id("c_", record.time_ms());
  if (usable && std::ranges::find(recent_calls_, call) != recent_calls_.end()) {
    record.id = fmt::format("{}-{}", call, sys::random_number() % 1'000'000);
  }
  recent_calls_.push_back(call);
  if (recent_calls_.size() > kMaxRecent) recent_calls_.pop_front();
}

void Journal::set_time_made(Record& record) {
  const std::lock_guard lock(mutex_);
  last_time_ = std::max(last_time_ + 1, unix_ns());
  record.begun_ns = std::exchange(record.time_ns, last_time_);
}

Result<sys::Fd> Journal::begin(const Record& record) {
  const std::string text = record.text();
  if (text.size() > kMaxRecord / 2) {  // what is staged is added to it
    return Error{Code::too_large, "the change is too large for the journal", "make several calls",
                 "too_many_changes"};
  }
  auto file = sys::create_new(pending_, pending_name(record, State::begun));
  auto done =
      file ? sys::write_all(*file, text) : sys::OrErrno<void>(std::unexpected(file.error()));
  if (done) return std::move(*file);
  if (file) abandon(record, State::begun);
  Error error = sys::to_error(done.error(), "write the journal", path_);
  error.message = "nothing was changed, because it could not be undone: " + error.message;
  return error;
}

sys::OrErrno<void> Journal::note_staged(const Record& record, const sys::Fd& file, Synced synced) {
  const std::string text = record.staged_text();
  sys::OrErrno<void> done;
  if (!text.empty()) done = sys::write_all(file, text);
  if (done && synced == Synced::yes) done = sys::sync_data(file);
  if (done) done = change_state(record, State::begun, State::staged);
  if (!done || synced == Synced::no) return done;
  done = sys::sync_directory(pending_);
  if (!done) (void)change_state(record, State::staged, State::begun);
  return done;
}

sys::OrErrno<void> Journal::change_state(const Record& record, State from, State to) {
  return sys::rename_at(pending_, pending_name(record, from), pending_name(record, to),
                        sys::Rename::replace);
}

void Journal::abandon(const Record& record, State state) {
  (void)sys::remove_file_at(pending_, pending_name(record, state));
}

sys::OrErrno<void> Journal::commit(const Record& record, Kept kept) {
  remember_ahead(record.time_ns);
  if (kept == Kept::beside) return change_state(record, State::staged, State::made);
  return sys::rename_between(pending_, pending_name(record, State::staged), entries_, record.name(),
                             sys::Rename::replace);
}

sys::OrErrno<void> Journal::settle(const Record& record) {
  remember_ahead(record.time_ns);
  return sys::rename_between(pending_, pending_name(record, State::made), entries_, record.name(),
                             sys::Rename::replace);
}

std::optional<Record> Journal::read_record(const sys::Fd& directory, std::string_view name) {
  const auto text = read_text(directory, name);
  return text ? parse_named(*text, name) : std::nullopt;
}

void Journal::look_at_pending(const std::string& name, Abandoned& found) {
  const auto text = read_text(pending_, name);
  if (!text) {
    if (text.error() == std::errc::no_such_file_or_directory) return;  // it was finished meanwhile
    const std::string file = fmt::format("{}/pending/{}", path_, name);
    found.problems.push_back("a change that was interrupted is not taken back yet: " +
                             sys::to_error(text.error(), "read", file).message);
    return;
  }
  auto record = parse_named(*text, name);
  if (!record && Record::is_of_version_to_come(*text)) {
    found.problems.push_back(fmt::format(
        "a newer version of helve began a change that was interrupted: start that version to take "
        "it back, or look at '{}/pending/{}'",
        escape_for_display(path_), name));
    return;
  }
  if (!record) {
    // Nothing is changed before the record is whole; only its own process may still write it.
    const auto status = sys::status_at(pending_, name);
    const std::int64_t now = sys::RealClock().unix_ms();
    if (status && now - status->modified_ms() > kForeignAge) {
      (void)sys::remove_file_at(pending_, name);
    }
    return;
  }
  // A process that could not take its change back has let go of it, although it may live on.
  if (state_in(name) != State::back && !is_gone(*record)) {
    const bool is_foreign =
        sys::liveness_of(record->owner, record->machine) == sys::Liveness::unknown;
    if (is_foreign && state_in(name) == State::staged)
      found.problems.push_back(left_alone(*record));
    return;
  }
  if (!record->is_of_this_version) {
    found.problems.push_back(
        fmt::format("a change of {} files that another version of helve began was interrupted, and "
                    "is left as it is: look at the files that '{}/pending/{}' names, then remove "
                    "that",
                    record->files.size(), escape_for_display(path_), name));
    return;
  }
  if (state_in(name) == State::staged) {
    // It got this name before the first of its files did, and its own file this time.
    const auto status = sys::status_at(pending_, name);
    if (status && record->begun_ns != 0)
      record->time_ns = std::max(record->time_ns, status->changed_ns);
  }
  found.changes.push_back({std::move(*record), state_in(name)});
}

Journal::Abandoned Journal::abandoned() {
  Abandoned found;
  if (const Result<void> opened = open_ ? Result<void>() : open(false); !opened) {
    if (opened.error().code != Code::not_found) found.problems.push_back(opened.error().message);
    return found;
  }
  const auto names = names_in(pending_);
  if (!names) {
    found.problems.push_back(
        sys::to_error(names.error(), "look for changes that were interrupted in", path_).message);
    return found;
  }
  for (const std::string& name : *names) look_at_pending(name, found);
  std::ranges::sort(found.changes, {}, [](const Pending& one) { return one.record.time_ns; });
  return found;
}

sys::OrErrno<std::vector<std::string>> Journal::list_names() const {
  // In the order in which a change has its names, so that none is missed that gets another now.
  const auto pending = names_in(pending_);
  auto names = names_in(entries_);
  if (!names || !pending) return std::unexpected(names ? pending.error() : names.error());
  for (const std::string& name : *pending) {
    if (state_in(name) == State::made) names->push_back(change_in(name));
  }
  std::ranges::sort(*names, std::greater());
  const auto repeated = std::ranges::unique(*names);
  names->erase(repeated.begin(), repeated.end());
  return names;
}

std::vector<std::string> Journal::names() {
  if (!exists()) return {};
  return list_names().value_or(std::vector<std::string>());
}

std::vector<std::string> Journal::ids() {
  std::vector<std::string> ids = names();
  for (std::string& name : ids) name = id_in(name);
  return ids;
}

namespace {

Error no_such_change(std::string_view id) {
  return {Code::not_found, fmt::format("there is no change '{}'", escape_for_display(id)),
          "changes lists them", "no_such_change"};
}

}  // namespace

Result<std::string> Journal::whole_id(const std::string& beginning) {
  std::string found;
  size_t count = 0;
  for (std::string& id : ids()) {
    if (id == beginning) return id;
    if (!id.starts_with(beginning)) continue;
    found = std::move(id);
    ++count;
  }
  if (count == 1) return found;
  Error error = no_such_change(beginning);
  if (count > 1) {
    error.message = fmt::format("{} changes begin with '{}'", count, escape_for_display(beginning));
    error.hint = "give more of the id";
  }
  return error;
}

std::optional<Record> Journal::load_name(const std::string& name) {
  auto record = read_record(entries_, name);
  if (!record) record = read_record(pending_, name + suffix_of(State::made));
  if (!record) record = read_record(entries_, name);  // it was settled meanwhile
  return record;
}

Result<Record> Journal::load(std::string_view id) {
  for (const std::string& name : names()) {
    if (id_in(name) != id) continue;
    if (auto record = load_name(name)) return std::move(*record);
  }
  return no_such_change(id);
}

namespace {

Error lost(const Record::File& file, std::string_view why) {
  return {Code::not_found,
          fmt::format("what '{}' was before is not kept any more: {}",
                      escape_for_display(file.path), why),
          "the journal keeps as much as its limits allow", "not_kept"};
}

}  // namespace

Result<Journal::KeptPlace> Journal::find_kept(const Record& record, size_t index) const {
  const Record::File& file = record.files[index];
  if (!file.undoable) return lost(file, "it was too large");
  const std::string name = record.kept_name(index);
  if (sys::status_at(kept_, name)) return KeptPlace{&kept_, name};
  if (file.beside) {
    // It could not be taken into the journal yet.
    auto directory = sys::open_directory(split_name(file.path).directory);
    const auto status = directory
                            ? sys::status_at(*directory, file.temporary)
                            : sys::OrErrno<sys::FileStatus>(std::unexpected(directory.error()));
    if (status && status->inode == file.old.inode) {
      auto opened = std::make_shared<const sys::Fd>(std::move(*directory));
      return KeptPlace{opened.get(), file.temporary, opened};
    }
  }
  return lost(file, "it is gone from the journal");
}

Result<std::string> Journal::old_content(const Record& record, size_t index, std::uint64_t limit) {
  const Record::File& file = record.files[index];
  if (file.old_digest) return read_object(*file.old_digest);
  const KeptPlace place = TRY(find_kept(record, index));
  auto content = read_kept(*place.directory, place.name, limit);
  if (content) return std::move(content->text);
  if (content.error() == std::errc::file_too_large) return lost(file, "it is too large");
  return sys::to_error(content.error(), "read", place.name);
}

Result<void> Journal::write_entry(const Record& record, const sys::Fd& directory,
                                  const std::string& name, Synced synced) {
  const std::string temporary = sys::temporary_name();
  auto file = sys::create_new(directory_, temporary);
  if (!file) return sys::to_error(file.error(), "write the journal", path_);
  auto done = sys::write_all(*file, record.text() + record.staged_text());
  if (done && synced == Synced::yes) done = sys::sync_data(*file);
  if (done) {
    remember_ahead(record.time_ns);
    done = sys::rename_between(directory_, temporary, directory, name, sys::Rename::replace);
  }
  if (done) return {};
  (void)sys::remove_file_at(directory_, temporary);
  return sys::to_error(done.error(), "write the journal", path_);
}

Result<void> Journal::amend(const Record& record) {
  for (const auto& [directory, name] :
       {std::pair<const sys::Fd*, std::string>{&entries_, record.name()},
        std::pair<const sys::Fd*, std::string>{&pending_, pending_name(record, State::made)}}) {
    if (sys::status_at(*directory, name)) return write_entry(record, *directory, name, Synced::yes);
  }
  return Error{Code::not_found, fmt::format("there is no change '{}'", record.id)};
}

}  // namespace helve::workspace
