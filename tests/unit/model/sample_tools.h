// The tools that the golden files of the formats are made from: every kind of field, and every rule
// a field can have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/formats.h"
#include "schema/schema.h"

namespace helve::model {

using schema::arg;
using schema::object;
using schema::opt;

struct Nothing {
  static constexpr auto schema() { return object("Takes nothing."); }
};

enum class Color { red, green, blue };

struct Scalars {
  std::string text;
  std::int64_t count = 10;
  std::uint32_t size = 0;
  double ratio = 0.5;
  bool loud = false;
  Color color = Color::red;
  std::optional<std::string> maybe;
  std::string code;
  std::int64_t page = 1;

  static constexpr auto schema() {
    return object(
        "All kinds of simple values.", arg<&Scalars::text>("Any text"),
        opt<&Scalars::count>("How many").min(1).max(100), opt<&Scalars::size>("Never below zero"),
        opt<&Scalars::ratio>("A fraction").min_number(0).max_number(1),
        opt<&Scalars::loud>("Whether to shout"), opt<&Scalars::color>("One of three"),
        opt<&Scalars::maybe>("May be left out").min_length(1).max_length(80),
        arg<&Scalars::code>("A code").pattern("^[A-Z]{3}$"), opt<&Scalars::page>("").min(1));
  }
};

struct Point {
  double x = 0;
  double y = 0;
  std::optional<std::string> label;

  static constexpr auto schema() {
    return object("A point.", arg<&Point::x>("To the right"), arg<&Point::y>("Upwards"),
                  opt<&Point::label>("Its name"));
  }
};

struct Shape {
  Point center;
  std::vector<Point> corners;
  std::vector<std::string> tags;
  std::optional<Point> origin;

  static constexpr auto schema() {
    return object("Objects and lists inside.", arg<&Shape::center>("Its middle"),
                  arg<&Shape::corners>("In order").min_length(3).max_length(9),
                  opt<&Shape::tags>("Words"), opt<&Shape::origin>("Where it began"));
  }
};

struct Environment {
  std::string command;
  std::map<std::string, std::string> env;

  static constexpr auto schema() {
    return object("Has a map.", arg<&Environment::command>("To run"),
                  opt<&Environment::env>("Variables"));
  }
};

struct Anything {
  Json value;

  static constexpr auto schema() {
    return object("Takes any JSON.", arg<&Anything::value>("Any JSON at all"));
  }
};

template <class Input>
Offer offer(std::string name) {
  return {std::move(name), std::string(schema::kType<Input>.description),
          schema::json_schema(schema::kType<Input>)};
}

inline std::vector<Offer> sample_offers() {
  return {offer<Nothing>("nothing"), offer<Scalars>("scalars"), offer<Shape>("shape"),
          offer<Environment>("environment"), offer<Anything>("anything")};
}

}  // namespace helve::model
