#include "knowledge/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/text.h"
#include "knowledge/front_matter.h"
#include "knowledge/keyword_count.h"
#include "knowledge/snippet.h"
#include "sys/local_time.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxNamedProblems = 5;  // of an answer
constexpr std::int64_t kDayMs = 24ll * 60 * 60 * 1000;

std::string_view name_of(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".md")) name.remove_suffix(3);
  return name;
}

// When a note was written: as it says, by its name, or else when its file was changed. Local time,
// as days are, and so is the time that it is compared with.
std::int64_t date_of(const MemoryFiles::Note& note, const NoteHead& head) {
  if (head.date_ms != 0) return head.date_ms;
  const std::int64_t named = date_ms(name_of(note.path));
  return named != 0 ? named : sys::local_ms(note.stamp.modified_ns / 1'000'000);
}

Document document_of(MemoryFiles::Note note) {
  const NoteHead head = note_head(note.content);
  Document document{.key = note.path,
                    .title = head.title.empty() ? std::string(name_of(note.path)) : head.title,
                    .date_ms = date_of(note, head),
                    .stamp = note.stamp.bytes(),
                    .passages = split_passages(note.content, TextKind::markdown)};
  for (const std::string& tag : head.tags) document.title += " " + tag;
  document.content = std::move(note.content);
  return document;
}

// What a count is multiplied by: only files that are named by their day are known to be new.
double newness(std::string_view path, std::int64_t now_ms) {
  const std::int64_t date = date_ms(name_of(path));
  if (date == 0) return 1;
  const std::int64_t days = now_ms / kDayMs - date / kDayMs;
  return days <= 0 ? 1.5 : days == 1 ? 1.3 : days <= 7 ? 1.1 : 1;
}

Error stopped() { return {Code::cancelled, "the search was stopped"}; }

}  // namespace

// One thread's time with the files. The mutex is not held meanwhile, so that others can wait for
// their turn no longer than they want to.
class Memory::Reading {
 public:
  Reading(Memory& memory, std::unique_lock<std::mutex>& lock) : memory_(memory), lock_(lock) {
    memory_.is_reading_ = true;
    lock_.unlock();
  }
  ~Reading() {
    lock_.lock();
    memory_.is_reading_ = false;
    memory_.read_.notify_all();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Memory& memory_;
  std::unique_lock<std::mutex>& lock_;
};

Memory::Memory(sys::Fd root, const sys::Clock& clock, FindEmbedder find_embedder,
               std::optional<PassageIndex::Place> index_place)
    : clock_(clock),
      find_embedder_(std::move(find_embedder)),
      index_place_(std::move(index_place)),
      files_(std::move(root)) {}

Memory::~Memory() = default;

size_t Memory::reads() {
  std::unique_lock lock(mutex_);
  read_.wait(lock, [this] { return !is_reading_; });
  return files_.reads();
}

Result<MemoryAnswer> Memory::search(const MemoryQuestion& question, std::stop_token stop,
                                    const Progress& progress) {
  // Not while others wait: it may take long.
  const Meaning meaning = meaning_of(question, stop);
  MemoryAnswer answer;
  std::unique_lock lock(mutex_);
  TRY(sync(lock, answer, progress, stop));
  if (question.mode == Mode::keyword) {
    count(question, answer, stop);
  } else {
    if (!meaning.embedder && answer.files > 0)
      answer.notes.push_back("semantic search was not available, so only words were compared: " +
                             meaning.why_not);
    if (meaning.embedder) {
      const VectorCount vectors =
          vectors_.wait(lock, meaning.embedder, VectorMaker::Until::patience_ends, progress, stop);
      if (!vectors.is_complete()) answer.notes.push_back(vectors.note());
    }
    rank(question, meaning.embedder && index_.vectors() > 0 ? &meaning.vector : nullptr, answer);
  }
  keep();
  if (stop.stop_requested()) return stopped();
  return answer;
}

Result<VectorCount> Memory::build(const Progress& progress, std::stop_token stop) {
  const std::shared_ptr<Embedder> embedder =
      TRY(find_embedder_ ? find_embedder_() : Error{Code::unsupported, "there is no embedder"});
  MemoryAnswer answer;
  std::unique_lock lock(mutex_);
  TRY(sync(lock, answer, progress, stop));
  VectorCount vectors = vectors_.wait(lock, embedder, VectorMaker::Until::complete, progress, stop);
  keep();
  if (stop.stop_requested()) return Error{Code::cancelled, "stopped while vectors were made"};
  return vectors;
}

void Memory::open_once() {
  if (was_opened_ || !index_place_) return;
  was_opened_ = true;
  if (!index_.open(*index_place_)) return;
  for (const IndexedDocument* document : index_.documents())
    files_.remember(document->key, NoteStamp::of(document->stamp).value_or(NoteStamp()));
}

// Losing what was made costs only time, so an error is none.
void Memory::keep() {
  if (index_place_ && index_.is_worth_saving()) (void)index_.save(*index_place_);
}

Result<void> Memory::sync(std::unique_lock<std::mutex>& lock, MemoryAnswer& answer,
                          const Progress& progress, const std::stop_token& stop) {
  if (!read_.wait(lock, stop, [this] { return !is_reading_; })) return stopped();
  open_once();
  MemoryFiles::Changes changes;
  {
    const Reading reading(*this, lock);
    bool is_first = true;
    changes = files_.sync(
        clock_.unix_ms() * 1'000'000,
        [&](MemoryFiles::Note note, size_t number, size_t all) {
          if (progress) progress(static_cast<double>(number), static_cast<double>(all), note.path);
          // The first one is not given up: else the same note would end every search in time.
          return put(std::move(note), std::exchange(is_first, false) ? std::stop_token() : stop);
        },
        stop);
  }
  for (const std::string& path : changes.removed) index_.remove(path);
  for (const std::string& path : changes.restamped)
    index_.restamp(path, files_.files().at(path).bytes());
  if (changes.is_stopped) {
    keep();
    return stopped();
  }
  answer.files = files_.files().size();
  answer.bytes = files_.bytes();
  const size_t named = std::min(changes.problems.size(), kMaxNamedProblems);
  std::move(changes.problems.begin(), changes.problems.begin() + static_cast<std::ptrdiff_t>(named),
            std::back_inserter(answer.notes));
  if (const size_t more = changes.problems.size() - named; more > 0)
    answer.notes.push_back(fmt::format("{} more are left out", more));
  return {};
}

bool Memory::put(MemoryFiles::Note note, const std::stop_token& stop) {
  Document document = document_of(std::move(note));
  std::lock_guard lock(mutex_);
  return index_.put(std::move(document), stop);
}

void Memory::count(const MemoryQuestion& question, MemoryAnswer& answer,
                   const std::stop_token& stop) const {
  const std::vector<std::string> keywords = keywords_of(question.text);
  const std::int64_t now = sys::local_ms(clock_.unix_ms());
  struct Counted {
    const std::string* path;
    CountedParagraph paragraph;
    double score;
  };
  std::vector<Counted> found;
  for (const IndexedDocument* document : index_.documents()) {
    const double factor = 1 + (newness(document->key, now) - 1) * question.recency;
    if (stop.stop_requested()) return;
    for (const CountedParagraph& each : count_keywords(document->content, keywords, stop))
      found.push_back({&document->key, each, static_cast<double>(each.count) * factor});
  }
  std::ranges::stable_sort(found, std::greater(), &Counted::score);
  if (found.size() > question.limit) found.resize(question.limit);
  for (const Counted& each : found)
    answer.hits.push_back(
        {.path = *each.path,
         .first_line = each.paragraph.first_line,
         .last_line = each.paragraph.last_line,
         .score = each.score,
         .heading = {},
         .snippet = std::string(first_chars(each.paragraph.text, kSnippetChars))});
}

void Memory::rank(const MemoryQuestion& question, const Vector* meaning,
                  MemoryAnswer& answer) const {
  const std::vector<Hit> hits = index_.search({.text = question.text,
                                               .mode = question.mode,
                                               .meaning = meaning,
                                               .limit = question.limit,
                                               .recency = question.recency,
                                               .now_ms = sys::local_ms(clock_.unix_ms())});
  for (const Hit& hit : hits) {
    if (hit.score < question.min_score) break;
    const PassageView& passage = hit.document->passages[hit.passage];
    answer.hits.push_back({.path = hit.document->key,
                           .first_line = passage.first_line,
                           .last_line = passage.last_line,
                           .score = hit.score,
                           .score_kind = !hit.by_meaning                 ? ScoreKind::bm25
                                         : question.mode == Mode::hybrid ? ScoreKind::hybrid
                                                                         : ScoreKind::semantic,
                           .heading = std::string(passage.heading),
                           .snippet = snippet_of(passage.text, question.text)});
  }
  if (answer.hits.empty() && !hits.empty())
    answer.notes.push_back(fmt::format("the best match scores {:.2f}, less than min_score {:.2f}",
                                       hits.front().score, question.min_score));
}

Memory::Meaning Memory::meaning_of(const MemoryQuestion& question,
                                   const std::stop_token& stop) const {
  if (question.mode == Mode::keyword) return {};
  if (!find_embedder_) return {.why_not = "there is no embedder"};
  Result<std::shared_ptr<Embedder>> embedder = find_embedder_();
  if (!embedder) return {.why_not = describe(embedder.error())};
  Result<Vector> vector = (*embedder)->embed_query(question.text, stop);
  if (!vector) return {.why_not = describe(vector.error())};
  return {.embedder = std::move(*embedder), .vector = std::move(*vector), .why_not = {}};
}

}  // namespace helve::knowledge
