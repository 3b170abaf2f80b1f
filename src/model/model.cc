#include "model/model.h"

namespace helve::model {

std::string_view name_of(Stop stop) {
  switch (stop) {
    case Stop::end:
      return "end";
    case Stop::calls:
      return "calls";
    case Stop::length:
      return "length";
    case Stop::refusal:
      return "refusal";
  }
  return "";
}

std::optional<Stop> find_stop(std::string_view name) {
  for (const Stop stop : {Stop::end, Stop::calls, Stop::length, Stop::refusal})
    if (name_of(stop) == name) return stop;
  return std::nullopt;
}

}  // namespace helve::model
