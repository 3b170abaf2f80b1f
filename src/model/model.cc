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

}  // namespace helve::model
