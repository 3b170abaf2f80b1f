#include "search/index_query.h"

#include <algorithm>

namespace helve::search {
namespace {

// To look at a document costs so many times more than to look at an entry of a list.
constexpr size_t kSearchCost = 5000;

using Docs = std::optional<std::vector<Doc>>;  // nothing: all of them

class Query {
 public:
  Query(const Segment& segment, Together together) : segment_(segment), together_(together) {}

  Result<Docs> ask(const Required& required) const;

 private:
  Result<Docs> ask_all(std::span<const Required> parts) const;
  Result<Docs> ask_any(std::span<const Required> parts) const;
  Result<Docs> ask_grams(std::vector<Gram> grams) const;
  void to_files(std::vector<Doc>& docs) const;

  const Segment& segment_;
  Together together_;
};

void to_common(Docs& docs, Docs others) {
  if (!others) return;
  if (!docs) {
    docs = std::move(others);
    return;
  }
  std::vector<Doc> common;
  std::ranges::set_intersection(*docs, *others, std::back_inserter(common));
  docs = std::move(common);
}

Result<Docs> Query::ask(const Required& required) const {
  switch (required.kind) {
    case Required::Kind::anything:
      return Docs();
    case Required::Kind::text:
    case Required::Kind::all_of:
      return ask_all(required.kind == Required::Kind::text ? std::span(&required, 1)
                                                           : std::span(required.parts));
    case Required::Kind::any_of:
      return ask_any(required.parts);
  }
  return Docs();
}

// The grams of all texts together, so that the rarest ones go first; then what is not a text.
Result<Docs> Query::ask_all(std::span<const Required> parts) const {
  std::vector<Gram> grams;
  for (const Required& part : parts) {
    if (part.kind == Required::Kind::text)
      std::ranges::copy(grams_of_word(part.text.text), std::back_inserter(grams));
  }
  Docs docs = TRY(ask_grams(std::move(grams)));
  for (const Required& part : parts) {
    if (part.kind == Required::Kind::text) continue;
    if (docs && docs->empty()) break;
    to_common(docs, TRY(ask(part)));
  }
  return docs;
}

Result<Docs> Query::ask_any(std::span<const Required> parts) const {
  std::vector<Doc> any;
  for (const Required& part : parts) {
    const Docs docs = TRY(ask(part));
    if (!docs) return Docs();
    std::vector<Doc> both;
    std::ranges::set_union(any, *docs, std::back_inserter(both));
    any = std::move(both);
  }
  return Docs(std::move(any));
}

Result<Docs> Query::ask_grams(std::vector<Gram> grams) const {
  std::ranges::sort(grams);
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  std::vector<Segment::List> lists;
  for (const Gram gram : grams) {
    const std::optional<Segment::List> list = segment_.list(gram);
    if (!list) return Docs(std::in_place);
    lists.push_back(*list);
  }
  if (lists.empty()) return Docs();
  std::ranges::sort(lists, {}, &Segment::List::count);
  std::vector<Doc> docs = TRY(segment_.postings(lists.front())).docs();
  if (together_ == Together::in_a_file) to_files(docs);
  for (const Segment::List& list : std::span(lists).subspan(1)) {
    if (list.count > docs.size() * kSearchCost) break;
    const Postings postings = TRY(segment_.postings(list));
    if (together_ == Together::in_a_line) {
      postings.keep_common(docs);
    } else {
      std::vector<Doc> others = postings.docs(), common;
      to_files(others);
      std::ranges::set_intersection(docs, others, std::back_inserter(common));
      docs = std::move(common);
    }
  }
  return Docs(std::move(docs));
}

void Query::to_files(std::vector<Doc>& docs) const {
  for (Doc& doc : docs) doc = segment_.first_doc(segment_.file_of(doc));
  docs.erase(std::unique(docs.begin(), docs.end()), docs.end());
}

}  // namespace

Result<std::optional<std::vector<Doc>>> docs_that_may_satisfy(const Segment& segment,
                                                              const Required& required,
                                                              Together together) {
  return Query(segment, together).ask(required);
}

}  // namespace helve::search
