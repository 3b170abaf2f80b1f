#include "sys/http_reader.h"

#include <gtest/gtest.h>

namespace helve::sys {
namespace {

struct Read {
  int status = 0;
  std::string body;
  bool is_complete = false, stays_open = false;
  std::string error;
};

Read read(const std::vector<std::string_view>& parts, bool ends = true) {
  HttpReader reader;
  Read out;
  const HttpClient::OnBody on_body = [&](const HttpHead&, std::string_view bytes) {
    out.body += bytes;
    return true;
  };
  Result<void> fed;
  for (const std::string_view part : parts) {
    if (fed) fed = reader.feed(part, on_body);
  }
  if (fed && ends) fed = reader.end();
  if (!fed) out.error = fed.error().message;
  out.status = reader.head().status;
  out.is_complete = reader.is_complete();
  out.stays_open = reader.stays_open();
  return out;
}

Read read_cut(const std::string& text) {
  Read whole = read({text});
  for (size_t i = 0; i <= text.size(); ++i) {
    const std::string_view view = text;
    const Read cut = read({view.substr(0, i), view.substr(i)});
    EXPECT_EQ(cut.body, whole.body) << "cut at " << i;
    EXPECT_EQ(cut.error, whole.error) << "cut at " << i;
  }
  return whole;
}

TEST(HttpReader, ReadsABodyOfKnownLength) {
  const Read answer = read_cut("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_TRUE(answer.stays_open);
}

TEST(HttpReader, ReadsChunksWithExtensionsAndTrailers) {
  const Read answer = read_cut(
      "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nC;x=y\r\n, wide "
      "world\r\n0\r\n"
      "Trailer: 1\r\n\r\n");
  EXPECT_EQ(answer.body, "hello, wide world");
  EXPECT_TRUE(answer.is_complete);
}

TEST(HttpReader, ReadsUntilTheEndWhereNoLengthIsTold) {
  const Read answer = read_cut("HTTP/1.0 200 OK\r\n\r\nall of it");
  EXPECT_EQ(answer.body, "all of it");
  EXPECT_TRUE(answer.is_complete);
  EXPECT_FALSE(answer.stays_open);
}

TEST(HttpReader, AnAnswerThatEndsEarlyIsNone) {
  for (const char* text :
       {"", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"}) {
    EXPECT_NE(read_cut(text).error.find("the connection ended"), std::string::npos) << text;
  }
}

TEST(HttpReader, PassesOverWhatComesBeforeTheAnswer) {
  const Read answer =
      read_cut("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(answer.status, 404);
  EXPECT_TRUE(answer.is_complete);
}

TEST(HttpReader, SomeAnswersHaveNoBody) {
  EXPECT_TRUE(read({"HTTP/1.1 204 No Content\r\n\r\n"}, false).is_complete);
  EXPECT_TRUE(read({"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"}, false).is_complete);
}

TEST(HttpReader, AConnectionThatSaysSoIsClosed) {
  EXPECT_FALSE(
      read({"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n"}).stays_open);
  EXPECT_FALSE(read({"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxmore"}).stays_open);
  EXPECT_TRUE(
      read({"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"}).stays_open);
}

TEST(HttpReader, ReadsOverWhatIsNotWanted) {
  for (const auto& [rest, stays_open] :
       {std::pair("4\r\nmore\r\n0\r\n\r\n", true), std::pair("no chunk\r\n", false)}) {
    HttpReader reader;
    std::string body;
    const auto take = [&](const HttpHead&, std::string_view bytes) {
      body += bytes;
      return false;
    };
    ASSERT_TRUE(
        reader.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n", take));
    EXPECT_TRUE(reader.is_unwanted());
    EXPECT_TRUE(reader.feed(rest, take)) << "nobody asks for it";
    EXPECT_EQ(body, "done");
    EXPECT_EQ(reader.stays_open(), stays_open);
  }
}

TEST(HttpReader, RefusesWhatIsNoHttp) {
  for (const char* text :
       {"SSH-2.0-OpenSSH\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"}) {
    EXPECT_NE(read_cut(text).error.find("no HTTP"), std::string::npos) << text;
  }
}

TEST(HttpReader, BoundsWhatItKeeps) {
  HttpReader reader;
  Result<void> fed = reader.feed("HTTP/1.1 200 OK\r\n", {});
  for (int i = 0; i < 100'000 && fed; ++i) fed = reader.feed("X-Header: value value\r\n", {});
  ASSERT_FALSE(fed);
  EXPECT_NE(fed.error().message.find("too long"), std::string::npos);
}

TEST(HttpReader, FindsHeadersByTheirNames) {
  HttpReader reader;
  ASSERT_TRUE(
      reader.feed("HTTP/1.1 429 Slow\r\nRETRY-After:  7 \r\nContent-Length: 0\r\n\r\n", {}));
  EXPECT_EQ(reader.head().header("retry-after"), "7");
  EXPECT_EQ(reader.head().header("nothing"), "");
}

}  // namespace
}  // namespace helve::sys
