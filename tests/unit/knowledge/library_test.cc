#include "knowledge/library.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "unit/temp_store.h"

namespace helve::knowledge {
namespace {

// Texts that hold one of its words have the direction of that word.
class WordEmbedder final : public Embedder {
 public:
  std::string_view id() const override { return "words"; }
  size_t step_bytes() const override { return 1; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token) override {
    if (fails) return Error{Code::network, "the server is away"};
    if (embedded + texts.size() > most) return Error{Code::network, "the server is tired"};
    std::vector<Vector> vectors;
    for (std::string_view text : texts) {
      const bool is_animal = text.find("cat") != text.npos || text.find("pet") != text.npos;
      vectors.push_back(is_animal ? Vector{1, 0} : Vector{0, 1});
    }
    embedded += texts.size();
    return vectors;
  }
  std::atomic<bool> fails = false;
  std::atomic<size_t> embedded = 0;
  std::atomic<size_t> most = SIZE_MAX;
};

class InLibrary : public helve::testing::TempStore {
 protected:
  void write(const std::string& path, std::string_view content, bool removes = false) {
    store::DocumentVersion version{.path = path, .mime_type = "text/markdown"};
    version.is_removed = removes;
    helve::testing::must(store::write_document(*documents_, {version, content}));
  }
  LibraryAnswer ask(std::string_view text, LibraryQuestion question = {.mode = Mode::keyword}) {
    question.text = text;
    return helve::testing::must(library_.search(*documents_, question, {}, {}));
  }
  std::vector<std::string> paths(std::string_view text,
                                 LibraryQuestion question = {.mode = Mode::keyword}) {
    std::vector<std::string> out;
    for (const LibraryHit& hit : ask(text, std::move(question)).hits)
      out.push_back(fmt::format("{}@{}", hit.path, hit.version));
    return out;
  }
  using Paths = std::vector<std::string>;

  std::unique_ptr<store::Store> connection_ = helve::testing::must(opener_.open());
  std::unique_ptr<store::Documents> documents_ = connection_->documents("/w");
  std::shared_ptr<WordEmbedder> embedder_ = std::make_shared<WordEmbedder>();
  Library library_{"/w", [this] { return Result<std::shared_ptr<Embedder>>(embedder_); }};
};

TEST_F(InLibrary, FollowsWhatIsWritten) {
  EXPECT_EQ(paths("zebra"), Paths{});
  write("a", "# Animals\n\nA zebra.\n");
  EXPECT_EQ(paths("zebra"), Paths{"a@1"});
  write("a", "An okapi.\n");
  EXPECT_EQ(paths("zebra"), Paths{});
  EXPECT_EQ(paths("okapi"), Paths{"a@2"});
  write("a", "", true);
  EXPECT_EQ(paths("okapi"), Paths{});
}

TEST_F(InLibrary, FollowsWhatAnotherConnectionWrites) {
  EXPECT_EQ(paths("zebra"), Paths{});
  std::unique_ptr<store::Store> other = helve::testing::must(opener_.open());
  helve::testing::must(store::write_document(*other->documents("/w"),
                                             {{.path = "b"}, "A zebra of another process.\n"}));
  helve::testing::must(
      store::write_document(*other->documents("/elsewhere"), {{.path = "c"}, "A zebra.\n"}));
  EXPECT_EQ(paths("zebra"), Paths{"b@1"});
}

TEST_F(InLibrary, TellsLinesAndHeadings) {
  write("a.md", "# Guide\n\nText.\n\n## Deploy\n\nThe zebra goes out on Monday.\n");
  const LibraryAnswer answer = ask("zebra");
  ASSERT_EQ(answer.hits.size(), 1u);
  EXPECT_EQ(answer.hits[0].heading, "Guide > Deploy");
  EXPECT_LE(answer.hits[0].first_line, 7u);
  EXPECT_EQ(answer.hits[0].last_line, 7u);
}

TEST_F(InLibrary, FindsWhatFrontMatterSays) {
  write("a.md", "---\ntitle: Zebra plan\ntags: [stripes]\n---\nText.\n");
  write("b.md", "---\ndate: 2026-01-31\n---\n\n# Okapi plan\n\nText.\n");
  EXPECT_EQ(paths("zebra"), Paths{"a.md@1"});
  EXPECT_EQ(paths("stripes"), Paths{"a.md@1"});
  EXPECT_EQ(paths("okapi"), Paths{"b.md@1"});
}

TEST_F(InLibrary, TakesAnyFrontMatter) {
  for (const char* text :
       {"---\n", "---\n---", "---\ntitle: x\n---", "---\n---\n# ", "# ", "\n\n#"})
    write("a.md", text);
  EXPECT_EQ(paths("zebra"), Paths{});
}

TEST_F(InLibrary, DecodesTextThatIsNotUtf8) {
  write("latin", "Das Caf\xe9 ist gut besucht, das Caf\xe9 war \xe0 la mode.\n");
  using namespace std::string_literals;
  write("wide", "\xff\xfez\0e\0b\0r\0a\0\n\0"s);
  write("binary", "okapi\0\1\2\3\xff\xfe\xfd\x80okapi\0"s);
  EXPECT_EQ(paths("café"), Paths{"latin@1"});
  EXPECT_EQ(paths("zebra"), Paths{"wide@1"});
  EXPECT_EQ(paths("okapi"), Paths{});
}

TEST_F(InLibrary, SearchesHistoryWhenAsked) {
  write("a", "A zebra.\n");
  write("a", "An okapi.\n");
  write("b", "A zebra.\n");
  write("b", "", true);
  EXPECT_EQ(paths("zebra"), Paths{});
  Paths found = paths("zebra", {.mode = Mode::keyword, .reach = Reach::history});
  std::ranges::sort(found);
  EXPECT_EQ(found, (Paths{"a@1", "b@1"}));
  write("c", "One more zebra.\n");
  write("c", "No more.\n");
  EXPECT_EQ(paths("zebra", {.mode = Mode::keyword, .reach = Reach::history}).size(), 3u);
}

TEST_F(InLibrary, ForgetsWhatWasForgotten) {
  write("a", "A zebra.\n");
  EXPECT_EQ(paths("zebra"), Paths{"a@1"});
  std::unique_ptr<store::Store> other = helve::testing::must(opener_.open());
  const std::unique_ptr<store::Documents> theirs = other->documents("/w");
  helve::testing::must(store::write_document(*theirs, {{.path = "a", .is_removed = true}}));
  helve::testing::must(theirs->forget({.removed_before_ms = INT64_MAX}));
  EXPECT_EQ(paths("zebra"), Paths{});
}

TEST_F(InLibrary, LetsNoDocumentTakeAllThePlaces) {
  std::string many;
  for (int i = 0; i < 20; ++i) many += fmt::format("# Part {}\n\nzebra {}\n\n", i, i);
  write("many", many);
  write("one", "zebra\n");
  const Paths found = paths("zebra", {.mode = Mode::keyword, .limit = 5, .per_document = 2});
  EXPECT_EQ(std::ranges::count(found, "many@1"), 2);
  EXPECT_EQ(std::ranges::count(found, "one@1"), 1);
}

TEST_F(InLibrary, FindsTheOthersBesideDocumentsWithManyPassages) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += fmt::format("# Zebra {}\n\nzebra zebra cat {}\n\n", i, i);
  write("many", many);
  write("more", many);
  for (int i = 0; i < 8; ++i)
    write(fmt::format("note{}", i), fmt::format("Long text and then a zebra, cat {}.\n", i));
  for (const Mode mode : {Mode::keyword, Mode::semantic, Mode::hybrid}) {
    for (const Reach reach : {Reach::latest, Reach::history}) {
      const Paths found =
          paths("zebra cat", {.mode = mode, .reach = reach, .limit = 14, .per_document = 3});
      EXPECT_EQ(found.size(), 14);
      EXPECT_EQ(std::ranges::count(found, "many@1"), 3);
      EXPECT_EQ(std::ranges::count(found, "more@1"), 3);
      EXPECT_EQ(std::ranges::count(found, "note7@1"), 1);
    }
  }
}

TEST_F(InLibrary, FindsWhatIsAcceptedHoweverManyAreBetter) {
  std::string many;
  for (int i = 0; i < 6000; ++i) many += fmt::format("# Zebra {}\n\nzebra zebra\n\n", i);
  write("many", many);
  write("one", "Long text with a zebra that is a secret.\n");
  size_t asked = 0;
  const LibraryQuestion question{.mode = Mode::keyword, .accepts = [&](const PassageView& passage) {
                                   ++asked;
                                   return passage.text.find("secret") != passage.text.npos;
                                 }};
  EXPECT_EQ(paths("zebra", question), Paths{"one@1"});
  EXPECT_LE(asked, 6001u) << "about each passage once";
}

TEST_F(InLibrary, FindsByMeaning) {
  write("a", "The cat sleeps.\n");
  write("b", "The tax is due.\n");
  const LibraryAnswer answer = ask("pet", {.mode = Mode::semantic});
  EXPECT_EQ(answer.mode, Mode::semantic);
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(answer.hits[0].path, "a");
  const size_t before = embedder_->embedded;
  ask("pet", {.mode = Mode::semantic});
  EXPECT_EQ(embedder_->embedded, before + 1) << "only the question";
}

TEST_F(InLibrary, SaysWhatWasFoundByWordsOnly) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    write(name, fmt::format("A zebra {}.\n", name));
  embedder_->most = 5;  // one of them for the question
  const LibraryAnswer some = ask("zebra", {.mode = Mode::hybrid});
  EXPECT_EQ(some.mode, Mode::hybrid);
  EXPECT_EQ(std::ranges::count(some.hits, true, &LibraryHit::by_meaning), 4);
  ASSERT_EQ(some.notes.size(), 1u);
  EXPECT_NE(some.notes[0].find("4 of 5 passages have one"), std::string::npos) << some.notes[0];
  embedder_->most = 100;
  EXPECT_TRUE(helve::testing::must(library_.build(*documents_, {}, {})).is_complete());
}

TEST_F(InLibrary, SaysThatWordsWereSearchedWhileThereIsNoVector) {
  write("a", "A zebra.\n");
  embedder_->most = 1;  // for the question
  const LibraryAnswer answer = ask("zebra", {.mode = Mode::hybrid});
  EXPECT_EQ(answer.mode, Mode::keyword);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_NE(answer.notes[0].find("0 of 1 passages"), std::string::npos) << answer.notes[0];
}

TEST_F(InLibrary, SaysWhenOnlyWordsWereSearched) {
  write("a", "A zebra.\n");
  embedder_->fails = true;
  const LibraryAnswer answer = ask("zebra", {.mode = Mode::hybrid});
  EXPECT_EQ(answer.mode, Mode::keyword);
  EXPECT_EQ(answer.hits.size(), 1u);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_NE(answer.notes[0].find("the server is away"), std::string::npos);
  Library plain("/w");
  EXPECT_EQ(helve::testing::must(plain.search(*documents_, {.text = "zebra"}, {}, {})).mode,
            Mode::keyword);
}

TEST_F(InLibrary, BearsHostileDocuments) {
  write("deep", std::string(100'000, '#') + " zebra\n");
  write("quotes", std::string(200'000, '>') + "\n");
  write("line", std::string(3u << 20, 'x') + " zebra\n");
  write("nul", std::string_view("zebra\0zebra\n", 12));
  write("bytes", "zebra \xff\xfe\xc0\x80\n");
  std::string lists;
  for (int i = 0; i < 2000; ++i) lists += std::string(static_cast<size_t>(i), ' ') + "- [x](\n";
  write("lists", lists);
  const LibraryAnswer answer = ask("zebra");
  EXPECT_FALSE(answer.hits.empty());
  EXPECT_FALSE(answer.notes.empty()) << "of the long line not all is known";
}

TEST_F(InLibrary, EndsWhenAskedTo) {
  write("a", "A zebra.\n");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      library_.search(*documents_, {.text = "zebra", .mode = Mode::keyword}, {}, stop.get_token())
          .error()
          .code,
      Code::cancelled);
  EXPECT_EQ(paths("zebra"), Paths{"a@1"});
}

TEST_F(InLibrary, AnswersManyAtOnceWhileItGrows) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      std::unique_ptr<store::Store> own = helve::testing::must(opener_.open());
      const std::unique_ptr<store::Documents> documents = own->documents("/w");
      for (int n = 0; n < 20; ++n) {
        helve::testing::must(store::write_document(
            *documents, {{.path = fmt::format("{}/{}", i, n)}, "one more zebra\n"}));
        helve::testing::must(
            library_.search(*documents, {.text = "zebra", .mode = Mode::keyword}, {}, {}));
      }
    });
  threads.clear();
  EXPECT_EQ(paths("zebra", {.mode = Mode::keyword, .limit = 1000}).size(), 80u);
}

}  // namespace
}  // namespace helve::knowledge
