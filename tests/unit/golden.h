// Compares text with a file of tests/golden; with ACCEPT=1 in the environment the file is rewritten
// instead.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace helve {

inline void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path file = std::filesystem::path(HELVE_TEST_DIR) / "golden" / name;
  if (const char* accept = std::getenv("ACCEPT"); accept && std::string(accept) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << actual;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  ASSERT_TRUE(in) << file << " does not exist; ACCEPT=1 writes it";
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "differs from " << file << "; ACCEPT=1 rewrites it";
}

}  // namespace helve
