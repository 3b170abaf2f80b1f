// Reading times, by a picture or as ISO 8601.
#include <algorithm>
#include <cmath>
#include <map>

#include "jsonata/calendar.h"
#include "jsonata/date_picture.h"
#include "jsonata/number_text.h"
#include "jsonata/regex.h"

namespace helve::jsonata {
namespace {

constexpr std::uint64_t kMaxSteps = 1'000'000;  // of the matcher
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday"};

bool is_in(char c, std::string_view set) { return c != 0 && set.find(c) != set.npos; }

std::string escaped(std::string_view literal) {
  std::string out;
  for (const char c : literal) {
    if (is_in(c, ".*+?^${}()|[]\\")) out += '\\';
    out += c;
  }
  return out;
}

double whole(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const double number = read_decimal(digits);
  return negative ? -number : number;
}

std::string separator_of(const DatePart& part) {
  if (part.integer->regular == 0) return "";
  return std::string(1, static_cast<char>(part.integer->separators[0].character));
}

std::string expression_of(const DatePart& part, PictureFault& fault) {
  if (part.component == 0) return escaped(part.literal);
  if (is_in(part.component, "Zz")) {
    const std::string separator = separator_of(part);
    return (part.component == 'z' ? "GMT" : "") + std::string("[-+][0-9]+") +
           (separator.empty() ? "" : escaped(separator) + "[0-9]+");
  }
  if (part.component == 'f') return "[0-9]+";
  if (part.integer) {
    std::string_view code;
    std::string expression = part.integer->expression(code);
    if (!code.empty()) fault = {code, part.integer->token};
    return expression;
  }
  if (!is_in(part.component, "MxFP")) fault = {"D3133", std::string(1, part.component)};
  return "[a-zA-Z]+";
}

double timezone_minutes(const DatePart& part, std::string_view text) {
  if (part.component == 'z') text.remove_prefix(3);
  if (const std::string separator = separator_of(part); !separator.empty()) {
    const size_t at = text.find(separator);
    return whole(text.substr(0, at)) * 60 + whole(text.substr(at + 1));
  }
  if (text.size() <= 3) return whole(text) * 60;
  return whole(text.substr(0, 3)) * 60 + whole(text.substr(3));
}

std::optional<double> index_of_name(std::span<const std::string_view> names, std::string_view text,
                                    const DatePart& part) {
  const size_t width = part.most_width && *part.most_width > 0
                           ? static_cast<size_t>(*part.most_width)
                           : std::string_view::npos;
  // Of those that begin in the same way the last one counts.
  for (size_t i = names.size(); i-- > 0;)
    if (names[i].substr(0, width) == text) return static_cast<double>(i + 1);
  return std::nullopt;
}

std::optional<double> value_of(const DatePart& part, std::string_view text) {
  if (is_in(part.component, "Zz")) return timezone_minutes(part, text);
  if (part.component == 'f') return read_decimal("0." + std::string(text.substr(0, 3))) * 1000;
  if (part.integer) {
    std::string_view code;
    return part.integer->parse(text, code);
  }
  if (is_in(part.component, "Mx")) return index_of_name(kMonths, text, part);
  if (part.component == 'F') return index_of_name(kDays, text, part);
  if (text == "am" || text == "AM") return 0;
  if (text == "pm" || text == "PM") return 1;
  return std::nullopt;
}

// The components that were read, and the time that they make.
class Components {
 public:
  explicit Components(double now) : now_(now) {}
  void set(char component, std::optional<double> value) {
    any_ = true;
    values_.erase(component);
    if (value) values_[component] = *value;
  }
  bool any() const { return any_; }

  std::optional<double> time(PictureFault& fault) {
    const unsigned date = bits("YXMxWwdD"), clock = bits("PHhmsf");
    const bool by_month = fits(date, 0b10100001);
    const bool by_day = !by_month && fits(date, 0b10000010);
    const bool by_week = fits(date, 0b01010100) || fits(date, 0b01001000);
    const bool halves = !fits(clock, 0b010111) && fits(clock, 0b101111);
    const std::string order = std::string(by_day                   ? "YD"
                                          : fits(date, 0b01010100) ? "XxwF"
                                          : by_week                ? "XWF"
                                                                   : "YMD") +
                              (halves ? "Phmsf" : "Hmsf");
    if (!fill(order) || by_week) {
      fault = {"D3136", ""};
      return std::nullopt;
    }
    double& month = values_['M'];
    month = month > 0 ? month - 1 : 0;
    if (by_day) {
      const DateParts parts = parts_of(time_of(values_['Y'], 0) + (values_['d'] - 1) * 86'400'000);
      month = parts.month;
      values_['D'] = parts.day;
    }
    if (halves) {
      values_['H'] = values_['h'] == 12 ? 0 : values_['h'];
      if (values_['P'] == 1) values_['H'] += 12;
    }
    const double time = time_of(values_['Y'], month, values_['D'], values_['H'], values_['m'],
                                values_['s'], values_['f']);
    const double zone = counts(values_['Z']) ? values_['Z'] : values_['z'];
    return counts(zone) ? time - zone * 60'000 : time;
  }

 private:
  // What could not be read is as if it had not been there.
  static bool counts(double value) { return value != 0 && !std::isnan(value); }
  unsigned bits(std::string_view components) const {
    unsigned set = 0;
    for (const char component : components) {
      const auto value = values_.find(component);
      set = set << 1 | (value != values_.end() && counts(value->second) ? 1 : 0);
    }
    return set;
  }
  // Nothing besides the components of the combination, and at least one of them.
  static bool fits(unsigned set, unsigned combination) {
    return (set & ~combination) == 0 && (set & combination) != 0;
  }
  // What is larger than all that was given is taken from now, what is smaller is zero; there must
  // be no gap.
  bool fill(std::string_view order) {
    bool begun = false, ended = false;
    for (const char component : order) {
      if (values_.contains(component)) {
        begun = true;
        if (ended) return false;
      } else if (begun) {
        values_[component] = is_in(component, "MDd") ? 1 : 0;
        ended = true;
      } else {
        // Half a day that is not named is the first.
        values_[component] = component == 'P' ? 0 : component_of(now_, component);
      }
    }
    return true;
  }

  double now_;
  bool any_ = false;
  std::map<char, double> values_;
};

}  // namespace

std::optional<double> DatePicture::parse(std::string_view text, double now,
                                         PictureFault& fault) const {
  std::string expression = "^";
  for (const DatePart& part : parts_) {
    expression += "(" + expression_of(part, fault) + ")";
    if (!fault.code.empty()) return std::nullopt;
  }
  std::string why;
  const auto regex = Regex::compile(expression + "$", "i", why);
  Regex::Found found;
  std::uint64_t steps = kMaxSteps;
  if (!regex || regex->match(Regex::Subject(text), 0, steps, found) != Regex::Match::yes)
    return std::nullopt;
  Components components(now);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const DatePart& part = parts_[i];
    if (part.component == 0 || i + 1 >= found.groups.size() || !found.groups[i + 1]) continue;
    const Regex::Span span = *found.groups[i + 1];
    components.set(part.component, value_of(part, text.substr(span.begin, span.end - span.begin)));
  }
  if (!components.any()) return std::nullopt;
  return components.time(fault);
}

namespace {

// Digits one after the other, with bounds on what they may be.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool digits(size_t count, double& out, char largest_first = '9') {
    if (text_.size() < count || text_[0] > largest_first) return false;
    for (size_t i = 0; i < count; ++i)
      if (text_[i] < '0' || text_[i] > '9') return false;
    out = read_decimal(text_.substr(0, count));
    text_.remove_prefix(count);
    return true;
  }
  std::string_view rest() const { return text_; }
  void skip(size_t count) { text_.remove_prefix(count); }

 private:
  std::string_view text_;
};

std::optional<double> read_iso8601(std::string_view text) {
  double year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, fraction = 0, zone = 0;
  Scanner scanner(text);
  if (!scanner.digits(4, year)) return std::nullopt;
  bool has_time = false, has_fraction = false, has_day = false;
  const std::string_view after_year = scanner.rest();
  if (after_year.starts_with('-') && scanner.take('-') && !scanner.digits(2, month, '1')) {
    // It may be the offset of the timezone instead.
    scanner = Scanner(after_year);
  } else if (!after_year.empty() && after_year[0] == '-') {
    const std::string_view after_month = scanner.rest();
    if (scanner.take('-')) {
      has_day = scanner.digits(2, day, '3');
      if (!has_day) scanner = Scanner(after_month);
    }
  }
  if (scanner.take('T')) {
    has_time = true;
    if (!scanner.digits(2, hour, '2') || !scanner.take(':') || !scanner.digits(2, minute, '5') ||
        !scanner.take(':') || !scanner.digits(2, second, '5'))
      return std::nullopt;
  }
  if (scanner.take('.')) {
    has_fraction = true;
    const size_t count =
        std::min(scanner.rest().find_first_not_of("0123456789"), scanner.rest().size());
    if (count == 0) return std::nullopt;
    fraction = std::floor(
        read_decimal("0." + std::string(scanner.rest().substr(0, std::min<size_t>(count, 3)))) *
            1000 +
        0.5);
    scanner.skip(count);
  }
  const std::string_view left = scanner.rest();
  if (!left.empty() && !scanner.take('Z')) {
    const double sign = left[0] == '-' ? -1 : 1;
    double hours = 0, minutes = 0;
    if ((!scanner.take('+') && !scanner.take('-')) || !scanner.digits(2, hours, '2'))
      return std::nullopt;
    scanner.take(':');
    if (!scanner.digits(2, minutes, '5') || hours > 23 || !has_time) return std::nullopt;
    zone = sign * (hours * 60 + minutes);
  }
  if (!scanner.rest().empty()) return std::nullopt;
  const bool valid = month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
                     (has_time || !has_fraction) &&
                     (hour < 24 || (hour == 24 && minute == 0 && second == 0 && fraction == 0));
  if (!valid) return NAN;
  // The years 0 to 99 are meant as they are here.
  const double shift = year < 100 ? 400 : 0;
  const double days_shift = shift > 0 ? 146'097 * 86'400'000.0 : 0;
  return time_of(year + shift, month - 1, day, hour, minute, second, fraction) - days_shift -
         zone * 60'000;
}

// Whether JSONata takes it for a timestamp, if not for one that there is.
bool looks_like_iso8601(std::string_view text) {
  constexpr std::string_view kForm =
      "^\\d{4}(-[01]\\d)?(-[0-3]\\d)?(T[0-2]\\d:[0-5]\\d:[0-5]\\d)?(\\.\\d+)?"
      "([+-][0-2]\\d:?[0-5]\\d|Z)?$";
  std::string why;
  const auto form = Regex::compile(kForm, "", why);
  Regex::Found found;
  std::uint64_t steps = kMaxSteps;
  return form && form->match(Regex::Subject(text), 0, steps, found) == Regex::Match::yes;
}

}  // namespace

std::optional<double> parse_iso8601(std::string_view text) {
  const auto time = read_iso8601(text);
  return time || !looks_like_iso8601(text) ? time : NAN;
}

}  // namespace helve::jsonata
