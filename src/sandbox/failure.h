// How a sandbox that cannot be had becomes an Error. Nothing runs after one of these.
#pragma once

#include <string_view>

#include "base/result.h"

namespace helve::sandbox {

// The machine does not do what is needed: "the sandbox cannot mount /proc: operation not
// permitted". `number` is an errno.
Error failure(std::string_view step, int number, std::string_view hint = {});

// Something about the roots, which would be the same on every machine.
constexpr std::string_view kUnfitWorkspace = "unfit_workspace";
Error unfit(std::string_view message, std::string_view hint);

}  // namespace helve::sandbox
