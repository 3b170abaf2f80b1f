#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "schema/bounds.h"
#include "schema/flags.h"
#include "schema/schema.h"
#include "schema/value.h"

namespace helve::schema {
namespace {

// More than a person or model can use; a hostile array of a million wrong items must not become a
// million messages.
constexpr size_t kMaxProblems = 50;

std::string shown(const Json& json) {
  return json.is_object()  ? "an object"
         : json.is_array() ? "an array"
         : json.is_null()  ? "null"
                           : preview(to_text(json), 60);
}

class Decoder {
 public:
  explicit Decoder(std::vector<Problem>& problems) : problems_(problems) {}

  void decode(const Type& type, const Field* field, const Json& json, void* out) {
    if (problems_.size() >= kMaxProblems) return;
    switch (type.kind) {
      case Kind::boolean:
        if (const bool* value = json.if_bool())
          *static_cast<bool*>(out) = *value;
        else
          mismatch("true or false", json);
        return;
      case Kind::integer:
        return decode_integer(type, field, json, out);
      case Kind::number:
        return decode_number(field, json, out);
      case Kind::string:
        return decode_string(field, json, out);
      case Kind::enumeration:
        return decode_enumeration(type, json, out);
      case Kind::object:
        return decode_object(type, json, out);
      case Kind::array:
        return decode_array(type, field, json, out);
      case Kind::map:
        return decode_map(type, field, json, out);
      case Kind::json:
        if (field && field->only_object && !json.is_object()) return mismatch("an object", json);
        *static_cast<Json*>(out) = json;
        return;  // copied out of the caller's arena
      case Kind::optional:
        return decode(*type.inner, field, json, type.operations.emplace(out));
    }
  }

 private:
  void problem(std::string message, std::string hint = {}) {
    problems_.push_back({path_, std::move(message), std::move(hint)});
  }
  void mismatch(std::string_view expected, const Json& json) {
    problem(fmt::format("expected {}, got {}", expected, shown(json)));
  }
  void broken(std::optional<std::string> rule) {
    if (rule) problem(std::move(*rule));
  }

  void decode_integer(const Type& type, const Field* field, const Json& json, void* out) {
    std::int64_t value = 0;
    if (const std::int64_t* exact = json.if_int64()) {
      value = *exact;
    } else if (const std::uint64_t* large = json.if_uint64()) {
      if (type.is_signed || type.bytes < 8) return problem(fmt::format("{} is too large", *large));
      if (auto rule = broken_bounds(field, *large)) return problem(*rule);
      return store_bits(type, *large, out);
    } else if (const double* number = json.if_double();
               number && std::trunc(*number) == *number && std::fabs(*number) < 0x1p53) {
      value = static_cast<std::int64_t>(*number);  // 10.0 is the integer 10, as JSON Schema says
    } else {
      // Of such a number only the first digits are known.
      const double* large = json.if_double();
      if (large && std::trunc(*large) == *large)
        return problem(fmt::format("expected an integer of 64 bits, got a {} one",
                                   *large < 0 ? "smaller" : "larger"));
      return mismatch("an integer", json);
    }
    const int bits = 8 * type.bytes;
    const std::int64_t lowest =
        type.is_signed ? (bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1))) : 0;
    const std::int64_t highest =
        type.is_signed ? (bits == 64 ? INT64_MAX : (std::int64_t{1} << (bits - 1)) - 1)
        : bits == 64   ? INT64_MAX
                       : (std::int64_t{1} << bits) - 1;
    if (auto rule = broken_bounds(field, value)) return problem(*rule);
    if (value < lowest || value > highest)
      return problem(fmt::format("must be from {} to {}, got {}", lowest, highest, value));
    store_bits(type, static_cast<std::uint64_t>(value), out);
  }

  void decode_number(const Field* field, const Json& json, void* out) {
    double value;
    if (const double* number = json.if_double())
      value = *number;
    else if (const std::int64_t* integer = json.if_int64())
      value = static_cast<double>(*integer);
    else if (const std::uint64_t* large = json.if_uint64())
      value = static_cast<double>(*large);
    else
      return mismatch("a number", json);
    if (auto rule = broken_bounds(field, value)) return problem(*rule);
    *static_cast<double*>(out) = value;
  }

  void decode_string(const Field* field, const Json& json, void* out) {
    const boost::json::string* text = json.if_string();
    if (!text) return mismatch("a string", json);
    std::string& value = *static_cast<std::string*>(out);
    value.assign(text->data(), text->size());
    // Who gives nothing needs to know what is wanted.
    if (auto rule = broken_text_rule(field, value))
      problem(std::move(*rule), value.empty() ? hint_of(*field) : "");
  }

  void decode_enumeration(const Type& type, const Json& json, void* out) {
    const boost::json::string* text = json.if_string();
    // Words have dashes where names have underscores: read-only is read_only.
    std::string name(text ? std::string_view(*text) : "");
    std::ranges::replace(name, '-', '_');
    const auto found = std::ranges::find(type.names, std::string_view(name));
    if (found != type.names.end())
      return store_bits(type, static_cast<std::uint64_t>(found - type.names.begin()), out);
    problem(fmt::format("expected one of {}, got {}", fmt::join(type.names, ", "), shown(json)),
            text ? did_you_mean(*text, type.names) : "");
  }

  void decode_object(const Type& type, const Json& json, void* out) {
    const JsonObject* object = json.if_object();
    if (!object) return mismatch("an object", json);
    size_t used = 0;
    for (const Field& field : type.fields) {
      const Json* member = object->if_contains(field.name);
      used += member != nullptr;
      Enter scope(*this, field.name);
      if (member && !member->is_null())
        decode(*field.type, &field, *member, field.access(out));
      else if (field.required)
        problem("required, but missing", hint_of(field));
    }
    if (used != object->size()) report_unknown(type, *object);
  }

  void report_unknown(const Type& type, const JsonObject& object) {
    std::vector<std::string_view> names;
    for (const Field& field : type.fields) names.push_back(field.name);
    for (const auto& member : object) {
      if (std::find(names.begin(), names.end(), std::string_view(member.key())) != names.end())
        continue;
      if (problems_.size() >= kMaxProblems) return;
      Enter scope(*this, preview(escape_for_display(member.key()), 80));
      std::string hint = did_you_mean(member.key(), names);
      if (hint.empty())
        hint = names.empty() ? "it takes no parameters"
                             : fmt::format("known: {}", fmt::join(names, ", "));
      problem("unknown parameter", std::move(hint));
    }
  }

  void decode_array(const Type& type, const Field* field, const Json& json, void* out) {
    const JsonArray* array = json.if_array();
    if (!array) {
      return problem(fmt::format("expected an array, got {}", shown(json)),
                     json.is_string() ? fmt::format("write [{}]", shown(json)) : "");
    }
    broken(broken_count_rule(field, array->size(), "items"));
    type.operations.clear(out);
    for (size_t i = 0; i < array->size(); ++i) {
      Enter scope(*this, i);
      if ((*array)[i].is_null() && type.inner->kind != Kind::json)
        mismatch("a value", (*array)[i]);
      else
        decode(*type.inner, nullptr, (*array)[i], type.operations.append(out));
      if (problems_.size() >= kMaxProblems) return;
    }
  }

  void decode_map(const Type& type, const Field* field, const Json& json, void* out) {
    const JsonObject* object = json.if_object();
    if (!object) return mismatch("an object", json);
    broken(broken_count_rule(field, object->size(), "entries"));
    type.operations.clear(out);
    for (const auto& member : *object) {
      if (member.value().is_null() && type.inner->kind != Kind::json) continue;
      Enter scope(*this, preview(escape_for_display(member.key()), 80));
      decode(*type.inner, nullptr, member.value(),
             type.operations.insert(out, std::string(member.key())));
    }
  }

  // Extends the path while a member is looked at.
  class Enter {
   public:
    Enter(Decoder& decoder, std::string_view name)
        : decoder_(decoder), length_(decoder.path_.size()) {
      if (length_ > 0) decoder.path_ += '.';
      decoder.path_ += name;
    }
    Enter(Decoder& decoder, size_t index) : decoder_(decoder), length_(decoder.path_.size()) {
      decoder.path_ += fmt::format("[{}]", index);
    }
    ~Enter() { decoder_.path_.resize(length_); }

   private:
    Decoder& decoder_;
    size_t length_;
  };

  std::vector<Problem>& problems_;
  std::string path_;
};

}  // namespace

void decode(const Type& type, const Json& json, void* out, std::vector<Problem>& problems) {
  Decoder(problems).decode(type, nullptr, json, out);
}

Error to_error(const std::vector<Problem>& problems) {
  Error error{Code::invalid_argument, "", "", "invalid_input"};
  JsonArray details;
  const bool cut = problems.size() >= kMaxProblems;
  for (const Problem& problem : problems) {
    if (!error.message.empty()) error.message += "; ";
    error.message += problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
    JsonObject detail{{"path", problem.path}, {"message", problem.message}};
    if (!problem.hint.empty()) {
      detail["hint"] = problem.hint;
      const bool alone = problems.size() == 1 || problem.path.empty();
      if (!error.hint.empty()) error.hint += "; ";
      error.hint += alone ? problem.hint : problem.path + ": " + problem.hint;
    }
    details.push_back(std::move(detail));
  }
  if (cut) error.message += "; further problems are not listed";
  error.details = std::move(details);
  return error;
}

}  // namespace helve::schema
