// DatePicture: times as a picture says, such as [Y0001]-[M01]-[D01]; as XPath's format-dateTime has
// it, with [X] and [x] for the year and month of an ISO week.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jsonata/integer_picture.h"

namespace helve::jsonata {

// Why a picture cannot be used: JSONata's code, and what is at fault.
struct PictureFault {
  std::string_view code;
  std::string value;
};

struct DatePart {
  std::string literal;  // when there is no component
  char component = 0;
  std::string presentation;
  char modifier = 0;  // a, t, c or o at the end
  std::optional<double> least_width, most_width;
  bool has_width = false;
  bool has_names = false;
  IntegerPicture::Casing names = IntegerPicture::Casing::lower;
  std::optional<IntegerPicture> integer;
  double year_digits = -1;  // all of them
};

class DatePicture {
 public:
  static constexpr size_t kMaxBytes = 10'000;
  static constexpr std::string_view kIso8601 =
      "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]";

  static std::optional<DatePicture> read(std::string_view picture, PictureFault& fault);

  // In the timezone, such as +0100; empty: UTC.
  std::optional<std::string> format(double millis, std::string_view timezone,
                                    PictureFault& fault) const;
  // NaN when the text is no time; nothing, without a fault, when it does not fit the picture.
  std::optional<double> parse(std::string_view text, double now, PictureFault& fault) const;

 private:
  friend class PictureReader;
  std::optional<std::string> format_part(const DatePart& part, double local, double hours,
                                         double minutes, PictureFault& fault) const;
  std::vector<DatePart> parts_;
};

// ISO 8601, as $toMillis reads it without a picture. Nothing when it is not of that form.
std::optional<double> parse_iso8601(std::string_view text);

}  // namespace helve::jsonata
