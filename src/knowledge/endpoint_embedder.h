// The endpoint embedder: asks a server that has OpenAI's /embeddings.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "knowledge/embedder.h"
#include "knowledge/server_rest.h"
#include "knowledge/step_size.h"
#include "model/retry.h"
#include "sys/clock.h"
#include "sys/http.h"

namespace helve::knowledge {

struct EmbeddingEndpoint {
  std::string base_url;   // with /v1 where it has one
  std::string model;      // as the server calls it
  std::string key = {};   // empty: none is sent
  size_t dimensions = 0;  // that vectors shall have, where the model can; 0: as it likes
  // Somebody waits for the vector of a query, and words can be searched without it.
  std::chrono::milliseconds query_timeout{3'000};
};

// Thread-safe.
class EndpointEmbedder final : public Embedder {
 public:
  // Of one request.
  static constexpr size_t kMaxTexts = StepSize::kMost;
  static constexpr size_t kMaxTextBytes = 256u << 10;  // of all together, unless one alone has more
  static constexpr size_t kMaxAnswer = 32u << 20;      // bytes
  // Of one text. What is behind it is not sent: models see some thousand words at most.
  static constexpr size_t kMaxOneText = 16u << 10;
  static constexpr size_t kMaxDimensions = 8192;

  // Borrows the clock; null: the real one.
  EndpointEmbedder(EmbeddingEndpoint endpoint, std::unique_ptr<sys::HttpClient> client,
                   model::RetrySettings retry = {}, model::Wait wait = model::wait_on_thread,
                   std::unique_ptr<ServerRest> rest = {}, const sys::Clock* clock = nullptr);

  std::string_view id() const override { return id_; }
  size_t step_bytes() const override { return kMaxTextBytes; }
  size_t step_texts() const override { return step_.texts(); }
  // No error shows the key.
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token stop) override;
  // After a failure that may pass, no query is sent for a while.
  Result<Vector> embed_query(std::string_view text, std::stop_token stop) override;

 private:
  struct Limits {
    std::chrono::milliseconds connect, silence, all;
  };
  Result<std::vector<Vector>> ask(std::span<const std::string_view> texts,
                                  const std::stop_token& stop);
  Result<std::vector<Vector>> ask_once(std::span<const std::string_view> texts,
                                       const std::string& body, const Limits& limits,
                                       const std::stop_token& stop);
  Result<std::vector<Vector>> read(std::string_view answer,
                                   std::span<const std::string_view> texts);

  const EmbeddingEndpoint endpoint_;
  const std::unique_ptr<sys::HttpClient> client_;
  const model::RetrySettings retry_;
  const model::Wait wait_;
  const std::unique_ptr<ServerRest> rest_;  // null: it gets none
  const sys::RealClock real_clock_;
  const sys::Clock& clock_;
  const std::string id_;
  StepSize step_;
  std::atomic<size_t> dimensions_ = 0;  // of the first vector; all must have as many
};

}  // namespace helve::knowledge
