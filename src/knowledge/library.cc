#include "knowledge/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/text.h"
#include "knowledge/mime_type.h"

namespace helve::knowledge {
namespace {

constexpr size_t kVersionsAtOnce = 500;
constexpr size_t kPassagesAtOnce = 64;        // that are embedded together
constexpr size_t kMaxEmbeddedAtOnce = 5'000;  // passages, before one question
// Passages asked for, so that enough are left when a document has many of them.
constexpr size_t kAskedPerHit = 8;
constexpr size_t kMaxAsked = 5'000;
constexpr size_t kMaxTitle = 200;  // characters

Error cancelled() { return {Code::cancelled, "the call was cancelled"}; }

// The first heading, and the path, whose words tell as much.
std::string title_of(std::string_view text, std::string_view path) {
  std::string title(path);
  while (text.starts_with('\n')) text.remove_prefix(1);
  if (!text.starts_with("# ")) return title;
  const std::string_view heading = text.substr(2, text.find('\n') - 2);
  return fmt::format("{} {}", first_chars(trim(heading), kMaxTitle), title);
}

std::string key_of(const store::DocumentVersion& version, Reach reach) {
  return reach == Reach::latest ? version.path
                                : fmt::format("{}\n{}", version.path, version.number);
}

// What is searched of a content: whole lines of its beginning, and nothing that is no text.
std::string_view searched_part(std::string_view content) {
  if (content.size() > kMaxIndexedBytes) {
    content = cut_utf8(content, kMaxIndexedBytes);
    const size_t end = content.rfind('\n');
    if (end != content.npos) content = content.substr(0, end + 1);
  }
  return content.find('\0') == content.npos ? content : std::string_view();
}

}  // namespace

Library::Library(std::string shelf, Embedder* embedder)
    : shelf_(std::move(shelf)), embedder_(embedder) {}
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
  const bool is_whole = part.size() == content->size();
  side.index.put({.key = key,
                  .title = title_of(part, version.path),
                  .date_ms = version.created_ms,
                  .passages = split_passages(part, text_kind_of(version.mime_type))});
  side.known[key] = {.number = version.number, .bytes = part.size(), .is_whole = is_whole};
  side.bytes += part.size();
  side.cut += is_whole ? 0 : 1;
  return {};
}

Result<void> Library::follow(store::Documents& documents, Side& side, Reach reach,
                             const Progress& progress, const std::stop_token& stop) {
  const store::ShelfState state = TRY(documents.state());
  if (state == side.seen) return {};
  if (state.forgets != side.seen.forgets) side = Side();
  const auto total = static_cast<double>(TRY(documents.totals("")).versions);
  double done = 0;
  std::vector<store::DocumentVersion> page;
  do {
    page = TRY(documents.changed_after(side.seen.change, kVersionsAtOnce));
    for (const store::DocumentVersion& version : page) {
      if (stop.stop_requested()) return cancelled();
      TRY(take(documents, side, reach, version));
      side.seen.change = version.change;
      if (progress) progress(++done, total);
    }
  } while (page.size() == kVersionsAtOnce);
  side.seen = {.change = std::max(side.seen.change, state.change), .forgets = state.forgets};
  return {};
}

Result<void> Library::embed_new(Side& side, const Progress& progress, const std::stop_token& stop) {
  for (size_t done = 0; done < kMaxEmbeddedAtOnce;) {
    const std::vector<Hit> next = side.index.without_vector(kPassagesAtOnce);
    if (next.empty()) return {};
    std::vector<std::string> texts;
    for (const Hit& hit : next)
      texts.push_back(
          PassageIndex::embedded_text(*hit.document, hit.document->passages[hit.passage]));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const std::vector<Vector> vectors = TRY(embedder_->embed(views, stop));
    for (size_t i = 0; i < next.size() && i < vectors.size(); ++i)
      side.index.set_vector(next[i].document->key, next[i].passage, vectors[i]);
    done += next.size();
    if (progress) progress(static_cast<double>(done), static_cast<double>(side.index.passages()));
  }
  return {};
}

std::vector<LibraryHit> Library::collect(const Side& side, const LibraryQuestion& question,
                                         const Vector* meaning) {
  std::vector<LibraryHit> hits;
  std::unordered_map<std::string, size_t> counts;
  const size_t asked =
      question.accepts ? kMaxAsked : std::min(question.limit * kAskedPerHit, kMaxAsked);
  for (const Hit& hit : side.index.search({.text = question.text,
                        .mode = question.mode,
                        .meaning = meaning,
                        .prefix = question.prefix,
                        .limit = asked})) {
    const Passage& passage = hit.document->passages[hit.passage];
    if (question.accepts && !question.accepts(passage)) continue;
    const std::string& key = hit.document->key;
    std::string path = key.substr(0, key.find('\n'));
    if (++counts[path] > question.per_document) continue;
    hits.push_back({.path = std::move(path),
                    .version = side.known.at(key).number,
                    .passage = passage,
                    .score = hit.score});
    if (hits.size() == question.limit) break;
  }
  return hits;
}

Result<LibraryAnswer> Library::search(store::Documents& documents, const LibraryQuestion& question,
                                      const Progress& progress, std::stop_token stop) {
  LibraryAnswer answer{.hits = {}, .mode = question.mode, .notes = {}};
  Side& side = question.reach == Reach::latest ? latest_ : every_;
  Vector meaning;
  if (question.mode != Mode::keyword && embedder_) {
    Result<std::vector<Vector>> found = embedder_->embed({&question.text, 1}, stop);
    if (found && !found->empty())
      meaning = std::move(found->front());
    else if (!found && found.error().code == Code::cancelled)
      return std::move(found).error();
    else if (!found)
      answer.notes.push_back("only words were searched: " + describe(found.error()));
  } else if (question.mode != Mode::keyword) {
    answer.notes.push_back("only words were searched: there is no embedder");
  }
  if (meaning.empty()) answer.mode = Mode::keyword;
  {
    std::unique_lock lock(mutex_);
    TRY(follow(documents, side, question.reach, progress, stop));
    if (!meaning.empty()) TRY(embed_new(side, progress, stop));
  }
  LibraryQuestion asked = question;
  asked.mode = answer.mode;
  std::shared_lock lock(mutex_);
  answer.hits = collect(side, asked, meaning.empty() ? nullptr : &meaning);
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

}  // namespace helve::knowledge
