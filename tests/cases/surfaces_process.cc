// Surfaces that are other processes: MCP over a pipe in both eras, and the command line.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/names.h"
#include "schema/flags.h"
#include "surface.h"
#include "sys/process.h"
#include "tool/content.h"

namespace helve::cases {
namespace {

// The blocks of an answer, as they were before they went over the wire: a text, or texts and
// images, the last of which may be an image. Text behind these is what the dispatcher has to say.
std::vector<Content> blocks_of(const JsonArray& content) {
  std::vector<Content> blocks;
  size_t end = content.empty() ? 0 : 1;
  for (size_t i = 0; i < content.size(); ++i) {
    if (string_at(content[i], "type") == "image") end = i + 1;
  }
  for (size_t i = 0; i < end; ++i) {
    const auto field = [&](std::string_view name) {
      return std::string(string_at(content[i], name));
    };
    if (string_at(content[i], "type") == "image")
      blocks.emplace_back(ImageContent{field("data"), field("mimeType")});
    else
      blocks.emplace_back(TextContent{field("text")});
  }
  return blocks;
}

std::vector<std::string> environment_of(const Place& place) {
  return {"HOME=" + place.home,
          "XDG_CONFIG_HOME=" + place.home + "/config",
          "XDG_STATE_HOME=" + place.home + "/state",
          "HELVE_EMBEDDINGS_PROVIDER=none",
          "PATH=/usr/bin:/bin",
          "USER=tester",
          "HELVE_MODEL_PROVIDER=scripted",
          "HELVE_MODEL_SCRIPT=" + place.root + "/model.jsonl",
          fmt::format("HELVE_EXEC_MIN_TIMEOUT_SECONDS={}",
                      std::chrono::duration<double>(kShortestTimeout).count())};
}

Seen seen_error(const Json& error) {
  auto field = [&](std::string_view name) { return std::string(string_at(error, name)); };
  return {.code = field("code"),
          .type = field("error_type"),
          .message = field("message"),
          .hint = field("hint")};
}

// `helve mcp` at the other end of two pipes.
class Peer {
 public:
  static Result<std::unique_ptr<Peer>> start(const Place& place) {
    auto peer = std::make_unique<Peer>();
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return Error{Code::internal, "no pipe"};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    std::vector<std::string> argv{place.helve, "mcp", "--tools", "all", "--root", place.root},
        env = environment_of(place);
    auto pointers = [](std::vector<std::string>& words) {
      std::vector<char*> list;
      for (std::string& word : words) list.push_back(word.data());
      list.push_back(nullptr);
      return list;
    };
    const int failed = posix_spawn(&peer->pid_, place.helve.c_str(), &actions, nullptr,
                                   pointers(argv).data(), pointers(env).data());
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]), close(out[1]);
    peer->to_ = in[1], peer->from_ = out[0];
    if (failed) return Error{Code::not_found, "cannot start " + place.helve};
    return peer;
  }
  ~Peer() {
    close(to_);
    close(from_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Result<Json> ask(int id, const std::string& rest) {
    const std::string line = fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", id, rest) + "\n";
    TRY(send(line));
    for (;;) {
      Json answer = TRY(parse_json(TRY(receive())));
      const Json* its_id = find(answer, "id");
      if (its_id && *its_id == Json(id)) return answer;
    }
  }
  Result<void> send(const std::string& line) {
    if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      return Error{Code::internal, "the server went away"};
    return {};
  }

 private:
  Result<std::string> receive() {
    for (;;) {
      if (const size_t end = buffer_.find('\n'); end != buffer_.npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      char block[65536];
      const ssize_t count = read(from_, block, sizeof block);
      if (count <= 0) return Error{Code::internal, "the server closed its output"};
      buffer_.append(block, static_cast<size_t>(count));
    }
  }
  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
  std::string buffer_;
};

class McpSurface : public Surface {
 public:
  McpSurface(std::unique_ptr<Peer> peer, std::string meta)
      : peer_(std::move(peer)), meta_(std::move(meta)) {}

  Result<std::optional<Seen>> call(const std::string& tool, const std::string& arguments) override {
    if (!parse_json(arguments.empty() ? "{}" : arguments))
      return std::optional<Seen>();  // a frame cannot hold malformed JSON
    const std::string params = fmt::format(R"("name":"{}","arguments":{}{})", tool,
                                           arguments.empty() ? "{}" : arguments, meta_);
    Json answer = TRY(
        peer_->ask(next_id_++, fmt::format(R"("method":"tools/call","params":{{{}}})", params)));
    const Json* result = find(answer, "result");
    if (!result) return Error{Code::internal, "a protocol error: " + to_text(answer)};
    const Json* is_error = find(*result, "isError");
    const JsonArray& content = result->at("content").as_array();
    if (is_error && is_error->is_bool() && is_error->get_bool())
      return std::optional(seen_error(result->at("_meta").at("helve/error")));
    Seen seen{.ok = true, .value = result->at("structuredContent")};
    // Which the text has, too; the other surfaces have it nowhere else.
    if (seen.value.is_object()) seen.value.as_object().erase("helve/notes");
    seen.text = text_of(blocks_of(content));
    return std::optional(std::move(seen));
  }

 private:
  std::unique_ptr<Peer> peer_;
  std::string meta_;
  int next_id_ = 2;
};

enum class Show { json, text };
enum class Give { input, flags };

class CliSurface : public Surface {
 public:
  CliSurface(const Place& place, const Registry& registry, Give give, Show show)
      : place_(place), registry_(registry), give_(give), show_(show) {}

  Result<std::optional<Seen>> call(const std::string& name, const std::string& arguments) override {
    const Tool* tool = registry_.find(name).tool;
    if (!tool) return Error{Code::not_found, "no tool " + name};
    sys::Command command{
        .argv = {place_.helve, "--root", place_.root, "--session", "s_cases", "--cap"},
        .env = environment_of(place_),
        .stdout_limit = 64u << 20,
        .timeout = std::chrono::minutes(2)};
    if (show_ == Show::json) command.argv.push_back("--json");
    if (give_ == Give::input) {
      command.argv.insert(command.argv.end(), {"call", name, "-"});
      command.stdin_text = arguments;
    } else {
      Result<Json> json = parse_json(arguments.empty() ? "{}" : arguments);
      if (!json || !json->is_object() || !tool->input) return std::optional<Seen>();
      // By its own name the tool has its own flags, by another the dialect's.
      const cli::Named named = name == tool->spec.name
                                   ? cli::named(*tool)
                                   : *cli::find_tool(registry_, tool->spec.group, name);
      const cli::Face face(named);
      Result<std::vector<std::string>> words = schema::to_flags(face.type(), json->get_object());
      if (!words) return std::optional<Seen>();
      command.argv.insert(command.argv.end(), {named.group, named.word});
      command.argv.insert(command.argv.end(), words->begin(), words->end());
    }
    sys::Finished finished = TRY(sys::run(command));
    return read(finished);
  }

 private:
  // What is done next is said as a command, where others see the call.
  static std::string as_elsewhere(std::string text) {
    for (const std::string_view flag : {"apply", "discard"}) {
      const std::string command = fmt::format("helve exec --{} t_", flag);
      if (const size_t at = text.rfind(command); at != text.npos)
        text.replace(at, command.size(), fmt::format("{}=t_", flag));
    }
    constexpr std::string_view kCommand = "[helve --session s_cases results read-large-result ";
    const size_t at = text.rfind(kCommand);
    if (at == text.npos) return text;
    const size_t id = at + kCommand.size(), end = text.find(' ', id);
    return text.substr(0, at) + "[read_large_result {\"id\":\"" + text.substr(id, end - id) +
           "\",\"page\":1}" + text.substr(end);
  }

  // What a tool answers is on standard output, and only that; the exit code may be that of a
  // command which the tool ran.
  static bool is_answer(const sys::Finished& finished) {
    return finished.exit_code == 0 || !finished.out.empty();
  }

  Result<std::optional<Seen>> read(const sys::Finished& finished) {
    if (show_ == Show::text) {
      if (finished.exit_code < 0)
        return Error{Code::internal, "it was ended by " + finished.signal};
      if (!is_answer(finished))
        return std::optional(Seen{});  // the error is on standard error; other surfaces compare it
      return std::optional(Seen{.ok = true, .text = as_elsewhere(finished.out)});
    }
    Json value = TRY(parse_json(finished.out));
    const bool is_error = value.is_object() && value.get_object().contains("error") &&
                          value.get_object().contains("ok");
    if (!is_error) return std::optional(Seen{.ok = true, .value = std::move(value)});
    Seen seen = seen_error(value.at("error"));
    const int expected = [&] {
      for (int i = 0; i <= static_cast<int>(Code::internal); ++i)
        if (name_of(static_cast<Code>(i)) == seen.code) return exit_code(static_cast<Code>(i));
      return -1;
    }();
    if (finished.exit_code != expected)
      return Error{Code::internal,
                   fmt::format("exit code {} for {}", finished.exit_code, seen.code)};
    return std::optional(std::move(seen));
  }

  const Place place_;
  const Registry& registry_;
  Give give_;
  Show show_;
};

}  // namespace

Result<std::unique_ptr<Surface>> open_mcp_handshake(const Place& place, const Registry&) {
  auto peer = TRY(Peer::start(place));
  TRY(peer->ask(
      1,
      R"("method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"cases","version":"1"}})"));
  TRY(peer->send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                 "\n"));
  return std::make_unique<McpSurface>(std::move(peer), "");
}

Result<std::unique_ptr<Surface>> open_mcp_stateless(const Place& place, const Registry&) {
  return std::make_unique<McpSurface>(
      TRY(Peer::start(place)),
      R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})");
}

Result<std::unique_ptr<Surface>> open_cli_input(const Place& place, const Registry& registry) {
  return std::make_unique<CliSurface>(place, registry, Give::input, Show::json);
}
Result<std::unique_ptr<Surface>> open_cli_flags(const Place& place, const Registry& registry) {
  return std::make_unique<CliSurface>(place, registry, Give::flags, Show::json);
}
Result<std::unique_ptr<Surface>> open_cli_text(const Place& place, const Registry& registry) {
  return std::make_unique<CliSurface>(place, registry, Give::input, Show::text);
}

}  // namespace helve::cases
