#include "knowledge/endpoint_embedder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/http_model.h"

namespace helve::knowledge {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestConnect{10'000};
constexpr milliseconds kLongestSilence{60'000};
constexpr milliseconds kLongestAnswer{180'000};

Error no_embeddings(std::string_view why) {
  return {Code::invalid_argument, fmt::format("the server's answer has no embeddings: {}", why),
          "look at embeddings.base_url and embeddings.model", "bad_embeddings"};
}

std::string body_for(const EmbeddingEndpoint& endpoint, std::span<const std::string_view> texts) {
  JsonArray input;
  for (const std::string_view text : texts) {
    // Servers refuse a text of nothing.
    input.emplace_back(text.empty() ? " " : cut_utf8(text, EndpointEmbedder::kMaxOneText));
  }
  JsonObject body{
      {"model", endpoint.model}, {"input", std::move(input)}, {"encoding_format", "float"}};
  if (endpoint.dimensions > 0) body["dimensions"] = endpoint.dimensions;
  return to_text(Json(std::move(body)));
}

bool is_zero(const Vector& vector) {
  return std::ranges::all_of(vector, [](float each) { return each == 0; });
}

Result<Vector> vector_of(const Json& value) {
  const JsonArray* const numbers = value.if_array();
  if (!numbers || numbers->empty()) return no_embeddings("a vector is no list of numbers");
  if (numbers->size() > EndpointEmbedder::kMaxDimensions)
    return no_embeddings(fmt::format("a vector has {} numbers", numbers->size()));
  Vector vector;
  vector.reserve(numbers->size());
  for (const Json& number : *numbers) {
    if (!number.is_number()) return no_embeddings("a vector is no list of numbers");
    vector.push_back(number.to_number<float>());
  }
  if (!to_unit_length(vector)) return no_embeddings("a vector has numbers that are none");
  return vector;
}

}  // namespace

EndpointEmbedder::EndpointEmbedder(EmbeddingEndpoint endpoint,
                                   std::unique_ptr<sys::HttpClient> client,
                                   model::RetrySettings retry, model::Wait wait,
                                   std::unique_ptr<ServerRest> rest, const sys::Clock* clock)
    : endpoint_(std::move(endpoint)),
      client_(std::move(client)),
      retry_(retry),
      wait_(std::move(wait)),
      rest_(std::move(rest)),
      clock_(clock ? *clock : real_clock_),
      id_(fmt::format("{} of {} ({})", endpoint_.model, endpoint_.base_url, endpoint_.dimensions)) {
}

Result<std::vector<Vector>> EndpointEmbedder::embed(std::span<const std::string_view> texts,
                                                    std::stop_token stop) {
  std::vector<Vector> vectors;
  vectors.reserve(texts.size());
  while (vectors.size() < texts.size()) {
    const auto rest = texts.subspan(vectors.size());
    size_t count = 0, bytes = 0;
    while (count < std::min(rest.size(), kMaxTexts) &&
           (count == 0 || bytes + std::min(rest[count].size(), kMaxOneText) <= kMaxTextBytes))
      bytes += std::min(rest[count++].size(), kMaxOneText);
    const auto begin = clock_.steady();
    std::ranges::move(TRY(ask(rest.first(count), stop)), std::back_inserter(vectors));
    step_.took(count, clock_.steady() - begin);
  }
  return vectors;
}

Result<std::vector<Vector>> EndpointEmbedder::ask(std::span<const std::string_view> texts,
                                                  const std::stop_token& stop) {
  const std::string body = body_for(endpoint_, texts);
  for (int attempt = 1;; ++attempt) {
    Result<std::vector<Vector>> vectors =
        ask_once(texts, body, {kLongestConnect, kLongestSilence, kLongestAnswer}, stop);
    if (vectors && rest_) rest_->end();
    if (vectors) return vectors;
    const auto wait = model::wait_before_next(vectors.error(), attempt, retry_);
    if (!wait) return model::without_key(std::move(vectors).error(), endpoint_.key);
    if (!wait_(*wait, stop)) return Error{Code::cancelled, "stopped while waiting to try again"};
  }
}

Result<Vector> EndpointEmbedder::embed_query(std::string_view text, std::stop_token stop) {
  const milliseconds left = rest_ ? rest_->left() : milliseconds();
  if (left.count() > 0)
    return Error{Code::unavailable,
                 fmt::format("{} did not answer a moment ago", endpoint_.base_url),
                 fmt::format("it is asked again in {} s",
                             std::chrono::ceil<std::chrono::seconds>(left).count()),
                 "server_rests"};
  const milliseconds longest = endpoint_.query_timeout;
  Result<std::vector<Vector>> made =
      ask_once({&text, 1}, body_for(endpoint_, {&text, 1}), {longest, longest, longest}, stop);
  if (made) {
    if (rest_) rest_->end();
    return std::move(made->front());
  }
  Error error = model::without_key(std::move(made).error(), endpoint_.key);
  if (error.code == Code::cancelled) return error;
  if (rest_ && model::may_pass(error)) rest_->begin();
  error.message = fmt::format("{}: {}", endpoint_.base_url, error.message);
  return error;
}

Result<std::vector<Vector>> EndpointEmbedder::ask_once(std::span<const std::string_view> texts,
                                                       const std::string& body,
                                                       const Limits& limits,
                                                       const std::stop_token& stop) {
  sys::HttpRequest request{.method = "POST",
                           .url = endpoint_.base_url + "/embeddings",
                           .headers = {"Content-Type: application/json", "Accept: application/json",
                                       "User-Agent: helve/" HELVE_VERSION},
                           .body = body,
                           .connect_timeout = limits.connect,
                           .idle_timeout = limits.silence,
                           .total_timeout = limits.all};
  if (!endpoint_.key.empty()) request.headers.push_back("Authorization: Bearer " + endpoint_.key);
  std::string answer;
  bool is_too_large = false;
  const auto take = [&](const sys::HttpHead& head, std::string_view bytes) {
    const size_t most = head.status == 200 ? kMaxAnswer : model::HttpModel::kMaxErrorPage;
    is_too_large = answer.size() + bytes.size() > most;
    answer += bytes.substr(0, most - std::min(most, answer.size()));
    return !is_too_large;
  };
  const sys::HttpHead head = TRY(client_->send(request, take, stop));
  if (head.status != 200) return model::answer_error(head, std::move(answer), endpoint_.key);
  if (is_too_large) return no_embeddings("it is larger than " + human_size(kMaxAnswer));
  return read(answer, texts);
}

Result<std::vector<Vector>> EndpointEmbedder::read(std::string_view answer,
                                                   std::span<const std::string_view> texts) {
  const size_t count = texts.size();
  const Result<Json> json = parse_json(answer, {.bytes = kMaxAnswer});
  if (!json) return no_embeddings("it is no JSON");
  const Json* const data = find(*json, "data");
  if (!data || !data->is_array()) return no_embeddings("it has no list 'data'");
  if (data->get_array().size() != count)
    return no_embeddings(fmt::format("{} vectors for {} texts", data->get_array().size(), count));
  std::vector<Vector> vectors(count);
  for (size_t i = 0; i < count; ++i) {
    const Json& each = data->get_array()[i];
    const Json* const number = find(each, "index");
    const Json* const embedding = find(each, "embedding");
    // Some servers leave the number out; then their order is that of the texts.
    const auto place =
        number && number->is_int64() ? static_cast<std::uint64_t>(number->get_int64()) : i;
    if (place >= count || !vectors[place].empty() || !embedding)
      return no_embeddings("its vectors are not those of the texts");
    vectors[place] = TRY(vector_of(*embedding));
    // It would be as near to every question as to any other.
    if (!trim(texts[place]).empty() && is_zero(vectors[place]))
      return no_embeddings("a vector holds nothing but zeros");
    size_t known = 0;
    const size_t size = vectors[place].size();
    if (!dimensions_.compare_exchange_strong(known, size) && known != size)
      return no_embeddings(fmt::format("a vector has {} numbers, others have {}", size, known));
  }
  return vectors;
}

}  // namespace helve::knowledge
