// What a command wrote, made fit to be shown: nothing in it can harm a terminal or mislead a
// reader, and what was left out or changed for that stays readable by id.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/commands.h"
#include "process/output.h"
#include "tool/context.h"
#include "tool/long_text.h"

namespace helve::tools {

struct ShownOutput {
  std::string text;
  std::optional<std::string> stored;  // lr_N: the bytes as they were
  std::vector<std::string> notes;
};

// A terminal ends its lines with a carriage return, too, which tells nothing. Elsewhere it does.
enum class Origin : unsigned char { pipe, terminal };

// Escape codes of terminals are left out, other control characters and bytes that are not text
// become \xNN.
std::string readable(std::string_view bytes, Origin origin = Origin::pipe);

// At most `chars` characters of it. When that is not all, or not as it was, the whole is kept,
// unless the caller takes it.
ShownOutput show_output(const process::Output& output, size_t chars, Context& context,
                        Origin origin = Origin::pipe);
// All of a part. When it is not shown as it was, it is kept.
ShownOutput show_part(const std::string& bytes, Context& context, Origin origin);

// What is kept of a command's output: more than usual for a caller who takes all of it …
process::OutputLimits output_limits(const process::Settings& settings, const Context& context);
// … as it was.
std::unique_ptr<const LongText> all_written(process::Output output);

// How much of `bytes` ends neither within a character nor within an escape code.
size_t whole_length(std::string_view bytes);

// Tells a listener who wants it what a command writes, piece by piece.
class LiveOutput {
 public:
  LiveOutput(Context& context, Origin origin)
      : listener_(context.listener && context.listener->wants_output() ? context.listener
                                                                       : nullptr),
        origin_(origin) {}
  // What was not told yet. A character or an escape code that is not whole waits, unless that is
  // all there will be.
  enum class Until : unsigned char { now, end };
  void tell(const process::Output& output, Until until);
  bool is_heard() const { return listener_ != nullptr; }

 private:
  size_t length_to_tell(std::string_view bytes) const;

  Listener* const listener_;
  const Origin origin_;
  std::uint64_t told_ = 0;
};

Result<process::Commands*> need_commands(const Context& context);

// The directory of the workspace that a command runs in, without links.
Result<std::string> directory_to_run_in(const std::optional<std::string>& workdir,
                                        const Context& context);

Result<void> check_command(std::string_view command);

}  // namespace helve::tools
