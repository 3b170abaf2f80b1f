#include "process/protocol.h"

#include <cstring>

namespace helve::process {
namespace {

class Writer {
 public:
  void number(std::uint64_t value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(value.size());
    out_.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Everything read past the end is zero or empty, and `failed` tells.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      failed_ = true;
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values;
    for (std::uint64_t count = number(); count > 0 && !failed_; --count) values.push_back(text());
    return values;
  }
  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> values;
    for (std::uint64_t count = number(); count > 0 && !failed_; --count) values.push_back(number());
    return values;
  }
  bool failed() const { return failed_ || !rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::string encode(const Launch& launch) {
  Writer writer;
  writer.texts(launch.argv);
  writer.text(launch.program);
  writer.texts(launch.env);
  writer.text(launch.cwd);
  writer.number(launch.has_terminal);
  writer.number(launch.terminal.rows);
  writer.number(launch.terminal.columns);
  writer.number(launch.open_files);
  writer.number(launch.numbers.size());
  for (const std::uint64_t number : launch.numbers) writer.number(number);
  writer.texts(launch.overlays);
  writer.number(static_cast<std::uint64_t>(launch.view));
  return writer.take();
}

Result<Launch> decode_launch(std::string_view bytes) {
  Reader reader(bytes);
  Launch launch;
  launch.argv = reader.texts();
  launch.program = reader.text();
  launch.env = reader.texts();
  launch.cwd = reader.text();
  launch.has_terminal = reader.number() != 0;
  launch.terminal.rows = static_cast<std::uint16_t>(reader.number());
  launch.terminal.columns = static_cast<std::uint16_t>(reader.number());
  launch.open_files = reader.number();
  launch.numbers = reader.numbers();
  launch.overlays = reader.texts();
  const std::uint64_t view = reader.number();
  launch.view = static_cast<Launch::View>(view);
  if (reader.failed() || launch.argv.empty() || launch.overlays.size() % 3 != 0 ||
      view > static_cast<std::uint64_t>(Launch::View::of_other))
    return Error{Code::internal, "the request to start a command is damaged"};
  return launch;
}

}  // namespace helve::process
