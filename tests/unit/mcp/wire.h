// Wire: a server on pipes, as a client sees it. Waiting for an answer ends the test when none comes
// for long.
#pragma once

#include <thread>

#include "mcp/stdio.h"
#include "unit/mcp/world.h"

namespace helve::mcp::testing {

class Wire {
 public:
  explicit Wire(World& world, StdioOptions options = {});
  ~Wire();

  void send(std::string_view bytes);
  void send_line(std::string_view line) { send(std::string(line) + "\n"); }
  // The next line, without its newline. Empty at the end of the stream.
  std::string read_line();
  Json read_json() { return json(read_line()); }
  std::string ask(std::string_view line);
  void initialize(std::string_view version = "2025-11-25", std::string_view capabilities = "{}");

  void close_input() { to_server_ = sys::Fd(); }
  void close_output() { from_server_ = sys::Fd(); }
  void stop() { stdio_->stop(); }
  // Waits until the server has returned; its output is then at its end.
  Served join();
  std::vector<std::string> rest();  // all further lines, after join()

 private:
  sys::Fd server_in_, server_out_, to_server_, from_server_;
  std::optional<Stdio> stdio_;
  std::thread thread_;
  Served served_;
  std::string buffer_;
};

}  // namespace helve::mcp::testing
