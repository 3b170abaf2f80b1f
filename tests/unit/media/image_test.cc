#include "media/image.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "media/file_type.h"

namespace helve::media {
namespace {

using namespace std::string_view_literals;

// Each is 3 pixels wide and 2 high.
std::string png() {
  return *from_base64(
      "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAE0lEQVR4nGMQaPgAQQwfBBQgCABURAfh"
      "LGkTVAAAAABJRU5ErkJggg==");
}
std::string jpeg() {
  return std::string(
      "\xFF\xD8\xFF\xE0\0\x04JF\xFF\xC0\0\x0B\x08\0\x02\0\x03\x01\x01\x11\0"
      "\xFF\xDA\0\x08\x01\x01\0\0\x3F\0\x12\x34\xFF\xD9"sv);
}
std::string gif() {
  return std::string("GIF89a\x03\0\x02\0\0\0\0,\0\0\0\0\x03\0\x02\0\0\x02\x02\x84\x11\0;"sv);
}
std::string webp(std::string_view kind, std::string_view body) {
  std::string data(kind);
  data += std::string("\x0A\0\0\0", 4);
  data += body;
  data.resize(18, '\0');
  std::string out = "RIFF";
  out += static_cast<char>(4 + data.size());
  return out + std::string(3, '\0') + "WEBP" + data;
}

TEST(Image, TellsFormatAndSize) {
  const std::pair<std::string, ImageFormat> images[] = {
      {png(), ImageFormat::png},
      {jpeg(), ImageFormat::jpeg},
      {gif(), ImageFormat::gif},
      {webp("VP8L", "\x2F\x02\x40\0\0"sv), ImageFormat::webp},
      {webp("VP8X", "\0\0\0\0\x02\0\0\x01\0\0"sv), ImageFormat::webp},
      {webp("VP8 ", "\0\0\0\x9D\x01\x2A\x03\0\x02\0"sv), ImageFormat::webp}};
  for (const auto& [bytes, format] : images) {
    const Result<ImageInfo> info = inspect_image(bytes);
    ASSERT_TRUE(info) << name_of(format) << describe(info.error());
    EXPECT_EQ(info->format, format);
    EXPECT_EQ(info->width, 3u) << name_of(format);
    EXPECT_EQ(info->height, 2u) << name_of(format);
    EXPECT_EQ(file_type(bytes)->mime_type, mime_type_of(format));
  }
}

TEST(Image, IsRefusedWhereverItIsCutOff) {
  for (const std::string& bytes : {png(), jpeg(), gif(), webp("VP8L", "\x2F\x02\x40\0\0"sv)}) {
    for (size_t size = 12; size < bytes.size(); ++size) {
      const Result<ImageInfo> info = inspect_image(std::string_view(bytes).substr(0, size));
      ASSERT_FALSE(info) << size << " of " << bytes.size();
      EXPECT_EQ(info.error().type, "damaged_image");
    }
  }
}

TEST(Image, MayHaveSomethingBehindItsEnd) {
  EXPECT_TRUE(inspect_image(jpeg() + "trailer"));
  EXPECT_TRUE(inspect_image(png() + "trailer"));
}

TEST(Image, TellsASizeThatIsNotPlausible) {
  std::string bomb = png();
  bomb[16] = '\x7F';
  EXPECT_EQ(inspect_image(bomb)->width, 0x7F000003u);
  std::string nothing = png();
  nothing[19] = '\0';
  EXPECT_FALSE(inspect_image(nothing));
}

TEST(FileType, IsToldByTheFirstBytes) {
  const std::pair<std::string_view, std::string_view> files[] = {
      {"PK\3\4....word/document.xml", "Word document"},
      {"PK\3\4....a.txt", "ZIP archive"},
      {"\xCA\xFE\xBA\xBE\0\0\0\x34"sv, "Java class"},
      {"\xCA\xFE\xBA\xBE\0\0\0\2"sv, "Mach-O executable"},
      {"\x28\xB5\x2F\xFDxx", "zstd compressed data"},
      {"\0asm\1\0\0\0"sv, "WebAssembly module"},
      {"%PDF-1.4\n", "PDF document"},
      {"\0\0\0 ftypisom"sv, "MPEG-4 video"}};
  for (const auto& [bytes, name] : files) {
    const auto type = file_type(bytes);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type->name, name);
  }
  std::string archive(300, 'x');
  archive.replace(257, 5, "ustar");
  EXPECT_EQ(file_type(archive)->name, "tar archive");
  EXPECT_FALSE(file_type("plain text"));
  EXPECT_FALSE(file_type(""));
}

}  // namespace
}  // namespace helve::media
