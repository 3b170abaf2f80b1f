// Settings of the commands that tools run, and of the sandbox that they run in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/describe.h"

namespace helve::config {

enum class SandboxLevel : unsigned char { read_only, workspace_write, full };  // from strict
enum class SandboxBackend : unsigned char { auto_, own, bubblewrap };

struct SandboxLimits {
  std::int64_t processes = 4096;
  std::int64_t memory_mb = 0;
  std::int64_t file_size_mb = 32'768;
  std::int64_t cpu_seconds = 0;
  std::int64_t tmp_mb = 4096;

  static constexpr auto schema() {
    return schema::object(
        "What a command may use; `helve sandbox explain` tells which of these really hold here.",
        schema::opt<&SandboxLimits::processes>("Processes and threads of a command at once")
            .min(16)
            .max(4'000'000),
        schema::opt<&SandboxLimits::memory_mb>("Memory of a command; 0: no limit")
            .min(0)
            .max(1 << 30),
        schema::opt<&SandboxLimits::file_size_mb>("The largest file that it may write; 0: no limit")
            .min(0)
            .max(1 << 30),
        schema::opt<&SandboxLimits::cpu_seconds>("Processor time of each process; 0: no limit")
            .min(0)
            .max(1 << 30),
        schema::opt<&SandboxLimits::tmp_mb>("What fits into the private /tmp").min(1).max(1 << 30));
  }
};

struct SandboxSettings {
  SandboxLevel level = SandboxLevel::workspace_write;
  SandboxBackend backend = SandboxBackend::auto_;
  bool network = false;
  std::vector<std::string> hidden, visible;
  SandboxLimits limits;

  static constexpr auto schema() {
    return schema::object(
        "What commands may reach.",
        schema::opt<&SandboxSettings::level>(
            "read_only: nothing is written but /tmp; workspace_write: the workspace as well; full: "
            "there is no sandbox"),
        schema::opt<&SandboxSettings::backend>(
            "Who makes the namespaces: own: helve itself; bubblewrap: bwrap; auto: helve where the "
            "kernel lets it, else bwrap"),
        schema::opt<&SandboxSettings::network>("Whether commands have the network"),
        schema::opt<&SandboxSettings::hidden>(
            "Files and directories that commands cannot read, besides the usual secrets; ~/… is "
            "below home")
            .max_length(1000),
        schema::opt<&SandboxSettings::visible>("Of the usual secrets, those that commands may read")
            .max_length(1000),
        schema::opt<&SandboxSettings::limits>("What a command may use"));
  }
};

struct ExecSettings {
  std::string shell = "/bin/sh";
  double timeout_seconds = 1800;
  double min_timeout_seconds = 10;
  double max_timeout_seconds = 86'400;
  double bash_timeout_seconds = 120;
  double kill_grace_seconds = 0.4;
  std::vector<std::string> environment;
  std::int64_t shown_chars = 100'000;
  std::int64_t background_chars = 10'000;
  std::int64_t capture_mb = 16;

  static constexpr auto schema() {
    return schema::object(
        "How commands run.",
        schema::opt<&ExecSettings::shell>("The shell that takes commands; an absolute path")
            .min_length(1)
            .max_length(4096),
        schema::opt<&ExecSettings::timeout_seconds>("Of a command that states none")
            .min_number(0.001)
            .max_number(31'536'000),
        schema::opt<&ExecSettings::min_timeout_seconds>("A shorter timeout is raised to this")
            .min_number(0)
            .max_number(86'400),
        schema::opt<&ExecSettings::max_timeout_seconds>("A longer timeout is lowered to this")
            .min_number(0.001)
            .max_number(31'536'000),
        schema::opt<&ExecSettings::bash_timeout_seconds>("Of a call of bash that states none")
            .min_number(0.001)
            .max_number(31'536'000),
        schema::opt<&ExecSettings::kill_grace_seconds>(
            "Between asking a command to end and ending it")
            .min_number(0)
            .max_number(600),
        schema::opt<&ExecSettings::environment>(
            "Variables of helve's own environment that commands get besides the usual ones; * "
            "stands for any characters")
            .max_length(1000),
        schema::opt<&ExecSettings::shown_chars>("Of the output of a command that has ended")
            .min(100)
            .max(1'000'000),
        schema::opt<&ExecSettings::background_chars>("Of the output of one in the background")
            .min(100)
            .max(1'000'000),
        schema::opt<&ExecSettings::capture_mb>(
            "Of each command's output that is kept and can be read later")
            .min(1)
            .max(256));
  }
};

}  // namespace helve::config
