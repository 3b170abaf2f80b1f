#include "media/helper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/base64.h"
#include "unit/media/helper_samples.h"

namespace helve::media {
namespace {

using std::chrono::milliseconds;

sys::Fd file_of(std::string_view content) {
  sys::Fd file(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  return file;
}

std::string type_of(std::string_view file, const HelperOptions& options = {}) {
  const std::int64_t pages[] = {1};
  const auto pdf = read_pdf(file_of(file), pages, PageForm::text, options);
  return pdf ? "read" : std::string(pdf.error().type_name());
}

TEST(Helper, ReadsTheTextOfPages) {
  const std::int64_t pages[] = {1, 3, 9};
  const auto pdf = read_pdf(file_of(pdf_of({"one", "two", "three"})), pages, PageForm::text, {});
  ASSERT_TRUE(pdf) << describe(pdf.error());
  EXPECT_EQ(pdf->total_pages, 3);
  ASSERT_EQ(pdf->text.size(), 2u);
  EXPECT_TRUE(pdf->text[0].starts_with("one")) << pdf->text[0];
  EXPECT_TRUE(pdf->text[1].starts_with("three"));
}

TEST(Helper, DrawsPages) {
  const std::int64_t pages[] = {1};
  const auto pdf = read_pdf(file_of(pdf_of({"one"})), pages, PageForm::pictures, {});
  ASSERT_TRUE(pdf) << describe(pdf.error());
  ASSERT_EQ(pdf->pictures.size(), 1u);
  const auto info = inspect_image(*from_base64(pdf->pictures[0].data));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->width, kPageSide);
}

TEST(Helper, SaysWhatIsWrongWithAPdf) {
  EXPECT_EQ(type_of("%PDF-1.4\nnothing"), "damaged_pdf");
  EXPECT_EQ(type_of(pdf_of({"one"}).substr(0, 40)), "damaged_pdf");
  // An encryption of which nobody has the key.
  std::string locked = pdf_of({"one"});
  locked.replace(locked.find("trailer << "), 11,
                 "9 0 obj\n<< /Filter /Standard /V 1 /R 2 /P -64 /O <" + std::string(64, '1') +
                     "> /U <" + std::string(64, '2') +
                     "> >>\nendobj\ntrailer << /Encrypt 9 0 R /ID [<00> <00>] ");
  EXPECT_EQ(type_of(locked), "encrypted_pdf");
}

TEST(Helper, ComesBackFromAPdfThatGoesInCircles) {
  EXPECT_EQ(type_of(pdf_of({"one"}, "2 0 R")), "read");
}

TEST(Helper, ThatDiesIsAnErrorAndLeavesNothingBehind) {
  const Script dies("kill -SEGV $$");
  EXPECT_EQ(type_of("%PDF-", {.program = dies.path()}), "media_failed");
  const Script babbles("echo no JSON");
  EXPECT_EQ(type_of("%PDF-", {.program = babbles.path()}), "media_failed");
  EXPECT_EQ(type_of("%PDF-", {.program = "/nowhere/helve-media"}), "no_media_helper");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Helper, ThatTakesTooLongIsEnded) {
  const Script sleeps("exec sleep 1000");
  EXPECT_EQ(type_of("%PDF-", {.program = sleeps.path(), .timeout = milliseconds(20)}), "timeout");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(type_of("%PDF-", {.program = sleeps.path(), .stop = stop.get_token()}), "cancelled");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Helper, IsNotBelievedAboutItsPictures) {
  const std::string png =
      "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAAElEQVQ1r17mAAAAAElFTkSuQmCC";
  const auto scaled = [](const std::string& data, const std::string& type, int width) {
    const Script script("echo '{\"data\":\"" + data + "\",\"mime_type\":\"" + type +
                        "\",\"width\":" + std::to_string(width) + ",\"height\":2}'");
    const auto picture = scale_image(file_of("x"), 300, {.program = script.path()});
    if (!picture) return std::string(picture.error().type_name());
    return std::to_string(picture->width) + "x" + std::to_string(picture->height) + " " +
           picture->mime_type;
  };
  EXPECT_EQ(scaled(png, "image/png", 3), "3x2 image/png");
  EXPECT_EQ(scaled(png, "image/jpeg", 99), "3x2 image/png");  // what it is, not what was said
  EXPECT_EQ(scaled(png.substr(0, 40), "image/png", 3), "media_failed");
  EXPECT_EQ(scaled("PHN2Zz4=", "image/png", 3), "media_failed");
  EXPECT_EQ(scaled("no base64", "image/png", 3), "media_failed");
  EXPECT_EQ(scaled("R0lGODlhAQABAAAAADs=", "image/png", 1), "media_failed");  // a GIF
}

TEST(Helper, ThatCannotMakeAPageSaysSo) {
  const Script empty("echo '{\"pages\":1,\"pictures\":[{}]}'");
  const std::int64_t pages[] = {1};
  const auto pdf = read_pdf(file_of("%PDF-"), pages, PageForm::pictures, {.program = empty.path()});
  ASSERT_FALSE(pdf);
  EXPECT_EQ(pdf.error().message, "page 1 of the PDF cannot be drawn");
  EXPECT_FALSE(pdf.error().hint.empty());
}

TEST(Helper, ThatUsesUpItsTimeSaysWhatToDo) {
  const Script burns("kill -XCPU $$");
  const auto picture = scale_image(file_of("x"), 300, {.program = burns.path()});
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().code, Code::timeout);
  EXPECT_FALSE(picture.error().hint.empty());
}

TEST(Helper, ScalesImagesDown) {
  const auto drawn = [] {
    const std::int64_t pages[] = {1};
    return *from_base64(
        read_pdf(file_of(pdf_of({"one"})), pages, PageForm::pictures, {})->pictures.at(0).data);
  }();
  const auto small = scale_image(file_of(drawn), 300, {});
  ASSERT_TRUE(small) << describe(small.error());
  const auto info = inspect_image(*from_base64(small->data));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->width, 300u);
  EXPECT_EQ(small->mime_type, "image/png");
}

TEST(Helper, RefusesImagesThatNoDecoderTakes) {
  // Its header promises more than its data has, and in the second case far too much.
  for (const unsigned char size : {'\x10', '\xFF'}) {
    std::string png = *from_base64(
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAAElEQVQ1r17mAAAAAElFTkSuQmCC");
    png[18] = static_cast<char>(size);
    png[16] = static_cast<char>(size == 0xFF ? 0x7F : 0);
    const auto scaled = scale_image(file_of(png), 300, {});
    ASSERT_FALSE(scaled);
    EXPECT_EQ(scaled.error().code, Code::unsupported);
  }
}

}  // namespace
}  // namespace helve::media
