// Asks the model at a base URL once, and writes down what comes, each piece as it comes. The key is
// HELVE_TEST_KEY.
#include <cstdio>
#include <cstdlib>

#include "model/http_model.h"

int main(int argc, char** argv) {
  using namespace helve;
  if (argc != 2) return 2;
  const char* key = std::getenv("HELVE_TEST_KEY");
  const auto client = sys::make_http_client();
  model::HttpModel model(model::kOpenAi,
                         {.base_url = argv[1], .key = key ? key : "", .model = "test"}, *client);
  const model::Message message = model::user_message("hello");
  const auto reply = model.stream({.messages = {&message, 1}},
                                  [](const model::Delta& delta) {
                                    if (const auto* text = std::get_if<model::TextDelta>(&delta)) {
                                      std::printf("%.*s\n", static_cast<int>(text->text.size()),
                                                  text->text.data());
                                      std::fflush(stdout);
                                    }
                                  },
                                  {});
  if (reply) return 0;
  std::fprintf(stderr, "%s: %s\n", std::string(reply.error().type_name()).c_str(),
               describe(reply.error()).c_str());
  return 1;
}
