#include "base/base64.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Base64, EncodesAsTheStandardSays) {
  for (const auto& [bytes, text] : {std::pair("", ""),
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"\xff\xfe", "//4="}}) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
    EXPECT_EQ(base64_size(std::string_view(bytes).size()), std::string_view(text).size());
  }
}

TEST(Base64, RoundTripsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all += static_cast<char>(i);
    EXPECT_EQ(from_base64(to_base64(all)), all);
  }
}

TEST(Base64, PassesOverLineBreaksAndTakesMissingPadding) {
  EXPECT_EQ(from_base64("Zm9v\nYg==\n"), "foob");
  EXPECT_EQ(from_base64("Zm9vYg"), "foob");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* bad : {"Zm9v*", "Z", "Zg===", "Zg=", "=Zg", "Zg==Zg=="})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

}  // namespace
}  // namespace helve
