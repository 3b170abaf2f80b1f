#include "jsonata/date_picture.h"

#include <algorithm>
#include <cmath>

#include "jsonata/calendar.h"
#include "jsonata/letter_case.h"
#include "jsonata/number_text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

using Casing = IntegerPicture::Casing;

constexpr std::string_view kDays[] = {"",         "Monday", "Tuesday",  "Wednesday",
                                      "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

bool is_in(char c, std::string_view set) { return c != 0 && set.find(c) != set.npos; }

std::string_view default_presentation(char component) {
  if (is_in(component, "YMDdWwXxHhf")) return "1";
  if (is_in(component, "FPCE")) return "n";
  if (is_in(component, "ms")) return "01";
  if (is_in(component, "Zz")) return "01:01";
  return {};
}

// As parseInt; nothing when there are no digits.
std::optional<double> leading_integer(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end == 0) return std::nullopt;
  const double number = read_decimal(text.substr(0, end));
  return negative ? -number : number;
}

std::string cased(std::string_view text, Casing casing) {
  if (casing == Casing::upper) return upper_case(text);
  return casing == Casing::lower ? lower_case(text) : std::string(text);
}

}  // namespace

// Reads a picture into its parts.
class PictureReader {
 public:
  PictureReader(std::string_view picture, PictureFault& fault) : picture_(picture), fault_(fault) {}

  bool read(DatePicture& out) {
    size_t start = 0, at = 0;
    while (at < picture_.size()) {
      if (picture_[at] != '[') {
        ++at;
        continue;
      }
      add_literal(out, start, at);
      if (picture_.substr(at + 1).starts_with('[')) {
        out.parts_.push_back({.literal = "["});
        start = at += 2;
        continue;
      }
      const size_t end = picture_.find(']', at);
      if (end == picture_.npos) return fail("D3135", "");
      if (!read_marker(out, picture_.substr(at + 1, end - at - 1))) return false;
      start = at = end + 1;
    }
    add_literal(out, start, at);
    return true;
  }

 private:
  bool fail(std::string_view code, std::string value) {
    fault_ = {code, std::move(value)};
    return false;
  }

  void add_literal(DatePicture& out, size_t start, size_t end) {
    if (end <= start) return;
    std::string literal(picture_.substr(start, end - start));
    for (size_t at = 0; (at = literal.find("]]", at)) != literal.npos; ++at) literal.erase(at, 1);
    out.parts_.push_back({.literal = std::move(literal)});
  }

  bool read_marker(DatePicture& out, std::string_view marked) {
    std::string marker;
    for (const char c : marked)
      if (!is_in(c, " \t\n\r\v\f")) marker += c;
    DatePart part;
    part.component = marker.empty() ? '\0' : marker[0];
    std::string modifiers = marker.empty() ? "" : marker.substr(1);
    if (const size_t comma = marker.rfind(','); comma != marker.npos) {
      read_width(part, std::string_view(marker).substr(comma + 1));
      modifiers = comma == 0 ? "" : marker.substr(1, comma - 1);
    }
    if (modifiers.size() > 1 && is_in(modifiers.back(), "atco")) {
      part.modifier = modifiers.back();
      modifiers.pop_back();
    }
    part.presentation =
        modifiers.empty() ? std::string(default_presentation(part.component)) : modifiers;
    if (part.presentation.empty())
      return fail("D3132", part.component ? std::string(1, part.component) : "");
    if (!read_presentation(out, part)) return false;
    out.parts_.push_back(std::move(part));
    return true;
  }

  static void read_width(DatePart& part, std::string_view width) {
    part.has_width = true;
    const size_t dash = width.find('-');
    const auto read = [](std::string_view text) {
      return text == "*" ? std::optional<double>() : leading_integer(text);
    };
    part.least_width = read(width.substr(0, dash));
    if (dash != width.npos) part.most_width = read(width.substr(dash + 1));
  }

  bool read_integer(DatePart& part, const std::string& picture) {
    std::string_view code;
    part.integer = IntegerPicture::read(picture, code);
    return code.empty() || fail(code, "");
  }

  bool read_presentation(DatePicture& out, DatePart& part) {
    if (part.presentation[0] == 'n' || part.presentation[0] == 'N') {
      part.has_names = true;
      if (part.presentation[0] == 'N')
        part.names = part.presentation.substr(1).starts_with('n') ? Casing::title : Casing::upper;
    } else if (is_in(part.component, "YMDdFWwXxHhmsf")) {
      const std::string modifier = part.modifier ? std::string(";") + part.modifier : "";
      if (!read_integer(part, part.presentation + modifier)) return false;
      IntegerPicture& integer = *part.integer;
      const auto digits = [](double width) {
        constexpr double kMostDigits = 1000;
        return static_cast<size_t>(std::clamp(width, 0.0, kMostDigits));
      };
      // Only digits are filled up; letters, numerals and words have no width.
      if (part.least_width && integer.style == IntegerPicture::Style::decimal)
        integer.least_digits = std::max(integer.least_digits, digits(*part.least_width));
      if (part.component == 'Y') {
        if (part.most_width) {
          part.year_digits = *part.most_width;
          integer.least_digits = digits(*part.most_width);
        } else if (integer.least_digits + integer.optional_digits >= 2) {
          part.year_digits = static_cast<double>(integer.least_digits + integer.optional_digits);
        }
      }
      // Numbers that stand side by side have a fixed width when they are read.
      if (!out.parts_.empty() && out.parts_.back().integer)
        out.parts_.back().integer->parse_width = out.parts_.back().integer->least_digits;
    }
    if (is_in(part.component, "Zz")) return read_integer(part, part.presentation);
    return true;
  }

  std::string_view picture_;
  PictureFault& fault_;
};

std::optional<DatePicture> DatePicture::read(std::string_view picture, PictureFault& fault) {
  DatePicture result;
  if (picture.size() > kMaxBytes) {
    fault = {"D3135", ""};
    return std::nullopt;
  }
  if (!PictureReader(picture, fault).read(result)) return std::nullopt;
  return result;
}

std::optional<std::string> DatePicture::format_part(const DatePart& part, double local,
                                                    double hours, double minutes,
                                                    PictureFault& fault) const {
  std::string_view code;
  const auto written = [&](double value) {
    std::string text = part.integer->format(value, code);
    if (!code.empty()) fault = {code, part.integer->token};
    return code.empty() ? std::optional(text) : std::nullopt;
  };
  if (is_in(part.component, "YMDdFWwXxHhms")) {
    double value = component_of(local, part.component);
    if (part.component == 'Y' && part.year_digits >= 0)
      value = std::fmod(value, std::pow(10, part.year_digits));
    if (!part.has_names) return written(value);
    std::string name;
    if (std::isfinite(value) && (part.component == 'M' || part.component == 'x')) {
      name = kMonths[static_cast<size_t>(value) - 1];
    } else if (std::isfinite(value) && part.component == 'F') {
      name = kDays[static_cast<size_t>(value)];
    } else {
      fault = {"D3133", std::string(1, part.component)};
      return std::nullopt;
    }
    name = cased(name, part.names);
    if (part.most_width && static_cast<double>(name.size()) > *part.most_width)
      name.resize(static_cast<size_t>(std::max(*part.most_width, 0.0)));
    return name;
  }
  if (part.component == 'f') return part.integer ? written(component_of(local, 'f')) : std::nullopt;
  if (is_in(part.component, "Zz")) {
    const double offset = hours * 100 + minutes;
    std::optional<std::string> text;
    const size_t digits = part.integer->least_digits;
    if (part.integer->regular > 0 || digits == 3 || digits == 4) {
      text = written(offset);
    } else if (digits == 1 || digits == 2) {
      text = written(hours);
      if (text && minutes != 0) {
        std::string_view none;
        *text += ":" + IntegerPicture::read("00", none).format(minutes, none);
      }
    } else {
      fault = {"D3134", std::to_string(digits)};
      return std::nullopt;
    }
    if (!text) return std::nullopt;
    if (offset >= 0) text->insert(0, "+");
    if (part.component == 'z') text->insert(0, "GMT");
    return offset == 0 && part.modifier == 't' ? "Z" : *text;
  }
  if (part.component == 'P') {
    const std::string_view half = component_of(local, 'P') == 1 ? "pm" : "am";
    return part.names == Casing::upper && part.has_names ? upper_case(half) : std::string(half);
  }
  if (is_in(part.component, "CE")) return "ISO";
  return "undefined";
}

std::optional<std::string> DatePicture::format(double millis, std::string_view timezone,
                                               PictureFault& fault) const {
  double hours = 0, minutes = 0;
  if (!timezone.empty()) {
    const double offset = leading_integer(timezone).value_or(NAN);
    hours = std::floor(offset / 100);
    minutes = std::fmod(offset, 100);
  }
  const double local = millis + (60 * hours + minutes) * 60'000;
  std::string out;
  for (const DatePart& part : parts_) {
    if (part.component == 0) {
      out += part.literal;
      continue;
    }
    const auto text = format_part(part, local, hours, minutes, fault);
    if (!text) return std::nullopt;
    out += *text;
  }
  return out;
}

}  // namespace helve::jsonata
