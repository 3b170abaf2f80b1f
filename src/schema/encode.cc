#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "schema/bounds.h"
#include "schema/schema.h"
#include "schema/value.h"

namespace helve::schema {
namespace {

template <class Integer>
void append_integer(std::string& out, Integer value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

struct MapWriter {
  const Type& inner;
  std::string& out;
  bool first = true;
  static void entry(void* state, std::string_view key, const void* value) {
    auto& self = *static_cast<MapWriter*>(state);
    if (!std::exchange(self.first, false)) self.out += ',';
    append_json_string(self.out, key);
    self.out += ':';
    encode(self.inner, value, self.out);
  }
};

// Where a value stands. Written out only when something is wrong there, which is never on the path
// of a good call.
struct Path {
  const Path* up = nullptr;
  std::string_view name = {};  // empty: an item of a list
  size_t index = 0;

  std::string text() const {
    std::string above = up ? up->text() : "";
    if (name.empty()) return up ? fmt::format("{}[{}]", above, index) : above;
    return above.empty() ? std::string(name) : above + "." + std::string(name);
  }
};

class Checker {
 public:
  explicit Checker(std::vector<Problem>& problems) : problems_(problems) {}

  void check(const Type& type, const Field* field, const void* value, const Path& path) {
    switch (type.kind) {
      case Kind::integer:
        return check_integer(type, field, value, path);
      case Kind::number:
        if (!std::isfinite(*static_cast<const double*>(value)))
          return report(path, "is no number that JSON can hold");
        return report(path, broken_bounds(field, *static_cast<const double*>(value)));
      case Kind::string:
        return report(path, broken_text_rule(field, *static_cast<const std::string*>(value)));
      case Kind::enumeration:
        if (load_bits(type, value) >= type.names.size()) report(path, "is no enumerator");
        return;
      case Kind::object:
        for (const Field& member : type.fields)
          check(*member.type, &member, member.access(const_cast<void*>(value)),
                {&path, member.name});
        return;
      case Kind::array: {
        const size_t count = type.operations.size(value);
        report(path, broken_count_rule(field, count, "items"));
        if (type.inner->kind == Kind::string || type.inner->kind == Kind::boolean)
          return;  // items have no rules of their own
        for (size_t i = 0; i < count; ++i)
          check(*type.inner, nullptr, type.operations.element(value, i), {&path, {}, i});
        return;
      }
      case Kind::map: {
        report(path, broken_count_rule(field, type.operations.size(value), "entries"));
        MapVisit visit{*this, *type.inner, path};
        return type.operations.each(value, &MapVisit::entry, &visit);
      }
      case Kind::optional:
        if (const void* inside = type.operations.inside(value))
          return check(*type.inner, field, inside, path);
        if (!field || field->required)
          report(path, "required, but missing");  // in a list there is no leaving out
        return;
      case Kind::boolean:
      case Kind::json:
        return;
    }
  }

 private:
  struct MapVisit {
    Checker& checker;
    const Type& inner;
    const Path& path;
    static void entry(void* state, std::string_view key, const void* value) {
      auto& self = *static_cast<MapVisit*>(state);
      self.checker.check(self.inner, nullptr, value, {&self.path, key});
    }
  };

  void check_integer(const Type& type, const Field* field, const void* value, const Path& path) {
    const std::uint64_t bits = load_bits(type, value);
    if (type.is_signed)
      report(path, broken_bounds(field, load_signed(type, value)));
    else if (bits <= INT64_MAX)
      report(path, broken_bounds(field, static_cast<std::int64_t>(bits)));
    else
      report(path, broken_bounds(field, bits));
  }
  void report(const Path& path, std::optional<std::string> rule) {
    if (rule) problems_.push_back({path.text(), std::move(*rule), ""});
  }
  std::vector<Problem>& problems_;
};

}  // namespace

void encode(const Type& type, const void* value, std::string& out) {
  switch (type.kind) {
    case Kind::boolean:
      out += *static_cast<const bool*>(value) ? "true" : "false";
      return;
    case Kind::integer:
      if (type.is_signed)
        append_integer(out, load_signed(type, value));
      else
        append_integer(out, load_bits(type, value));
      return;
    case Kind::number:
      append_json_number(out, *static_cast<const double*>(value));
      return;
    case Kind::string:
      append_json_string(out, *static_cast<const std::string*>(value));
      return;
    case Kind::enumeration: {
      const auto index = load_bits(type, value);
      append_json_string(out,
                         index < type.names.size() ? type.names[index] : std::string_view("?"));
      return;
    }
    case Kind::object: {
      out += '{';
      for (bool first = true; const Field& field : type.fields) {
        const void* member = field.access(const_cast<void*>(value));
        if (field.type->kind == Kind::optional && !field.type->operations.inside(member)) continue;
        if (!std::exchange(first, false)) out += ',';
        out.append(1, '"').append(field.name).append("\":");  // names are identifiers
        encode(*field.type, member, out);
      }
      out += '}';
      return;
    }
    case Kind::array: {
      out += '[';
      for (size_t i = 0, count = type.operations.size(value); i < count; ++i) {
        if (i > 0) out += ',';
        encode(*type.inner, type.operations.element(value, i), out);
      }
      out += ']';
      return;
    }
    case Kind::map: {
      out += '{';
      MapWriter writer{*type.inner, out};
      type.operations.each(value, &MapWriter::entry, &writer);
      out += '}';
      return;
    }
    case Kind::json:
      append_json(out, *static_cast<const Json*>(value));
      return;
    case Kind::optional:
      if (const void* inside = type.operations.inside(value))
        encode(*type.inner, inside, out);
      else
        out += "null";
      return;
  }
}

void check(const Type& type, const void* value, std::vector<Problem>& problems) {
  Checker(problems).check(type, nullptr, value, {});
}

std::string encode_defaults(const Type& type) {
  std::string out;
  void* const value = type.operations.construct();
  encode(type, value, out);
  type.operations.destroy(value);
  return out;
}

}  // namespace helve::schema
