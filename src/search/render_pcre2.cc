#include <fmt/core.h>

#include "search/regex_render.h"

namespace helve::search {
namespace {

using Kind = Node::Kind;

class Renderer {
 public:
  explicit Renderer(const Regex& regex) : byte_mode_(regex.byte_mode) {}

  void node(const Node& node);
  std::string finish() && { return std::move(out_); }

 private:
  void plain(const Node& node);
  void set(const CharSet& set, bool ignore_case, bool unicode);
  void boundary(Kind kind, bool unicode);
  void enclosed(std::string_view opening, const Node& inside) {
    out_ += opening;
    node(inside);
    out_ += ")";
  }

  bool byte_mode_;
  std::string out_;
};

void Renderer::set(const CharSet& set, bool ignore_case, bool unicode) {
  if (!unicode || byte_mode_) {
    const std::string bytes = set.bytes.none() ? "(?!)" : bytes_to_class(set.bytes);
    out_ += set.beyond_ascii ? "(?:" + bytes + R"(|[\xc2-\xf4][\x80-\xbf]{1,3}))" : bytes;
  } else {
    out_ += to_pcre2(set, ignore_case);
  }
}

void Renderer::boundary(Kind kind, bool unicode) {
  const std::string word =
      unicode && !byte_mode_ ? fmt::format("[{}]", kWordClass) : std::string("[0-9A-Za-z_]");
  const std::string other =
      unicode && !byte_mode_ ? fmt::format("[^{}]", kWordClass) : std::string("[^0-9A-Za-z_]");
  const std::string starts = fmt::format("(?<!{0})(?={0})", word);
  const std::string ends = fmt::format("(?<={0})(?!{0})", word);
  switch (kind) {
    case Kind::word_boundary:
      out_ += fmt::format("(?:{}|{})", starts, ends);
      break;
    case Kind::not_word_boundary:
      out_ += fmt::format("(?!{}|{})", starts, ends);
      break;
    case Kind::word_start:
      out_ += starts;
      break;
    case Kind::word_end:
      out_ += ends;
      break;
    case Kind::word_start_half:
      // Beside bytes that are no character there is no boundary.
      out_ += fmt::format("(?:^|(?<={}))", other);
      break;
    default:
      out_ += fmt::format("(?:$|(?={}))", other);
  }
}

// What does not depend on case is the same with and without.
void Renderer::plain(const Node& node) {
  if (node.ignore_case) out_ += "(?i:";
  if (node.kind == Kind::set) {
    set(*node.set, node.ignore_case, node.unicode);
  } else if (node.kind == Kind::back_reference) {
    out_ += fmt::format("\\g{{{}}}", node.number);
  } else if (byte_mode_) {
    for (const char byte : bytes_of(node))
      out_ += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  } else {
    out_ += fmt::format("\\x{{{:x}}}", static_cast<unsigned>(node.character));
  }
  if (node.ignore_case) out_ += ")";
}

void Renderer::node(const Node& node) {
  switch (node.kind) {
    case Kind::empty:
      break;
    case Kind::literal:
    case Kind::set:
    case Kind::back_reference:
      plain(node);
      break;
    case Kind::line_start:
      out_ += "^";
      break;
    case Kind::line_end:
      out_ += "$";
      break;
    case Kind::text_start:
      out_ += "\\A";
      break;
    case Kind::text_end:
      out_ += "\\z";
      break;
    case Kind::word_boundary:
    case Kind::not_word_boundary:
    case Kind::word_start:
    case Kind::word_end:
    case Kind::word_start_half:
    case Kind::word_end_half:
      boundary(node.kind, node.unicode);
      break;
    case Kind::concat:
      for (const Node& child : node.children) this->node(child);
      break;
    case Kind::alternate:
      out_ += "(?:";
      for (const Node& child : node.children) {
        if (&child != &node.children.front()) out_ += "|";
        this->node(child);
      }
      out_ += ")";
      break;
    case Kind::repeat:
      enclosed("(?:", node.children.front());
      out_ += node.most == kUnbounded ? fmt::format("{{{},}}", node.least)
                                      : fmt::format("{{{},{}}}", node.least, node.most);
      if (!node.greedy) out_ += "?";
      break;
    case Kind::group:
      enclosed(node.number == 0 ? "(?:" : "(", node.children.front());
      break;
    case Kind::atomic:
      enclosed("(?>", node.children.front());
      break;
    case Kind::look:
      enclosed(node.behind ? (node.negated ? "(?<!" : "(?<=") : (node.negated ? "(?!" : "(?="),
               node.children.front());
      break;
  }
}

}  // namespace

std::string to_pcre2(const Regex& regex) {
  Renderer renderer(regex);
  renderer.node(regex.root);
  return std::move(renderer).finish();
}

}  // namespace helve::search
