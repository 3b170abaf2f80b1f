// Pages of a PDF, for `read`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "media/helper.h"
#include "tools/read_media.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kDefaultPages = 10;
constexpr size_t kMaxPages = 20;     // of one call, as text
constexpr size_t kMaxPictures = 10;  // of one call

Error no_pages(std::string_view pages) {
  return {Code::invalid_argument,
          fmt::format("pages: '{}' names no pages", preview(escape_for_display(pages), 80)),
          "write them like 1-5,8; pages count from 1", "invalid_pages"};
}

std::optional<std::int64_t> to_page(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size() || value < 1) return {};
  return value;
}

// "1-5,8" as numbers in their order, without repetition; no more than one too many.
Result<std::set<std::int64_t>> parse_pages(std::string_view pages, size_t most) {
  std::set<std::int64_t> out;
  for (const std::string_view part : split(pages, ',')) {
    const std::string_view range = trim(part);
    const size_t dash = range.find('-');
    const auto first = to_page(trim(range.substr(0, dash)));
    const auto last = dash == range.npos ? first : to_page(trim(range.substr(dash + 1)));
    if (!first || !last || *last < *first) return no_pages(pages);
    for (std::int64_t page = *first; page <= *last && out.size() <= most; ++page) out.insert(page);
  }
  if (out.size() > most) {
    return Error{Code::invalid_argument, fmt::format("pages: more than {} were asked for", most),
                 fmt::format("ask for at most {} at once", most), "too_many_pages"};
  }
  return out;
}

std::string range_of(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

// The numbers as they were asked for.
std::string ranges_of(std::span<const std::int64_t> pages) {
  std::string out;
  for (size_t i = 0; i < pages.size();) {
    size_t end = i + 1;
    while (end < pages.size() && pages[end] == pages[end - 1] + 1) ++end;
    if (!out.empty()) out += ',';
    out += range_of(pages[i], pages[end - 1]);
    i = end;
  }
  return out;
}

// As many whole pages as fit, but at least a part of one. Returns how many.
size_t fill_text(ReadOutput& out, const media::Pdf& pdf, std::span<const std::int64_t> pages,
                 size_t bytes) {
  size_t shown = 0, empty = 0;
  for (; shown < pdf.text.size() && shown < pages.size(); ++shown) {
    std::string_view text = pdf.text[shown];
    text = text.substr(0, text.find_last_not_of(" \t\r\n\f") + 1);
    if (text.empty()) ++empty;
    std::string page =
        fmt::format("--- page {} ---\n{}{}", pages[shown], text, text.empty() ? "" : "\n");
    if (out.content_->size() + page.size() > bytes) {
      if (shown > 0) break;
      page.resize(cut_utf8(page, bytes).size());
      out.note(fmt::format("page {} is cut after {}; max_bytes allows more", pages[shown],
                           human_size(page.size())));
    }
    *out.content_ += page;
  }
  if (shown > 0 && empty == shown)
    out.note("these pages have no text; as=images shows them as pictures");
  return shown;
}

}  // namespace

Result<void> read_pages(const workspace::OpenFile& file, const MediaRequest& request,
                        const Context& context, ReadOutput& out) {
  const std::string shown = escape_for_display(*out.path);
  if (file.status.size > media::kMaxPdf) {
    return Error{
        Code::too_large, fmt::format("the PDF '{}' has {}", shown, human_size(file.status.size)),
        fmt::format("PDFs of at most {} are read", human_size(media::kMaxPdf)), "pdf_too_large"};
  }
  const size_t most = request.as_pictures ? kMaxPictures : kMaxPages;
  const std::string wanted =
      request.pages.empty() ? range_of(1, kDefaultPages) : std::string(request.pages);
  const std::set<std::int64_t> asked = TRY(parse_pages(wanted, most));
  std::vector<std::int64_t> pages(asked.begin(), asked.end());
  const auto form = request.as_pictures ? media::PageForm::pictures : media::PageForm::text;
  Result<media::Pdf> read = media::read_pdf(file.file, pages, form, helper_options(context));
  if (!read) return about(*out.path, std::move(read).error());
  std::erase_if(pages, [&](std::int64_t page) { return page > read->total_pages; });
  if (pages.empty() && read->total_pages > 0) {
    return Error{Code::invalid_argument, fmt::format("'{}' has no page {}", shown, *asked.begin()),
                 fmt::format("it has {} pages", read->total_pages), "past_end"};
  }
  out.kind = ReadKind::pdf;
  out.total_pages = read->total_pages;
  out.content_.emplace();
  size_t count = 0;
  if (request.as_pictures) {
    for (media::Picture& picture : read->pictures)
      out.images.push_back({std::move(picture.data), std::move(picture.mime_type)});
    count = std::min(out.images.size(), pages.size());
  } else {
    count = fill_text(out, *read, pages, request.bytes);
  }
  out.pages = ranges_of(std::span(pages).first(count));
  // The rest of what was asked for, else the pages behind it.
  const std::int64_t last = count > 0 ? pages[count - 1] : 0;
  if (count < pages.size()) {
    out.next_pages = ranges_of(std::span(pages).subspan(count));
  } else if (last < read->total_pages) {
    const std::int64_t step = std::max<std::int64_t>(static_cast<std::int64_t>(pages.size()), 1);
    out.next_pages = range_of(last + 1, std::min(last + step, read->total_pages));
  }
  return {};
}

}  // namespace helve::tools
