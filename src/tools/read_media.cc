#include "tools/read_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/base64.h"
#include "base/text.h"
#include "media/file_type.h"
#include "media/image.h"
#include "media/notebook.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxImages = 10;                    // of one answer
constexpr std::uint64_t kMaxImageFile = 100u << 20;  // bytes

Result<std::string> read_whole(const workspace::OpenFile& file, std::string_view shown) {
  std::string bytes;
  sys::OrErrno<size_t> got = 0;
  bytes.resize_and_overwrite(file.status.size, [&](char* data, size_t) {
    got = sys::read_at(file.file, {data, file.status.size}, 0);
    return got ? *got : 0;
  });
  if (!got) return sys::to_error(got.error(), "read", shown);
  return bytes;
}

// Why an image cannot be shown; empty when it can.
std::string refusal(const media::ImageInfo& info, std::uint64_t bytes) {
  if (base64_size(bytes) > media::kMaxEncodedImage) {
    return fmt::format("it has {} as base64, and at most {} can be shown",
                       human_size(base64_size(bytes)), human_size(media::kMaxEncodedImage));
  }
  if (std::max(info.width, info.height) > media::kMaxImageSide) {
    return fmt::format("it has {}×{} pixels, and at most {} a side can be shown", info.width,
                       info.height, media::kMaxImageSide);
  }
  return {};
}

// Shows the image, or says why not.
void add_image(ReadOutput& out, std::string_view bytes, std::string_view what) {
  const Result<media::ImageInfo> info = media::inspect_image(bytes);
  std::string why = info ? refusal(*info, bytes.size()) : info.error().message;
  if (out.images.size() >= kMaxImages)
    why = fmt::format("no more than {} images are shown at once", kMaxImages);
  if (!why.empty()) return out.note(fmt::format("{} is not shown: {}", what, why));
  out.images.push_back({to_base64(bytes), std::string(media::mime_type_of(info->format))});
}

// Images of many pixels are scaled down even where one of them would be taken: a session with many
// images takes only smaller ones.
bool should_shrink(const media::ImageInfo& info, std::uint64_t bytes) {
  const bool can =
      info.format == media::ImageFormat::png || info.format == media::ImageFormat::jpeg;
  return can && (std::max(info.width, info.height) > media::kGoodImageSide ||
                 base64_size(bytes) > media::kMaxEncodedImage);
}

Result<void> read_image(const workspace::OpenFile& file, const Context& context, ReadOutput& out) {
  if (file.status.size > kMaxImageFile) {
    return Error{Code::too_large,
                 fmt::format("'{}' is an image of {}", escape_for_display(*out.path),
                             human_size(file.status.size)),
                 fmt::format("images of at most {} are read; scale it down first",
                             human_size(kMaxImageFile)),
                 "image_too_large"};
  }
  const std::string bytes = TRY(read_whole(file, *out.path));
  Result<media::ImageInfo> info = media::inspect_image(bytes);
  if (!info) return about(*out.path, std::move(info).error());
  out.kind = ReadKind::image;
  std::string reason;
  out.width = info->width;
  out.height = info->height;
  if (should_shrink(*info, bytes.size())) {
    Result<media::Picture> small =
        media::scale_image(file.file, media::kGoodImageSide, helper_options(context));
    if (small) {
      out.note(fmt::format("scaled down to {}×{} to be shown", small->width, small->height));
      out.images.push_back({std::move(small->data), std::move(small->mime_type)});
      return {};
    }
    // What no decoder takes would be refused by a provider, with the whole session.
    if (small.error().code != Code::unsupported || small.error().type == "damaged_image")
      return about(*out.path, std::move(small).error());
    if (refusal(*info, bytes.size()).empty())
      out.note("not scaled down: " + small.error().message);
    else
      reason = fmt::format("; scaling it down failed: {}", small.error().message);
  }
  if (const std::string why = refusal(*info, bytes.size()); !why.empty()) {
    return Error{Code::too_large,
                 fmt::format("the image '{}' cannot be shown: {}{}", escape_for_display(*out.path),
                             why, reason),
                 "scale it down first", "image_too_large"};
  }
  out.images.push_back({to_base64(bytes), std::string(media::mime_type_of(info->format))});
  return {};
}

bool has_ending(std::string_view path, std::string_view ending) {
  return path.size() > ending.size() &&
         equals_ignoring_case(path.substr(path.size() - ending.size()), ending);
}

}  // namespace

Error about(std::string_view path, Error error) {
  error.message = fmt::format("'{}': {}", escape_for_display(path), error.message);
  return error;
}

Promise promise_of(std::string_view path) {
  if (has_ending(path, ".ipynb")) return Promise::notebook;
  for (const std::string_view ending : {".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp"}) {
    if (has_ending(path, ending)) return Promise::media;
  }
  return Promise::text;
}

Result<std::string> start_of(const workspace::OpenFile& file, std::string_view shown) {
  std::string start(media::kTypeBytes, '\0');
  const auto got = sys::read_at(file.file, start, 0);
  if (!got) return sys::to_error(got.error(), "read", shown);
  start.resize(*got);
  return start;
}

media::HelperOptions helper_options(const Context& context) {
  media::HelperOptions options{.stop = context.stop};
  if (context.deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        *context.deadline - std::chrono::steady_clock::now());
    options.timeout = std::clamp(left, std::chrono::milliseconds(1), options.timeout);
  }
  return options;
}

Result<void> read_notebook(const workspace::OpenFile& file, const MediaRequest& request,
                           const Context& context, ReadOutput& out) {
  if (file.status.size > media::kMaxNotebook) {
    return Error{Code::too_large, fmt::format("the notebook has {}", human_size(file.status.size)),
                 fmt::format("notebooks of at most {} are shown; as=text reads the file in parts",
                             human_size(media::kMaxNotebook)),
                 "notebook_too_large"};
  }
  const media::Notebook notebook = TRY(media::parse_notebook(TRY(read_whole(file, *out.path))));
  const size_t total = notebook.cells.size();
  if (request.skip > 0 && request.skip >= total) {
    return Error{Code::invalid_argument,
                 fmt::format("'{}' has no cell after the first {}", escape_for_display(*out.path),
                             request.skip),
                 fmt::format("it has {} cells; offset counts cells here", total), "past_end"};
  }
  out.kind = ReadKind::notebook;
  out.total_cells = static_cast<std::int64_t>(total);
  out.content_.emplace();
  if (!notebook.language.empty())
    out.note("the language is " + escape_for_display(notebook.language));
  const size_t last = request.limit == 0 || request.limit > total - request.skip
                          ? total
                          : request.skip + request.limit;
  size_t at = request.skip;
  for (; at < last; ++at) {
    std::string cell = escape_invalid_utf8(media::to_text(notebook.cells[at], at + 1));
    if (out.content_->size() + cell.size() > request.bytes) {
      if (at > request.skip) break;
      cell.resize(cut_utf8(cell, request.bytes).size());
      out.note(fmt::format("cell {} is cut after {}; as=text reads the file itself", at + 1,
                           human_size(cell.size())));
    }
    *out.content_ += cell;
    for (const media::CellOutput& output : notebook.cells[at].outputs) {
      if (output.kind == media::CellOutput::Kind::image)
        add_image(out, output.text, fmt::format("an image of cell {}", at + 1));
    }
  }
  out.start_line = total == 0 ? 0 : static_cast<std::int64_t>(request.skip) + 1;
  out.end_line = static_cast<std::int64_t>(at);
  if (at < total)
    out.next_offset = context.as_caller_counts("offset", static_cast<std::int64_t>(at));
  return {};
}

Result<void> read_binary(const workspace::OpenFile& file, std::string_view start,
                         const MediaRequest& request, const Context& context, ReadOutput& out) {
  const auto type = media::file_type(start);
  if (type) {
    out.type = type->name;
    out.mime_type = type->mime_type;
  }
  if (media::image_format(start)) return read_image(file, context, out);
  if (start.starts_with(media::kPdfMark)) return read_pages(file, request, context, out);
  out.kind = ReadKind::binary;
  out.note(std::string(
      type && !type->hint.empty() ? type->hint : "a command such as file or xxd can look into it"));
  return {};
}

}  // namespace helve::tools
