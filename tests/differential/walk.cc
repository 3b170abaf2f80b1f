// differential_walk DIRECTORY [--hidden] [--no-ignore] [--any] [--filter] [-g GLOB]…: the files
// that our walk finds, each ended by a NUL, for comparison with other programs.
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "search/walk.h"

namespace {

using namespace helve;

class Print final : public search::Visitor {
 public:
  explicit Print(bool any) : any_(any) {}
  ~Print() override { std::fwrite(out_.data(), 1, out_.size(), stdout); }
  search::Next visit(const search::Item& item) override {
    if (any_ || item.kind == sys::FileKind::file) {
      out_ += item.path;
      out_ += '\0';
    }
    return search::Next::go_on;
  }

 private:
  bool any_;
  std::string out_;
};

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", describe(error).c_str());
  return 2;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  search::WalkOptions options{.git_directory = search::GitDirectory::enter,
                              .glob_use = search::GlobUse::overriding};
  std::vector<std::string> patterns;
  bool any = false;
  for (int i = 2; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--hidden") options.hidden = search::Hidden::show;
    if (word == "--no-ignore") options.ignore = search::IgnoreRules::none;
    if (word == "--filter") options.glob_use = search::GlobUse::filter;
    if (word == "--any") any = true;
    if (word == "-g" && i + 1 < count) patterns.emplace_back(words[++i]);
  }
  const auto globs = search::GlobSet::from_patterns(patterns);
  if (!globs) return fail(globs.error());
  if (!patterns.empty()) options.globs = &*globs;
  const auto directory = sys::open_directory(words[1]);
  if (!directory) return fail(sys::to_error(directory.error(), "open", words[1]));
  std::vector<std::unique_ptr<Print>> visitors;
  const auto report = search::walk(*directory, options, [&]() -> search::Visitor& {
    return *visitors.emplace_back(std::make_unique<Print>(any));
  });
  if (!report) return fail(sys::to_error(report.error(), "walk", words[1]));
  return report->unreadable_count > 0 ? 1 : 0;
}
