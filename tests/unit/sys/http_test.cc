#include "sys/http.h"

#include <gtest/gtest.h>

#include "sys/http_plain.h"
#include "unit/raw_server.h"

namespace helve::sys {
namespace {

using Connection = RawServer::Connection;
using std::chrono::milliseconds;

struct Got {
  Result<HttpHead> head;
  std::string body;
};

Got send(HttpClient& client, HttpRequest request, std::stop_token stop = {}) {
  std::string body;
  Result<HttpHead> head = client.send(
      request,
      [&](const HttpHead&, std::string_view bytes) {
        body += bytes;
        return true;
      },
      stop);
  return {std::move(head), std::move(body)};
}

Got get(HttpClient& client, std::string url) { return send(client, {.url = std::move(url)}); }

TEST(Http, SendsWhatItIsGivenAndBringsTheAnswer) {
  std::string seen;
  RawServer server([&](Connection& c) {
    seen = c.request();
    c.answer("{\"ok\":true}", "201 Created");
  });
  const auto client = make_http_client();
  const Got got = send(*client, {.method = "POST",
                                 .url = server.url("/v1/x?y=1#part"),
                                 .headers = {"X-Key: secret"},
                                 .body = "{}"});
  ASSERT_TRUE(got.head) << describe(got.head.error());
  EXPECT_EQ(got.head->status, 201);
  EXPECT_EQ(got.head->header("content-type"), "application/json");
  EXPECT_EQ(got.body, "{\"ok\":true}");
  EXPECT_EQ(seen, "POST /v1/x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                      "\r\nX-Key: secret\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(Http, HandsTheBodyOnAsItComes) {
  std::atomic<bool> got_first = false;
  RawServer server([&](Connection& c) {
    c.request();
    c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    got_first.wait(false);
    c.send("4\r\nlast\r\n0\r\n\r\n");
  });
  const auto client = make_http_client();
  std::string body;
  const HttpRequest request{.url = server.url()};
  const auto head = client->send(request,
                                 [&](const HttpHead& begun, std::string_view bytes) {
                                   EXPECT_EQ(begun.status, 200);
                                   body += bytes;
                                   got_first = true;
                                   got_first.notify_one();
                                   return true;
                                 },
                                 {});
  ASSERT_TRUE(head);
  EXPECT_EQ(body, "firstlast");
}

TEST(Http, UsesAConnectionAgain) {
  RawServer server([](Connection& c) {
    while (!c.request().empty()) c.answer("x");
  });
  const auto client = make_http_client();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(*client, server.url()).body, "x");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http, ConnectsAnewWhereTheServerHasHungUp) {
  RawServer server([](Connection& c) {
    c.request();
    c.answer("x");
  });
  const auto client = make_http_client();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(*client, server.url()).body, "x");
  EXPECT_EQ(server.connections(), 5);
}

TEST(Http, WhoWantsNoMoreGetsNoMore) {
  RawServer server([](Connection& c) {
    c.request();
    c.send("HTTP/1.1 200 OK\r\n\r\n");
    while (c.send("more and more ")) {
    }
  });
  const auto client = make_http_client();
  int calls = 0;
  const HttpRequest request{.url = server.url()};
  EXPECT_TRUE(
      client->send(request, [&](const HttpHead&, std::string_view) { return ++calls < 3; }, {}));
  EXPECT_EQ(calls, 3);
}

TEST(Http, UsesAConnectionAgainWhereTheEndWasNotWaitedFor) {
  RawServer server([](Connection& c) {
    while (!c.request().empty())
      c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nlast\r\n0\r\n\r\n");
  });
  const auto client = make_http_client();
  const HttpRequest request{.url = server.url()};
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(client->send(request, [](const HttpHead&, std::string_view) { return false; }, {}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http, SaysThatNobodyListens) {
  const std::string url = RawServer([](Connection&) {}).url("/secret-path");
  const auto client = make_http_client();
  const Got got = get(*client, url);
  ASSERT_FALSE(got.head);
  EXPECT_EQ(got.head.error().code, Code::network);
  EXPECT_EQ(got.head.error().type, "cannot_connect");
  EXPECT_EQ(got.head.error().message.find("secret-path"), std::string::npos);
  EXPECT_NE(got.head.error().message.find("127.0.0.1"), std::string::npos);
}

TEST(Http, SaysThatTheConnectionWasLost) {
  RawServer server([](Connection& c) {
    c.request();
    c.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  const auto client = make_http_client();
  const Got got = get(*client, server.url());
  ASSERT_FALSE(got.head);
  EXPECT_EQ(got.head.error().type, kConnectionLost);
}

TEST(Http, WaitsNoLongerThanItIsTold) {
  RawServer server([](Connection& c) { c.wait_for_end(); });
  const auto client = make_http_client();
  const std::string who = server.url().substr(std::string_view("http://").size());
  const auto expect = [&](const HttpRequest& request, const std::string& what) {
    const Got got = send(*client, request);
    ASSERT_FALSE(got.head);
    EXPECT_EQ(got.head.error().code, Code::timeout);
    EXPECT_EQ(got.head.error().message, who + what);
  };
  expect({.url = server.url(), .idle_timeout = milliseconds(20)}, " sent nothing for 0.02 s");
  expect({.url = server.url(), .total_timeout = milliseconds(20)}, " was not done within 0.02 s");
}

TEST(Http, StopsAtOnce) {
  std::stop_source stop;
  RawServer server([&](Connection& c) {
    c.request();
    stop.request_stop();
    c.wait_for_end();
  });
  const auto client = make_http_client();
  const Got got = send(*client, {.url = server.url()}, stop.get_token());
  ASSERT_FALSE(got.head);
  EXPECT_EQ(got.head.error().code, Code::cancelled);
}

TEST(Http, AnErrorOfTheServerIsAnAnswer) {
  RawServer server([](Connection& c) {
    c.request();
    c.answer("slow down", "429 Too Many Requests");
  });
  const auto client = make_http_client();
  const Got got = get(*client, server.url());
  ASSERT_TRUE(got.head);
  EXPECT_EQ(got.head->status, 429);
  EXPECT_EQ(got.body, "slow down");
}

TEST(Http, ServesManyAtOnce) {
  RawServer server([](Connection& c) {
    while (!c.request().empty()) c.answer("x");
  });
  const auto client = make_http_client();
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 20; ++j) answered += get(*client, server.url()).body == "x";
      });
    }
  }
  EXPECT_EQ(answered, 400);
}

TEST(Http, ReadsAddresses) {
  const auto whole = parse_http_address("http://[::1]:8080/v1/models?x=1#top");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->host, "::1");
  EXPECT_EQ(whole->port, "8080");
  EXPECT_EQ(whole->path, "/v1/models?x=1");
  EXPECT_EQ(whole->authority(), "[::1]:8080");
  const auto plain = parse_http_address("https://api.example.com");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->is_encrypted);
  EXPECT_EQ(plain->port, "443");
  EXPECT_EQ(plain->path, "/");
  EXPECT_EQ(plain->authority(), "api.example.com");
}

TEST(Http, RefusesWhatIsNoAddress) {
  for (const char* url :
       {"", "localhost:8080", "ftp://x/", "http://", "http://:80/", "http://[::1/", "http://a b/",
        "http://a/\r\nX: y", "http://user:key@host/", "http://host:12a/", "http://host:123456/",
        "http://host:65536/"}) {
    const auto address = parse_http_address(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, Code::invalid_argument) << url;
  }
}

TEST(Http, AnAddressThatIsNoneShowsNoSecret) {
  const auto client = make_http_client();
  for (const char* url : {"https://user:canary@host/v1", "https:/canary@x",
                          "ftp://host/?key=canary", "http://ho st/?canary", "http://#canary"}) {
    const Got got = get(*client, url);
    ASSERT_FALSE(got.head) << url;
    EXPECT_EQ(got.head.error().type, "bad_url") << url;
    EXPECT_EQ(describe(got.head.error()).find("canary"), std::string::npos)
        << describe(got.head.error());
  }
}

}  // namespace
}  // namespace helve::sys
