// bench_walk DIRECTORY [--no-ignore] [--hidden] [--threads N]: lists the files of a tree as
// `rg --files` does, so that the two can be timed side by side.
#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "search/walk.h"

namespace {

using namespace helve;

class List final : public search::Visitor {
 public:
  ~List() override { std::fwrite(out_.data(), 1, out_.size(), stdout); }
  search::Next visit(const search::Item& item) override {
    if (item.kind == sys::FileKind::file) out_.append(item.path).append("\n");
    return search::Next::go_on;
  }

 private:
  std::string out_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  search::WalkOptions options;
  for (int i = 2; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--hidden") options.hidden = search::Hidden::show;
    if (word == "--no-ignore") options.ignore = search::IgnoreRules::none;
    if (word == "--threads" && i + 1 < count) {
      const std::string_view number = words[++i];
      std::from_chars(number.data(), number.data() + number.size(), options.threads);
    }
  }
  const auto directory = sys::open_directory(words[1]);
  if (!directory) return 1;
  std::vector<std::unique_ptr<List>> lists;
  const auto report = search::walk(*directory, options, [&]() -> search::Visitor& {
    return *lists.emplace_back(std::make_unique<List>());
  });
  return report ? 0 : 1;
}
