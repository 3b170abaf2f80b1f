// kb_tree: the paths of documents as a tree.
#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "tools/kb_document.h"

namespace helve::tools {
namespace {

constexpr size_t kMaxCounted = 100'000;  // documents of one tree

struct KbTreeInput {
  std::string path;
  std::int64_t max_depth = 6;
  std::int64_t max_items = 20;

  static constexpr auto schema() {
    return object(
        "Show the paths of the documents as a tree, with how many documents lie below each.",
        opt<&KbTreeInput::path>("Where the tree begins; empty: all of it").positional(),
        opt<&KbTreeInput::max_depth>("Levels to show").min(1).max(100),
        opt<&KbTreeInput::max_items>("Entries of each folder to show; the rest is counted")
            .min(1)
            .max(10'000)
            .shorthand('n'));
  }
};

struct KbTreeOutput {
  std::string tree;
  std::int64_t documents = 0;
  bool truncated = false;

  static constexpr auto schema() {
    return object("The tree.", arg<&KbTreeOutput::tree>("A line for each folder and document"),
                  arg<&KbTreeOutput::documents>("That there are below the path"),
                  arg<&KbTreeOutput::truncated>("True when not all of them are shown"));
  }
  std::string text() const {
    return fmt::format("{}{} {}\n", tree, documents, documents == 1 ? "document" : "documents");
  }
};

struct Node {
  std::map<std::string, Node, std::less<>> below;
  std::int64_t documents = 0;  // in it and below
  bool is_document = false;
  std::int64_t bytes = 0;
};

void add(Node& root, std::string_view path, std::int64_t bytes) {
  Node* node = &root;
  ++node->documents;
  for (std::string_view part : split(path, '/')) {
    auto place = node->below.find(part);
    if (place == node->below.end()) place = node->below.emplace(part, Node()).first;
    node = &place->second;
    ++node->documents;
  }
  node->is_document = true;
  node->bytes = bytes;
}

void write(const Node& node, const KbTreeInput& in, std::string_view indent, std::int64_t depth,
           KbTreeOutput& out) {
  std::int64_t left = in.max_items;
  for (const auto& [name, below] : node.below) {
    if (left-- == 0) {
      const auto more = static_cast<std::int64_t>(node.below.size()) - in.max_items;
      out.tree += fmt::format("{}… {} more\n", indent, more);
      out.truncated = true;
      return;
    }
    const bool is_folder = !below.below.empty();
    out.tree += fmt::format("{}{}{}", indent, name, is_folder ? "/" : "");
    if (below.is_document)
      out.tree += fmt::format(" ({})", human_size(static_cast<std::uint64_t>(below.bytes)));
    const bool is_cut = is_folder && depth + 1 >= in.max_depth;
    if (is_cut) {
      const std::int64_t hidden = below.documents - (below.is_document ? 1 : 0);
      out.tree += fmt::format(" ({} {})", hidden, hidden == 1 ? "document" : "documents");
      out.truncated = true;
    }
    out.tree += '\n';
    if (!is_cut) write(below, in, fmt::format("{}  ", indent), depth + 1, out);
  }
}

Result<KbTreeOutput> kb_tree(const KbTreeInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  store::DocumentFilter filter;
  filter.under = TRY(document_folder(in.path));
  Node root;
  KbTreeOutput out;
  for (std::vector<store::DocumentVersion> page;;) {
    page = TRY(documents->list(filter));
    for (const store::DocumentVersion& each : page) {
      std::string_view path = each.path;
      if (path.size() > filter.under.size() && !filter.under.empty())
        path.remove_prefix(filter.under.size() + 1);
      add(root, path, static_cast<std::int64_t>(each.bytes));
    }
    if (page.size() < store::kMaxDocumentsListed) break;
    if (static_cast<size_t>(root.documents) >= kMaxCounted) {
      out.truncated = true;
      break;
    }
    filter.after = page.back().path;
    TRY(context.checkpoint());
  }
  if (!filter.under.empty()) out.tree = filter.under + "/\n";
  write(root, in, filter.under.empty() ? "" : "  ", 0, out);
  out.documents = root.documents;
  return out;
}

}  // namespace

Tool tool_kb_tree() {
  return make_tool(
      {.name = "kb_tree",
       .group = "kb",
       .title = "Show the tree of documents",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"All", "{}"},
                    {"Some levels below a path", R"({"path": "notes", "max_depth": 3})"}}},
      kb_tree);
}

}  // namespace helve::tools
