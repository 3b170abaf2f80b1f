// How a trial's changes are shown, and how they are written down until they are applied.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "workspace/trial.h"

namespace helve::workspace {

struct BothSides {
  const sys::Fd& upper;
  const sys::Fd& lower;
  std::string shown;
};

// Puts a report together. Everything is bounded, and what is left out is said.
class Description {
 public:
  // The time for comparing begins now.
  explicit Description(const TrialLimits& limits)
      : limits_(limits), until_(std::chrono::steady_clock::now() + limits.comparing) {}

  void add(const Altered& altered, const BothSides& sides);
  // Why it cannot be applied, unless that was told.
  void add_refusal(const Error& error);
  // Once, however often it is said.
  void note(std::string text);
  TrialReport take() { return std::move(report_); }

 private:
  // What directories of one path hold or held.
  struct Inside {
    sys::FileKind above = sys::FileKind::device;  // a device: nothing
    sys::FileKind below = sys::FileKind::device;
  };
  void add_inside(const Altered& altered, const BothSides& sides);
  void add_one(const std::string& path, const Inside& inside, const BothSides& sides);
  void compare(const std::string& path, const Inside& inside, const BothSides& sides,
               TrialFile& file);
  void add_difference(const std::string& path, const Inside& inside, const BothSides& sides,
                      TrialFile& file);
  void note_protected();
  void note_left_out(sys::FileKind kind, const std::string& shown);

  const TrialLimits& limits_;
  const std::chrono::steady_clock::time_point until_;
  size_t listed_ = 0;     // in directories
  bool is_full_ = false;  // no more files are compared
  bool is_refused_ = false;
  TrialReport report_;
};

// Without counts.
TrialFile trial_file(const Altered& altered, std::string shown);

// Whether applying the trial has to do with this change, and whether it can make it.
bool is_applied(const Altered& altered);
bool can_be_applied(const Altered& altered);

JsonArray altered_json(const std::vector<Altered>& altered);
// Of each layer.
std::vector<std::vector<Altered>> altered_from(const Json& manifest);

}  // namespace helve::workspace
