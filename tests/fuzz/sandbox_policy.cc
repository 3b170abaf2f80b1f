// The text that carries a policy to the helper: any bytes are refused or mean one policy, which
// comes out the same again.
#include "sandbox/policy.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace helve::sandbox;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policy = decode(text);
  if (!policy) {
    helve::fuzz::expect(!policy.error().hint.empty(), "an error has a hint",
                        policy.error().message);
    return 0;
  }
  const auto again = decode(encode(*policy));
  helve::fuzz::expect(again && *again == *policy, "a policy comes out the same again", text);
  return 0;
}
