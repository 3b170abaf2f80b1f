#include "unit/store/faults.h"

#include <filesystem>
#include <fstream>

#include "store/sqlite_database.h"

namespace helve::store {

bool can_trace() {
  static const bool can = std::system("strace -o /dev/null true >/dev/null 2>&1") == 0;
  return can;
}

std::vector<std::string> injecting(const std::string& call, const std::string& what, int when,
                                   const TempDir& traced) {
  return {"strace", "-f",
          "-o",     traced.file("trace"),
          "-e",     "trace=" + call,
          "-e",     "inject=" + call + ":" + what + ":when=" + std::to_string(when)};
}

int traced_calls(const TempDir& traced) {
  std::ifstream trace(traced.file("trace"));
  int calls = 0;
  for (std::string line; std::getline(trace, line);) calls += line.find('(') != std::string::npos;
  return calls;
}

bool was_reached(const TempDir& traced, int when) { return traced_calls(traced) >= when; }

void copy_files(const TempDir& from, const TempDir& to) {
  namespace fs = std::filesystem;
  // Without `recursive` a directory with any other option is passed over, and nothing says so.
  fs::copy(from.path(), to.path(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

void check_sound(const std::string& path) {
  const std::unique_ptr<Database> database = must(Database::open(path, std::chrono::seconds(5)));
  Statement check = must(database->prepare("PRAGMA integrity_check"));
  ASSERT_TRUE(must(check.step()));
  EXPECT_EQ(check.bytes_at(0), "ok");
}

}  // namespace helve::store
