// What must be known of a whole page before its first line is written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "media/html_reader.h"

namespace helve::media {

struct HtmlSurvey {
  std::string title;               // of the page, or else its first main heading; one line
  size_t text = 0;                 // bytes of text
  size_t main = 0;                 // the number of the element to take alone; 0: none
  std::vector<bool> holds_values;  // by table, in their order: its rows and columns mean something
};

HtmlSurvey survey_html(std::string_view html, HtmlReader::Boilerplate boilerplate);

}  // namespace helve::media
