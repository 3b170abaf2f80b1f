// A small program with tools of its own, run on strings: what the command line makes of words.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run.h"
#include "dispatch/dispatcher.h"
#include "tool/make.h"

namespace helve::cli {

enum class Mood { calm, merry, wild };

struct EchoInput {
  std::string text;
  std::int64_t times = 1;
  Mood mood = Mood::calm;
  bool loud = false;
  std::vector<std::string> tags;
  std::map<std::string, std::string> env;
  std::optional<double> timeout;
  static constexpr auto schema() {
    return object("Say something again. Nothing else happens.",
                  arg<&EchoInput::text>("What to say").max_length(100).from_stdin(),
                  opt<&EchoInput::times>("How often").min(1).max(9).shorthand('n'),
                  opt<&EchoInput::mood>("In which mood"), opt<&EchoInput::loud>("In capitals"),
                  opt<&EchoInput::tags>("Words to remember it by"),
                  opt<&EchoInput::env>("Variables"), opt<&EchoInput::timeout>("Seconds to take"));
  }
};
struct EchoOutput {
  std::string said;
  std::string text() const { return said; }
  static constexpr auto schema() {
    return object("What was said", arg<&EchoOutput::said>("The words"));
  }
};

struct ReadInput {
  std::string path;
  std::int64_t offset = 0;
  static constexpr auto schema() {
    return object("Read a page of a file", arg<&ReadInput::path>("The file").file(),
                  opt<&ReadInput::offset>("Lines to skip").min(0));
  }
};
struct ReadOutput {
  std::string path;
  std::int64_t offset = 0;
  static constexpr auto schema() {
    return object("Where it was read", arg<&ReadOutput::path>("The file"),
                  arg<&ReadOutput::offset>("Lines skipped"));
  }
};

struct FailInput {
  std::string code;
  static constexpr auto schema() {
    return object("Fail in a given way", arg<&FailInput::code>("How"));
  }
};

inline Result<EchoOutput> echo(const EchoInput& in, Context&) {
  EchoOutput out;
  for (int i = 0; i < in.times; ++i) out.said += in.loud ? "LOUD " + in.text : in.text;
  for (const std::string& tag : in.tags) out.said += "#" + tag;
  for (const auto& [key, value] : in.env) out.said += " " + key + "=" + value;
  if (in.timeout) out.said += " within " + std::to_string(static_cast<int>(*in.timeout));
  return out;
}
inline Result<ReadOutput> read(const ReadInput& in, Context&) {
  return ReadOutput{in.path, in.offset};
}
inline Result<EchoOutput> fail(const FailInput& in, Context&) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
    if (name_of(static_cast<Code>(i)) == in.code)
      return Error{static_cast<Code>(i), "it failed", "try again", "own_word"};
  }
  if (in.code == "at length") return Error{Code::conflict, "it failed", "one\n  two\n\nthree\n"};
  return EchoOutput{"no such code"};
}

struct PourInput {
  static constexpr auto schema() { return object("Write on and on until it is stopped"); }
};

inline Result<EchoOutput> pour(const PourInput&, Context& context) {
  for (int line = 0; line < 1000; ++line) {
    TRY(context.checkpoint());
    context.listener->output("more\n");
  }
  return EchoOutput{"nobody stopped it"};
}

inline Registry sample_registry() {
  std::vector<Tool> tools;
  tools.push_back(make_tool({.name = "demo_echo",
                             .group = "demo",
                             .aliases = {"parrot_say"},
                             .examples = {{"Say it twice", R"({"text":"hello world","times":2})"}}},
                            echo));
  tools.push_back(make_tool({.name = "demo_fail", .group = "demo"}, fail));
  tools.push_back(make_tool({.name = "demo_pour", .group = "demo"}, pour));
  tools.push_back(make_tool({.name = "kb_read", .group = "kb"}, read));
  tools.push_back(make_tool({.name = "read", .group = "fs"}, read));
  return std::move(*Registry::load(std::move(tools)));
}

constexpr std::string_view kKinds[] = {"warm", "cold"};

struct StatusInput {
  std::int64_t limit = 20;
  std::string kind, path, place;
  static constexpr auto schema() {
    return schema::object("Say how things are",
                          schema::opt<&StatusInput::limit>("Things at most").min(1).max(1 << 30),
                          schema::opt<&StatusInput::kind>("Only these").suggest(kKinds),
                          schema::opt<&StatusInput::path>("Where it stands in a tree of its own"),
                          schema::opt<&StatusInput::place>("Where it lies").directory());
  }
};

class Cli : public testing::Test {
 protected:
  Cli() {
    program_.commands.push_back(make_command<StatusInput>(
        "status", "", {}, [this](const StatusInput& in, cli::Run& run) -> Result<int> {
          run.screen.out.write("limit " + std::to_string(in.limit) + "\n");
          options_ = run.options;
          return 0;
        }));
    for (Command& command : own_commands()) program_.commands.push_back(std::move(command));
    program_.tools = [this]() -> Result<const Registry*> { return &registry_; };
    program_.open = [this](const Options& options) -> Result<Session> {
      options_ = options;
      return Session{dispatcher_, who_};
    };
    program_.read = [this](std::string_view name) -> Result<std::string> {
      auto found = files_.find(std::string(name));
      if (found == files_.end())
        return Error{Code::not_found, "no file '" + std::string(name) + "'"};
      return found->second;
    };
    program_.overview = [](cli::Run& run) -> Result<int> {
      run.screen.out.write("overview\n");
      return 0;
    };
    screen_.out.write = [this](std::string_view text) { out_ += text; };
    screen_.err.write = [this](std::string_view text) { err_ += text; };
  }

  int run(std::vector<std::string> words) {
    out_.clear(), err_.clear();
    return cli::run(program_, words, screen_);
  }

  Registry registry_ = sample_registry();
  dispatch::Dispatcher dispatcher_{registry_, {}};
  Identity who_{"main", "someone", "/", "s_1"};
  Program program_;
  Screen screen_;
  Options options_;  // of the last command that ran
  std::map<std::string, std::string> files_;
  std::string out_, err_;
};

}  // namespace helve::cli
