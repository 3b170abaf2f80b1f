#include "app/job_notices.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::app {
namespace {

using process::JobInfo;
using process::Jobs;

constexpr size_t kAtOnce = 20;  // more than that go with the next answers
constexpr size_t kCommandChars = 80;

// How whoever is told gets to see the output.
std::string reader_of(const JobInfo& job, const Identity& who, Caller caller) {
  if (caller == Caller::cli)
    return fmt::format("helve --session {} shell process --action poll {}",
                       shell_quoted(who.session), job.id);
  return fmt::format(R"(process {{"action":"poll","process_id":"{}"}})", job.id);
}

std::string line_of(const JobInfo& job, const std::string& reader) {
  const std::string name = fmt::format("background command {} ({})", job.id,
                                       escape_for_display(preview(job.command, kCommandChars)));
  if (job.state == process::JobState::lost)
    return fmt::format("{} is {}; what it did until then stands", name, job.end);
  return fmt::format("{} ended: {}; {} shows its output", name, job.end, reader);
}

}  // namespace

Notices::Taken JobNotices::take(const Identity& who, Caller caller) {
  Jobs::News news = jobs_.take_news(who.session, kAtOnce);
  Taken taken{.lines = {}, .ids = std::move(news.ids)};
  for (const JobInfo& job : news.ended)
    taken.lines.push_back(line_of(job, reader_of(job, who, caller)));
  if (news.more > 0)
    taken.lines.push_back(fmt::format(
        "{} more background commands have ended: the next answers name them", news.more));
  return taken;
}

void JobNotices::arrived(std::string_view session, const std::vector<std::string>& ids) {
  jobs_.settle_news(session, ids, Jobs::Arrival::arrived);
}

void JobNotices::failed(std::string_view session, const std::vector<std::string>& ids) {
  jobs_.settle_news(session, ids, Jobs::Arrival::failed);
}

}  // namespace helve::app
