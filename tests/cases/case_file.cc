#include "case_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace helve::cases {
namespace {

namespace fs = std::filesystem;
using Kind = Expectation::Kind;

Error wrong(const std::string& path, size_t line, std::string_view what) {
  return Error{Code::invalid_argument, fmt::format("{}:{}: {}", path, line, what)};
}

std::optional<Kind> expectation_kind(std::string_view word) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"ok", Kind::ok},       {"has", Kind::has},       {"error", Kind::error},
      {"says", Kind::says},   {"hint", Kind::hint},     {"text", Kind::text},
      {"after", Kind::after}, {"absent", Kind::absent}, {"holds", Kind::holds}};
  for (auto [name, kind] : kKinds)
    if (name == word) return kind;
  return {};
}

std::pair<std::string, std::string> first_word(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == text.npos) return {std::string(text), ""};
  return {std::string(text.substr(0, space)), std::string(trim(text.substr(space)))};
}

Result<void> parse_line(CaseFile& file, const std::string& line, size_t number) {
  auto [word, rest] = first_word(line);
  if (word == "case") {
    file.cases.push_back({.name = rest, .line = number});
    return {};
  }
  if (file.cases.empty()) return wrong(file.path, number, "expected 'case NAME' first");
  Case& test = file.cases.back();
  if (word == "call") {
    auto [tool, arguments] =
        rest.starts_with('{') || rest.empty() ? std::pair{file.tool, rest} : first_word(rest);
    test.steps.push_back({.preparations = std::move(test.preparations),
                          .tool = tool,
                          .arguments = arguments,
                          .line = number});
    test.preparations.clear();
  } else if (word == "except") {
    const size_t colon = rest.find(": ");
    if (colon == rest.npos) return wrong(file.path, number, "write 'except SURFACE: why'");
    test.surfaces_left_out.push_back(rest.substr(0, colon));
  } else if (std::optional<Kind> kind = expectation_kind(word)) {
    if (test.steps.empty())
      return wrong(file.path, number, "expected 'call' before what it should answer");
    test.steps.back().expectations.push_back({*kind, rest, number});
  } else if (word == "dir" || word == "link" || word == "lines" || word == "bytes" ||
             word == "file" || word == "files" || word == "sparse") {
    auto [name, value] = first_word(rest);
    test.preparations.push_back({word, name, value});
  } else {
    return wrong(file.path, number, fmt::format("unknown word '{}'", word));
  }
  return {};
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

void write_file(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

Result<CaseFile> parse_case_file(const std::string& path) {
  CaseFile file{.path = path, .tool = fs::path(path).stem()};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Code::not_found, "cannot read " + path};
  bool in_files = false;
  for (std::string line; std::getline(in, line);) {
    file.lines.push_back(line);
    if (line.starts_with("-- ") && line.ends_with(" --") && line.size() > 6) {
      in_files = true;
      file.files.emplace_back(line.substr(3, line.size() - 6), "");
    } else if (in_files) {
      file.files.back().second += line + "\n";
    } else if (!line.empty() && line[0] != '#') {
      TRY(parse_line(file, line, file.lines.size()));
    }
  }
  if (file.cases.empty()) return wrong(path, 1, "there is no case in it");
  return file;
}

void make_files(const CaseFile& file, const std::string& root) {
  for (const auto& [name, content] : file.files) write_file(fs::path(root) / name, content);
}

Result<void> prepare(const std::vector<Preparation>& preparations, const std::string& root) {
  for (const Preparation& each : preparations) {
    const fs::path path = fs::path(root) / each.name;
    if (each.what == "dir") {
      fs::create_directories(path);
    } else if (each.what == "link") {
      fs::create_symlink(each.value, path);
    } else if (each.what == "file") {
      const Json content = TRY(parse_json(each.value));
      if (!content.is_string()) return Error{Code::invalid_argument, "write 'file NAME \"text\"'"};
      write_file(path, content.get_string());
    } else if (each.what == "bytes") {
      write_file(path, from_hex(each.value));
    } else if (each.what == "sparse") {
      if (!fs::exists(path)) write_file(path, "");
      fs::resize_file(path, std::stoull(each.value));
    } else if (each.what == "lines") {
      std::string content;
      for (int i = 1, count = std::stoi(each.value); i <= count; ++i)
        content += "line " + std::to_string(i) + "\n";
      write_file(path, content);
    } else if (each.what == "files") {
      for (int i = 1, count = std::stoi(each.value); i <= count; ++i)
        write_file(path / fmt::format("file-{:05}.txt", i), "x\n");
    }
  }
  return {};
}

}  // namespace helve::cases
