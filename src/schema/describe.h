// Describes a struct once, without macros: `static constexpr auto schema()` returns object(…) of
// arg<&T::x>(…) and opt<&T::y>(…). The names come from the compiler. Templates here only fill the
// table of schema/type.h.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "schema/type.h"

namespace helve::schema {
namespace detail {

// What the compiler calls `value`: "&GlobInput::pattern", "Mode::fast", or "(Mode)7" when there is
// no such enumerator.
template <auto value>
consteval std::string_view spelled() {
  std::string_view text = __PRETTY_FUNCTION__;
  const size_t start = text.find("value = ") + 8;
  const size_t end = text.find_first_of(";]", start);
  return text.substr(start, end - start);
}

// "&helve::GlobInput::pattern" -> "pattern". A trailing underscore lets a member avoid a keyword:
// case_ -> "case".
template <auto member>
consteval std::string_view member_name() {
  std::string_view text = spelled<member>();
  text.remove_prefix(text.rfind(':') + 1);
  while (text.ends_with(')') || text.ends_with('_')) text.remove_suffix(1);
  return text;
}

template <class E, int value>
consteval std::string_view enumerator_name() {
  std::string_view text = spelled<static_cast<E>(value)>();
  text.remove_prefix(text.find_last_of(":)") + 1);
  if (text.front() >= '0' && text.front() <= '9') return {};
  while (text.ends_with('_')) text.remove_suffix(1);
  return text;
}

template <class E, int count = 0>
consteval int count_enumerators() {
  static_assert(count <= 64, "an enum of a schema has at most 64 enumerators, numbered from 0");
  if constexpr (enumerator_name<E, count>().empty())
    return count;
  else
    return count_enumerators<E, count + 1>();
}

template <class E, int... values>
consteval auto enumerator_names(std::integer_sequence<int, values...>) {
  return std::array<std::string_view, sizeof...(values)>{enumerator_name<E, values>()...};
}
template <class E>
inline constexpr auto kEnumerators =
    enumerator_names<E>(std::make_integer_sequence<int, count_enumerators<E>()>{});

template <class T>
consteval Type describe();

}  // namespace detail

template <size_t count>
struct Object {
  std::string_view description;
  std::array<Field, count> fields;
};

template <class T>
inline constexpr auto kObject = T::schema();

template <class T>
inline constexpr Type kType = detail::describe<T>();

namespace detail {

template <class T>
struct Vector : std::false_type {};
template <class T>
struct Vector<std::vector<T>> : std::true_type {};
template <class T>
struct Map : std::false_type {};
template <class T>
struct Map<std::map<std::string, T>> : std::true_type {};
template <class T>
struct Optional : std::false_type {};
template <class T>
struct Optional<std::optional<T>> : std::true_type {};

template <class T>
consteval Type describe() {
  if constexpr (std::is_same_v<T, bool>) {
    return {.kind = Kind::boolean};
  } else if constexpr (std::is_integral_v<T>) {
    return {.kind = Kind::integer, .bytes = sizeof(T), .is_signed = std::is_signed_v<T>};
  } else if constexpr (std::is_same_v<T, double>) {
    return {.kind = Kind::number};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {.kind = Kind::string};
  } else if constexpr (std::is_same_v<T, Json>) {
    return {.kind = Kind::json};
  } else if constexpr (std::is_enum_v<T>) {
    return {.kind = Kind::enumeration, .bytes = sizeof(T), .names = kEnumerators<T>};
  } else if constexpr (Vector<T>::value) {
    using Item = typename T::value_type;
    return {.kind = Kind::array,
            .inner = &kType<Item>,
            .operations = {
                .append = [](void* v) -> void* { return &static_cast<T*>(v)->emplace_back(); },
                .clear = [](void* v) { static_cast<T*>(v)->clear(); },
                .size = [](const void* v) { return static_cast<const T*>(v)->size(); },
                .element = [](const void* v, size_t i) -> const void* {
                  return &(*static_cast<const T*>(v))[i];
                }}};
  } else if constexpr (Map<T>::value) {
    using Item = typename T::mapped_type;
    return {
        .kind = Kind::map,
        .inner = &kType<Item>,
        .operations = {.clear = [](void* m) { static_cast<T*>(m)->clear(); },
                       .size = [](const void* m) { return static_cast<const T*>(m)->size(); },
                       .insert = [](void* m, std::string key) -> void* {
                         return &(*static_cast<T*>(m))[std::move(key)];
                       },
                       .each =
                           [](const void* m, void (*visit)(void*, std::string_view, const void*),
                              void* state) {
                             for (const auto& [key, item] : *static_cast<const T*>(m))
                               visit(state, key, &item);
                           }}};
  } else if constexpr (Optional<T>::value) {
    using Item = typename T::value_type;
    return {
        .kind = Kind::optional,
        .inner = &kType<Item>,
        .operations = {.emplace = [](void* o) -> void* { return &static_cast<T*>(o)->emplace(); },
                       .inside = [](const void* o) -> const void* {
                         const T& optional = *static_cast<const T*>(o);
                         return optional ? &*optional : nullptr;
                       }}};
  } else {
    return {.kind = Kind::object,
            .description = kObject<T>.description,
            .fields = kObject<T>.fields,
            .operations = {.construct = []() -> void* { return new T(); },
                           .destroy = [](void* v) { delete static_cast<T*>(v); }}};
  }
}

template <class Owner, class Member>
struct MemberOf {
  using Class = Owner;
  using Value = Member;
};
template <class Owner, class Member>
MemberOf<Owner, Member> member_of(Member Owner::*);

template <auto member>
constexpr Field field(std::string_view description) {
  using Of = decltype(member_of(member));
  return {.name = member_name<member>(),
          .description = description,
          .type = &kType<typename Of::Value>,
          .access = [](void* object) -> void* {
            return &(static_cast<typename Of::Class*>(object)->*member);
          }};
}

}  // namespace detail

// Required; positional on the command line.
template <auto member>
constexpr Field arg(std::string_view description) {
  Field field = detail::field<member>(description);
  field.required = true;
  field.place = Place::positional;
  return field;
}

// May be left out: the member's initializer is the default. A flag on the command line.
template <auto member>
constexpr Field opt(std::string_view description) {
  return detail::field<member>(description);
}

template <class... Fields>
constexpr auto object(std::string_view description, Fields... fields) {
  return Object<sizeof...(Fields)>{description, {fields...}};
}

// The fields of a struct and of the one that it inherits first.
template <size_t own, size_t inherited>
constexpr auto joined(const Object<own>& object, const Object<inherited>& base) {
  Object<own + inherited> all{object.description, {}};
  for (size_t i = 0; i < own; ++i) all.fields[i] = object.fields[i];
  for (size_t i = 0; i < inherited; ++i) all.fields[own + i] = base.fields[i];
  return all;
}

}  // namespace helve::schema
