// What the store keeps of a conversation: a session in which a model takes part. Its entries are
// only ever added; what is posted to it waits in its inbox until an entry takes it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace helve::store {

constexpr size_t kMaxTitle = 1'000;            // bytes
constexpr size_t kMaxModelChoice = 64u << 10;  // bytes
constexpr size_t kMaxEntryBytes = 256u << 20;  // of one entry, or of a post
constexpr size_t kMaxEntriesRead = 1'000;      // at once
constexpr size_t kMaxConversations = 10'000;   // of one listing
constexpr size_t kMaxPosts = 1'000;            // that wait for one session

// Tokens and money, added up.
struct Spent {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_write = 0;
  std::int64_t micro_dollars = 0;

  bool operator==(const Spent&) const = default;
};

struct Conversation {
  std::string session;  // its id
  std::string title;
  std::string agent;
  std::string workspace;
  std::string purpose;  // chat, run, subagent, …
  std::string parent;   // the session that began it; empty: a person did
  std::string model;    // how its model was chosen, in the words of whoever did; empty: nobody did
  std::int64_t created_ms = 0;
  std::int64_t changed_ms = 0;  // with each entry
  std::uint64_t entries = 0;    // the number of the last one
  Spent spent = {};
  bool is_at_work = false;  // a living process works on it; told by the store
};

struct Entry {
  std::uint64_t number = 0;  // from 1, without gaps; given by the store
  std::string kind;
  std::string body;
  std::int64_t created_ms = 0;
  std::string post = {};  // the one that it takes out of the inbox; empty: none
};

struct Post {
  std::string id;  // chosen by who posts: posting it twice is posting it once
  std::string session;
  std::string sender;
  std::string body;
  std::int64_t posted_ms = 0;
};

struct ConversationFilter {
  std::string workspace = {};  // empty: all
  std::string parent = {};     // empty: all
  std::string text = {};       // said in its title or entries; empty: all
  size_t limit = 20;
};

// What an acknowledged entry survives.
enum class Keep : unsigned char { process_death, power_loss };

}  // namespace helve::store
