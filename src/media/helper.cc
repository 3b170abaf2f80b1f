#include "media/helper.h"

#include <fmt/format.h>

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
  return failed(message.empty() ? "the helper gave no reason" : message, "");
}

Result<Json> ask(std::vector<std::string> words, const sys::Fd& file,
                 const HelperOptions& options) {
  const std::string program =
      options.program.empty() ? sys::program_directory() + "/helve-media" : options.program;
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
  if (ended->signal == "SIGXCPU") return Error{Code::timeout, "the helper used up its time", ""};
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

// Checked like any other image: the helper may have been taken over by the file.
Result<Picture> to_picture(const Json& json) {
  Picture picture{.data = std::string(string_at(json, "data")),
                  .mime_type = std::string(string_at(json, "mime_type")),
                  .width = static_cast<std::uint32_t>(number_at(json, "width")),
                  .height = static_cast<std::uint32_t>(number_at(json, "height"))};
  const bool known = picture.mime_type == "image/png" || picture.mime_type == "image/jpeg";
  if (!known || picture.data.empty() || picture.data.size() > kMaxEncodedImage)
    return failed("the picture is too large to be shown", "");
  return picture;
}

}  // namespace

Result<Pdf> read_pdf(const sys::Fd& file, std::span<const std::int64_t> pages, PageForm form,
                     const HelperOptions& options) {
  std::string list;
  for (const std::int64_t page : pages) list += fmt::format("{}{}", list.empty() ? "" : ",", page);
  const Json answer = TRY(ask({form == PageForm::text ? "text" : "pictures", list}, file, options));
  Pdf pdf{.total_pages = number_at(answer, "pages")};
  if (const Json* texts = find(answer, "text"); texts && texts->is_array()) {
    for (const Json& text : texts->get_array())
      pdf.text.emplace_back(text.is_string() ? std::string_view(text.get_string()) : "");
  }
  if (const Json* pictures = find(answer, "pictures"); pictures && pictures->is_array()) {
    for (const Json& picture : pictures->get_array())
      pdf.pictures.push_back(TRY(to_picture(picture)));
  }
  return pdf;
}

Result<Picture> scale_image(const sys::Fd& file, std::uint32_t side, const HelperOptions& options) {
  return to_picture(TRY(ask({"scale", std::to_string(side)}, file, options)));
}

}  // namespace helve::media
