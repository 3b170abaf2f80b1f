// Program: which file a program's name stands for, when helve itself runs it outside the sandbox.
// What commands can write to must not decide that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::sys {

// Directories that commands can write to.
using Writable = std::vector<std::string>;

// Whether the absolute path lies in one of them, by its name or by where its links lead. True for
// what is not there: nobody knows where that would lead.
bool lies_in(const std::string& path, const Writable& writable);
// What of PATH's value commands cannot have filled: the absolute directories that are there and lie
// in none of the writable ones; the usual ones where nothing is left. `taken` gets what somebody
// may miss.
std::string path_outside(std::string_view path, const Writable& writable,
                         std::vector<std::string>* taken = nullptr);
// Whether it is a file that can be executed.
bool is_program(const std::string& path);
// The first in the absolute directories of `path`, which is written as PATH is, that lies in none
// of the writable ones. Errors: not_found, which tells whether one was passed over.
Result<std::string> find_program(std::string_view name, std::string_view path,
                                 const Writable& writable);

}  // namespace helve::sys
