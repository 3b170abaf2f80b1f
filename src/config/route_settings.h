// Settings of the routes by which commands leave the sandbox: to another machine, to a container,
// or to this machine without walls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/describe.h"

namespace helve::config {

enum class RouteVia : unsigned char { ssh, local, docker };

struct RouteSettings {
  std::string name;
  std::vector<std::string> commands;
  RouteVia via = RouteVia::ssh;
  bool ask = false;
  std::vector<std::string> environment;
  std::string directory;
  std::string user;
  std::string host;
  std::int64_t port = 0;
  std::string key, known_hosts;
  std::string command;
  std::int64_t connect_seconds = 15;
  std::string container;
  std::string program;

  static constexpr auto schema() {
    constexpr std::int64_t kMaxText = 4096;  // characters
    constexpr std::int64_t kMaxItems = 1000;
    return schema::object(
        "Where some commands run.",
        schema::arg<&RouteSettings::name>("How rules, questions and the log name it")
            .min_length(1)
            .max_length(64),
        schema::arg<&RouteSettings::commands>("The first words of the commands that it takes")
            .min_length(1)
            .max_length(kMaxItems),
        schema::arg<&RouteSettings::via>(
            "ssh: another machine; docker: a container; local: this machine, without the sandbox"),
        schema::opt<&RouteSettings::ask>(
            "Whether a rule or a person must allow each call; otherwise the route itself does"),
        schema::opt<&RouteSettings::environment>("Variables of helve's own that are passed on")
            .max_length(kMaxItems),
        schema::opt<&RouteSettings::directory>(
            "ssh, docker: what the workspace is called there; commands then run in it")
            .max_length(kMaxText),
        schema::opt<&RouteSettings::user>("ssh, docker: who runs it there").max_length(kMaxText),
        schema::opt<&RouteSettings::host>("ssh: a name or an address").max_length(kMaxText),
        schema::opt<&RouteSettings::port>("ssh: 0 stands for the usual one").min(0).max(65'535),
        schema::opt<&RouteSettings::key>("ssh: the file of the private key; absolute, or ~/…")
            .max_length(kMaxText),
        schema::opt<&RouteSettings::known_hosts>(
            "ssh: the file with the host's key; absolute, or ~/…; empty: the usual ones")
            .max_length(kMaxText),
        schema::opt<&RouteSettings::command>(
            "ssh: what is run there instead; SSH_ORIGINAL_COMMAND tells it what was asked for")
            .max_length(kMaxText),
        schema::opt<&RouteSettings::connect_seconds>("ssh: how long to try to connect")
            .min(1)
            .max(600),
        schema::opt<&RouteSettings::container>("docker: its name or id").max_length(kMaxText),
        schema::opt<&RouteSettings::program>(
            "local: the program; absolute, or ~/…; empty: the first word, looked for in PATH")
            .max_length(kMaxText));
  }
};

}  // namespace helve::config
