#include "media/to_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "media/file_type.h"
#include "media/helper.h"
#include "media/markdown.h"
#include "media/notebook.h"
#include "sys/process.h"

namespace helve::media {
namespace {

constexpr size_t kPagesAtOnce = 100;  // of a PDF: what one run of the helper reads
constexpr size_t kNamedPages = 10;    // of those without text

// Endings, and names of files that have none. What is in neither list is plain text.
constexpr std::string_view kHtmlEndings = " htm html shtml xhtml ";
constexpr std::string_view kMarkdownEndings = " md markdown mdown mdx mkd qmd rmd ";
constexpr std::string_view kCodeEndings =
    " ada adb ads asm astro awk bash bat bazel bzl c cc cjs clj cljs cmake cmd coffee cpp cr cs "
    "css "
    "cu cuh cxx d dart diff el elm erl ex exs f f90 fish fs fsx gd glsl go gradle graphql groovy h "
    "hcl hh hlsl hpp hrl hs hxx inc ino ipp java jl js jsx kt kts less lisp lua m mjs mk ml mli mm "
    "mts nim nix nu odin pas patch php pl pm pp prisma proto ps1 pxd py pyi pyx qml r rake rb rego "
    "rkt rs s sass sc scala scm scss sh sol sql star sv svelte swift tcl tf thrift ts tsx v vala "
    "vb vhd vhdl vim vue wat wgsl zig zsh ";
constexpr std::string_view kCodeNames =
    " build cmakelists.txt containerfile dockerfile gemfile gnumakefile jenkinsfile justfile "
    "makefile meson.build rakefile vagrantfile workspace ";

bool is_listed(std::string_view list, std::string_view word) {
  return !word.empty() && word.find(' ') == word.npos && list.contains(fmt::format(" {} ", word));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

struct Name {
  std::string base;    // "notes.md" of "docs/Notes.MD"
  std::string ending;  // "md"; empty when it has none
};
Name name_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  Name name{.base = lower(slash == path.npos ? path : path.substr(slash + 1)), .ending = {}};
  if (const size_t dot = name.base.rfind('.'); dot != name.base.npos)
    name.ending = name.base.substr(dot + 1);
  return name;
}

TextForm form_of(const Name& name, std::string_view text) {
  if (is_listed(kMarkdownEndings, name.ending)) return TextForm::markdown;
  if (is_listed(kCodeEndings, name.ending) || is_listed(kCodeNames, name.base) ||
      text.starts_with("#!"))
    return TextForm::code;
  return TextForm::plain;
}

std::string as_title(std::string_view text) {
  return preview(escape_for_display(trim(text)), kMaxDocumentTitle);
}

// In place, as what is left is never longer.
void end_lines_alike(std::string& text) {
  size_t kept = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (kept == 0 && text.find('\r') == text.npos) return;
  size_t to = 0;
  for (; kept < text.size(); ++kept) {
    if (text[kept] == '\r' && kept + 1 < text.size() && text[kept + 1] == '\n') continue;
    text[to++] = text[kept];
  }
  text.resize(to);
}

// Text may begin with the very bytes that other types begin with.
bool is_other_type(std::string_view bytes) {
  return !is_utf8(bytes) && file_type(bytes.substr(0, kTypeBytes));
}

std::string_view how_to_look(const std::optional<FileType>& type) {
  if (type && !type->hint.empty()) return type->hint;
  return type && type->mime_type.starts_with("image/") ? "read shows it" : kLookInto;
}

Error unsupported_type(std::string_view name, std::string_view bytes) {
  const auto type = file_type(bytes.substr(0, kTypeBytes));
  return {Code::unsupported,
          fmt::format("'{}' is no text: {}", escape_for_display(name),
                      type ? type->name : "its type is not known"),
          fmt::format("only text, Markdown, HTML, PDFs, notebooks and code are taken; {}",
                      how_to_look(type)),
          "unsupported_type"};
}

Result<Converted> from_text(std::string_view bytes, std::string_view name) {
  std::optional<Readable> readable = helve::readable(bytes);
  if (!readable || is_other_type(bytes)) return unsupported_type(name, bytes);
  Converted out{.text = std::move(readable->text)};
  end_lines_alike(out.text);
  out.form = form_of(name_of(name), out.text);
  if (out.form == TextForm::markdown) out.title = as_title(markdown_title(out.text));
  if (readable->encoding != Encoding::utf_8)
    out.notes.push_back(fmt::format("decoded from {}", name_of(readable->encoding)));
  return out;
}

Result<Converted> from_notebook(std::string_view bytes, std::string_view name) {
  const Result<Notebook> notebook = parse_notebook(bytes);
  if (!notebook) {
    Converted out = TRY(from_text(bytes, name));
    out.notes.push_back(fmt::format("taken as text: {}", notebook.error().message));
    return out;
  }
  Converted out{.text = escape_invalid_utf8(to_markdown(*notebook)), .form = TextForm::markdown};
  out.title = as_title(markdown_title(out.text));
  size_t images = 0;
  for (const Cell& cell : notebook->cells) {
    images += static_cast<size_t>(
        std::ranges::count(cell.outputs, CellOutput::Kind::image, &CellOutput::kind));
  }
  if (images > 0)
    out.notes.push_back(fmt::format("{} image{} left out", images, images == 1 ? "" : "s"));
  return out;
}

Result<Converted> from_html(std::string_view bytes, std::string_view name,
                            const HtmlOptions& options) {
  if (is_other_type(bytes)) return unsupported_type(name, bytes);
  HtmlPage page = html_to_markdown(decode_html(bytes), options);
  Converted out{
      .text = std::move(page.markdown), .title = as_title(page.title), .form = TextForm::markdown};
  out.is_cut = page.is_cut;
  if (page.is_cut)
    out.notes.push_back(fmt::format("cut after {} of Markdown", human_size(options.most_bytes)));
  return out;
}

// "pages 2, 5, … (12 in all) hold no text; they may be scanned".
std::string note_on_blank(std::span<const std::int64_t> pages) {
  if (pages.size() == 1)
    return fmt::format("page {} holds no text; it may be scanned", pages.front());
  const bool are_many = pages.size() > kNamedPages;
  return fmt::format("pages {}{} hold no text; they may be scanned",
                     fmt::join(pages.first(std::min(pages.size(), kNamedPages)), ", "),
                     are_many ? fmt::format(", … ({} in all)", pages.size()) : "");
}

// A few pages at a time: when the helper fails on some, those before them stay.
Result<Converted> from_pdf(std::string_view bytes, const ConvertOptions& options,
                           std::stop_token stop) {
  const sys::Fd file = TRY(sys::memory_file(bytes));
  const HelperOptions helper{.program = options.helper, .timeout = options.timeout, .stop = stop};
  Converted out;
  std::int64_t read = 0, total = 1;
  std::vector<std::int64_t> blank;
  const auto leave_out = [&](std::string_view why) {
    out.notes.push_back(fmt::format("pages {} to {} left out: {}", read + 1, total, why));
    out.is_cut = true;
  };
  while (read < total) {
    if (read >= static_cast<std::int64_t>(kMaxDocumentPages)) {
      leave_out(fmt::format("no more than {} are read", kMaxDocumentPages));
      break;
    }
    if (out.text.size() > kMaxDocument) {
      leave_out(fmt::format("no more than {} of text are kept", human_size(kMaxDocument)));
      break;
    }
    std::array<std::int64_t, kPagesAtOnce> pages;
    std::iota(pages.begin(), pages.end(), read + 1);
    Result<Pdf> pdf = read_pdf(file, pages, PageForm::text, helper);
    if (!pdf) {
      if (read == 0 || pdf.error().code == Code::cancelled) return std::move(pdf).error();
      leave_out(pdf.error().message);
      break;
    }
    if (pdf->text.empty()) break;
    total = pdf->total_pages;
    out.title = as_title(pdf->title);
    for (const std::string& text : pdf->text) {
      const std::string_view content =
          std::string_view(text).substr(0, text.find_last_not_of(" \f\n\r\t") + 1);
      out.text +=
          fmt::format("{}--- page {} ---\n{}\n", out.text.empty() ? "" : "\n", ++read, content);
      if (content.empty()) blank.push_back(read);
    }
  }
  if (std::cmp_equal(blank.size(), read))
    out.notes.push_back("its pages hold no text; they may be scanned");
  else if (!blank.empty())
    out.notes.push_back(note_on_blank(blank));
  end_lines_alike(out.text);
  return out;
}

Error too_large(std::string_view name, size_t bytes, size_t most) {
  return {Code::too_large, fmt::format("'{}' has {}", escape_for_display(name), human_size(bytes)),
          fmt::format("documents of its kind may have {}; split it", human_size(most))};
}

}  // namespace

Result<Converted> to_text(std::string_view bytes, std::string_view name,
                          const ConvertOptions& options, std::stop_token stop) {
  const bool is_pdf = bytes.starts_with(kPdfMark);
  const size_t most = is_pdf ? kMaxPdf : kMaxDocument;
  if (bytes.size() > most) return too_large(name, bytes.size(), most);
  if (is_pdf) return from_pdf(bytes, options, stop);
  const Name parts = name_of(name);
  if (parts.ending == "ipynb") return from_notebook(bytes, name);
  const bool is_plain = form_of(parts, bytes.substr(0, 2)) == TextForm::plain;
  if (is_listed(kHtmlEndings, parts.ending) || (is_plain && is_html(bytes)))
    return from_html(bytes, name, options.html);
  return from_text(bytes, name);
}

}  // namespace helve::media
