// Runs data tests: cases FILE… sends every case through every surface, each in a fresh workspace,
// and demands the same code, type and structured value from each. ACCEPT=1 rewrites what the cases
// expect.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "case_file.h"
#include "schema/validate.h"
#include "surface.h"
#include "tool/registry.h"

namespace helve::cases {
namespace {

namespace fs = std::filesystem;
using Kind = Expectation::Kind;

// A directory that goes with the value.
class Scratch {
 public:
  Scratch() {
    std::string pattern = fs::temp_directory_path() / "helve-cases-XXXXXX";
    path_ = fs::canonical(mkdtemp(pattern.data()));
  }
  ~Scratch() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string replace_all(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// Whether the text has there what the shape says: x is a hexadecimal digit, 0 a decimal one, and
// anything else itself.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    const bool is_digit = c >= '0' && c <= '9';
    const bool fits = shape[i] == 'x'   ? is_digit || (c >= 'a' && c <= 'f')
                      : shape[i] == '0' ? is_digit
                                        : c == shape[i];
    if (!fits) return false;
  }
  return true;
}

// Ids and times are others in every run: "c_$ID", "s_$ID", "$TIME".
std::string without_chance(const std::string& text) {
  constexpr std::string_view kId = "_xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  constexpr std::string_view kTime = "0000-00-00 00:00:00";
  constexpr std::string_view kMinute = " 00:00";  // as notes are headed
  const std::string named = replace_all(text, "s_cases", "s_$ID");
  std::string out;
  for (std::string_view rest = named; !rest.empty();) {
    const bool is_id = has_shape(rest, kId), is_time = has_shape(rest, kTime);
    const bool is_minute = has_shape(rest, kMinute);
    if (is_id)
      out += "_$ID";
    else if (is_time)
      out += "$TIME";
    else if (is_minute)
      out += " $TIME";
    else
      out += rest.front();
    rest.remove_prefix(is_id       ? kId.size()
                       : is_time   ? kTime.size()
                       : is_minute ? kMinute.size()
                                   : 1);
  }
  return out;
}

// "$JOB" in a later call stands for the id of the command that was last put into the background,
// "$TRIAL" for that of the last trial, "$SESSION" for the session that was told last.
void remember_job(const Seen& seen, std::string& job) {
  if (!seen.value.is_object()) return;
  for (const std::string_view key : {"process_id", "trial", "session_id"}) {
    const Json* id = seen.value.get_object().if_contains(key);
    if (id && id->is_string()) job = std::string(id->get_string());
  }
}

// The workspace has another name on each run.
Seen without_root(Seen seen, const std::string& root) {
  const auto plain = [&](const std::string& text) {
    return without_chance(replace_all(text, root, "$WORK"));
  };
  seen.message = plain(seen.message);
  seen.hint = plain(seen.hint);
  if (seen.text) seen.text = plain(*seen.text);
  seen.value = *parse_json(plain(to_text(seen.value)));
  return seen;
}

// Every member of `part` is in `whole`, and so on below.
bool contains(const Json& whole, const Json& part) {
  if (!part.is_object()) return whole == part;
  for (const auto& member : part.get_object()) {
    const Json* other = find(whole, member.key());
    if (!other || !contains(*other, member.value())) return false;
  }
  return true;
}

class Runner {
 public:
  Runner(CaseFile file, const Registry& registry, std::string helve)
      : file_(std::move(file)), registry_(registry), helve_(std::move(helve)) {}

  bool run() {
    for (const Case& test : file_.cases) run_case(test);
    if (std::getenv("ACCEPT") && !accepted_.empty()) rewrite();
    std::printf("%s: %zu cases, %zu calls compared, %zu failures\n", file_.tool.c_str(),
                file_.cases.size(), calls_, failures_);
    return failures_ == 0;
  }

 private:
  void run_case(const Case& test) {
    std::vector<std::optional<Seen>> reference;
    for (const SurfaceKind& kind : surface_kinds()) {
      const auto& out = test.surfaces_left_out;
      if (std::find(out.begin(), out.end(), kind.name) != out.end()) continue;
      Scratch scratch;
      const Place place{scratch.path() / "work", scratch.path() / "home", helve_};
      fs::create_directories(place.root);
      fs::create_directories(place.home);
      where_ = fmt::format("{}:{}: {} [{}]", file_.path, test.line, test.name, kind.name);
      make_files(file_, place.root);
      const auto prepared = [&](const Step& step) {
        Result<void> done = prepare(step.preparations, place.root);
        if (!done) fail(describe(done.error()));
        return done.has_value();
      };
      if (!test.steps.empty() && !prepared(test.steps.front())) continue;
      Result<std::unique_ptr<Surface>> surface = kind.open(place, registry_);
      if (!surface) {
        fail(describe(surface.error()));
        continue;
      }
      std::string last_job;
      for (size_t i = 0; i < test.steps.size(); ++i) {
        const Step& step = test.steps[i];
        if (i > 0 && !prepared(step)) break;
        Result<std::optional<Seen>> seen = (*surface)->call(
            step.tool,
            replace_all(replace_all(replace_all(replace_all(step.arguments, "$WORK", place.root),
                                                "$JOB", last_job),
                                    "$TRIAL", last_job),
                        "$SESSION", last_job));
        if (!seen) {
          fail(describe(seen.error()));
          break;
        }
        if (!*seen) {
          if (reference.size() <= i) reference.emplace_back();
          // Whoever writes a case that flags cannot express says so in the file.
          if (kind.name == "flags")
            fail("flags cannot express this call; write 'except flags: why'");
          break;  // later steps depend on this one
        }
        ++calls_;
        remember_job(**seen, last_job);
        **seen = without_root(std::move(**seen), place.root);
        if (reference.size() <= i) {
          reference.push_back(*seen);
          judge(step, **seen, place.root);
          check_schema(step, **seen);
        } else if (reference[i]) {
          compare(*reference[i], **seen);
          judge_files(step, place.root);
        }
      }
    }
  }

  void judge(const Step& step, const Seen& seen, const std::string& root) {
    if (step.expectations.empty())
      fail(fmt::format("line {}: the call expects nothing", step.line));
    for (const Expectation& each : step.expectations) {
      std::string actual;
      if (!holds(each, seen, root, actual)) {
        // Only what states a whole answer can be rewritten by one.
        const bool rewritable = each.kind == Kind::ok || each.kind == Kind::error ||
                                each.kind == Kind::text || each.kind == Kind::after ||
                                each.kind == Kind::holds;
        if (std::getenv("ACCEPT") && rewritable)
          accepted_[each.line] = actual;
        else
          fail(fmt::format("line {}: expected {}\n      got {}", each.line,
                           file_.lines[each.line - 1], actual));
      }
    }
  }

  // What a call did to the files must be the same through every surface.
  void judge_files(const Step& step, const std::string& root) {
    for (const Expectation& each : step.expectations) {
      std::string actual;
      if ((each.kind == Kind::after || each.kind == Kind::holds || each.kind == Kind::absent) &&
          !holds(each, {}, root, actual)) {
        fail(fmt::format("line {}: expected {}\n      got {}", each.line,
                         file_.lines[each.line - 1], actual));
      }
    }
  }

  bool holds(const Expectation& each, const Seen& seen, const std::string& root,
             std::string& actual) {
    actual =
        seen.ok ? "ok " + to_text(seen.value) : fmt::format("error {} {}", seen.code, seen.type);
    switch (each.kind) {
      case Kind::ok:
        return seen.ok && Result<Json>(parse_json(each.value)).value_or(Json()) == seen.value;
      case Kind::has:
        return seen.ok &&
               contains(seen.value, Result<Json>(parse_json(each.value)).value_or(Json()));
      case Kind::error:
        return !seen.ok && (each.value == seen.code + " " + seen.type ||
                            (seen.code == seen.type && each.value == seen.code));
      case Kind::says:
        actual = "says " + (seen.ok ? seen.text.value_or("") : seen.message);
        return actual.find(each.value) != actual.npos;
      case Kind::hint:
        actual = "hint " + seen.hint;
        return actual.find(each.value) != actual.npos;
      case Kind::text: {
        actual = "text ";
        append_json_string(actual, seen.text.value_or(""));
        return actual == "text " + each.value;
      }
      case Kind::after: {
        const size_t space = each.value.find(' ');
        const std::string name = each.value.substr(0, space);
        std::ifstream in(fs::path(root) / name, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(in), {}};
        actual = "after " + name + " ";
        append_json_string(actual, content);
        return in && actual == "after " + each.value;
      }
      case Kind::holds: {
        const size_t space = each.value.find(' ');
        const std::string name = each.value.substr(0, space);
        std::ifstream in(fs::path(root) / name, std::ios::binary);
        actual = "holds " + name + " ";
        for (char byte; in.get(byte);)
          actual += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        return actual == "holds " + each.value;
      }
      case Kind::absent:
        actual = "there is " + each.value;
        return !fs::exists(fs::symlink_status(fs::path(root) / each.value));
    }
    return false;
  }

  void check_schema(const Step& step, const Seen& seen) {
    const Tool* tool = registry_.find(step.tool).tool;
    if (!seen.ok || !tool) return;
    for (const schema::Problem& problem : schema::validate(tool->output_schema(), seen.value)) {
      fail(fmt::format("line {}: the output breaks its schema at '{}': {}", step.line, problem.path,
                       problem.message));
    }
  }

  void compare(const Seen& expected, const Seen& seen) {
    if (expected.ok != seen.ok)
      return fail(fmt::format("{} here, but {} in the dispatcher", seen.ok ? "ok" : seen.message,
                              expected.ok ? "ok" : expected.message));
    const bool shows_value = !seen.value.is_null();
    if (seen.ok && shows_value && seen.value != expected.value)
      fail(fmt::format("another value: {}\n      not {}", to_text(seen.value),
                       to_text(expected.value)));
    if (seen.ok && seen.text && trim(*seen.text) != trim(*expected.text))
      fail(fmt::format("another text: {}\n      not {}", *seen.text, *expected.text));
    if (!seen.ok && seen.code.empty()) return;  // this surface shows errors to people only
    if (!seen.ok && (seen.code != expected.code || seen.type != expected.type ||
                     seen.message != expected.message || seen.hint != expected.hint)) {
      fail(fmt::format("another error: {} {}: {} ({})\n      not {} {}: {} ({})", seen.code,
                       seen.type, seen.message, seen.hint, expected.code, expected.type,
                       expected.message, expected.hint));
    }
  }

  void fail(const std::string& what) {
    ++failures_;
    std::printf("FAIL %s\n     %s\n", where_.c_str(), what.c_str());
  }

  void rewrite() {
    std::ofstream out(file_.path, std::ios::binary);
    for (size_t i = 0; i < file_.lines.size(); ++i) {
      auto found = accepted_.find(i + 1);
      out << (found == accepted_.end() ? file_.lines[i] : found->second) << "\n";
    }
    std::printf("accepted %zu lines of %s\n", accepted_.size(), file_.path.c_str());
  }

  CaseFile file_;
  const Registry& registry_;
  std::string helve_;
  std::string where_;
  std::map<size_t, std::string> accepted_;
  size_t calls_ = 0, failures_ = 0;
};

}  // namespace

int run_files(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: cases HELVE FILE…\n"), 2;
  Result<Registry> registry = Registry::load(builtin_tools());
  if (!registry) return std::fprintf(stderr, "%s\n", describe(registry.error()).c_str()), 1;
  bool good = true;
  for (int i = 2; i < argc; ++i) {
    Result<CaseFile> file = parse_case_file(argv[i]);
    if (!file) {
      std::printf("FAIL %s\n", describe(file.error()).c_str());
      good = false;
      continue;
    }
    if (!registry->find(file->tool).tool) {
      std::printf("FAIL %s: there is no tool '%s'\n", argv[i], file->tool.c_str());
      good = false;
      continue;
    }
    good = Runner(std::move(*file), *registry, argv[1]).run() && good;
  }
  return good ? 0 : 1;
}

}  // namespace helve::cases

int main(int argc, char** argv) { return helve::cases::run_files(argc, argv); }
