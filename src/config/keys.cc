#include "config/keys.h"

#include <fmt/format.h>

#include "base/text.h"
#include "config/config.h"
#include "schema/schema.h"

namespace helve::config {
namespace {

using schema::Field;
using schema::Kind;
using schema::Type;

const Type& inner_type(const Type& type) {
  return type.kind == Kind::optional ? inner_type(*type.inner) : type;
}

void visit_fields(const Type& object, const std::string& prefix, const VisitKey& visit) {
  for (const Field& field : object.fields) {
    const std::string path = prefix + std::string(field.name);
    const Type& type = inner_type(*field.type);
    if (type.kind == Kind::object)
      visit_fields(type, path + ".", visit);
    else
      visit(path, field);
  }
}

std::string type_text(const Type& outer) {
  const Type& type = inner_type(outer);
  switch (type.kind) {
    case Kind::boolean:
      return "true|false";
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
    case Kind::string:
      return "text";
    case Kind::enumeration:
      return fmt::format("{}", fmt::join(type.names, "|"));
    case Kind::array:
      return "list of " + type_text(*type.inner);
    case Kind::json:
      return "text or list of text";
    case Kind::object:
    case Kind::map:
      return "mapping";
    case Kind::optional:
      break;
  }
  return "";
}

std::string default_text(const Json& defaults, std::string_view path) {
  const Json* value = &defaults;
  for (std::string_view part : split(path, '.')) {
    value = find(*value, part);
    if (!value) return "";
  }
  if (const auto* text = value->if_string(); text && !text->empty()) return std::string(*text);
  return to_text(*value);
}

}  // namespace

void visit_keys(const VisitKey& visit) { visit_fields(schema::kType<Settings>, "", visit); }

std::string variable_of(std::string_view path) {
  std::string name = "HELVE_";
  for (char c : path)
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::vector<Key> keys() {
  const Result<Json> defaults = parse_json(schema::encode(Settings{}));
  std::vector<Key> keys;
  visit_keys([&](const std::string& path, const Field& field) {
    keys.push_back({path, type_text(*field.type), defaults ? default_text(*defaults, path) : "",
                    std::string(field.description), variable_of(path)});
    const Type& type = inner_type(*field.type);
    if (type.kind != Kind::array || type.inner->kind != Kind::object) return;
    visit_fields(*type.inner, path + "[].", [&](const std::string& below, const Field& inner) {
      keys.push_back({below, type_text(*inner.type), "", std::string(inner.description), ""});
    });
  });
  return keys;
}

}  // namespace helve::config
