#include "sys/file_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace helve::sys {
namespace {

Error of(int number) { return to_error(static_cast<std::errc>(number), "read", "notes.md"); }

TEST(FileError, NamesTheActionThePathAndTheReason) {
  EXPECT_EQ(of(EACCES).message, "cannot read 'notes.md': permission denied");
}

TEST(FileError, SortsTheNumbersIntoCodes) {
  for (const auto& [number, code] :
       std::initializer_list<std::pair<int, Code>>{{ENOENT, Code::not_found},
                                                   {EEXIST, Code::conflict},
                                                   {EACCES, Code::denied},
                                                   {EPERM, Code::denied},
                                                   {EROFS, Code::denied},
                                                   {EXDEV, Code::denied},
                                                   {ELOOP, Code::invalid_argument},
                                                   {ENAMETOOLONG, Code::invalid_argument},
                                                   {EISDIR, Code::invalid_argument},
                                                   {ENOTDIR, Code::invalid_argument},
                                                   {ENXIO, Code::unsupported},
                                                   {ENOSPC, Code::unavailable},
                                                   {EDQUOT, Code::unavailable},
                                                   {EIO, Code::unavailable},
                                                   {EMFILE, Code::unavailable},
                                                   {EFBIG, Code::too_large},
                                                   {ECHILD, Code::internal}}) {
    EXPECT_EQ(of(number).code, code) << number;
  }
}

TEST(FileError, TellsTheReasonsForADenialApart) {
  EXPECT_NE(of(EACCES).message, of(EPERM).message);
  EXPECT_NE(of(EPERM).message, of(EROFS).message);
}

TEST(FileError, EscapesWhatATerminalWouldObey) {
  const Error error = to_error(std::errc::permission_denied, "read", "a\x1b[2J\n");
  EXPECT_EQ(error.message, "cannot read 'a\\x1b[2J\\n': permission denied");
}

TEST(FileError, UsesTheSystemsWordsForTheRest) {
  EXPECT_NE(of(ECHILD).message.find("child"), std::string::npos) << of(ECHILD).message;
}

}  // namespace
}  // namespace helve::sys
