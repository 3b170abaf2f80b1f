// Watch: tells that directories have changed, without looking at them.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

class Watch {
 public:
  enum class Of : unsigned char {
    names,       // made, removed or replaced
    everything,  // contents and modes, too; an error where something could change without being
                 // told
  };
  static Result<Watch> make(Of what);

  // Watches the directories, and what is above them, from now on. They need not exist. True: all
  // that do were watched already. Else the new ones may have changed since somebody chose them, so
  // that others ought to be watched, too.
  Result<bool> add(std::span<const std::string> directories);
  // Something that was to be watched can change without being told, today and tomorrow.
  bool is_blind() const { return is_blind_; }
  // Nothing that changed before this is told.
  void forget_changes() const;

  // Readable: something has changed.
  int descriptor() const { return changes_.get(); }
  sys::Fd take() { return std::move(changes_); }

 private:
  Watch(sys::Fd changes, Of what) : changes_(std::move(changes)), what_(what) {}
  sys::Fd changes_;
  Of what_;
  bool is_blind_ = false;
  int newest_ = 0;  // the number of the last watch that was new; the kernel counts up
};

// How often what is to be watched is chosen anew before it counts as changing all the time.
constexpr int kMostChoices = 8;

}  // namespace helve::sandbox
