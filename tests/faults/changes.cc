// A process to do harm to: makes one change set of every kind of change, or undoes it, or only
// starts, which recovers what another left half done.
//
//   faults_changes apply|undo|start ROOT JOURNAL [synced]
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "workspace/workspace.h"

namespace {

using namespace helve::workspace;  // NOLINT: this is the whole program

// The driver knows the same list.
std::vector<Change> changes() {
  using Kind = Change::Kind;
  return {{.path = "a", .content = "new a\n"},
          {.path = "sub/b", .content = "new b\n"},
          {.path = "sub/c", .content = "new c\n"},
          {.path = "made/deep/d", .content = "new d\n"},
          {.path = "made/e", .content = "new e\n"},
          {.kind = Kind::remove, .path = "gone"},
          {.kind = Kind::remove, .path = "tree", .tree = true},
          {.kind = Kind::move, .path = "from", .to = "made/to"},
          {.kind = Kind::move, .path = "over", .to = "under", .replace = true}};
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
}

template <class Value>
int outcome(const helve::Result<Value>& result) {
  if (result) return 0;
  std::fprintf(stderr, "%s\n", describe(result.error()).c_str());
  return 2;
}

int run(std::string_view what, const char* root, const char* journal, bool synced) {
  auto files = Workspace::make({.roots = {{root}},
                                .breadth = Breadth::any,
                                .durability = synced ? Durability::synced : Durability::unsynced,
                                .journal_directory = journal});
  if (!files) {
    std::fprintf(stderr, "%s\n", describe(files.error()).c_str());
    return 3;
  }
  print_notes((*files)->notices());
  if (what == "apply") {
    const auto applied = (*files)->apply(changes(), {.tool = "test", .session = "s"});
    if (applied) print_notes(applied->notes);
    return outcome(applied);
  }
  if (what == "undo") {
    return outcome(
        (*files)->undo({.session = "s"}, Rehearsal::no, {.tool = "test", .session = "u"}));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  // Without the checks at exit of sanitizers, which do not work under a tracer.
  ::_exit(run(argv[1], argv[2], argv[3], argc > 4));
}
