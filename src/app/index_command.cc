// helve index: shows, builds or drops the search index of the workspace.
#include <fmt/format.h>

#include <deque>
#include <thread>

#include "app/app.h"
#include "app/wire.h"
#include "base/text.h"
#include "cli/render.h"
#include "search/index.h"
#include "search/index_service.h"
#include "search/path_order.h"
#include "search/walk.h"

namespace helve::app {
namespace {

enum class Action : unsigned char { status, build, drop };

struct IndexInput {
  Action action = Action::status;
  static constexpr auto schema() {
    return schema::object("Show, build or drop the search index of the workspace",
                          schema::opt<&IndexInput::action>("status, build or drop").positional());
  }
};

constexpr std::string_view kDetails =
    "The index tells which files can hold a text, so that grep reads only those. It is never asked "
    "about a file that changed since it was built: results are always those of a full search. A "
    "server builds and updates it by itself where it pays; on the command line one that is there "
    "is used for trees of 5000 files and more.";
static_assert(search::kFilesThatPayForOne == 5000);

// The files of the tree as a search shows them, with what they are now.
class Files final : public search::Visitor {
 public:
  search::Next visit(const search::Item& item) override {
    if (item.kind != sys::FileKind::file) return search::Next::go_on;
    if (const auto status = sys::status_at(item.directory, item.name))
      found_.emplace_back(item.path, search::stamp_of(*status));
    return search::Next::go_on;
  }
  std::vector<std::pair<std::string, search::FileStamp>>& found() { return found_; }

 private:
  std::vector<std::pair<std::string, search::FileStamp>> found_;
};

using Found = std::vector<std::pair<std::string, search::FileStamp>>;

Result<Found> files_of(const workspace::Root& root, const std::stop_token& stop) {
  std::deque<Files> visitors;
  const auto report = search::walk(root.directory, {.stop = stop},
                                   [&]() -> search::Visitor& { return visitors.emplace_back(); });
  if (!report) return sys::to_error(report.error(), "read", root.path);
  if (report->end != search::WalkReport::End::complete)
    return Error{Code::cancelled, "stopped while the files were listed"};
  Found all;
  for (Files& each : visitors) std::ranges::move(each.found(), std::back_inserter(all));
  std::ranges::sort(all, search::path_less, &Found::value_type::first);
  return all;
}

// While something is built, a line that counts up, where a person sees it.
class Progress {
 public:
  Progress(const cli::Stream& to, const std::atomic<std::uint64_t>& done, size_t total) {
    if (to.is_terminal)
      thread_ = std::jthread([&to, &done, total](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::unique_lock lock(mutex);
        while (!changed.wait_for(lock, stop, std::chrono::milliseconds(100),
                                 [&] { return stop.stop_requested(); }))
          to.write(fmt::format("\rhelve: {} of {} files", done.load(), total));
        to.write("\r\x1b[K");
      });
  }

 private:
  std::jthread thread_;
};

struct Status {
  std::string root;
  std::string directory;
  std::uint64_t bytes = 0;       // of the index
  std::uint64_t text_bytes = 0;  // of what it knows
  std::uint64_t segments = 0;
  std::uint64_t files = 0;
  std::uint64_t known = 0;      // of those, as they are now
  std::optional<bool> dropped;  // when it was to be: whether there was one

  JsonObject json() const {
    JsonObject out{{"root", root},
                   {"directory", directory},
                   {"bytes", bytes},
                   {"segments", segments},
                   {"files", files},
                   {"known", known},
                   {"text_bytes", text_bytes}};
    if (dropped) out["dropped"] = *dropped;
    return out;
  }
  std::string text(bool is_used) const {
    if (segments == 0) {
      const std::string state = fmt::format("{}: {} ({} {})\n", escape_for_display(root),
                                            !dropped   ? "no index"
                                            : *dropped ? "the index was dropped"
                                                       : "there was no index",
                                            files, files == 1 ? "file" : "files");
      if (dropped || !is_used) return state;
      return state + fmt::format(
                         "helve index build makes one; a server does so by itself once a search "
                         "comes across {} files\n",
                         search::kFilesThatPay);
    }
    return fmt::format(
        "{}: {} of {} files known{}{}\n{} in {}{}\n", escape_for_display(root), known, files,
        known < files ? "; the others are searched as if there were no index" : "",
        files < search::kFilesThatPayForOne ? "; used by servers" : "", human_size(bytes),
        escape_for_display(directory), segments > 1 ? fmt::format(" ({} parts)", segments) : "");
  }
};

Status status_of(search::Index& index, const workspace::Root& root, const Found& files) {
  const auto segments = index.open();
  Status status{.root = root.path,
                .directory = index.directory(),
                .segments = segments->size(),
                .files = files.size()};
  for (size_t i = 0; i < segments->size(); ++i) status.bytes += (*segments)[i].bytes();
  for (const auto& [path, stamp] : files) {
    if (!segments->find(path, stamp)) continue;
    ++status.known;
    status.text_bytes += stamp.size;
  }
  return status;
}

Result<void> build(search::Index& index, const workspace::Root& root, const Found& files,
                   const std::stop_token& stop, cli::Run& run) {
  std::vector<std::string> paths;
  for (const auto& [path, stamp] : files) paths.push_back(path);
  std::atomic<std::uint64_t> done = 0;
  const Progress progress(run.screen.err, done, paths.size());
  TRY(index.build(
      root.directory, paths,
      {.threads = std::max(1u, std::thread::hardware_concurrency()), .stop = stop, .done = &done}));
  return {};
}

Result<Status> handle(Action action, const std::string& all, const workspace::Root& root,
                      const std::stop_token& stop, cli::Run& run) {
  search::Index index(all + "/" + search::Index::name_for(root.path), root.path);
  std::optional<bool> dropped;
  if (action == Action::drop) {
    dropped = index.open()->size() > 0;
    TRY(index.drop());
  }
  const Found found = TRY(files_of(root, stop));
  if (action == Action::build) TRY(build(index, root, found, stop, run));
  Status status = status_of(index, root, found);
  status.dropped = dropped;
  return status;
}

Result<int> run_index(const IndexInput& in, App& app, cli::Run& run) {
  const std::string all = app.surroundings().index_directory();
  if (all.empty())
    return Error{Code::not_found, "the state directory is not known", "set HOME or XDG_STATE_HOME"};
  const std::stop_token stop = TRY(app.watch_signals(130));
  const Place& place = *TRY(app.open(run.options, Purpose::inspect))->home;
  if (!place.files) return Error(*place.no_files);
  const config::Config& config = place.settings.config;
  const bool is_bare = config.profile == config::Profile::bare;
  const bool is_used = config.index && !is_bare;
  JsonArray roots;
  for (const workspace::Root& root : place.files->roots()) {
    const Status status = TRY(handle(in.action, all, root, stop, run));
    if (run.options.json)
      roots.push_back(status.json());
    else
      run.screen.out.write(status.text(is_used));
  }
  if (run.options.json)
    cli::show_json(JsonObject{{"used", is_used}, {"roots", std::move(roots)}}, run.screen);
  else if (!is_used)
    run.screen.out.write(fmt::format("not used: {} (helve doctor tells where)\n",
                                     is_bare ? "the profile is bare" : "the setting index is off"));
  return 0;
}

}  // namespace

cli::Command index_command(App& app) {
  return cli::make_command<IndexInput>(
      "index", kDetails,
      {{"What there is", "helve index"},
       {"Build it now", "helve index build"},
       {"Remove it", "helve index drop"}},
      [&app](const IndexInput& in, cli::Run& run) { return run_index(in, app, run); });
}

}  // namespace helve::app
