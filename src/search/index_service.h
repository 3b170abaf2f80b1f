// IndexService: the indexes of the trees that this process searches. It decides whether an index
// pays, builds and updates it on a thread of its own, and never makes a search wait for that.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "search/index_live.h"

namespace helve::search {

// Trees with fewer files are searched as fast without an index.
constexpr size_t kFilesThatPay = 200;         // in a process that stays
constexpr size_t kFilesThatPayForOne = 5000;  // in one that makes a single search

class IndexService {
 public:
  enum class Life : unsigned char {
    stays,       // watches trees and builds indexes
    single_call  // uses those that are there
  };
  // Indexes lie in directories below this one.
  IndexService(std::string directory, Life life,
               std::chrono::milliseconds between_updates = std::chrono::seconds(5));
  ~IndexService();
  IndexService(const IndexService&) = delete;
  IndexService& operator=(const IndexService&) = delete;

  struct Question {
    std::string_view directory = {};  // below the root; empty: the root
    const Required& required;
    Together together = Together::in_a_line;
    Around around = {};
    const WalkOptions& limits;
  };
  // The files to search instead of a walk; nothing when there is no index that tells.
  std::optional<AllToSearch> ask(const sys::Fd& root, const std::string& root_path,
                                 const Question& question);
  // What the index of the tree on disk can say about files that a walk comes across, in a process
  // of a single call; nothing when there is none, or it tells nothing.
  std::optional<Narrowed> narrowed(const std::string& root_path, const Required& required,
                                   Together together);
  // Visits all files of a tree that a walk without special wishes would show, as
  // LiveIndex::visit_files does; nothing when no index knows them.
  std::optional<WalkReport> visit_files(const sys::Fd& root, const std::string& root_path,
                                        std::string_view directory, const WalkOptions& options,
                                        const FileVisit& visit);

  // After a search in the tree without an index that came across so many files: perhaps one pays.
  void consider(const sys::Fd& root, const std::string& root_path, std::uint64_t files);

  // Waits until nothing is being built; for tests and for who measures.
  void settle();

  Index index_of(const std::string& root_path) const;

 private:
  struct Tree;
  std::shared_ptr<Tree> find(const sys::Fd& root, const std::string& root_path);
  void enqueue(std::shared_ptr<Tree> tree);
  void work(const std::stop_token& stop);

  const std::string directory_;
  const Life life_;
  const std::chrono::milliseconds between_updates_;
  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable_any changed_;
  std::map<std::string, std::shared_ptr<Tree>> trees_;  // by the root's path
  std::deque<std::shared_ptr<Tree>> waiting_;
  bool is_working_ = false;
  std::jthread worker_;  // started when first needed
};

}  // namespace helve::search
