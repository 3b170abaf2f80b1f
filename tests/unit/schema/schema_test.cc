#include "schema/schema.h"

#include <gtest/gtest.h>

#include "schema/flags.h"

namespace helve::schema {
namespace {

enum class Mode { fast, thorough, case_ };

struct Edit {
  std::string old_text;
  std::string new_text;
  static constexpr auto schema() {
    return object("One replacement.", arg<&Edit::old_text>("What to find").min_length(1),
                  arg<&Edit::new_text>("What to put there"));
  }
};

struct Sample {
  std::string path;
  std::optional<std::int64_t> limit;
  std::int32_t depth = 2;
  std::uint64_t big = 0;
  double score = 0.35;
  bool deep = true;
  Mode mode = Mode::thorough;
  std::vector<std::string> tags;
  std::vector<Edit> edits;
  std::map<std::string, std::string> env;
  Json extra;
  std::string id;

  static constexpr auto schema() {
    return object("A sample of every kind.", arg<&Sample::path>("Where").max_length(8),
                  opt<&Sample::limit>("How many").min(1).shorthand('n'),
                  opt<&Sample::depth>("How deep").min(1).max(5),
                  opt<&Sample::big>("A large number"),
                  opt<&Sample::score>("Least score").min_number(0).max_number(1),
                  opt<&Sample::deep>("Look below"), opt<&Sample::mode>("How"),
                  opt<&Sample::tags>("Labels").max_length(3), opt<&Sample::edits>("Replacements"),
                  opt<&Sample::env>("Environment"), opt<&Sample::extra>("Anything"),
                  opt<&Sample::id>("Stored id").pattern("^lr_[0-9]+$"));
  }
};

std::string problems_of(std::string_view json) {
  Result<Sample> value = decode<Sample>(*parse_json(json));
  return value ? "ok" : value.error().message;
}

TEST(Decode, FillsEveryKindOfMember) {
  auto sample = decode<Sample>(
      *parse_json(R"({"path":"a","limit":3,"depth":5,"big":18446744073709551615,"score":1,
      "deep":false,"mode":"fast","tags":["x","y"],"edits":[{"old_text":"a","new_text":""}],"env":{"K":"V"},"extra":[1,{"a":null}],"id":"lr_12"})"));
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(sample->limit, 3);
  EXPECT_EQ(sample->depth, 5);
  EXPECT_EQ(sample->big, 18446744073709551615ull);
  EXPECT_EQ(sample->score, 1);
  EXPECT_FALSE(sample->deep);
  EXPECT_EQ(sample->mode, Mode::fast);
  EXPECT_EQ(sample->tags, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(sample->edits.at(0).old_text, "a");
  EXPECT_EQ(sample->env.at("K"), "V");
  EXPECT_EQ(to_text(sample->extra), R"([1,{"a":null}])");
}

TEST(Decode, TakesNullAsAbsent) {
  auto sample = decode<Sample>(
      *parse_json(R"({"path":"a","limit":null,"depth":null,"mode":null,"tags":null})"));
  ASSERT_TRUE(sample);
  EXPECT_FALSE(sample->limit);
  EXPECT_EQ(sample->depth, 2);
  EXPECT_EQ(problems_of(R"({"path":null})"), "path: required, but missing");
}

TEST(Decode, ReportsEveryErrorWithItsPath) {
  EXPECT_EQ(
      problems_of(
          R"({"limit":0,"depth":"2","deep":"yes","mode":"fats","tags":[1],"edits":[{"old_text":""},{"new_text":7}],"pth":1})"),
      "path: required, but missing; limit: must be at least 1, got 0; depth: expected an integer, "
      "got \"2\"; "
      "deep: expected true or false, got \"yes\"; mode: expected one of fast, thorough, case, got "
      "\"fats\"; "
      "tags[0]: expected a string, got 1; edits[0].old_text: must not be empty; edits[0].new_text: "
      "required, but missing; "
      "edits[1].old_text: required, but missing; edits[1].new_text: expected a string, got 7; pth: "
      "unknown parameter");
}

TEST(Decode, NamesTheNearestKnownKey) {
  auto sample = decode<Sample>(*parse_json(R"({"path":"a","dept":1})"));
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().hint, "did you mean 'depth'?");
  EXPECT_EQ(sample.error().type, "invalid_input");
  EXPECT_EQ(to_text(sample.error().details),
            R"([{"path":"dept","message":"unknown parameter","hint":"did you mean 'depth'?"}])");
}

TEST(Decode, TellsHowAListIsWritten) {
  auto sample = decode<Sample>(*parse_json(R"({"path":"a","tags":"x"})"));
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, R"(tags: expected an array, got "x")");
  EXPECT_EQ(sample.error().hint, R"(write ["x"])");
}

TEST(Decode, KeepsIntegersExactAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(problems_of(R"({"path":"a","limit":9223372036854775807})"), "ok");
  EXPECT_EQ(problems_of(R"({"path":"a","limit":9223372036854775808})"),
            "limit: 9223372036854775808 is too large");
  EXPECT_EQ(problems_of(R"({"path":"a","limit":1e30})"),
            "limit: expected an integer of 64 bits, got a larger one");
  EXPECT_EQ(problems_of(R"({"path":"a","limit":1.5})"), "limit: expected an integer, got 1.5");
  EXPECT_EQ(problems_of(R"({"path":"a","limit":10.0})"), "ok");
  EXPECT_EQ(problems_of(R"({"path":"a","big":-1})"),
            "big: must be from 0 to 9223372036854775807, got -1");
}

TEST(Decode, ChecksLengthsAndPatterns) {
  EXPECT_EQ(problems_of(R"({"path":"äöüäöüäö"})"), "ok");
  EXPECT_EQ(problems_of(R"({"path":"123456789"})"), "path: must have at most 8 characters, got 9");
  EXPECT_EQ(problems_of(R"({"path":"a","id":"lr_x"})"), "id: must match ^lr_[0-9]+$, got \"lr_x\"");
  EXPECT_EQ(problems_of(R"({"path":"a","tags":["1","2","3","4"]})"),
            "tags: must have at most 3 items, got 4");
  EXPECT_EQ(problems_of(R"([])"), "expected an object, got an array");
}

TEST(Decode, BoundsTheNumberOfProblems) {
  std::string many = R"({"path":"a","tags":[1)";
  for (int i = 0; i < 1000; ++i) many += ",1";
  auto sample = decode<Sample>(*parse_json(many + "]}"));
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().details.as_array().size(), 50u);
}

TEST(Encode, RoundTrips) {
  Sample sample{.path = "a\"b"};
  sample.env["K"] = "V";
  EXPECT_EQ(
      encode(sample),
      R"({"path":"a\"b","depth":2,"big":0,"score":0.35,"deep":true,"mode":"thorough","tags":[],"edits":[],"env":{"K":"V"},"extra":null,"id":""})");
}

TEST(Check, FindsAnOutputThatBreaksItsOwnRules) {
  Sample sample{.path = "123456789", .depth = 9, .mode = static_cast<Mode>(17), .id = "lr_1"};
  std::vector<Problem> problems;
  check(kType<Sample>, &sample, problems);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[1].path, "depth");
  EXPECT_EQ(problems[2].message, "is no enumerator");
}

struct Measured {
  double ratio = 0;
  std::map<std::string, double> parts;
  std::vector<std::optional<std::int64_t>> counts;
  static constexpr auto schema() {
    return object("", arg<&Measured::ratio>("r"), arg<&Measured::parts>("p"),
                  arg<&Measured::counts>("c"));
  }
};

TEST(Check, FindsWhatJsonCannotHold) {
  Measured measured{.ratio = std::numeric_limits<double>::quiet_NaN(),
                    .parts = {{"a", std::numeric_limits<double>::infinity()}},
                    .counts = {std::nullopt}};
  std::vector<Problem> problems;
  check(kType<Measured>, &measured, problems);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].path, "ratio");
  EXPECT_EQ(problems[1].path, "parts.a");
  EXPECT_EQ(problems[2].path, "counts[0]");
}

TEST(JsonSchema, SaysEverything) {
  JsonObject schema = json_schema(kType<Sample>);
  EXPECT_EQ(to_text(schema["required"]), R"(["path"])");
  EXPECT_EQ(to_text(schema["additionalProperties"]), "false");
  auto property = [&](std::string_view name) {
    return to_text(schema["properties"].as_object()[name]);
  };
  EXPECT_EQ(property("limit"), R"({"type":"integer","description":"How many","minimum":1})");
  EXPECT_EQ(property("depth"),
            R"({"type":"integer","description":"How deep","minimum":1,"maximum":5,"default":2})");
  EXPECT_EQ(property("big"),
            R"({"type":"integer","minimum":0,"description":"A large number","default":0})");
  EXPECT_EQ(
      property("mode"),
      R"({"type":"string","enum":["fast","thorough","case"],"description":"How","default":"thorough"})");
  EXPECT_EQ(property("tags"),
            R"({"type":"array","items":{"type":"string"},"description":"Labels","maxItems":3})");
  EXPECT_EQ(
      property("env"),
      R"({"type":"object","additionalProperties":{"type":"string"},"description":"Environment"})");
  EXPECT_EQ(property("id"),
            R"({"type":"string","description":"Stored id","pattern":"^lr_[0-9]+$"})");
}

std::string flags_to_json(std::vector<std::string> words) {
  auto object = parse_flags(kType<Sample>, words, [] { return Result<std::string>("from stdin"); });
  return object ? to_text(*object) : object.error().message + " | " + object.error().hint;
}

TEST(Flags, BecomeTheSameJson) {
  EXPECT_EQ(
      flags_to_json({"a", "-n", "3", "--depth=5", "--no-deep", "--mode", "fast", "--tags", "x",
                     "--tags", "y", "--env", "K=V=W"}),
      R"({"path":"a","limit":3,"depth":5,"deep":false,"mode":"fast","tags":["x","y"],"env":{"K":"V=W"}})");
  EXPECT_EQ(flags_to_json({"--", "--odd"}), R"({"path":"--odd"})");
  EXPECT_EQ(flags_to_json({"--path=-", "--limit", "-5"}), R"({"path":"-","limit":-5})");
  EXPECT_EQ(flags_to_json(
                {"a", "--edits", R"([{"old_text":"x","new_text":"y"}])", "--extra", "{\"k\":1}"}),
            R"({"path":"a","edits":[{"old_text":"x","new_text":"y"}],"extra":{"k":1}})");
}

struct Switched {
  bool all = false;
  bool word = false;
  Mode mode = Mode::thorough;
  std::int64_t most = 1;
  static constexpr auto schema() {
    return object("", opt<&Switched::all>("All").shorthand('a'),
                  opt<&Switched::word>("Words").shorthand('w'),
                  opt<&Switched::mode>("How").shorthand_for('f', "fast").shorthand_for('n', ""),
                  opt<&Switched::most>("Most").shorthand('m'));
  }
};

std::string switches_to_json(std::vector<std::string> words) {
  auto object = parse_flags(kType<Switched>, words, [] { return Result<std::string>(""); });
  return object ? to_text(*object) : object.error().message;
}

TEST(Flags, HaveLettersForValues) {
  EXPECT_EQ(switches_to_json({"-f"}), R"({"mode":"fast"})");
  EXPECT_EQ(switches_to_json({"-n"}), "{}");
  EXPECT_EQ(switches_to_json({"-f", "--mode", "fast"}), "--mode is given twice");
}

TEST(Flags, ShareAWordWhenTheyNeedNoValue) {
  EXPECT_EQ(switches_to_json({"-afn"}), R"({"all":true,"mode":"fast"})");
  EXPECT_EQ(switches_to_json({"-awm3"}), R"({"all":true,"word":true,"most":3})");
  EXPECT_EQ(switches_to_json({"-wm", "3"}), R"({"word":true,"most":3})");
  EXPECT_EQ(switches_to_json({"-atrue"}), R"({"all":true})");
  EXPECT_EQ(switches_to_json({"-ax"}), "unknown flag '-x'");
  EXPECT_EQ(switches_to_json({"-xa"}), "unknown flag '-xa'");
}

TEST(Flags, LeaveWrongTypesToDecoding) {
  EXPECT_EQ(flags_to_json({"a", "--limit", "ten"}), R"({"path":"a","limit":"ten"})");
}

TEST(Flags, NameWhatIsWrong) {
  EXPECT_EQ(flags_to_json({"a", "--dept", "1"}), "unknown flag '--dept' | did you mean '--depth'?");
  EXPECT_EQ(flags_to_json({"a", "b"}),
            "unexpected argument 'b' | quote it if it belongs to the value before");
  EXPECT_EQ(flags_to_json({"a", "--limit"}), "--limit needs a value | how many");
  EXPECT_EQ(flags_to_json({"a", "--limit", "1", "--limit", "2"}), "--limit is given twice | ");
  EXPECT_EQ(flags_to_json({"a", "--env", "{bad", "--env", "K=V"}), "--env is given twice | ");
  EXPECT_EQ(flags_to_json({"a", "--no-deep=false"}), "--no-deep takes no value | ");
  EXPECT_EQ(flags_to_json({"a", "-e"}).substr(0, 17), "unknown flag '-e'");
}

TEST(Flags, RoundTripWhatTheyCanExpress) {
  for (std::string_view json :
       {R"({"path":"a","limit":3,"deep":false,"tags":["x","y"],"env":{"A":"b=c"}})",
        R"({"path":"-x"})", R"({"path":"a","edits":[{"old_text":"x","new_text":"y"}]})",
        R"({"limit":4})"}) {
    auto words = to_flags(kType<Sample>, parse_json(json)->as_object());
    ASSERT_TRUE(words) << json;
    EXPECT_EQ(flags_to_json(*words), json);
  }
  EXPECT_FALSE(to_flags(kType<Sample>, parse_json(R"({"path":5})")->as_object()));
  EXPECT_FALSE(to_flags(kType<Sample>, parse_json(R"({"path":"a","tags":[]})")->as_object()));
}

}  // namespace
}  // namespace helve::schema
