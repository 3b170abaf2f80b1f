// What is kept of a change, and what becomes of one whose process was killed.
#include <sys/stat.h>

#include <atomic>

#include "sys/directory.h"
#include "unit/workspace/fixture.h"
#include "unit/workspace/meanwhile.h"
#include "workspace/journal.h"
#include "workspace/record.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;

class Journaling : public WorkspaceTest {
 protected:
  Journal journal(JournalLimits limits = {}) const {
    const auto real = std::filesystem::canonical(tree.path("in")).string();
    return Journal(tree.path("journal/" + journal_name(real)), limits);
  }
  std::string write(Workspace& files, const std::string& path, const std::string& content) const {
    const Change change{.path = path, .content = content};
    const auto applied = files.apply({&change, 1}, {.tool = "write", .session = "s"});
    if (applied) return applied->id;
    ADD_FAILURE() << describe(applied.error());
    return "";
  }
  std::filesystem::path part(const char* name) const {
    return std::filesystem::path(tree.path("journal")) / tree.names("journal").at(0) / name;
  }
  std::filesystem::path entries() const { return part("entries"); }
  std::filesystem::path pending() const { return part("pending"); }

  // As if the change had been made an hour from now.
  static constexpr std::chrono::hours kHour{1};
  void date_ahead(const std::string& id) const {
    Record record = journal().load(id).value();
    const std::string before = record.name();
    record.time_ns += std::chrono::nanoseconds(kHour).count();
    for (size_t i = 0; i < record.files.size(); ++i) {
      const std::string suffix = "." + std::to_string(i);
      if (!std::filesystem::exists(part("kept") / (before + suffix))) continue;
      std::filesystem::rename(part("kept") / (before + suffix),
                              part("kept") / (record.name() + suffix));
    }
    std::filesystem::remove(entries() / before);
    std::ofstream(entries() / record.name()) << record.text();
  }
  void date_entries_ahead() const {
    using Time = std::filesystem::file_time_type;
    std::filesystem::last_write_time(entries(), Time::clock::now() + kHour);
  }
};

TEST_F(Journaling, KeepsWhatAChangeReplacedAndNothingBesideTheFile) {
  tree.file("in/file", "old");
  const std::string id = write(*journaled(), "file", "new");
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"file"});
  Journal kept = journal();
  EXPECT_EQ(kept.ids(), std::vector<std::string>{id});
  const auto record = kept.load(id);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->tool, "write");
  EXPECT_EQ(record->session, "s");
  ASSERT_EQ(record->files.size(), 1u);
  EXPECT_EQ(record->files[0].what, Changed::What::replaced);
  EXPECT_EQ(kept.old_content(*record, 0, kMaxKeptFile).value(), "old");
}

TEST_F(Journaling, IsPrivateWhateverTheUmaskIs) {
  tree.file("in/file", "old");
  const mode_t before = ::umask(0);
  write(*journaled(), "file", "new");
  journal().tidy(Journal::When::now, 0);
  ::umask(before);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.path("journal"))) {
    struct stat s;
    ASSERT_EQ(::lstat(entry.path().c_str(), &s), 0);
    if (entry.path().parent_path().filename() == "kept") continue;  // as it was, in a private place
    EXPECT_EQ(s.st_mode & 0077, 0u) << entry.path();
  }
}

TEST_F(Journaling, GoesOnWithTheContentAfterItWasTidied) {
  const std::string large(100'000, 'a');
  tree.file("in/file", large);
  const std::string id = write(*journaled(), "file", "new");
  Journal kept = journal();
  kept.tidy(Journal::When::now, kept.load(id)->time_ms());
  const auto record = kept.load(id);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->files[0].old_digest);
  EXPECT_EQ(kept.old_content(*record, 0, kMaxKeptFile).value(), large);
  const std::string directory = "journal/" + tree.names("journal").at(0);
  EXPECT_TRUE(tree.names(directory + "/kept").empty());
  const std::string object = tree.names(directory + "/objects").at(0);
  EXPECT_LT(std::filesystem::file_size(tree.path(directory + "/objects/" + object)), 1000u);
}

TEST_F(Journaling, TellsADamagedObject) {
  tree.file("in/file", "old content of some length");
  const std::string id = write(*journaled(), "file", "new");
  Journal kept = journal();
  kept.tidy(Journal::When::now, kept.load(id)->time_ms());
  const std::string objects = "journal/" + tree.names("journal").at(0) + "/objects/";
  const std::string object = objects + tree.names(objects).at(0);
  std::string bytes = tree.content(object);
  bytes[bytes.size() / 2] ^= 1;
  tree.file(object, bytes);
  EXPECT_FALSE(kept.old_content(*kept.load(id), 0, kMaxKeptFile));
}

TEST_F(Journaling, ForgetsWhatIsTooOldAndWhatIsTooMuch) {
  const auto files = journaled();
  tree.file("in/file", "0");
  std::vector<std::string> ids;
  for (int i = 1; i <= 3; ++i) ids.push_back(write(*files, "file", std::string(1000, 'a' + i)));
  Journal kept = journal({.max_bytes = 20});
  const std::int64_t now = kept.load(ids.back())->time_ms();
  kept.tidy(Journal::When::now, now);
  EXPECT_EQ(kept.ids(), std::vector<std::string>{ids.back()});
  kept.tidy(Journal::When::now, now + JournalLimits{}.max_age_ms + 1);
  EXPECT_TRUE(kept.ids().empty());
  const std::string directory = "journal/" + tree.names("journal").at(0);
  EXPECT_TRUE(tree.names(directory + "/objects").empty());
}

// It was interrupted long ago, and another process takes care of it while this one tidies.
TEST_F(Journaling, KeepsWhatBelongsToAChangeThatIsSettledMeanwhile) {
  tree.file("in/file", "to be packed");
  tree.file("in/gone", "old");
  const auto files = journaled();
  write(*files, "file", "new");
  const Change change{.kind = Kind::remove, .path = "gone"};
  const auto applied = files->apply({&change, 1}, {});
  ASSERT_TRUE(applied);
  const Record record = journal().load(applied->id).value();
  const std::string directory = tree.path("journal/" + tree.names("journal").at(0));
  const std::string entry = directory + "/entries/" + record.begun_name();
  const std::string pending = directory + "/pending/" + record.begun_name() + ".staged";
  std::filesystem::rename(directory + "/entries/" + record.name(), pending);
  EXPECT_CHILD_OK([&]() -> std::string {
    std::atomic<int> calls = 0;
    const std::string why = before_each(SYS_syncfs, [&](const CallArguments&) {
      if (calls++ == 0) std::filesystem::rename(pending, entry);
    });
    if (!why.empty()) return why;
    constexpr std::int64_t kTwoHours = 2ll * 60 * 60 * 1000;
    journal().tidy(Journal::When::now, record.time_ms() + kTwoHours);
    return calls > 0 ? "" : "nothing was packed";
  });
  Journal kept = journal();
  ASSERT_TRUE(kept.load(applied->id));
  const auto old = kept.old_content(record, 0, kMaxKeptFile);
  ASSERT_TRUE(old) << describe(old.error());
  EXPECT_EQ(*old, "old");
}

TEST_F(Journaling, AChangeComesAfterThoseThatWereMadeWhileItWasStaged) {
  const auto other = journaled();
  EXPECT_CHILD_OK([&]() -> std::string {
    const auto files = journaled();
    std::atomic<int> calls = 0;
    const std::string why = before_each(SYS_fchmod, [&](const CallArguments&) {
      if (calls++ > 0) return;
      write(*other, "file", "theirs");
      const Change change{.kind = Kind::remove, .path = "file"};
      (void)other->apply({&change, 1}, {.session = "s"});
    });
    if (!why.empty()) return why;
    const std::string id = write(*files, "file", "new");
    if (calls == 0) return "nothing was staged";
    return journal().ids().at(0) == id ? "" : "it is not the newest";
  });
  const auto undo = [&] { return other->undo({.own_session = "s"}, Rehearsal::no, {}); };
  EXPECT_TRUE(undo());
  EXPECT_FALSE(std::filesystem::exists(tree.path("in/file")));
  EXPECT_TRUE(undo());
  EXPECT_EQ(tree.content("in/file"), "theirs");
  EXPECT_TRUE(undo());
  EXPECT_FALSE(std::filesystem::exists(tree.path("in/file")));
}

TEST_F(Journaling, AnUndoThatCameInTheWayOfALaterChangeIsNamed) {
  tree.file("in/file", "old");
  tree.file("in/other", "other");
  const auto other = journaled();
  const Change gone{.kind = Kind::remove, .path = "file"};
  ASSERT_TRUE(other->apply({&gone, 1}, {.session = "s"}));
  EXPECT_CHILD_OK([&]() -> std::string {
    const auto files = journaled();
    std::atomic<int> calls = 0;
    const std::string why = before_each(SYS_fchmod, [&](const CallArguments&) {
      if (calls++ > 0) return;
      for (const auto& [from, to] : {std::pair("other", "file"), {"file", "other"}}) {
        const Change change{.kind = Kind::move, .path = from, .to = to};
        (void)other->apply({&change, 1}, {.session = "t"});
      }
    });
    if (!why.empty()) return why;
    const auto undone = files->undo({.session = "s"}, Rehearsal::no, {});
    if (!undone) return describe(undone.error());
    return calls == 0 ? "nothing was staged" : "";
  });
  const auto undo = [&](const Selection& selection) {
    const auto undone = other->undo(selection, Rehearsal::no, {});
    return undone ? "" : describe(undone.error());
  };
  const std::string id = journal().ids().at(0);
  EXPECT_TRUE(has(undo({.own_session = "t"}), "undo " + id + " first"));
  EXPECT_EQ(undo({.id = id}), "");
  EXPECT_EQ(undo({.own_session = "t"}), "");
  EXPECT_EQ(undo({.own_session = "t"}), "");
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"other"});
}

TEST_F(Journaling, WhatIsKeptOfAChangeStaysWhateverItsTimeIs) {
  tree.file("in/file", "old");
  tree.file("in/dir/x", "x");
  const auto files = journaled();
  const std::vector<Change> changes = {{.path = "file", .content = "new"},
                                       {.kind = Kind::remove, .path = "dir", .tree = true}};
  const auto applied = files->apply(changes, {.session = "s"});
  ASSERT_TRUE(applied);
  Journal kept = journal();
  constexpr std::int64_t kTwoHours = 2ll * 60 * 60 * 1000;
  const Record record = kept.load(applied->id).value();
  EXPECT_NE(record.name(), record.begun_name());
  kept.tidy(Journal::When::now, record.time_ms() + kTwoHours);
  kept.tidy(Journal::When::now, record.time_ms() + 2 * kTwoHours);
  const auto undone = files->undo({.session = "s"}, Rehearsal::no, {});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(tree.content("in/file"), "old");
  EXPECT_EQ(tree.content("in/dir/x"), "x");
}

TEST_F(Journaling, ReadsNoRecordThatWasNotWrittenToItsEnd) {
  Record record{.id = "c_1", .tool = "write", .session = "a b%\n\xff", .time_ns = 5};
  record.undoes = {{"c_0"}, {"c_00", {"/a b", "/c"}}};
  record.made = {"/r/new"};
  record.files.push_back({.what = Changed::What::moved,
                          .path = "/r/with blank\n",
                          .to = "-",
                          .old = {1, 2, 3, 4},
                          .old_mode = 0640,
                          .new_digest = Digest{1, 2, 3}});
  const std::string text = record.text();
  const auto read = Record::parse(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), text);
  EXPECT_EQ(read->session, record.session);
  EXPECT_EQ(read->files.at(0).path, record.files[0].path);
  EXPECT_EQ(read->files.at(0).to, "-");
  for (size_t i = 0; i < text.size(); ++i) EXPECT_FALSE(Record::parse(text.substr(0, i))) << i;
}

TEST_F(Journaling, ReadsWhatWasStagedOnlyAsAWhole) {
  Record record{.id = "c_1", .left = {"/r/new/deep", "/r/new"}};
  for (const char* path : {"/r/a", "/r/b", "/r/c"}) record.files.push_back({.path = path});
  record.files[0].staged = {1, 2, 3, 4};
  record.files[2].staged = {5, 6, 7, -8};
  const std::string text = record.text(), staged = record.staged_text();
  const auto read = Record::parse(text + staged);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->staged_text(), staged);
  EXPECT_EQ(read->text(), text);
  EXPECT_EQ(read->left, record.left);
  EXPECT_FALSE(read->files[1].staged);
  for (size_t i = 0; i < staged.size(); ++i) {
    const auto part = Record::parse(text + staged.substr(0, i));
    ASSERT_TRUE(part) << i;
    EXPECT_EQ(part->staged_text(), "") << i;
  }
}

TEST_F(Journaling, ANewChangeComesAfterAllOthersAlthoughTheClockWasSetBack) {
  const std::string first = write(*journaled(), "file", "1");
  const std::int64_t real_time = journal().load(first)->time_ms();
  date_ahead(first);
  date_entries_ahead();
  std::vector<std::string> ids = {first};
  for (const char* content : {"2", "3"}) {
    ids.insert(ids.begin(), write(*journaled(), "file", content));
    EXPECT_EQ(journal().ids(), ids);
  }
  EXPECT_LT(journal().load(ids[0])->time_ms(), real_time + 1000ll * 60);
}

// Then the time of the directory is that of the clock.
TEST_F(Journaling, ANewChangeComesAfterAllOthersAlthoughEntriesWereChangedMeanwhile) {
  using Act = std::function<void(Journal&, const Record& older, const Record& newer)>;
  const std::vector<std::pair<const char*, Act>> acts = {
      {"amend",
       [](Journal& kept, const Record& older, const Record&) { EXPECT_TRUE(kept.amend(older)); }},
      {"forget",
       [](Journal& kept, const Record& older, const Record& newer) {
         kept.tidy(Journal::When::now, older.time_ms());
         EXPECT_EQ(kept.ids(), std::vector<std::string>{newer.id});
       }},
      {"settle an older one",
       [&](Journal& kept, const Record& older, const Record&) {
         std::filesystem::rename(entries() / older.name(), pending() / (older.name() + ".done"));
         date_entries_ahead();
         EXPECT_TRUE(kept.settle(older));
       }},
      {"settle the newest", [&](Journal& kept, const Record&, const Record& newer) {
         std::filesystem::rename(entries() / newer.name(), pending() / (newer.name() + ".done"));
         EXPECT_TRUE(kept.settle(newer));
       }}};
  for (const auto& [name, act] : acts) {
    SCOPED_TRACE(name);
    std::filesystem::remove_all(tree.path("journal"));
    tree.file("in/file", "0");
    const std::string older = write(*journaled(), "file", "1");
    const std::string newer = write(*journaled(), "file", "2");
    date_ahead(newer);
    date_entries_ahead();
    Journal kept = journal({.max_bytes = 15});
    act(kept, kept.load(older).value(), kept.load(newer).value());
    const std::string newest = write(*journaled(), "file", "3");
    EXPECT_EQ(journal().ids().at(0), newest);
  }
}

TEST_F(Journaling, RemovesADirectoryWithAllItHeld) {
  tree.file("in/sub/deep/file", "x");
  const Change change{.kind = Kind::remove, .path = "sub", .tree = true};
  const auto applied = journaled()->apply({&change, 1}, {});
  ASSERT_TRUE(applied) << describe(applied.error());
  EXPECT_TRUE(tree.names("in").empty());
  const std::string kept = "journal/" + tree.names("journal").at(0) + "/kept/";
  EXPECT_EQ(tree.content(kept + tree.names(kept).at(0) + "/deep/file"), "x");
}

TEST_F(Journaling, RefusesAChangeThatItCannotNoteDown) {
  tree.file("in/file", "old");
  tree.file("journal", "a file is in the way");
  const Change change{.path = "file", .content = "new"};
  EXPECT_FALSE(journaled()->apply({&change, 1}, {}));
  EXPECT_EQ(tree.content("in/file"), "old");
}

TEST_F(Journaling, RefusesAChangeWhoseRecordCouldNotBeReadAgain) {
  std::string directory;
  for (int i = 0; i < 3; ++i) directory += std::string(240, '\xff') + "/";
  std::vector<Change> changes;
  for (size_t i = 0; i < kMaxChanges; ++i) {
    changes.push_back({.path = directory + std::to_string(i), .content = "new"});
  }
  const auto applied = journaled()->apply(changes, {});
  ASSERT_FALSE(applied);
  EXPECT_EQ(kind_of(applied.error()), "too_large too_many_changes");
  EXPECT_TRUE(tree.names("in").empty());
}

}  // namespace
}  // namespace helve::workspace
