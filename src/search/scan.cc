#include "search/scan.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include "base/text.h"

namespace helve::search {
namespace {

constexpr size_t kDecodedAtOnce = 64 * 1024;  // bytes
constexpr size_t kMaxGrowth = 3;  // bytes of text from one that is decoded, also when it is wrong
constexpr auto kBetweenTries = std::chrono::milliseconds(1);  // to get a large buffer
constexpr Part kAll{.size = std::numeric_limits<std::uint64_t>::max()};
constexpr size_t kShownBefore = 5;  // a part of a long line begins so far before its match: 1/5

}  // namespace

std::optional<TextFormat> wide_format(std::string_view start, Extent extent) {
  const bool may_be_marked = start.starts_with('\xff') || start.starts_with('\xfe');
  const bool has_nul = start.substr(0, kDetectedBytes).contains('\0');
  if (!may_be_marked && !has_nul) return std::nullopt;
  const std::optional<Detected> detected = detect_encoding(start, extent);
  if (!detected || unit_size(detected->format.encoding) == 1) return std::nullopt;
  if (!detected->format.mark && !has_nul) return std::nullopt;
  return detected->format;
}

void FileMatches::clear() {
  text.clear();
  lines.clear();
  matches = kept = skipped = 0;
  binary_at.reset();
  decoded = interrupted = false;
}

FileScanner::FileScanner(const Matcher& matcher, const ScanOptions& options)
    : matcher_(matcher), options_(options), scratch_(Interrupt(options.stop, options.deadline)) {
  reserve(kBuffer);
}

// False when there is no memory, or no time to wait for it; the buffer stays as it is then.
bool FileScanner::reserve(size_t size) {
  if (size <= capacity_) return true;
  if (size > kLargeBuffer && options_.large && !large_.owns_lock()) {
    large_ = std::unique_lock(*options_.large, std::try_to_lock);
    while (!large_.owns_lock()) {
      if (scratch_.interrupt().look()) return false;
      std::this_thread::sleep_for(kBetweenTries);
      (void)large_.try_lock();
    }
  }
  void* larger = std::realloc(buffer_.get(), size);
  if (!larger) return false;
  static_cast<void>(buffer_.release());
  buffer_.reset(static_cast<char*>(larger));
  data_ = buffer_.get();
  capacity_ = size;
  return true;
}

void FileScanner::release_large() {
  if (capacity_ > 16 * kBuffer) {  // a file with long lines is the exception
    buffer_.reset();
    capacity_ = have_ = 0;
    at_end_ = false;
  }
  if (large_.owns_lock()) large_.unlock();
}

sys::OrErrno<void> FileScanner::fill(const sys::Fd& file) {
  if (decoder_) return fill_decoded(file);
  const size_t room =
      static_cast<size_t>(std::min<std::uint64_t>(capacity_ - have_, end_ - offset_));
  const sys::OrErrno<size_t> got = sys::read_at(file, {buffer_.get() + have_, room}, offset_);
  if (!got) return std::unexpected(got.error());
  have_ += *got;
  offset_ += *got;
  at_end_ = *got < room || offset_ == end_;
  return {};
}

sys::OrErrno<void> FileScanner::fill_decoded(const sys::Fd& file) {
  std::string raw(kDecodedAtOnce, '\0');
  std::string text;
  while (!at_end_ && capacity_ - have_ >= kDecodedAtOnce * kMaxGrowth) {
    const sys::OrErrno<size_t> got = sys::read_at(file, raw, offset_);
    if (!got) return std::unexpected(got.error());
    at_end_ = *got < raw.size();
    text.clear();
    offset_ += decoder_->decode(std::string_view(raw).substr(0, *got), at_end_, text);
    std::memcpy(buffer_.get() + have_, text.data(), text.size());
    have_ += text.size();
  }
  return {};
}

void FileScanner::begin(const Part& part) {
  data_ = buffer_.get();
  have_ = accepted_ = from_ = shown_ = counted_ = context_left_ = 0;
  offset_ = passed_ = part.offset;
  end_ = part.offset + part.size;
  number_ = part.lines_before + 1;
  at_end_ = false;
  after_gap_ = kept_any_;
  decoder_.reset();
}

// How the file is to be decoded; nothing when its bytes are searched as they are. Looks for the
// first NUL byte by the way, so that plain text is looked at no more than once.
std::optional<TextFormat> FileScanner::format_of_file() {
  const std::string_view start = view(0, have_);
  accepted_ = std::min(start.find('\0'), have_);
  const bool may_be_marked = start.starts_with('\xff') || start.starts_with('\xfe');
  std::optional<TextFormat> wide;
  if (may_be_marked || accepted_ < have_)
    wide = wide_format(start, at_end_ ? Extent::whole : Extent::start);
  if (!options_.encoding || (wide && wide->mark)) return wide;
  return TextFormat{*options_.encoding};
}

// The start of a file: its mark is not part of the text.
std::optional<FileScanner::Failure> FileScanner::recognise(const sys::Fd& file) {
  if (view(0, have_).starts_with(kByteOrderMark)) {
    from_ = shown_ = counted_ = kByteOrderMark.size();
    return std::nullopt;
  }
  const std::optional<TextFormat> format = format_of_file();
  if (!format || format->encoding == Encoding::utf_8) return std::nullopt;
  Result<Decoder> decoder = Decoder::open(format->encoding);
  if (!decoder) return std::nullopt;
  decoder_.emplace(std::move(*decoder));
  have_ = accepted_ = 0;
  offset_ = mark_of(*format).size();
  at_end_ = false;
  if (const auto read = fill(file); !read) return Failure{.file = read.error()};
  return std::nullopt;
}

size_t FileScanner::next_newline(size_t at, size_t end) const {
  const void* newline = std::memchr(data_ + at, '\n', end - at);
  return newline ? static_cast<size_t>(static_cast<const char*>(newline) - data_) : end;
}

size_t FileScanner::line_begin(size_t from, size_t at) const {
  const void* newline = memrchr(data_ + from, '\n', at - from);
  return newline ? static_cast<size_t>(static_cast<const char*>(newline) - data_) + 1 : from;
}

size_t FileScanner::end_of_lines() const { return at_end_ ? have_ : line_begin(from_, have_); }

void FileScanner::begin(FileMatches& out, size_t skip) {
  out.clear();
  kept_any_ = false;
  nul_.reset();
  skip_ = skip;
  scratch_.keep_at_most(options_.most_kept + std::min(skip_, SIZE_MAX - options_.most_kept));
}

std::optional<FileScanner::Failure> FileScanner::scan(const sys::Fd& file, FileMatches& out,
                                                      const Wish& wish) {
  begin(out, wish.skip);
  if (!reserve(kBuffer)) return Failure{.file = std::errc::not_enough_memory};
  // Also when memory is used up: others wait for it.
  const auto release = [this](void*) { release_large(); };
  const std::unique_ptr<void, decltype(release)> at_end(this, release);
  for (const Part& part : wish.parts.empty() ? std::span(&kAll, 1) : wish.parts) {
    begin(part);
    if (std::optional<Failure> failure = scan_part(file, out)) return failure;
    if (options_.wanted == Wanted::presence && out.matches > 0) break;
    if (out.binary_at || out.interrupted) break;
  }
  return std::nullopt;
}

std::optional<FileScanner::Failure> FileScanner::scan(std::string_view text, FileMatches& out,
                                                      const Wish& wish) {
  begin(out, wish.skip);
  const Part all{.size = text.size()};
  for (const Part& part : wish.parts.empty() ? std::span(&all, 1) : wish.parts) {
    begin(part);
    data_ = text.data() + part.offset;
    have_ = accepted_ = static_cast<size_t>(part.size);
    at_end_ = true;
    if (part.offset == 0 && text.starts_with(kByteOrderMark))
      from_ = shown_ = counted_ = kByteOrderMark.size();
    Result<bool> go_on = search(have_, out);
    if (!go_on) return Failure{.pattern = std::move(go_on).error()};
    if (!*go_on) break;
  }
  return std::nullopt;
}

std::optional<std::string_view> FileScanner::whole_text() const {
  if (passed_ > 0 || !at_end_ || end_ != kAll.size || decoder_ || nul_) return std::nullopt;
  return view(0, have_);
}

std::optional<FileScanner::Failure> FileScanner::scan_part(const sys::Fd& file, FileMatches& out) {
  if (const auto read = fill(file); !read) return Failure{.file = read.error()};
  if (passed_ == 0) {
    if (std::optional<Failure> failure = recognise(file)) return failure;
    out.decoded = decoder_.has_value();
  }
  const size_t largest = matcher_.matches_newlines() ? kMaxMultilineFile : kMaxLine;
  while (accept_bytes(out)) {
    const size_t end = end_of_lines();
    const bool whole = at_end_ || !matcher_.matches_newlines();
    if ((end > from_ && whole) || at_end_ || capacity_ >= largest) {
      Result<bool> go_on = search(end > from_ ? end : have_, out);
      if (!go_on) return Failure{.pattern = std::move(go_on).error()};
      if (!*go_on || at_end_) break;
      if (matcher_.matches_newlines()) return Failure{.file = std::errc::file_too_large};
      advance(end > from_ ? end : have_);
    } else if (!reserve(std::min(capacity_ * 2, largest)) && !scratch_.was_interrupted()) {
      return Failure{.file = std::errc::not_enough_memory};
    }
    out.interrupted = scratch_.interrupt().look();
    if (out.interrupted) break;
    if (const auto read = fill(file); !read) return Failure{.file = read.error()};
  }
  return std::nullopt;
}

bool FileScanner::accept_bytes(FileMatches& out) {
  const size_t from = std::exchange(accepted_, have_);
  const size_t at = std::min(view(from, have_).find('\0'), have_ - from) + from;
  if (at == have_) return true;
  if (!nul_) nul_ = passed_ + at;
  if (options_.binary == Binary::skip) {
    out.binary_at = nul_;
    if (*nul_ < kTextStart) return false;
    // The lines before it, and no more.
    have_ = accepted_ = line_begin(from_, at);
    at_end_ = true;
    return have_ > from_;
  }
  std::replace(buffer_.get() + at, buffer_.get() + have_, '\0', '\n');
  return true;
}

Result<bool> FileScanner::search(size_t end, FileMatches& out) {
  const auto want = options_.wanted == Wanted::presence ? Matcher::Want::first : Matcher::Want::all;
  Result<void> searched = matcher_.find(view(from_, end), want, scratch_);
  out.interrupted = scratch_.was_interrupted();
  const size_t start = from_;
  for (const MatchedLines& lines : scratch_.found()) {
    out.matches += lines.matches;
    if (options_.wanted != Wanted::lines) continue;
    if (nul_ && (*nul_ < kTextStart || passed_ + start + lines.end > *nul_)) {
      out.binary_at = nul_;
      // One match stands for all that are not shown, where none is.
      if (out.matches > lines.matches) out.matches -= lines.matches;
      return false;
    }
    const MatchedLines match{start + lines.begin, start + lines.end, lines.matches};
    if (out.skipped < skip_)
      pass_over(match, out);
    else if (out.kept < options_.most_kept && out.bytes() < options_.most_bytes)
      keep(match, out);
  }
  out.matches += scratch_.more();
  if (!searched) return std::move(searched).error();
  keep_context_after(end, out);
  return !out.interrupted && (options_.wanted != Wanted::presence || scratch_.found().empty());
}

size_t FileScanner::context_before(size_t at) const {
  for (size_t line = 0; line < options_.before && at > shown_; ++line) {
    at = line_begin(shown_, at - 1);
  }
  return at;
}

void FileScanner::keep(const MatchedLines& match, FileMatches& out) {
  keep_context_after(match.begin, out);
  size_t at = context_before(match.begin);
  const bool gap = kept_any_ && (at > shown_ || std::exchange(after_gap_, false));
  const size_t first_kept = out.lines.size();
  while (at <= match.end && at < have_) {
    const size_t end = next_newline(at, have_);
    keep_line(at, end, at >= match.begin, out);
    if (at == match.begin) out.lines.back().matches = match.matches;
    at = end + 1;
  }
  if (first_kept < out.lines.size()) out.lines[first_kept].follows_gap = gap;
  kept_any_ = true;
  out.kept += match.matches;
  context_left_ = options_.after;
}

// Its lines are not shown as the context of others, either.
void FileScanner::pass_over(const MatchedLines& match, FileMatches& out) {
  shown_ = std::min(next_newline(match.end, have_) + 1, have_);
  out.skipped += match.matches;
}

void FileScanner::keep_context_after(size_t end, FileMatches& out) {
  while (context_left_ > 0 && shown_ < end) {
    keep_line(shown_, next_newline(shown_, end), false, out);
    --context_left_;
  }
}

void FileScanner::keep_line(size_t begin, size_t end, bool is_match, FileMatches& out) {
  number_ += count_newlines(view(counted_, begin));
  counted_ = begin;
  const std::string_view line = view(begin, end);
  const std::string_view part = shown_part(line, is_match);
  out.lines.push_back({.number = number_,
                       .begin = out.text.size(),
                       .size = part.size(),
                       .is_match = is_match,
                       .left_out = line.size() - part.size()});
  out.text += part;
  shown_ = std::min(end + 1, have_);
}

// Of a long line, what is around its first match.
std::string_view FileScanner::shown_part(std::string_view line, bool is_match) {
  if (options_.longest_shown == 0 || line.size() <= options_.longest_shown) return line;
  size_t begin = 0;
  if (is_match) {
    const Span match = matcher_.first_match(line, scratch_).value_or(Span{});
    if (match.end > options_.longest_shown)
      begin = match.begin - std::min(match.begin, options_.longest_shown / kShownBefore);
    while (begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xc0) == 0x80) --begin;
  }
  return first_chars(line.substr(begin), options_.longest_shown);
}

void FileScanner::advance(size_t end) {
  size_t keep_from = end;
  if (options_.wanted == Wanted::lines) {
    keep_from = context_before(end);
    number_ += count_newlines(view(counted_, keep_from));
    counted_ = 0;
  }
  std::memmove(buffer_.get(), buffer_.get() + keep_from, have_ - keep_from);
  passed_ += keep_from;
  have_ -= keep_from;
  from_ = end - keep_from;
  accepted_ -= keep_from;
  shown_ = std::max(shown_, keep_from) - keep_from;
}

}  // namespace helve::search
