// A home, a workspace and a state directory that exist for one test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "config/config.h"
#include "config/files.h"
#include "config/trust.h"

namespace helve::config {

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    std::string pattern = ::testing::TempDir() + "config_XXXXXX";
    base_ = std::filesystem::canonical(mkdtemp(pattern.data())).string();
    std::filesystem::create_directories(base_ + "/home/.config/helve");
    std::filesystem::create_directories(base_ + "/project/.helve");
    user_file_ = base_ + "/home/.config/helve/config.yaml";
    workspace_file_ = base_ + "/project/.helve/config.yaml";
    sources_.user_file = user_file_;
    sources_.workspace = base_ + "/project";
    sources_.trust_file = base_ + "/state/helve/trust";
    sources_.home = base_ + "/home";
  }
  ~ConfigTest() override { std::filesystem::remove_all(base_); }

  void write(const std::string& path, std::string_view content) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    chmod(path.c_str(), 0644);
  }
  void user(std::string_view content) const { write(user_file_, content); }
  void workspace(std::string_view content) const { write(workspace_file_, content); }

  void trust_workspace() const {
    const auto file = read_workspace_file(sources_.workspace);
    ASSERT_TRUE(file && *file);
    const auto done = TrustStore(sources_.trust_file).trust((*file)->path, (*file)->content);
    ASSERT_TRUE(done) << describe(done.error());
  }

  Loaded loaded() const {
    Result<Loaded> result = load(sources_);
    EXPECT_TRUE(result) << (result ? "" : describe(result.error()));
    return result ? std::move(*result) : Loaded{};
  }
  // The message, or "none".
  std::string failure() const {
    const Result<Loaded> result = load(sources_);
    return result ? "none" : result.error().message;
  }

  std::string base_, user_file_, workspace_file_;
  Sources sources_;
};

}  // namespace helve::config
