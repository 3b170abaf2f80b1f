// A machine of its own for each test: home, config, state and workspace in a directory that goes
// with the test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/app.h"
#include "cli/run.h"

namespace helve::app {

class Machine : public testing::Test {
 protected:
  Machine() {
    std::string pattern = std::filesystem::temp_directory_path() / "helve-app-XXXXXX";
    base_ = std::filesystem::canonical(mkdtemp(pattern.data()));
    around_ = {.current_directory = base_ / "work",
               .home = base_ / "home",
               .config_directory = base_ / "config",
               .state_directory = base_ / "state",
               .user = "tester",
               .environment = {{"PATH", "/usr/bin:/bin"}}};
    for (const char* name : {"work", "home", "config", "config/hooks"})
      std::filesystem::create_directories(base_ / name);
    std::filesystem::permissions(base_ / "config/hooks", std::filesystem::perms::owner_all);
    screen_.out.write = [this](std::string_view text) { out_ += text; };
    screen_.err.write = [this](std::string_view text) { err_ += text; };
  }
  ~Machine() override { std::filesystem::remove_all(base_); }

  void put(const std::string& name, const std::string& content, mode_t mode = 0644) {
    std::filesystem::create_directories((base_ / name).parent_path());
    std::ofstream(base_ / name, std::ios::binary) << content;
    chmod((base_ / name).c_str(), mode);
  }
  std::string content(const std::string& name) {
    std::ifstream in(base_ / name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  bool exists(const std::string& name) { return std::filesystem::exists(base_ / name); }
  std::string at(const std::string& name) { return base_ / name; }

  // One command line, as one process would run it: what is waiting is written when it ends.
  int run(std::vector<std::string> words) {
    out_.clear(), err_.clear();
    App app(around_, screen_);
    return cli::run(app.program(), words, screen_);
  }

  std::filesystem::path base_;
  Surroundings around_;
  cli::Screen screen_;
  std::string out_, err_;
};

}  // namespace helve::app
