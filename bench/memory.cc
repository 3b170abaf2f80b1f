// How long a search over many paragraphs takes: the index of memory_search against SQLite's FTS5,
// on the same made-up paragraphs with the same questions, in memory both.
//
// bench_memory PARAGRAPHS QUESTIONS    prints a JSON object: medians in milliseconds of one core
#include <fmt/core.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "knowledge/passage_index.h"

namespace {

using namespace helve::knowledge;

constexpr size_t kWords = 30'000;  // of the language
constexpr size_t kDimensions = 512;
constexpr size_t kResults = 6;
constexpr size_t kQuestionWords = 6;

// Of the processor, which others may use meanwhile; nothing here waits for anything else.
double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Words without endings, so that every stemmer leaves them alone.
std::vector<std::string> make_words(std::mt19937& random) {
  std::vector<std::string> words;
  for (size_t i = 0; i < kWords; ++i) {
    std::string word;
    for (size_t syllables = 2 + random() % 2; syllables > 0; --syllables) {
      word += "bdfgklmnprt"[random() % 11];
      word += "aou"[random() % 3];
    }
    words.push_back(word + "k");
  }
  return words;
}

struct Corpus {
  std::vector<std::string> paragraphs, questions;
};

// Words are as frequent as in a language: the n-th has the n-th part of the first. A question has
// words of one paragraph.
Corpus make_corpus(size_t paragraphs, size_t questions) {
  std::mt19937 random(42);
  const std::vector<std::string> words = make_words(random);
  std::vector<double> weights;
  for (size_t i = 0; i < kWords; ++i) weights.push_back(1.0 / static_cast<double>(i + 1));
  std::discrete_distribution<size_t> word(weights.begin(), weights.end());
  Corpus corpus;
  std::vector<std::vector<size_t>> chosen;
  for (size_t i = 0; i < paragraphs; ++i) {
    std::string text;
    std::vector<size_t>& own = chosen.emplace_back();
    for (size_t count = 30 + random() % 60; count > 0; --count) {
      own.push_back(word(random));
      text += words[own.back()] + " ";
    }
    corpus.paragraphs.push_back(std::move(text));
  }
  for (size_t i = 0; i < questions; ++i) {
    const std::vector<size_t>& from = chosen[random() % chosen.size()];
    std::string text;
    for (size_t count = 0; count < kQuestionWords; ++count)
      text += words[from[random() % from.size()]] + " ";
    corpus.questions.push_back(std::move(text));
  }
  return corpus;
}

void need(bool ok, sqlite3* database) {
  if (ok) return;
  fmt::print(stderr, "bench_memory: {}\n", sqlite3_errmsg(database));
  std::exit(1);
}

// Of FTS5, whose questions are ORs of their words.
double measure_sqlite(const Corpus& corpus) {
  sqlite3* database = nullptr;
  need(sqlite3_open(":memory:", &database) == SQLITE_OK, database);
  auto execute = [&](const char* sql) {
    need(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK, database);
  };
  execute("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize='porter unicode61'); BEGIN");
  sqlite3_stmt* insert = nullptr;
  need(sqlite3_prepare_v2(database, "INSERT INTO notes VALUES (?)", -1, &insert, nullptr) ==
           SQLITE_OK,
       database);
  for (const std::string& text : corpus.paragraphs) {
    sqlite3_bind_text(insert, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    need(sqlite3_step(insert) == SQLITE_DONE, database);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  execute("COMMIT; INSERT INTO notes(notes) VALUES ('optimize')");
  sqlite3_stmt* select = nullptr;
  need(sqlite3_prepare_v2(database,
                          "SELECT rowid, rank FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?",
                          -1, &select, nullptr) == SQLITE_OK,
       database);
  std::vector<double> times;
  for (const std::string& question : corpus.questions) {
    std::string match;
    for (size_t at = 0; at < question.size();) {
      const size_t end = question.find(' ', at);
      if (!match.empty()) match += " OR ";
      match += "\"" + question.substr(at, end - at) + "\"";
      at = end + 1;
    }
    const double start = milliseconds();
    sqlite3_bind_text(select, 1, match.data(), static_cast<int>(match.size()), SQLITE_STATIC);
    sqlite3_bind_int(select, 2, kResults);
    size_t rows = 0;
    while (sqlite3_step(select) == SQLITE_ROW) ++rows;
    need(rows > 0, database);
    sqlite3_reset(select);
    times.push_back(milliseconds() - start);
  }
  sqlite3_finalize(select);
  sqlite3_close(database);
  return median(std::move(times));
}

Vector random_vector(std::mt19937& random) {
  std::normal_distribution<float> value;
  Vector vector(kDimensions);
  for (float& x : vector) x = value(random) / std::sqrt(static_cast<float>(kDimensions));
  return vector;
}

double measure_index(const PassageIndex& index, const Corpus& corpus, const Vector* meaning) {
  std::vector<double> times;
  for (const std::string& question : corpus.questions) {
    const double start = milliseconds();
    const std::vector<Hit> hits =
        index.search({.text = question, .meaning = meaning, .limit = kResults});
    times.push_back(milliseconds() - start);
    if (hits.empty()) std::exit(1);
  }
  return median(std::move(times));
}

// Until another process that finds the index in a file has answered its first question.
double measure_opening(PassageIndex& index, const Corpus& corpus, const Vector* meaning) {
  std::string directory = std::filesystem::temp_directory_path() / "bench-memory-XXXXXX";
  if (!mkdtemp(directory.data())) std::exit(1);
  const PassageIndex::Place place{.directory = directory, .name = "index.bin"};
  if (!index.save(place)) std::exit(1);
  constexpr size_t kRounds = 9;
  std::vector<double> times;
  for (size_t i = 0; i < kRounds; ++i) {
    const double start = milliseconds();
    PassageIndex opened;
    if (!opened.open(place)) std::exit(1);
    const auto hits =
        opened.search({.text = corpus.questions[i % corpus.questions.size()], .meaning = meaning});
    times.push_back(milliseconds() - start);
    if (hits.empty()) std::exit(1);
  }
  std::filesystem::remove_all(directory);
  return median(std::move(times));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const Corpus corpus =
      make_corpus(std::strtoul(words[1], nullptr, 10), std::strtoul(words[2], nullptr, 10));
  const double sqlite = measure_sqlite(corpus);
  PassageIndex index;
  std::mt19937 random(1);
  const double start = milliseconds();
  for (size_t i = 0; i < corpus.paragraphs.size(); ++i)
    index.put({.key = std::to_string(i), .passages = {{.text = corpus.paragraphs[i]}}});
  const double build = milliseconds() - start;
  const double keyword = measure_index(index, corpus, nullptr);
  for (size_t i = 0; i < corpus.paragraphs.size(); ++i)
    index.set_vector(std::to_string(i), 0, random_vector(random));
  const Vector meaning = random_vector(random);
  const double hybrid = measure_index(index, corpus, &meaning);
  const double opening = measure_opening(index, corpus, &meaning);
  fmt::print(
      R"({{"fts5": {:.4f}, "words": {:.4f}, "hybrid": {:.4f}, "build": {:.1f}, "open": {:.1f}}})"
      "\n",
      sqlite, keyword, hybrid, build, opening);
}
