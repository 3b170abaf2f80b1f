#include "jsonata/builtin.h"

#include <algorithm>

namespace helve::jsonata {
namespace {

using namespace std::string_view_literals;

// Built by the compiler: nothing is read or set up when an expression runs.
constexpr Builtin kBuiltins[] = {
    {"sum", Signature("<a<n>:n>"), 1, 1, builtin::sum},
    {"count", Signature("<a:n>"), 1, 1, builtin::count},
    {"max", Signature("<a<n>:n>"), 1, 1, builtin::max},
    {"min", Signature("<a<n>:n>"), 1, 1, builtin::min},
    {"average", Signature("<a<n>:n>"), 1, 1, builtin::average},
    {"string", Signature("<x-b?:s>"), 1, 2, builtin::string},
    {"substring", Signature("<s-nn?:s>"), 3, 3, builtin::substring},
    {"substringBefore", Signature("<s-s:s>"), 2, 2, builtin::substring_before},
    {"substringAfter", Signature("<s-s:s>"), 2, 2, builtin::substring_after},
    {"lowercase", Signature("<s-:s>"), 1, 1, builtin::lowercase},
    {"uppercase", Signature("<s-:s>"), 1, 1, builtin::uppercase},
    {"length", Signature("<s-:n>"), 1, 1, builtin::length},
    {"trim", Signature("<s-:s>"), 1, 1, builtin::trim},
    {"pad", Signature("<s-ns?:s>"), 3, 3, builtin::pad},
    {"match", Signature("<s-f<s:o>n?:a<o>>"), 3, 3, builtin::match},
    {"contains", Signature("<s-(sf):b>"), 2, 2, builtin::contains},
    {"replace", Signature("<s-(sf)(sf)n?:s>"), 4, 4, builtin::replace},
    {"split", Signature("<s-(sf)n?:a<s>>"), 3, 3, builtin::split},
    {"join", Signature("<a<s>s?:s>"), 2, 2, builtin::join},
    {"formatNumber", Signature("<n-so?:s>"), 3, 3, builtin::format_number},
    {"formatBase", Signature("<n-n?:s>"), 2, 2, builtin::format_base},
    {"formatInteger", Signature("<n-s:s>"), 2, 2, builtin::format_integer},
    {"parseInteger", Signature("<s-s:n>"), 2, 2, builtin::parse_integer},
    {"number", Signature("<(nsb)-:n>"), 1, 1, builtin::number},
    {"floor", Signature("<n-:n>"), 1, 1, builtin::floor},
    {"ceil", Signature("<n-:n>"), 1, 1, builtin::ceil},
    {"round", Signature("<n-n?:n>"), 2, 2, builtin::round},
    {"abs", Signature("<n-:n>"), 1, 1, builtin::abs},
    {"sqrt", Signature("<n-:n>"), 1, 1, builtin::sqrt},
    {"power", Signature("<n-n:n>"), 2, 2, builtin::power},
    {"random", Signature("<:n>"), 0, 1, builtin::random},
    {"boolean", Signature("<x-:b>"), 1, 1, builtin::boolean},
    {"not", Signature("<x-:b>"), 1, 1, builtin::logical_not},
    {"map", Signature("<af>"), 2, 2, builtin::map},
    {"zip", Signature("<a+>"), 0, 1, builtin::zip},
    {"filter", Signature("<af>"), 2, 2, builtin::filter},
    {"single", Signature("<af?>"), 2, 2, builtin::single},
    {"reduce", Signature("<afj?:j>"), 3, 3, builtin::reduce},
    {"sift", Signature("<o-f?:o>"), 2, 2, builtin::sift},
    {"keys", Signature("<x-:a<s>>"), 1, 1, builtin::keys},
    {"lookup", Signature("<x-s:x>"), 2, 2, builtin::lookup},
    {"append", Signature("<xx:a>"), 2, 2, builtin::append},
    {"exists", Signature("<x:b>"), 1, 1, builtin::exists},
    {"spread", Signature("<x-:a<o>>"), 1, 1, builtin::spread},
    {"merge", Signature("<a<o>:o>"), 1, 1, builtin::merge},
    {"reverse", Signature("<a:a>"), 1, 1, builtin::reverse},
    {"each", Signature("<o-f:a>"), 2, 2, builtin::each},
    {"error", Signature("<s?:x>"), 1, 1, builtin::error},
    {"assert", Signature("<bs?:x>"), 2, 2, builtin::assertion},
    {"type", Signature("<x:s>"), 1, 1, builtin::type},
    {"sort", Signature("<af?:a>"), 2, 2, builtin::sort},
    {"shuffle", Signature("<a:a>"), 1, 1, builtin::shuffle},
    {"distinct", Signature("<x:x>"), 1, 1, builtin::distinct},
    {"base64encode", Signature("<s-:s>"), 1, 1, builtin::base64_encode},
    {"base64decode", Signature("<s-:s>"), 1, 1, builtin::base64_decode},
    {"encodeUrlComponent", Signature("<s-:s>"), 1, 1, builtin::encode_url_component},
    {"encodeUrl", Signature("<s-:s>"), 1, 1, builtin::encode_url},
    {"decodeUrlComponent", Signature("<s-:s>"), 1, 1, builtin::decode_url_component},
    {"decodeUrl", Signature("<s-:s>"), 1, 1, builtin::decode_url},
    {"eval", Signature("<sx?:x>"), 2, 2, builtin::eval},
    {"toMillis", Signature("<s-s?:n>"), 2, 2, builtin::to_millis},
    {"fromMillis", Signature("<n-s?s?:s>"), 3, 3, builtin::from_millis},
    {"clone", Signature("<(oa)-:o>"), 1, 1, builtin::clone},
    {"now", Signature("<s?s?:s>"), 2, 2, builtin::now},
    {"millis", Signature("<:n>"), 0, 1, builtin::millis},
};

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

int find_builtin(std::string_view name) {
  const auto* const found = std::ranges::find(kBuiltins, name, &Builtin::name);
  return found == std::end(kBuiltins) ? -1 : static_cast<int>(found - kBuiltins);
}

}  // namespace helve::jsonata
