// Documents in the store.
#include "store/documents.h"

#include <fmt/format.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "store/store.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

TEST(DocumentPath, IsAKey) {
  EXPECT_EQ(must(document_path("./notes//today.md/")), "notes/today.md");
  EXPECT_EQ(must(document_path("äöü/日本.md")), "äöü/日本.md");
  EXPECT_EQ(must(document_path("...")), "...");
  EXPECT_EQ(must(document_path("می‌خواهم.md")), "می‌خواهم.md");
}

TEST(DocumentPath, SaysWhatIsWrong) {
  const auto message = [](std::string_view path) { return document_path(path).error().message; };
  EXPECT_EQ(message("a/../b"), "'a/../b' has '..' in it");
  EXPECT_EQ(message("/etc/passwd"), "'/etc/passwd' begins with a slash");
  EXPECT_EQ(message("./"), "'./' names no document");
  EXPECT_EQ(message(""), "'' names no document");
  EXPECT_EQ(message(std::string_view("a\0b", 3)), "'a\\x00b' has a control character in it");
  EXPECT_EQ(message("a\nb"), "'a\\nb' has a control character in it");
  EXPECT_EQ(message("a\xc2\x9b"
                    "b"),
            "'a\\u{9b}b' has a control character in it");
  EXPECT_EQ(message("a\u202eb"), "'a\\u{202e}b' has a control character in it");
  EXPECT_EQ(message("a\xff"), "'a\\xff' is not UTF-8");
  EXPECT_NE(message(std::string(1025, 'a')).find("has 1025 bytes"), std::string::npos);
  EXPECT_EQ(document_path("lr_3").error().type, "stored_result");
  EXPECT_NE(document_path("lr_3").error().hint.find("kb_add"), std::string::npos);
}

class InDocuments : public testing::Test {
 protected:
  std::unique_ptr<Store> open() { return must(opener_.open()); }
  Result<DocumentVersion> write(std::string path, std::string_view content,
                                Expected expected = {}) {
    return write_document(
        *documents_,
        {.version = {.path = std::move(path)}, .content = content, .expected = expected});
  }
  Result<DocumentVersion> remove(std::string path) {
    return write_document(*documents_, {.version = {.path = std::move(path), .is_removed = true}});
  }
  std::string content(std::string_view path, std::optional<std::uint64_t> number = {}) {
    return must(documents_->content(must(documents_->find(path, number))));
  }
  using Paths = std::vector<std::string>;
  Paths paths(const DocumentFilter& filter = {}) {
    Paths out;
    for (const DocumentVersion& each : must(documents_->list(filter))) out.push_back(each.path);
    return out;
  }

  TempDir directory_;
  sys::ManualClock clock_{kNow};
  Opener opener_{directory_.file("state/helve.db"), {.sync = false}, clock_};
  std::unique_ptr<Store> store_ = open();
  std::unique_ptr<Documents> documents_ = store_->documents("/home/ada/engine");
};

TEST_F(InDocuments, NothingOfWhatIsForgottenStaysInTheFile) {
  const std::string secret = "se" + std::string("cret-7f3a ");
  for (const size_t times : {1u, 20'000u}) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += secret;
    must(write("a", text));
  }
  must(write("a", "nothing"));
  must(documents_->forget({.keep = 1}));
  documents_.reset();
  store_.reset();
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.file("state"))) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    if (bytes.str().find(secret) != std::string::npos) found += entry.path().string() + " ";
  }
  EXPECT_EQ(found, "");
}

TEST_F(InDocuments, EveryWriteIsAVersion) {
  const std::string odd("\0\xff\n", 3);
  EXPECT_EQ(must(write("a", "one\n")).number, 1u);
  EXPECT_EQ(must(write("a", odd)).number, 2u);
  EXPECT_EQ(content("a"), odd);
  EXPECT_EQ(content("a", 1), "one\n");
  const DocumentVersion first = must(documents_->find("a", 1));
  EXPECT_EQ(first.bytes, 4u);
  EXPECT_EQ(first.lines, 1u);
  EXPECT_EQ(first.hash, sha256_hex("one\n"));
  EXPECT_FALSE(first.is_latest);
  const std::vector<DocumentVersion> all = must(documents_->versions("a", 10));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].number, 2u);
  EXPECT_TRUE(all[0].is_latest);
  EXPECT_EQ(documents_->find("a", 3).error().type, "unknown_version");
  EXPECT_EQ(documents_->find("b").error().type, "unknown_document");
}

TEST_F(InDocuments, RememberWhereAContentCameFrom) {
  const Source source{.kind = "file", .from = "src/a.md", .modified_ms = 7, .hash = "abc"};
  must(write_document(*documents_, {.version = {.path = "a",
                                                .mime_type = "text/markdown",
                                                .source = source,
                                                .note = "why",
                                                .agent = "main",
                                                .session = "s_1"},
                                    .content = "x"}));
  const DocumentVersion found = must(documents_->find("a"));
  EXPECT_EQ(found.source, source);
  EXPECT_EQ(found.mime_type, "text/markdown");
  EXPECT_EQ(found.note, "why");
  EXPECT_EQ(found.agent, "main");
  EXPECT_EQ(found.session, "s_1");
  EXPECT_EQ(found.created_ms, kNow);
}

TEST_F(InDocuments, SayWhatAWriterDidNotExpect) {
  must(write("a", "one", Expected::nothing()));
  EXPECT_EQ(write("a", "two", Expected::nothing()).error().type, "path_conflict");
  must(write("a", "two", Expected::version(1)));
  EXPECT_EQ(write("a", "three", Expected::version(1)).error().type, "version_conflict");
  EXPECT_EQ(write("b", "three", Expected::version(1)).error().type, "unknown_document");
  EXPECT_EQ(content("a"), "two");
}

TEST_F(InDocuments, ARemovedOneLeavesItsVersions) {
  EXPECT_EQ(remove("a").error().type, "unknown_document");
  must(write("a", "one"));
  EXPECT_EQ(must(remove("a")).number, 2u);
  EXPECT_EQ(remove("a").error().type, "unknown_document");
  EXPECT_EQ(documents_->find("a").error().hint, "version 1 has what it held");
  EXPECT_EQ(content("a", 1), "one");
  EXPECT_EQ(paths(), Paths{});
  EXPECT_EQ(paths({.removed = true}), Paths{"a"});
  EXPECT_EQ(must(write("a", "new", Expected::nothing())).number, 3u);
}

TEST_F(InDocuments, WriteAllOrNone) {
  must(write("b", "old"));
  const std::vector<Draft> drafts{
      {.version = {.path = "a"}, .content = "x"},
      {.version = {.path = "b"}, .content = "y", .expected = Expected::nothing()}};
  EXPECT_EQ(documents_->write(drafts).error().type, "path_conflict");
  EXPECT_EQ(paths(), Paths{"b"});
  EXPECT_EQ(content("b"), "old");
  std::unique_ptr<Documents> other = store_->documents("/new");
  const std::vector<Draft> twice{
      {.version = {.path = "a"}, .content = "x"},
      {.version = {.path = "a"}, .content = "y", .expected = Expected::nothing()}};
  EXPECT_FALSE(other->write(twice));
  EXPECT_TRUE(write_document(*other, {.version = {.path = "a"}, .content = "x"}));
}

TEST_F(InDocuments, AreListedByTheirPaths) {
  for (const char* path : {"notes/b", "notes-old/x", "notes", "notes/a", "zeta", "notes.md"})
    must(write(path, path));
  EXPECT_EQ(paths(), (Paths{"notes", "notes-old/x", "notes.md", "notes/a", "notes/b", "zeta"}));
  EXPECT_EQ(paths({.under = "notes"}), (Paths{"notes", "notes/a", "notes/b"}));
  EXPECT_EQ(paths({.after = "notes/a"}), (Paths{"notes/b", "zeta"}));
  EXPECT_EQ(paths({.limit = 1}), Paths{"notes"});
  EXPECT_EQ(paths({.under = "zet"}), Paths{});
  EXPECT_EQ(paths({.under = "%"}), Paths{});
}

TEST_F(InDocuments, OfAnotherShelfAreOthers) {
  must(write("a", "mine"));
  std::unique_ptr<Documents> other = store_->documents("");
  EXPECT_EQ(must(other->list({})).size(), 0u);
  EXPECT_EQ(other->find("a").error().type, "unknown_document");
  must(write_document(*other, {.version = {.path = "a"}, .content = "theirs"}));
  EXPECT_EQ(content("a"), "mine");
  EXPECT_EQ(must(documents_->totals("")).documents, 1u);
}

TEST_F(InDocuments, TellWhatChanged) {
  const ShelfState empty = must(documents_->state());
  EXPECT_EQ(empty, ShelfState{});
  must(write("a", "one"));
  must(write("b", "one"));
  const ShelfState two = must(documents_->state());
  EXPECT_NE(two, empty);
  must(write("a", "two"));
  const std::vector<DocumentVersion> since = must(documents_->changed_after(two.change, 10));
  ASSERT_EQ(since.size(), 1u);
  EXPECT_EQ(since[0].path, "a");
  EXPECT_EQ(since[0].number, 2u);
  const std::vector<DocumentVersion> all = must(documents_->changed_after(0, 10));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].is_latest);
  EXPECT_TRUE(all[1].is_latest);
}

TEST_F(InDocuments, CountWhatIsKeptWhereNumbersHaveGaps) {
  const Draft versions[] = {{{.path = "a", .number = 1}, "one"},
                            {{.path = "a", .number = 2}, "two"},
                            {{.path = "a", .number = 10}, "ten"}};
  must(documents_->restore(versions));
  EXPECT_EQ(must(documents_->forget({.keep = 3})).versions, 0u);
  EXPECT_EQ(must(documents_->forget({.keep = 2})).versions, 1u);
  EXPECT_EQ(content("a", 2), "two");
  EXPECT_EQ(content("a"), "ten");
}

TEST_F(InDocuments, ForgetOnlyWhatTheyAreTold) {
  for (int i = 1; i <= 5; ++i) must(write("a", std::to_string(i)));
  must(write("gone", "x"));
  must(remove("gone"));
  must(write("other/b", "x"));
  must(write("other/b", "y"));
  const auto is = [](const Forgotten& found, std::uint64_t versions, std::uint64_t documents) {
    return found.versions == versions && found.documents == documents;
  };
  EXPECT_TRUE(is(must(documents_->forget({})), 0, 0));
  EXPECT_TRUE(is(must(documents_->forget({.keep = 1, .rehearse = true})), 6, 0));
  EXPECT_TRUE(is(must(documents_->forget({.under = "other", .keep = 1})), 1, 0));
  EXPECT_TRUE(is(must(documents_->forget({.keep = 2})), 3, 0));
  EXPECT_EQ(content("a"), "5");
  EXPECT_EQ(content("a", 4), "4");
  EXPECT_EQ(documents_->find("a", 3).error().type, "unknown_version");
  EXPECT_TRUE(is(must(documents_->forget({.removed_before_ms = kNow})), 0, 0));
  EXPECT_TRUE(is(must(documents_->forget({.removed_before_ms = kNow + 1})), 2, 1));
  EXPECT_EQ(documents_->versions("gone", 1).error().type, "unknown_document");
  EXPECT_GT(must(documents_->state()).forgets, 0);
  EXPECT_EQ(must(write("a", "6")).number, 6u);
  const Totals totals = must(documents_->totals(""));
  EXPECT_EQ(totals.documents, 2u);
  EXPECT_EQ(totals.versions, 4u);
}

TEST_F(InDocuments, RestoreAHistory) {
  const std::vector<Draft> history{
      {.version = {.path = "a", .number = 2, .created_ms = 5}, .content = "two"},
      {.version = {.path = "a", .number = 3, .created_ms = 6, .is_removed = true}},
      {.version = {.path = "a", .number = 7, .created_ms = 8}, .content = "seven"}};
  must(documents_->restore(history));
  EXPECT_EQ(content("a"), "seven");
  EXPECT_EQ(content("a", 2), "two");
  EXPECT_EQ(must(documents_->find("a", 2)).created_ms, 5);
  EXPECT_EQ(documents_->restore(history).error().type, "path_conflict");
  EXPECT_EQ(must(write("a", "eight")).number, 8u);
  const std::vector<Draft> wrong{{.version = {.path = "b", .number = 2}, .content = "two"},
                                 {.version = {.path = "b", .number = 2}, .content = "two"}};
  EXPECT_EQ(documents_->restore(wrong).error().code, Code::invalid_argument);
  EXPECT_EQ(paths(), Paths{"a"});
}

TEST_F(InDocuments, CountNoFurtherThanNumbersAreExact) {
  const std::vector<Draft> last{
      {.version = {.path = "a", .number = kMaxVersionNumber}, .content = "x"}};
  must(documents_->restore(last));
  EXPECT_EQ(write("a", "y").error().code, Code::too_large);
  EXPECT_EQ(content("a"), "x");
  const std::vector<Draft> beyond{
      {.version = {.path = "b", .number = kMaxVersionNumber + 1}, .content = "x"}};
  EXPECT_EQ(documents_->restore(beyond).error().code, Code::invalid_argument);
}

// Pieces that are the same each time, or not.
struct Pieces final : LongText {
  explicit Pieces(std::vector<std::string> pieces) : pieces(std::move(pieces)) {}
  void read(const Take& take) const override {
    for (const std::string& piece : pieces) {
      if (!take(piece)) return;
    }
    if (grows) pieces.push_back("more");
  }
  mutable std::vector<std::string> pieces;
  bool grows = false;
};

TEST_F(InDocuments, TakeAContentInPieces) {
  std::string large(3u << 20, 'x');
  for (size_t at = 0; at < large.size(); at += 1000) large[at] = at % 3 == 0 ? '\n' : '\0';
  for (const size_t step : {size_t{1} << 20, size_t{65'537}}) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < large.size(); at += step) pieces.push_back(large.substr(at, step));
    const Pieces text(pieces);
    const DocumentVersion in_pieces =
        must(write_document(*documents_, {.version = {.path = "pieces"}, .long_content = &text}));
    const DocumentVersion at_once = must(write("whole", large));
    EXPECT_EQ(content("pieces"), large);
    EXPECT_EQ(content("whole"), large);
    EXPECT_EQ(in_pieces.bytes, large.size());
    EXPECT_EQ(in_pieces.hash, sha256_hex(large));
    EXPECT_EQ(in_pieces.lines, at_once.lines);
  }
  const Pieces none({});
  must(write_document(*documents_, {.version = {.path = "none"}, .long_content = &none}));
  EXPECT_EQ(content("none"), "");
}

TEST_F(InDocuments, TakeNothingThatChangesMeanwhile) {
  Pieces text({"one"});
  text.grows = true;
  EXPECT_FALSE(write_document(*documents_, {.version = {.path = "a"}, .long_content = &text}));
  EXPECT_EQ(paths(), Paths{});
}

TEST_F(InDocuments, HaveABoundOnTheirSize) {
  const std::string large(kMaxDocumentBytes + 1, 'x');
  EXPECT_EQ(write("a", large).error().code, Code::too_large);
  EXPECT_EQ(paths(), Paths{});
}

TEST_F(InDocuments, SurviveTwoWritersAtOnce) {
  Helper first({"documents", opener_.path(), "50"}), second({"documents", opener_.path(), "50"});
  first.release();
  second.release();
  first.read_all();
  second.read_all();
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  std::unique_ptr<Store> store = open();
  std::unique_ptr<Documents> documents = store->documents("shared");
  EXPECT_EQ(must(documents->find("counter")).number, 100u);
  // Each wrote one more than what it had read, so that no step is lost.
  EXPECT_EQ(must(documents->content(must(documents->find("counter")))), "100");
}

TEST_F(InDocuments, AreWholeAfterAKill) {
  for (int round = 1; round <= 20; ++round) {
    Helper writer({"documents", opener_.path(), "100000"});
    writer.release();
    std::string acknowledged;
    for (int i = 0; i < round; ++i) acknowledged = writer.read_line();
    ::kill(writer.pid(), SIGKILL);
    writer.wait();
    std::unique_ptr<Store> store = open();
    std::unique_ptr<Documents> documents = store->documents("shared");
    const DocumentVersion last = must(documents->find("counter"));
    EXPECT_GE(last.number, std::stoull(acknowledged));
    const std::string content = must(documents->content(last));
    EXPECT_EQ(content, std::to_string(last.number));
    EXPECT_EQ(last.hash, sha256_hex(content));
  }
}

}  // namespace
}  // namespace helve::store
