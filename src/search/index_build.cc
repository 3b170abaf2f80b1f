#include "search/index_build.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>

#include "search/index_run.h"
#include "search/on_threads.h"
#include "search/scan.h"
#include "sys/mapped_file.h"

namespace helve::search {
namespace {

constexpr size_t kBlockFiles = 256;  // taken by a thread at a time

// What one block of files gave.
struct Block {
  std::vector<std::string> paths;
  std::vector<FileRecord> files;  // first_doc counts from the block's first document
  std::vector<DocRecord> docs;
  std::vector<Run> runs;  // the same
};

// Runs of all threads, one after the other in a file.
class RunFile {
 public:
  explicit RunFile(const sys::Fd& file) : file_(file) {}

  sys::OrErrno<std::uint64_t> append(std::string_view run) {
    std::uint64_t offset = 0;
    {
      std::lock_guard lock(mutex_);
      offset = std::exchange(end_, end_ + run.size());
    }
    if (auto done = sys::write_at(file_, run, offset); !done) return std::unexpected(done.error());
    return offset;
  }

 private:
  const sys::Fd& file_;
  std::mutex mutex_;
  std::uint64_t end_ = 0;  // guarded by mutex_
};

class Worker {
 public:
  Worker(const sys::Fd& root, RunFile& runs, const sys::Clock& clock)
      : root_(root), runs_(runs), clock_(clock) {}

  sys::OrErrno<Block> index(std::span<const std::string> paths, const BuildOptions& options);

 private:
  sys::OrErrno<void> add_file(const std::string& path, Block& block);
  sys::OrErrno<void> add_text(std::string_view text, Block& block);
  sys::OrErrno<void> end_run(Block& block);

  const sys::Fd& root_;
  RunFile& runs_;
  const sys::Clock& clock_;
  RunMaker run_;
  std::string buffer_;
};

sys::OrErrno<void> Worker::end_run(Block& block) {
  if (run_.is_empty()) return {};
  const auto first = static_cast<Doc>(block.docs.size() - run_.docs());
  const std::string bytes = run_.take();
  const auto offset = runs_.append(bytes);
  if (!offset) return std::unexpected(offset.error());
  block.runs.push_back({*offset, bytes.size(), first});
  return {};
}

// Cuts the text into documents of whole lines.
sys::OrErrno<void> Worker::add_text(std::string_view text, Block& block) {
  std::uint64_t offset = 0;
  while (!text.empty()) {
    size_t size = text.size();
    if (size > kDocumentBytes) {
      const size_t newline = text.find('\n', kDocumentBytes - 1);
      if (newline != text.npos) size = newline + 1;
    }
    const std::string_view part = text.substr(0, size);
    block.docs.push_back(
        {offset, static_cast<std::uint32_t>(std::count(part.begin(), part.end(), '\n'))});
    run_.add_document(part);
    if (run_.is_full()) {
      if (auto done = end_run(block); !done) return done;
    }
    text.remove_prefix(size);
    offset += size;
  }
  return {};
}

sys::OrErrno<void> Worker::add_file(const std::string& path, Block& block) {
  auto file = sys::open_beneath(root_, path, sys::Open::read, sys::Links::refuse);
  // What cannot be read is known for that: every search tells about it.
  const bool is_readable = file.has_value();
  if (!is_readable) file = sys::open_beneath(root_, path, sys::Open::identity, sys::Links::refuse);
  if (!file) return {};
  const auto status = sys::status(*file);
  if (!status || status->kind != sys::FileKind::file) return {};
  FileRecord record{.first_doc = static_cast<Doc>(block.docs.size()),
                    .stamp = stamp_before_reading(*status, clock_.unix_ms())};
  if (!is_readable || status->size > kMaxIndexedFile) {
    record.flags = kNotIndexed;
  } else {
    // One byte more, so that a file that has grown shows it.
    if (buffer_.size() < status->size + 1) buffer_.resize(status->size + 1);
    const auto size = sys::read_at(*file, std::span(buffer_.data(), status->size + 1), 0);
    if (!size) return {};
    const std::string_view text(buffer_.data(), std::min<size_t>(*size, status->size));
    if (*size != status->size) record.stamp = kNeverFresh;
    if (wide_format(text, Extent::whole)) {
      record.flags = kNotIndexed;
    } else {
      if (text.find('\0') != text.npos) record.flags = kSearchWhole;
      if (auto done = add_text(text, block); !done) return done;
    }
  }
  block.paths.push_back(path);
  block.files.push_back(record);
  return {};
}

sys::OrErrno<Block> Worker::index(std::span<const std::string> paths, const BuildOptions& options) {
  Block block;
  for (const std::string& path : paths) {
    if (options.stop.stop_requested()) return std::unexpected(std::errc::operation_canceled);
    if (auto done = add_file(path, block); !done) return std::unexpected(done.error());
    if (options.done) options.done->fetch_add(1, std::memory_order_relaxed);
  }
  if (auto done = end_run(block); !done) return std::unexpected(done.error());
  return block;
}

// All blocks, in order, each indexed by some thread.
sys::OrErrno<std::vector<Block>> index_all(const sys::Fd& root, std::span<const std::string> paths,
                                           RunFile& runs, const BuildOptions& options) {
  std::vector<Block> blocks((paths.size() + kBlockFiles - 1) / kBlockFiles);
  std::atomic<size_t> next = 0;
  std::atomic<std::errc> failure{};
  const sys::RealClock real_clock;
  const auto index_blocks = [&] {
    Worker worker(root, runs, options.clock ? *options.clock : real_clock);
    for (size_t i = 0; (i = next.fetch_add(1)) < blocks.size() && failure.load() == std::errc();) {
      const size_t first = i * kBlockFiles;
      auto block =
          worker.index(paths.subspan(first, std::min(kBlockFiles, paths.size() - first)), options);
      if (block)
        blocks[i] = std::move(*block);
      else
        failure = block.error();
    }
  };
  const auto work = [&](size_t) {
    try {
      index_blocks();
    } catch (const std::bad_alloc&) {
      failure = std::errc::not_enough_memory;
    }
  };
  on_threads(std::min<size_t>(options.threads, blocks.size()), work);
  if (failure.load() != std::errc()) return std::unexpected(failure.load());
  return blocks;
}

// One block of all, with the documents counted from the first.
Block joined(std::vector<Block> blocks) {
  Block all;
  for (Block& block : blocks) {
    const auto first = static_cast<Doc>(all.docs.size());
    for (FileRecord& file : block.files) file.first_doc += first;
    for (Run& run : block.runs) run.first_doc += first;
    std::ranges::move(block.paths, std::back_inserter(all.paths));
    std::ranges::move(block.files, std::back_inserter(all.files));
    std::ranges::move(block.docs, std::back_inserter(all.docs));
    std::ranges::move(block.runs, std::back_inserter(all.runs));
    block = {};
  }
  return all;
}

sys::OrErrno<Built> write_segment(const Block& all, std::string_view file_of_runs,
                                  const sys::Fd& file, const std::stop_token& stop) {
  SegmentWriter writer(file, static_cast<Doc>(all.docs.size()));
  if (auto done = merge(file_of_runs, all.runs, writer, stop); !done)
    return std::unexpected(done.error());
  if (auto done = writer.finish(all.paths, all.files, all.docs); !done)
    return std::unexpected(done.error());
  Built built{.files = all.files.size()};
  for (const FileRecord& record : all.files)
    if (record.stamp != kNeverFresh) built.text_bytes += record.stamp.size;
  return built;
}

// A new file in the directory that ends with this object, unless it was given a name.
class Temporary {
 public:
  explicit Temporary(const sys::Fd& directory) : directory_(directory) {}
  ~Temporary() {
    if (file_) (void)sys::remove_file_at(directory_, name_);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  sys::OrErrno<void> create() {
    auto file = sys::create_new(directory_, name_);
    if (!file) return std::unexpected(file.error());
    file_ = std::move(*file);
    return {};
  }
  sys::OrErrno<void> rename_to(std::string_view name) {
    auto done = sys::rename_at(directory_, name_, name, sys::Rename::replace);
    if (done) file_ = sys::Fd();
    return done;
  }
  sys::OrErrno<sys::MappedFile> map() const {
    const auto again = sys::open_beneath(directory_, name_, sys::Open::read, sys::Links::refuse);
    if (!again) return std::unexpected(again.error());
    return sys::MappedFile::map(*again);
  }
  const sys::Fd& file() const { return file_; }

 private:
  const sys::Fd& directory_;
  const std::string name_ = sys::temporary_name();
  sys::Fd file_;
};

sys::OrErrno<Built> build(const sys::Fd& root, std::span<const std::string> paths,
                          const sys::Fd& directory, std::string_view name,
                          const BuildOptions& options) {
  Temporary run_file(directory), segment(directory);
  for (Temporary* each : {&run_file, &segment}) {
    if (auto created = each->create(); !created) return std::unexpected(created.error());
  }
  RunFile runs(run_file.file());
  auto blocks = index_all(root, paths, runs, options);
  if (!blocks) return std::unexpected(blocks.error());
  const auto mapped = run_file.map();
  if (!mapped) return std::unexpected(mapped.error());
  auto built =
      write_segment(joined(std::move(*blocks)), mapped->bytes(), segment.file(), options.stop);
  if (!built) return built;
  if (auto named = segment.rename_to(name); !named) return std::unexpected(named.error());
  return built;
}

}  // namespace

Result<Built> build_segment(const sys::Fd& root, std::span<const std::string> paths,
                            const sys::Fd& directory, std::string_view name,
                            const BuildOptions& options) {
  auto built = build(root, paths, directory, name, options);
  if (built) return *built;
  if (built.error() == std::errc::operation_canceled)
    return Error{Code::cancelled, "building the search index was stopped"};
  return sys::to_error(built.error(), "write the search index", name);
}

}  // namespace helve::search
