// on_threads: the same work on several threads, on as many as can be had.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace helve::search {

// Calls work(0) here and work(1) … on threads of their own, and returns when all are done. Each
// takes its share from what they have in common, so that fewer threads do it all, too.
template <class Work>
void on_threads(size_t count, const Work& work) {
  std::vector<std::jthread> others;
  for (size_t i = 1; i < count; ++i) {
    try {
      others.emplace_back([&work, i] { work(i); });
    } catch (const std::system_error&) {
      break;  // no thread to be had
    }
  }
  work(0);
}

}  // namespace helve::search
