#include "agent/event.h"

#include <gtest/gtest.h>

namespace helve::agent {
namespace {

std::string written(const Event& event) { return to_text(Json(to_json(event))); }

TEST(Event, QuestionsSayWhichCallTheyAreAbout) {
  Approver::Question question;
  question.tool = "exec";
  question.arguments = R"({"command":"make"})";
  question.reason = "it writes";
  EXPECT_EQ(written({"s_1", ApprovalAsked{"call_1", question}}),
            R"({"type":"approval_asked","id":"call_1","tool":"exec",)"
            R"("arguments":"{\"command\":\"make\"}","reason":"it writes","session":"s_1"})");
  question.timeout = std::chrono::seconds(5);
  EXPECT_NE(written({"s_1", ApprovalAsked{"call_1", question}}).find(R"("timeout_ms":5000)"),
            std::string::npos);
  const Result<Approver::Answer> answer = Approver::Answer::once;
  EXPECT_EQ(written({"s_1", ApprovalResolved{"call_1", question, answer}}),
            R"({"type":"approval_resolved","id":"call_1","tool":"exec","answer":"once",)"
            R"("session":"s_1"})");
}

}  // namespace
}  // namespace helve::agent
