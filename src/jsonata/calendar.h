// Calendar: the parts of a time in UTC, and back, as JavaScript's Date has them. Times are
// milliseconds since 1970; NaN is no time.
#pragma once

namespace helve::jsonata {

struct DateParts {
  double year, month, day, hour, minute, second, millisecond;  // the month from 0
  double weekday;                                              // 0: Sunday
};

// The range of JavaScript's Date; NaN outside.
double clipped_time(double millis);
DateParts parts_of(double millis);
// Parts beyond their range carry over; the years 0 to 99 are those of the 20th century.
double time_of(double year, double month, double day = 1, double hour = 0, double minute = 0,
               double second = 0, double millisecond = 0);
// A component of a date picture: Y, M, D, d, F, W, w, X, x, H, h, m, s, f; P is 0 or 1.
double component_of(double millis, char component);

}  // namespace helve::jsonata
