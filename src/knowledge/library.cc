#include "knowledge/library.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/front_matter.h"
#include "knowledge/markdown_lines.h"
#include "knowledge/mime_type.h"
#include "knowledge/searched_text.h"

namespace helve::knowledge {
namespace {

constexpr size_t kVersionsAtOnce = 500;
// Passages asked for at once: enough are left when some documents have several of them.
constexpr size_t kAskedPerHit = 8;
constexpr size_t kMaxTitle = 200;  // characters

Error cancelled() { return {Code::cancelled, "the call was cancelled"}; }

// "Guide" of a text that begins with "# Guide", after front matter.
std::string_view first_heading(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (size_t lines = front_matter_lines(text); lines > 0; --lines)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(std::min(text.find_first_not_of("\r\n"), text.size()));
  if (!text.starts_with("# ")) return {};
  return first_chars(trim(text.substr(2, text.find('\n') - 2)), kMaxTitle);
}

// What it says of itself, and the path, whose words tell as much.
std::string title_of(std::string_view text, std::string_view path) {
  NoteHead head = note_head(text);
  std::string title = head.title.empty() ? std::string(first_heading(text)) : std::move(head.title);
  for (const std::string& tag : head.tags) title += " " + tag;
  return fmt::format("{} {}", title, path);
}

std::string key_of(const store::DocumentVersion& version, Reach reach) {
  return reach == Reach::latest ? version.path
                                : fmt::format("{}\n{}", version.path, version.number);
}

std::string_view path_in(std::string_view key) { return key.substr(0, key.find('\n')); }

// Whole lines of its beginning.
std::string_view searched_part(std::string_view content) {
  if (content.size() <= kMaxIndexedBytes) return content;
  content = cut_utf8(content, kMaxIndexedBytes);
  const size_t end = content.rfind('\n');
  return end == content.npos ? content : content.substr(0, end + 1);
}

}  // namespace

Library::Library(std::string shelf, FindEmbedder find_embedder)
    : shelf_(std::move(shelf)), find_embedder_(std::move(find_embedder)) {}
Library::~Library() = default;

Result<void> Library::take(store::Documents& documents, Side& side, Reach reach,
                           const store::DocumentVersion& version) {
  const std::string key = key_of(version, reach);
  if (const auto known = side.known.find(key); known != side.known.end()) {
    side.bytes -= known->second.bytes;
    side.cut -= known->second.is_whole ? 0 : 1;
    side.known.erase(known);
    side.index.remove(key);
  }
  side.left_out.erase(key);
  if (version.is_removed || (reach == Reach::latest && !version.is_latest)) return {};
  if (side.bytes >= kMaxIndexBytes) {
    side.left_out.insert(key);
    return {};
  }
  const Result<std::string> content = documents.content(version);
  if (!content) return content.error().code == Code::not_found ? Result<void>() : content.error();
  const std::string_view part = searched_part(*content);
  const SearchedText searched(part);
  const std::string_view text = searched.is_text() ? searched.view() : std::string_view();
  const bool is_whole = searched.is_text() && part.size() == content->size();
  side.index.put({.key = key,
                  .title = title_of(text, version.path),
                  .date_ms = version.created_ms,
                  .passages = split_passages(text, text_kind_of(version.mime_type))});
  side.known[key] = {.number = version.number, .bytes = text.size(), .is_whole = is_whole};
  side.bytes += text.size();
  side.cut += is_whole ? 0 : 1;
  return {};
}

Result<void> Library::follow(store::Documents& documents, Side& side, Reach reach,
                             const Progress& progress, const std::stop_token& stop) {
  const store::ShelfState state = TRY(documents.state());
  if (state == side.seen) return {};
  if (state.forgets != side.seen.forgets) side = Side();
  double done = 0, total = 0;
  std::vector<store::DocumentVersion> page;
  do {
    page = TRY(documents.changed_after(side.seen.change, kVersionsAtOnce));
    // Counting costs more than a few new versions do.
    if (total == 0 && page.size() == kVersionsAtOnce)
      total = static_cast<double>(TRY(documents.totals("")).versions);
    for (const store::DocumentVersion& version : page) {
      if (stop.stop_requested()) return cancelled();
      TRY(take(documents, side, reach, version));
      side.seen.change = version.change;
      if (progress && total > 0) progress(++done, total, version.path);
    }
  } while (page.size() == kVersionsAtOnce);
  side.seen = {.change = std::max(side.seen.change, state.change), .forgets = state.forgets};
  return {};
}

// An empty vector, and a note, where there is nobody to ask.
Result<Library::Meaning> Library::meaning_of(const LibraryQuestion& question, LibraryAnswer& answer,
                                             const std::stop_token& stop) const {
  if (question.mode == Mode::keyword) return Meaning{};
  Result<std::shared_ptr<Embedder>> embedder =
      find_embedder_ ? find_embedder_() : Error{Code::unsupported, "there is no embedder"};
  Result<Vector> vector =
      embedder ? (*embedder)->embed_query(question.text, stop) : std::move(embedder).error();
  if (!vector && vector.error().code == Code::cancelled) return std::move(vector).error();
  if (vector) return Meaning{.embedder = std::move(*embedder), .vector = std::move(*vector)};
  answer.notes.push_back("semantic search was not available, so only words were compared: " +
                         describe(vector.error()));
  return Meaning{};
}

// A document that has its share leaves the others to be found, until there are enough hits or
// nothing is left: each time one more document has its share, or it is over.
std::vector<Hit> Library::find(const Side& side, const LibraryQuestion& question,
                               const Vector* meaning) {
  std::vector<Hit> hits;  // of documents that have their share
  std::unordered_set<std::string_view> have_their_share;
  std::unordered_map<const PassageView*, bool> verdicts;
  const Question asked{.text = question.text,
                       .mode = question.mode,
                       .meaning = meaning,
                       .prefix = question.prefix,
                       .accepts =
                           [&](const IndexedDocument& document, size_t passage) {
                             if (have_their_share.contains(path_in(document.key))) return false;
                             if (!question.accepts) return true;
                             const PassageView& view = document.passages[passage];
                             const auto [verdict, is_new] = verdicts.try_emplace(&view, false);
                             if (is_new) verdict->second = question.accepts(view);
                             return verdict->second;
                           },
                       .limit = question.limit * kAskedPerHit};
  while (true) {
    const std::vector<Hit> found = side.index.search(asked);
    std::unordered_map<std::string_view, size_t> counts;
    std::vector<Hit> chosen;
    for (const Hit& hit : found) {
      if (++counts[path_in(hit.document->key)] <= question.per_document) chosen.push_back(hit);
    }
    const bool is_last =
        found.size() < asked.limit || hits.size() + chosen.size() >= question.limit;
    for (const Hit& hit : chosen) {
      const std::string_view path = path_in(hit.document->key);
      if (!is_last && counts[path] < question.per_document) continue;
      hits.push_back(hit);
      have_their_share.insert(path);
    }
    if (is_last) break;
  }
  std::ranges::stable_sort(hits, std::greater(), &Hit::score);
  if (hits.size() > question.limit) hits.resize(question.limit);
  return hits;
}

std::vector<LibraryHit> Library::collect(const Side& side, const LibraryQuestion& question,
                                         const Vector* meaning) {
  std::vector<LibraryHit> hits;
  for (const Hit& hit : find(side, question, meaning)) {
    const PassageView& passage = hit.document->passages[hit.passage];
    const std::string& key = hit.document->key;
    hits.push_back({.path = std::string(path_in(key)),
                    .version = side.known.at(key).number,
                    .heading = std::string(passage.heading),
                    .text = std::string(passage.text),
                    .first_line = passage.first_line,
                    .last_line = passage.last_line,
                    .score = hit.score,
                    .by_meaning = hit.by_meaning});
  }
  return hits;
}

Result<LibraryAnswer> Library::search(store::Documents& documents, const LibraryQuestion& question,
                                      const Progress& progress, std::stop_token stop) {
  LibraryAnswer answer{.hits = {}, .mode = question.mode, .notes = {}};
  const Meaning meaning = TRY(meaning_of(question, answer, stop));
  if (!meaning.embedder) answer.mode = Mode::keyword;
  const bool is_latest = question.reach == Reach::latest;
  Side& side = is_latest ? latest_ : every_;
  std::unique_lock lock(mutex_);
  TRY(follow(documents, side, question.reach, progress, stop));
  if (meaning.embedder) {
    VectorMaker& vectors = is_latest ? latest_vectors_ : every_vectors_;
    const VectorCount count =
        vectors.wait(lock, meaning.embedder, VectorMaker::Until::patience_ends, progress, stop);
    if (!count.is_complete()) answer.notes.push_back(count.note());
    if (count.made == 0) answer.mode = Mode::keyword;
    if (stop.stop_requested()) return cancelled();
  }
  LibraryQuestion asked = question;
  asked.mode = answer.mode;
  answer.hits = collect(side, asked, meaning.embedder ? &meaning.vector : nullptr);
  if (side.cut > 0)
    answer.notes.push_back(
        fmt::format("of {} large or binary documents only the beginning, or nothing, was searched; "
                    "a pattern searches all",
                    side.cut));
  if (!side.left_out.empty())
    answer.notes.push_back(fmt::format("{} documents were not searched: there is too much text",
                                       side.left_out.size()));
  return answer;
}

Result<VectorCount> Library::build(store::Documents& documents, const Progress& progress,
                                   std::stop_token stop) {
  const std::shared_ptr<Embedder> embedder =
      TRY(find_embedder_ ? find_embedder_() : Error{Code::unsupported, "there is no embedder"});
  std::unique_lock lock(mutex_);
  TRY(follow(documents, latest_, Reach::latest, progress, stop));
  VectorCount vectors =
      latest_vectors_.wait(lock, embedder, VectorMaker::Until::complete, progress, stop);
  if (stop.stop_requested()) return cancelled();
  return vectors;
}

}  // namespace helve::knowledge
