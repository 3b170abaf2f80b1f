// As much of HTTP as the mock model speaks.
#pragma once

#include <string>
#include <string_view>

// The value of a field in the head of a request; empty when there is none.
std::string_view header(std::string_view head, std::string_view name);

// A whole response; events are sent in chunks, one each, as models do.
std::string response(std::string_view status, std::string_view type, std::string_view body);
