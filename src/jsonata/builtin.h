// The functions that every expression knows, such as $sum, under their names.
#pragma once

#include <span>
#include <string_view>

#include "jsonata/fallible.h"
#include "jsonata/signature.h"

namespace helve::jsonata {

class Evaluator;
struct Frame;

// Where a function is called: $eval reads the context and the variables there.
struct CallSite {
  Value input;
  Frame* frame = nullptr;
};

// Takes as many arguments as its signature has parameters, of the types that it says.
using Implementation = Outcome (*)(Evaluator&, std::span<const Value> arguments, const CallSite&);

struct Builtin {
  std::string_view name;
  Signature signature;
  std::uint8_t arity;       // how many arguments a higher-order function passes to it
  std::uint8_t parameters;  // how many it can be partially applied to
  Implementation run;
};

std::span<const Builtin> builtins();
// Its number, or -1.
int find_builtin(std::string_view name);

// Grouped by what they work on; each in the file of its group.
namespace builtin {

#define HELVE_JSONATA_BUILTIN(name) \
  Outcome name(Evaluator& evaluator, std::span<const Value> arguments, const CallSite& site)

// functions_number.cc
HELVE_JSONATA_BUILTIN(sum);
HELVE_JSONATA_BUILTIN(max);
HELVE_JSONATA_BUILTIN(min);
HELVE_JSONATA_BUILTIN(average);
HELVE_JSONATA_BUILTIN(number);
HELVE_JSONATA_BUILTIN(floor);
HELVE_JSONATA_BUILTIN(ceil);
HELVE_JSONATA_BUILTIN(round);
HELVE_JSONATA_BUILTIN(abs);
HELVE_JSONATA_BUILTIN(sqrt);
HELVE_JSONATA_BUILTIN(power);
HELVE_JSONATA_BUILTIN(random);
HELVE_JSONATA_BUILTIN(format_base);
HELVE_JSONATA_BUILTIN(format_number);
HELVE_JSONATA_BUILTIN(format_integer);
HELVE_JSONATA_BUILTIN(parse_integer);
// functions_string.cc
HELVE_JSONATA_BUILTIN(string);
HELVE_JSONATA_BUILTIN(substring);
HELVE_JSONATA_BUILTIN(substring_before);
HELVE_JSONATA_BUILTIN(substring_after);
HELVE_JSONATA_BUILTIN(lowercase);
HELVE_JSONATA_BUILTIN(uppercase);
HELVE_JSONATA_BUILTIN(length);
HELVE_JSONATA_BUILTIN(trim);
HELVE_JSONATA_BUILTIN(pad);
HELVE_JSONATA_BUILTIN(join);
// functions_match.cc
HELVE_JSONATA_BUILTIN(match);
HELVE_JSONATA_BUILTIN(contains);
HELVE_JSONATA_BUILTIN(replace);
HELVE_JSONATA_BUILTIN(split);
// functions_encoding.cc
HELVE_JSONATA_BUILTIN(base64_encode);
HELVE_JSONATA_BUILTIN(base64_decode);
HELVE_JSONATA_BUILTIN(encode_url_component);
HELVE_JSONATA_BUILTIN(encode_url);
HELVE_JSONATA_BUILTIN(decode_url_component);
HELVE_JSONATA_BUILTIN(decode_url);
// functions_array.cc
HELVE_JSONATA_BUILTIN(count);
HELVE_JSONATA_BUILTIN(append);
HELVE_JSONATA_BUILTIN(reverse);
HELVE_JSONATA_BUILTIN(sort);
HELVE_JSONATA_BUILTIN(shuffle);
HELVE_JSONATA_BUILTIN(distinct);
HELVE_JSONATA_BUILTIN(zip);
// functions_object.cc
HELVE_JSONATA_BUILTIN(keys);
HELVE_JSONATA_BUILTIN(lookup);
HELVE_JSONATA_BUILTIN(spread);
HELVE_JSONATA_BUILTIN(merge);
HELVE_JSONATA_BUILTIN(clone);
HELVE_JSONATA_BUILTIN(boolean);
HELVE_JSONATA_BUILTIN(logical_not);
HELVE_JSONATA_BUILTIN(exists);
HELVE_JSONATA_BUILTIN(type);
HELVE_JSONATA_BUILTIN(error);
HELVE_JSONATA_BUILTIN(assertion);
HELVE_JSONATA_BUILTIN(eval);
// functions_higher.cc
HELVE_JSONATA_BUILTIN(map);
HELVE_JSONATA_BUILTIN(filter);
HELVE_JSONATA_BUILTIN(single);
HELVE_JSONATA_BUILTIN(reduce);
HELVE_JSONATA_BUILTIN(each);
HELVE_JSONATA_BUILTIN(sift);
// functions_time.cc
HELVE_JSONATA_BUILTIN(now);
HELVE_JSONATA_BUILTIN(millis);
HELVE_JSONATA_BUILTIN(to_millis);
HELVE_JSONATA_BUILTIN(from_millis);

#undef HELVE_JSONATA_BUILTIN

}  // namespace builtin

}  // namespace helve::jsonata
