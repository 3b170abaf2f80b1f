// What the kernel says when a file operation fails, and how it becomes an Error that names the
// file.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace helve::sys {

// Operations on descriptors do not know how the caller calls the file, so they only say what went
// wrong.
template <class T>
using OrErrno = std::expected<T, std::errc>;

// The `errno` of the call that just failed.
std::unexpected<std::errc> last_error();

// "permission denied", and no more.
std::string reason_of(std::errc number);
// "cannot read 'notes.md': permission denied". `action` is a verb such as "read"; control
// characters in the path are escaped.
Error to_error(std::errc number, std::string_view action, std::string_view path);

}  // namespace helve::sys
