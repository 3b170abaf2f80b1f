#include "jsonata/calendar.h"

#include <chrono>
#include <cmath>

namespace helve::jsonata {
namespace {

constexpr double kDay = 86'400'000;
constexpr double kWeek = 7 * kDay;
constexpr double kMostDays = 1e8;  // either side of 1970
constexpr double kMostYears = 400'000;

double day_number(double year, double month) {
  const double years = year + std::floor(month / 12);
  const double rest = month - std::floor(month / 12) * 12;
  if (!(std::abs(years) <= kMostYears)) return NAN;
  // std::chrono's years end at 32767, and the calendar repeats every 400.
  const double cycles = std::floor(years / 400);
  const int within = static_cast<int>(years - cycles * 400);
  const std::chrono::sys_days days{std::chrono::year(within) /
                                   std::chrono::month(static_cast<unsigned>(rest) + 1) /
                                   std::chrono::day(1)};
  return static_cast<double>(days.time_since_epoch().count()) + cycles * 146'097;
}

// The Monday of the week with the first Thursday, which is the first week of a year or a month.
double first_week(double year, double month) {
  const double start = time_of(year, month);
  double weekday = parts_of(start).weekday;
  if (weekday == 0) weekday = 7;
  return weekday > 4 ? start + (8 - weekday) * kDay : start - (weekday - 1) * kDay;
}

double week_number(double start, double today) { return (today - start) / kWeek + 1; }

double week_of(const DateParts& date, double year, double month, double step_years,
               double step_months, double longest) {
  const double today = time_of(date.year, date.month, date.day);
  double week = week_number(first_week(year, month), today);
  if (week > longest) {
    if (today >= first_week(year + step_years, month + step_months)) week = 1;
  } else if (week < 1) {
    week = week_number(first_week(year - step_years, month - step_months), today);
  }
  return std::floor(week);
}

}  // namespace

double clipped_time(double millis) {
  return std::abs(millis) <= kMostDays * kDay ? std::trunc(millis) + 0.0 : NAN;
}

DateParts parts_of(double millis) {
  if (!std::isfinite(clipped_time(millis))) return {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  millis = std::trunc(millis);
  const double days = std::floor(millis / kDay);
  double rest = millis - days * kDay;
  const double cycles = std::floor(days / 146'097);
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days(static_cast<int>(days - cycles * 146'097))}};
  DateParts parts;
  parts.year = static_cast<int>(date.year()) + cycles * 400;
  parts.month = static_cast<unsigned>(date.month()) - 1.0;
  parts.day = static_cast<unsigned>(date.day());
  parts.hour = std::floor(rest / 3'600'000);
  rest -= parts.hour * 3'600'000;
  parts.minute = std::floor(rest / 60'000);
  rest -= parts.minute * 60'000;
  parts.second = std::floor(rest / 1000);
  parts.millisecond = rest - parts.second * 1000;
  parts.weekday = std::fmod(std::fmod(days + 4, 7) + 7, 7);
  return parts;
}

double time_of(double year, double month, double day, double hour, double minute, double second,
               double millisecond) {
  if (year >= 0 && year <= 99) year += 1900;
  const double days = day_number(std::trunc(year), std::trunc(month)) + std::trunc(day) - 1;
  return clipped_time(days * kDay + std::trunc(hour) * 3'600'000 + std::trunc(minute) * 60'000 +
                      std::trunc(second) * 1000 + std::trunc(millisecond));
}

double component_of(double millis, char component) {
  const DateParts date = parts_of(millis);
  switch (component) {
    case 'Y':
      return date.year;
    case 'M':
      return date.month + 1;
    case 'D':
      return date.day;
    case 'd':
      return (time_of(date.year, date.month, date.day) - time_of(date.year, 0)) / kDay + 1;
    case 'F':
      return date.weekday == 0 ? 7 : date.weekday;
    case 'W':
      return week_of(date, date.year, 0, 1, 0, 52);
    case 'w':
      return week_of(date, date.year, date.month, 0, 1, 4);
    case 'X':
      if (millis < first_week(date.year, 0)) return date.year - 1;
      return millis >= first_week(date.year + 1, 0) ? date.year + 1 : date.year;
    case 'x': {
      double month = date.month;
      if (millis < first_week(date.year, month))
        month = month == 0 ? 11 : month - 1;
      else if (millis >= first_week(date.year, month + 1))
        month = month == 11 ? 0 : month + 1;
      return month + 1;
    }
    case 'H':
      return date.hour;
    case 'h':
      return std::fmod(date.hour, 12) == 0 ? 12 : std::fmod(date.hour, 12);
    case 'P':
      return date.hour >= 12 ? 1 : 0;
    case 'm':
      return date.minute;
    case 's':
      return date.second;
    case 'f':
      return date.millisecond;
    default:
      return NAN;
  }
}

}  // namespace helve::jsonata
