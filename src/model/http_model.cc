#include "model/http_model.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.h"
#include "sys/clock.h"

namespace helve::model {
namespace {

constexpr size_t kMaxShown = 1000;  // characters of what a provider says

bool is_good(int status) { return status >= 200 && status < 300; }

bool is_stream(const sys::HttpHead& head) {
  constexpr std::string_view kType = "text/event-stream";
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == b; };
  return !std::ranges::search(head.header("content-type"), kType, same).empty();
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e9))
    return std::nullopt;
  return value;
}

// What an error says, in the forms that are around: {"error": {"message", "type"}},
// {"error": "…"}, {"message": "…"}, {"detail": "…"}, a list of any of these.
struct Said {
  std::string kind, message;
  Json details = {};
  int status = 0;         // where it has a number of its own
  bool is_error = false;  // it says of itself that it is one
};

Said said_in(const Json& value) {
  if (value.is_array() && !value.get_array().empty()) return said_in(value.get_array().front());
  if (value.is_string()) return {"", std::string(value.get_string())};
  if (const Json* error = find(value, "error"); error && !error->is_null()) {
    Said said = said_in(*error);
    said.is_error = true;
    return said;
  }
  Said said;
  said.status = static_cast<int>(std::min<std::int64_t>(integer_at(value, "code"), 999));
  if (const Json* details = find(value, "details")) said.details = *details;
  for (const char* key : {"code", "type", "status"}) {
    if (said.kind.empty()) said.kind = string_at(value, key);
  }
  for (const char* key : {"message", "detail", "msg"}) {
    if (said.message.empty()) said.message = string_at(value, key);
  }
  return said;
}

// A short key is none that anybody was given: it is made up for a server that wants none, and other
// words may have it in them.
bool is_within_word(std::string_view text, size_t at, size_t length) {
  constexpr size_t kShort = 8;  // characters
  const auto is_letter = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  return length < kShort && ((at > 0 && is_letter(at - 1)) || is_letter(at + length));
}

// Doing it twice changes nothing, whatever the key is.
void hide(std::string& text, std::string_view key) {
  constexpr std::string_view kInstead = "[key]";
  if (key.empty() || text.find(key) == text.npos) return;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const bool is_hidden = rest.starts_with(kInstead);
    const bool is_key = rest.starts_with(key) && !is_within_word(text, at, key.size());
    if (is_hidden || is_key)
      out += kInstead;
    else
      out += rest[0];
    at += is_hidden ? kInstead.size() : is_key ? key.size() : 1;
  }
  text = std::move(out);
}

// The key is hidden where a page is cut; the words of an error are whole.
Said said_by(std::string page, std::string_view key) {
  if (const Result<Json> value = parse_json(page)) return said_in(*value);
  hide(page, key);
  const bool is_html = trim(page).starts_with('<');
  return {std::string(kNoAnswer), is_html
                                      ? "it answered with a web page: " + preview(trim(page), 200)
                                      : preview(trim(page), 500)};
}

class Receiver {
 public:
  Receiver(const Wire& wire, const Endpoint& endpoint, const Emit& emit)
      : decoder_(wire.make_decoder(endpoint)), emit_(emit), key_(endpoint.key) {}

  bool take(const sys::HttpHead& head, std::string_view bytes) {
    if (!is_good(head.status) || !is_stream(head)) {
      page_ += bytes.substr(0, HttpModel::kMaxErrorPage - page_.size());
      return page_.size() < HttpModel::kMaxErrorPage;
    }
    has_begun_ = true;
    bytes_ += bytes.size();
    if (bytes_ > HttpModel::kMaxReply) {
      failed_ = Error{Code::too_large,
                      fmt::format("the reply is longer than {}", human_size(HttpModel::kMaxReply)),
                      "nothing of it was used; ask for less at once", "reply_too_long"};
      return false;
    }
    bool goes_on = true;
    Result<void> fed = parser_.feed(bytes, [&](const SseEvent& event) {
      if (trim(event.data).empty()) return true;  // only keeps the connection
      Result<bool> taken = decoder_->take(event, emit_);
      if (!taken) failed_ = std::move(taken).error();
      goes_on = taken && *taken;
      return goes_on;
    });
    if (!fed) failed_ = std::move(fed).error();
    return fed && goes_on;
  }

  Result<Reply> finish(Result<sys::HttpHead> head) {
    if (failed_) return std::move(*failed_);
    // However the connection ended, a reply that is complete is one.
    if (has_begun_) {
      Result<Reply> reply = decoder_->finish();
      const bool was_ended = !head && head.error().type != sys::kConnectionLost;
      if (!reply && was_ended) return std::move(head).error();
      return reply;
    }
    const sys::HttpHead answered = TRY(std::move(head));
    return answer_error(answered, std::move(page_), key_);
  }

 private:
  SseParser parser_;
  const std::unique_ptr<Decoder> decoder_;
  const Emit& emit_;
  const std::string_view key_;
  std::string page_;
  std::uint64_t bytes_ = 0;  // of a stream
  bool has_begun_ = false;
  std::optional<Error> failed_;
};

}  // namespace

Error answer_error(const sys::HttpHead& head, std::string page, std::string_view key) {
  const Said said = said_by(page, key);
  if (head.status >= 300 && head.status < 400)
    return {Code::invalid_argument,
            fmt::format("the server sends to another address (HTTP {})", head.status),
            "make that address the base URL, if you trust it; the key goes nowhere by itself",
            "redirected"};
  if (is_good(head.status) && !said.is_error) {
    std::string shown = said.message.empty() ? std::move(page) : said.message;
    hide(shown, key);
    return {Code::network,
            "the model's server did not answer with a stream: " +
                preview(escape_lines_for_display(shown), 500),
            "look at the base URL: it is the provider's API, with /v1 where it has one",
            std::string(kNoStream)};
  }
  Error error = provider_error(is_good(head.status) ? said.status : head.status, said.kind,
                               said.message, &said.details);
  if (const auto wait = retry_after(head, sys::RealClock().unix_ms()))
    error.details = JsonObject{{kRetryAfter, wait->count()}};
  return without_key(std::move(error), key);
}

std::optional<std::chrono::milliseconds> retry_after(const sys::HttpHead& head,
                                                     std::int64_t unix_ms) {
  if (const auto ms = number(head.header("retry-after-ms")))
    return std::chrono::milliseconds(static_cast<std::int64_t>(*ms));
  const std::string_view text = head.header("retry-after");
  if (const auto seconds = number(text))
    return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  tm date{};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (!end || *end != '\0') return std::nullopt;
  const std::int64_t then = std::int64_t{timegm(&date)} * 1000;
  return std::chrono::milliseconds(std::max<std::int64_t>(then - unix_ms, 0));
}

// Before anything is cut off in the middle of it. What we say ourselves has no key in it.
Error without_key(Error error, std::string_view key) {
  hide(error.message, key);
  error.message = preview(error.message, kMaxShown);
  return error;
}

std::shared_ptr<const HttpModel::Told> HttpModel::tell(const Offers& offers) {
  // Whoever configured other tools knows better.
  if (!offers || endpoint_.body.contains("tools")) return nullptr;
  {
    std::lock_guard lock(mutex_);
    if (told_ && told_->offers == offers) return told_;
  }
  auto told = std::make_shared<Told>(offers);
  Lowered lowered = wire_.lower(*offers);
  for (const Omitted& each : lowered.omitted) told->notes.push_back(each.text());
  if (!lowered.tools.empty())
    told->text = to_text(Json(wire_.encode_tools(std::move(lowered.tools))));
  std::lock_guard lock(mutex_);
  return told_ = std::move(told);
}

Result<Reply> HttpModel::stream(const Request& request, const Emit& emit, std::stop_token stop) {
  Outgoing out = wire_.encode(request, endpoint_);
  for (const auto& member : endpoint_.body) out.body[member.key()] = member.value();
  const std::shared_ptr<const Told> told = tell(request.tools);
  std::string body;
  body.reserve(room_.load(std::memory_order_relaxed));
  append_json(body, Json(std::move(out.body)));
  if (told && !told->text.empty()) {
    body.back() = ',';
    body.append(R"("tools":)").append(told->text).append("}");
  }
  room_.store(body.size() + body.size() / 8, std::memory_order_relaxed);
  sys::HttpRequest http{.method = "POST",
                        .url = endpoint_.base_url + out.path,
                        .headers = std::move(out.headers),
                        .body = body,
                        .connect_timeout = timeouts_.connect,
                        .idle_timeout = timeouts_.idle,
                        .total_timeout = timeouts_.total};
  http.headers.push_back("Content-Type: application/json");
  http.headers.push_back("Accept: text/event-stream");
  http.headers.push_back("User-Agent: helve/" HELVE_VERSION);
  http.headers.insert(http.headers.end(), endpoint_.headers.begin(), endpoint_.headers.end());

  Receiver receiver(wire_, endpoint_, emit);
  Result<Reply> reply = receiver.finish(client_.send(
      http,
      [&](const sys::HttpHead& head, std::string_view bytes) { return receiver.take(head, bytes); },
      std::move(stop)));
  if (!reply) return without_key(std::move(reply).error(), endpoint_.key);
  if (told) reply->notes = told->notes;
  return reply;
}

}  // namespace helve::model
