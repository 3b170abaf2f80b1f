#include "app/context_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace helve::app {
namespace {

constexpr size_t kShownTools = 8;                 // the others are one line
constexpr size_t kNumber = 11;                    // columns
constexpr size_t kMinWidth = 40, kMaxWidth = 60;  // of the table

std::int64_t sum(std::span<const Share> shares) {
  std::int64_t tokens = 0;
  for (const Share& share : shares) tokens += share.tokens;
  return tokens;
}

// 1234567 -> 1,234,567
std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

JsonObject section(std::span<const Share> shares, std::string_view list) {
  JsonArray array;
  for (const Share& share : shares) {
    JsonObject object{{"name", share.name}, {"tokens", share.tokens}};
    if (share.count > 0) object["count"] = share.count;
    array.push_back(std::move(object));
  }
  return {{"tokens", sum(shares)}, {list, std::move(array)}};
}

// The first ones, and the others together.
std::vector<Share> largest(const std::vector<Share>& shares) {
  if (shares.size() <= kShownTools + 1) return shares;
  std::vector<Share> shown(shares.begin(), shares.begin() + kShownTools);
  const std::span<const Share> others = std::span(shares).subspan(kShownTools);
  shown.push_back({fmt::format("{} others", others.size()), sum(others)});
  return shown;
}

// Rows of a name, tokens and, where the window is known, their share of it.
class Table {
 public:
  Table(std::int64_t window, size_t width, const cli::Style& style)
      : window_(window), style_(style) {
    name_ = std::clamp(width, kMinWidth, kMaxWidth) - (window > 0 ? 2 : 1) * kNumber;
  }

  void head() {
    add("", "tokens", window_ > 0 ? "of window" : "",
        [&](const std::string& row) { return style_.dim(row); });
  }
  void total(std::string_view name, std::int64_t tokens) {
    add(name, grouped(tokens), percent(tokens),
        [&](const std::string& row) { return style_.bold(row); });
  }
  void rows(std::span<const Share> shares) {
    for (const Share& share : shares) {
      const std::string count =
          share.count > 0 ? fmt::format(" ({})", grouped(share.count)) : std::string();
      add("  " + share.name + count, grouped(share.tokens), percent(share.tokens),
          [](const std::string& row) { return row; });
    }
  }
  std::string text() const { return text_; }

 private:
  std::string percent(std::int64_t tokens) const {
    if (window_ <= 0) return {};
    return fmt::format("{:.1f} %",
                       100.0 * static_cast<double>(tokens) / static_cast<double>(window_));
  }

  template <class Look>
  void add(std::string_view name, std::string_view tokens, std::string_view percent, Look look) {
    std::string shown = escape_for_display(name);
    if (count_chars(shown) > name_) shown = preview(shown, name_ - 1);
    shown.append(name_ - count_chars(shown), ' ');
    std::string row = fmt::format("{}{:>{}}", shown, tokens, kNumber);
    if (window_ > 0) row += fmt::format("{:>{}}", percent, kNumber);
    text_ += look(row) + "\n";
  }

  const std::int64_t window_;
  const cli::Style& style_;
  size_t name_;
  std::string text_;
};

std::string title(const ContextReport& report) {
  const std::string what =
      report.session.empty()
          ? "A new session"
          : fmt::format("The session {}", preview(escape_for_display(report.session), 64));
  return fmt::format(
      "{} in {}. Tokens are estimated, at four bytes each.", what,
      report.workspace.empty() ? "no workspace" : escape_for_display(report.workspace));
}

}  // namespace

std::int64_t ContextReport::total() const { return sum(system) + sum(tools) + sum(conversation); }

std::vector<Share> shares_of(std::span<const agent::PromptPart> parts) {
  std::vector<Share> shares;
  for (const agent::PromptPart& part : parts)
    shares.push_back({part.name, session::estimate_tokens(part.text)});
  return shares;
}

std::vector<Share> shares_of(std::span<const model::Offer> offers) {
  std::vector<Share> shares;
  for (const model::Offer& offer : offers)
    shares.push_back({offer.name, session::estimate_tokens(offer.name + offer.description +
                                                           to_text(offer.input_schema))});
  std::ranges::stable_sort(shares, std::ranges::greater(), &Share::tokens);
  return shares;
}

std::vector<Share> shares_of(const session::Transcript& transcript) {
  enum Kind : unsigned char { summaries, prompts, answers, thoughts, calls, results, kinds };
  std::array<Share, kinds> shares{{{"summary of what was before"},
                                   {"prompts"},
                                   {"answers"},
                                   {"thoughts"},
                                   {"tool calls"},
                                   {"tool results"}}};
  auto kind_of = [](model::Role role, const model::Part& part) {
    if (std::holds_alternative<model::ToolResult>(part)) return results;
    if (std::holds_alternative<model::ToolCall>(part)) return calls;
    if (std::holds_alternative<model::Thinking>(part)) return thoughts;
    return role == model::Role::assistant ? answers : prompts;
  };
  bool is_summary = transcript.begins_with_summary();
  for (const model::Message& message : transcript.context()) {
    for (const model::Part& part : message.parts) {
      Share& share = shares[is_summary ? summaries : kind_of(message.role, part)];
      share.tokens += session::estimate_tokens(model::Message{message.role, {part}});
      ++share.count;
    }
    is_summary = false;
  }
  std::vector<Share> present(shares.begin(), shares.end());
  std::erase_if(present, [](const Share& share) { return share.count == 0; });
  return present;
}

JsonObject to_json(const ContextReport& report) {
  JsonObject out{{"workspace", report.workspace},
                 {"tokens", report.total()},
                 {"system", section(report.system, "parts")},
                 {"tools", section(report.tools, "tools")}};
  if (report.window > 0) out["window"] = report.window;
  if (report.session.empty()) return out;
  out["session"] = report.session;
  out["conversation"] = section(report.conversation, "kinds");
  if (report.counted > 0) out["counted"] = report.counted;
  return out;
}

std::string text_of(const ContextReport& report, size_t width, const cli::Style& style) {
  Table table(report.window, width, style);
  table.head();
  table.total("System prompt", sum(report.system));
  table.rows(report.system);
  table.total(fmt::format("Tools ({})", report.tools.size()), sum(report.tools));
  table.rows(largest(report.tools));
  if (!report.session.empty()) {
    table.total("Conversation", sum(report.conversation));
    table.rows(report.conversation);
  }
  table.total("Together", report.total());
  if (report.window > 0)
    table.total("Left", std::max<std::int64_t>(0, report.window - report.total()));
  std::string out = cli::wrap(title(report), width, 0) + "\n" + table.text();
  if (report.counted > 0)
    out += "\n" + cli::wrap(fmt::format("The provider last counted {} tokens, all together.",
                                        grouped(report.counted)),
                            width, 0);
  return out;
}

}  // namespace helve::app
