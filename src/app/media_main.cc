// helve-media: reads one PDF or image from its standard input and writes one JSON object to its
// standard output. A program of its own, because its libraries are large and what they parse may be
// hostile: when it fails, only it does.
//
//   helve-media text 1,2,5       the text of these pages
//   helve-media pictures 1,2     a picture of each of these pages
//   helve-media scale 2000       a PNG or JPEG image with no longer side
#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page-renderer.h>
#include <poppler-page.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/media_pixels.h"
#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "media/helper.h"
#include "sys/limits.h"
#include "sys/mapped_file.h"

namespace helve::app {
namespace {

constexpr std::uint64_t kMemory = 1536u << 20;  // bytes, of which the file may take 256 MB
constexpr std::chrono::seconds kTime{25};
constexpr size_t kMaxPageText = 1u << 20;  // bytes
constexpr size_t kMaxTitle = 4096;         // bytes

Result<std::int64_t> number(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size() || value < 1)
    return Error{Code::invalid_argument, "no number: " + escape_for_display(word)};
  return value;
}

Result<std::unique_ptr<poppler::document>> open_pdf(std::string_view file) {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  std::unique_ptr<poppler::document> document(
      poppler::document::load_from_raw_data(file.data(), static_cast<int>(file.size())));
  if (!document)
    return Error{Code::unsupported, "the PDF is damaged: it cannot be opened", "", "damaged_pdf"};
  if (document->is_locked())
    return Error{Code::unsupported, "the PDF is encrypted", "", "encrypted_pdf"};
  return document;
}

JsonObject to_json(const Pixels& image, std::string_view file, std::string_view mime_type) {
  return {{"data", to_base64(file)},
          {"mime_type", mime_type},
          {"width", image.width},
          {"height", image.height}};
}

// As large as it may be.
Result<JsonObject> encode(Pixels image, std::uint32_t side, bool as_jpeg) {
  for (image = shrink(std::move(image), side);; image = shrink(std::move(image), side)) {
    const std::string file = TRY(as_jpeg ? encode_jpeg(image) : encode_png(image));
    if (base64_size(file.size()) <= media::kMaxEncodedImage)
      return to_json(image, file, as_jpeg ? "image/jpeg" : "image/png");
    side = std::max(image.width, image.height) * 3 / 4;
  }
}

std::string to_text(const poppler::ustring& text, size_t most) {
  const poppler::byte_array bytes = text.to_utf8();
  std::string out = escape_invalid_utf8({bytes.data(), bytes.size()});
  out.resize(cut_utf8(out, most).size());
  return out;
}

std::string text_of_page(const poppler::page& page) {
  return to_text(page.text(poppler::rectf(), poppler::page::physical_layout), kMaxPageText);
}

Result<JsonObject> picture_of_page(const poppler::page& page) {
  const poppler::rectf size = page.page_rect();
  const double longest = std::max({size.width(), size.height(), 1.0});
  poppler::page_renderer renderer;
  renderer.set_render_hint(poppler::page_renderer::antialiasing, true);
  renderer.set_render_hint(poppler::page_renderer::text_antialiasing, true);
  renderer.set_image_format(poppler::image::format_rgb24);
  const double dots = media::kPageSide * 72.0 / longest;
  poppler::image drawn = renderer.render_page(&page, dots, dots);
  if (!drawn.is_valid())
    return Error{Code::unsupported, "the PDF is damaged: a page cannot be drawn", "",
                 "damaged_pdf"};
  Pixels image{
      static_cast<std::uint32_t>(drawn.width()), static_cast<std::uint32_t>(drawn.height()), 3, {}};
  for (int row = 0; row < drawn.height(); ++row) {
    const auto* start =
        reinterpret_cast<const unsigned char*>(drawn.const_data()) + row * drawn.bytes_per_row();
    image.bytes.insert(image.bytes.end(), start, start + size_t{image.width} * 3);
  }
  return encode(std::move(image), media::kPageSide, false);
}

Result<JsonObject> read_pages(std::string_view file, std::string_view list, bool pictures) {
  const std::unique_ptr<poppler::document> document = TRY(open_pdf(file));
  JsonArray out;
  for (const std::string_view word : split(list, ',')) {
    const std::int64_t index = TRY(number(word)) - 1;
    if (index >= document->pages()) continue;
    const std::unique_ptr<poppler::page> page(document->create_page(static_cast<int>(index)));
    if (!page) {
      out.emplace_back(pictures ? Json(JsonObject()) : Json(""));
    } else if (pictures) {
      out.emplace_back(TRY(picture_of_page(*page)));
    } else {
      out.emplace_back(text_of_page(*page));
    }
  }
  JsonObject answer;
  answer["pages"] = document->pages();
  answer["title"] = to_text(document->get_title(), kMaxTitle);
  answer[pictures ? "pictures" : "text"] = std::move(out);
  return answer;
}

Result<JsonObject> scale(std::string_view file, std::string_view side) {
  const auto most = static_cast<std::uint32_t>(TRY(number(side)));
  const media::ImageInfo info = TRY(media::inspect_image(file));
  if (info.format == media::ImageFormat::png) return encode(TRY(decode_png(file)), most, false);
  if (info.format == media::ImageFormat::jpeg) return encode(TRY(decode_jpeg(file)), most, true);
  return Error{Code::unsupported, "only PNG and JPEG images can be scaled down"};
}

Result<JsonObject> answer(int count, char** words) {
  if (count != 3) return Error{Code::invalid_argument, "helve-media is started by helve"};
  if (!sys::confine_self({kMemory, kTime}))
    return Error{Code::internal, "helve-media cannot limit itself"};
  const sys::Fd input(0);
  const auto file = sys::MappedFile::map(input);
  if (!file) return Error{Code::invalid_argument, "the input is no file"};
  const std::string_view verb = words[1];
  if (verb == "scale") return scale(file->bytes(), words[2]);
  if (verb == "text" || verb == "pictures")
    return read_pages(file->bytes(), words[2], verb == "pictures");
  return Error{Code::invalid_argument, "helve-media is started by helve"};
}

int run(int count, char** words) {
  Result<JsonObject> said = Error{};
  try {
    said = answer(count, words);
  } catch (const std::exception& failure) {  // of the libraries, or no memory
    said = Error{Code::unsupported, std::string("it could not be read: ") + failure.what()};
  }
  if (!said) {
    said = JsonObject{{"error", said.error().type_name()}, {"message", said.error().message}};
  }
  const std::string text = helve::to_text(Json(std::move(*said)));
  const bool is_said =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return is_said ? 0 : 1;
}

}  // namespace
}  // namespace helve::app

// Ends at once: what the libraries hold goes with the process.
int main(int count, char** words) { std::_Exit(helve::app::run(count, words)); }
