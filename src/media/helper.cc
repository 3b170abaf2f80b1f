#include "media/helper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "sys/environment.h"
#include "sys/process.h"

namespace helve::media {
namespace {

constexpr size_t kMaxAnswer = 96u << 20;  // bytes

Error failed(std::string message, std::string hint) {
  return {Code::unsupported, std::move(message), std::move(hint), "media_failed"};
}

// The helper's own words for what it found.
Error as_error(const Json& answer) {
  const std::string_view type = string_at(answer, "error");
  const std::string message(string_at(answer, "message"));
  if (type == "encrypted_pdf") {
    return {Code::unsupported, message,
            "remove the password first, for example with qpdf --decrypt", "encrypted_pdf"};
  }
  if (type == "damaged_pdf" || type == "damaged_image")
    return {Code::unsupported, message, "make it again", std::string(type)};
  return failed(message.empty() ? "the helper gave no reason" : message,
                "the file may be damaged, or of a kind that is not read");
}

Result<Json> ask(std::vector<std::string> words, const sys::Fd& file,
                 const HelperOptions& options) {
  const std::string program = options.program.empty() ? helper_program() : options.program;
  words.insert(words.begin(), program);
  const sys::Command command{.argv = std::move(words),
                             .env = {"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"},
                             .cwd = "/",
                             .stdin_file = &file,
                             .stdout_limit = kMaxAnswer,
                             .timeout = options.timeout,
                             .kill_grace = std::chrono::milliseconds(0)};
  Result<sys::Finished> ended = sys::run(command, options.stop);
  if (!ended) {
    if (ended.error().type != "spawn_failed") return std::move(ended).error();
    return Error{Code::unsupported,
                 fmt::format("the helper '{}' cannot be started: {}", escape_for_display(program),
                             ended.error().message),
                 "it is built and installed beside helve where libpoppler-cpp-dev, libpng-dev and "
                 "libjpeg-dev are installed",
                 "no_media_helper"};
  }
  if (ended->timed_out) {
    return Error{Code::timeout,
                 fmt::format("the helper did not finish within {} ms", options.timeout.count()),
                 "ask for fewer pages"};
  }
  if (ended->signal == "SIGXCPU") {
    return Error{Code::timeout, "the helper used up its time",
                 "ask for fewer pages; a file that it cannot read in time may be damaged"};
  }
  if (!ended->signal.empty())
    return failed(fmt::format("the helper was ended by {}", ended->signal),
                  "the file may be damaged");
  if (ended->out_truncated)
    return failed("the helper's answer is too large", "ask for fewer pages");
  Result<Json> answer = parse_json(ended->out, {.bytes = kMaxAnswer});
  if (!answer || find(*answer, "error")) return as_error(answer ? *answer : Json());
  return answer;
}

std::int64_t number_at(const Json& value, std::string_view key) {
  const Json* found = find(value, key);
  return found && found->is_int64() ? found->get_int64() : 0;
}

// The helper may have been taken over by the file, so that its pictures are looked at like those of
// any stranger, and only what they show of themselves is believed.
Result<Picture> to_picture(const Json& json) {
  const std::string_view data = string_at(json, "data");
  if (data.size() > kMaxEncodedImage)
    return failed("the helper's picture is too large to be shown", "ask for fewer pages");
  const std::optional<std::string> bytes = from_base64(data);
  const Result<ImageInfo> info = inspect_image(bytes.value_or(""));
  const bool known =
      info && (info->format == ImageFormat::png || info->format == ImageFormat::jpeg);
  if (!known || std::max(info->width, info->height) > kMaxImageSide)
    return failed("the helper's picture is none that can be shown", "the file may be damaged");
  return Picture{.data = std::string(data),
                 .mime_type = std::string(mime_type_of(info->format)),
                 .width = info->width,
                 .height = info->height};
}

}  // namespace

std::string helper_program() { return sys::program_directory() + "/helve-media"; }

Result<Pdf> read_pdf(const sys::Fd& file, std::span<const std::int64_t> pages, PageForm form,
                     const HelperOptions& options) {
  std::string list;
  for (const std::int64_t page : pages) list += fmt::format("{}{}", list.empty() ? "" : ",", page);
  const Json answer = TRY(ask({form == PageForm::text ? "text" : "pictures", list}, file, options));
  Pdf pdf{.total_pages = number_at(answer, "pages"),
          .title = std::string(string_at(answer, "title"))};
  if (const Json* texts = find(answer, "text"); texts && texts->is_array()) {
    for (const Json& text : texts->get_array())
      pdf.text.emplace_back(text.is_string() ? std::string_view(text.get_string()) : "");
  }
  if (const Json* pictures = find(answer, "pictures"); pictures && pictures->is_array()) {
    for (const Json& picture : pictures->get_array()) {
      const size_t index = pdf.pictures.size();
      if (!find(picture, "data") && index < pages.size()) {
        return Error{Code::unsupported,
                     fmt::format("page {} of the PDF cannot be drawn", pages[index]),
                     "ask for the other pages, or for this one as text", "damaged_pdf"};
      }
      pdf.pictures.push_back(TRY(to_picture(picture)));
    }
  }
  return pdf;
}

Result<Picture> scale_image(const sys::Fd& file, std::uint32_t side, const HelperOptions& options) {
  return to_picture(TRY(ask({"scale", std::to_string(side)}, file, options)));
}

}  // namespace helve::media
