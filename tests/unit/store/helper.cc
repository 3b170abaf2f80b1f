// The modes of the helper process. It tells its standard output, in whole lines, what the store has
// acknowledged; whatever kills it in between, the tests compare the two.
#include <signal.h>
#include <unistd.h>

#include <array>

#include "store/sqlite_migrations.h"
#include "unit/store/faults.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

void tell(const std::string& line) {
  const std::string whole = line + "\n";
  if (::write(1, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) ::_exit(3);
}

void wait_for_release() {
  for (char c; ::read(0, &c, 1) == 1;) {
  }
}

int fail(const Error& error) {
  tell("error " + describe(error));
  return 1;
}

// Holds the write lock until it is released.
int hold(const std::string& path) {
  Result<std::unique_ptr<Database>> database = Database::open(path, std::chrono::seconds(5));
  if (!database) return fail(database.error());
  Result<Transaction> transaction = Transaction::begin(**database, Durability::process_death);
  if (!transaction) return fail(transaction.error());
  tell("held");
  wait_for_release();
  return 0;
}

// Writes results and calls in every way there is; a failed write is passed over.
int append(const std::string& path) {
  sys::ManualClock clock(kNow);
  Result<std::unique_ptr<Store>> opened = Opener(path, {}, clock).open();
  if (!opened) return fail(opened.error());
  Store& store = **opened;
  for (int i = 1; i <= kAppendRounds; ++i) {
    const std::string name = std::to_string(i);
    if (auto kept = store.keep_result("s_1", "exec", Effect::execute, append_text(i)))
      tell("result " + kept->id + " " + name);
    CallRecord call = sample_call("c_" + name);
    if (store.begin_call(call)) tell("begin c_" + name);
    if (store.finish_call(call)) tell("finish c_" + name);
    const std::array batch{sample_call("n_" + name + "a"), sample_call("n_" + name + "b")};
    if (store.add_calls(batch)) tell("batch n_" + name + "a n_" + name + "b");
  }
  return 0;
}

// The same of conversations: s_1 and s_old are there.
int converse(const std::string& path) {
  sys::ManualClock clock(kNow);
  Result<std::unique_ptr<Store>> opened = Opener(path, {}, clock).open();
  if (!opened) return fail(opened.error());
  Store& store = **opened;
  const auto tell_of = [](bool done, const std::string& act) {
    if (done) tell(act);
  };
  tell_of(store.claim_conversation("s_1").value_or(false), "claim");
  for (int turn = 1; turn <= kTurns; ++turn) {
    const std::string name = std::to_string(turn);
    const Post post = posted(turn);
    const bool is_posted = store.post(post).value_or(false);
    tell_of(is_posted, "post " + name);
    const std::array entries{asked(turn, is_posted ? post.id : ""), answered(turn)};
    const Keep keep = turn % 2 == 0 ? Keep::process_death : Keep::power_loss;
    if (auto last = store.append_entries("s_1", entries, kSpentInATurn, keep))
      tell("turn " + name + " " + std::to_string(*last));
  }
  tell_of(store.rename_conversation("s_1", "renamed").has_value(), "rename");
  tell_of(store.copy_conversation("s_1", kMaxEntriesRead, begun("s_copy")).has_value(), "copy");
  tell_of(store.remove_conversation("s_old").has_value(), "remove");
  tell_of(store.release_conversation("s_1").has_value(), "release");
  return 0;
}

int keep(const std::string& path, const std::string& session, int count, Effect effect) {
  sys::ManualClock clock(kNow);
  wait_for_release();
  Result<std::unique_ptr<Store>> store = Opener(path, {}, clock).open();
  if (!store) return fail(store.error());
  for (int i = 0; i < count; ++i) {
    Result<Results::Stored> kept =
        (*store)->keep_result(session, "any", effect, "text " + std::to_string(::getpid()));
    if (!kept) return fail(kept.error());
    tell(kept->id);
  }
  return 0;
}

// Counts up in a document, whoever else does.
int documents(const std::string& path, int count) {
  sys::ManualClock clock(kNow);
  wait_for_release();
  Result<std::unique_ptr<Store>> store = Opener(path, {.sync = false}, clock).open();
  if (!store) return fail(store.error());
  const std::unique_ptr<Documents> shelf = (*store)->documents("shared");
  for (int i = 0; i < count;) {
    const Result<DocumentVersion> last = shelf->find("counter");
    const Result<std::string> now = last ? shelf->content(*last) : Result<std::string>("0");
    if (!now) return fail(now.error());
    const std::string next = std::to_string(std::stoi(*now) + 1);
    Result<DocumentVersion> written = write_document(
        *shelf, {.version = {.path = "counter"},
                 .content = next,
                 .expected = last ? Expected::version(last->number) : Expected::nothing()});
    if (!written && written.error().code != Code::conflict) return fail(written.error());
    if (!written) continue;
    tell(next);
    ++i;
  }
  return 0;
}

int migrate_in_two_steps(const std::string& path) {
  Result<std::unique_ptr<Database>> database = Database::open(path, std::chrono::seconds(5));
  if (!database) return fail(database.error());
  if (Result<void> done = migrate(**database, kTwoSteps); !done) return fail(done.error());
  tell("done");
  return 0;
}

// Begins a call and stays until it is released, or dies before the end of the call.
int begin(const std::string& path, const std::string& id, bool die) {
  sys::ManualClock clock(kNow);
  Result<std::unique_ptr<Store>> store = Opener(path, {}, clock).open();
  if (!store) return fail(store.error());
  if (Result<void> begun = (*store)->begin_call(sample_call(id)); !begun)
    return fail(begun.error());
  tell("begun");
  if (die) ::raise(SIGKILL);
  wait_for_release();
  return 0;
}

int run_mode(const std::vector<std::string>& words) {
  if (words.at(0) == "hold") return hold(words.at(1));
  if (words.at(0) == "append") return append(words.at(1));
  if (words.at(0) == "converse") return converse(words.at(1));
  if (words.at(0) == "keep" || words.at(0) == "keep-read") {
    return keep(words.at(1), words.at(2), std::stoi(words.at(3)),
                words.at(0) == "keep" ? Effect::execute : Effect::read);
  }
  if (words.at(0) == "documents") return documents(words.at(1), std::stoi(words.at(2)));
  if (words.at(0) == "migrate") return migrate_in_two_steps(words.at(1));
  if (words.at(0) == "begin") return begin(words.at(1), words.at(2), false);
  if (words.at(0) == "begin-and-die") return begin(words.at(1), words.at(2), true);
  return 2;
}

}  // namespace

int helper_main(const std::vector<std::string>& arguments) {
  // Without the checks at exit of sanitizers, which do not work under a tracer.
  ::_exit(run_mode(arguments));
}

}  // namespace helve::store
