// kb_pipe: runs another tool and stores what it answers, so that the model sees only that it
// worked.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "knowledge/mime_type.h"
#include "tool/services.h"
#include "tools/kb_document.h"
#include "tools/kb_intake.h"

namespace helve::tools {
namespace {

constexpr size_t kPreviewChars = 200;
constexpr size_t kPreviewBytes = 4 * kPreviewChars;
constexpr size_t kMaxMessageChars = 2'000;

enum class PipeFormat : unsigned char { text, json };

struct KbPipeInput {
  std::string tool_name;
  Json tool_input;
  std::string path;
  PipeFormat format = PipeFormat::text;
  std::optional<std::string> change_note;

  Demand demand(const Context&) const { return {.inner = Demand::Inner{tool_name, tool_input}}; }
  static constexpr auto schema() {
    return object(
        "Run another tool and store its whole answer as a document, without reading it. The answer "
        "is the path, the size and the first 200 characters; kb_read, kb_search and kb_query look "
        "into it. The tool is asked about and recorded as if it was called by itself. When it "
        "fails, nothing is stored.",
        arg<&KbPipeInput::tool_name>("Any tool but those that end a task, and kb_pipe itself")
            .min_length(1),
        arg<&KbPipeInput::tool_input>("Its arguments").an_object(),
        arg<&KbPipeInput::path>("Logical path of the document; where there is one, it gets a new "
                                "version")
            .min_length(1),
        opt<&KbPipeInput::format>("text: what a reader would see, of a command what it wrote; "
                                  "json: the structured value"),
        opt<&KbPipeInput::change_note>("What is new, and why; kept with the version")
            .max_length(kMaxNoteChars));
  }
};

struct KbPipeOutput {
  std::string path;
  std::int64_t version = 0;
  std::int64_t bytes_written = 0;
  std::string preview;
  std::optional<int> exit_code;
  std::optional<std::vector<std::string>> notes;
  bool is_partial = false;  // not part of the value

  static constexpr auto schema() {
    return object("What was stored.", arg<&KbPipeOutput::path>("The document"),
                  arg<&KbPipeOutput::version>("Of the document, from 1"),
                  arg<&KbPipeOutput::bytes_written>("Of the answer"),
                  arg<&KbPipeOutput::preview>("Its first 200 characters"),
                  opt<&KbPipeOutput::exit_code>("Of a command that failed"),
                  opt<&KbPipeOutput::notes>("What the tool's caller should know besides"));
  }
  std::string text() const {
    std::string out =
        fmt::format("Stored {} (version {}, {} bytes)\n", path, version, bytes_written);
    if (exit_code) out += fmt::format("exit code {}\n", *exit_code);
    for (const std::string& note : notes.value_or(std::vector<std::string>()))
      out += fmt::format("note: {}\n", escape_for_display(note));
    return out + "It begins:\n" + escape_lines_for_display(preview) + "\n";
  }
};

Error forbidden(std::string message) {
  return {Code::denied, std::move(message), "call it by itself", "forbidden_tool"};
}

Error unknown_tool(const std::string& name) {
  return {Code::not_found,
          fmt::format("there is no tool '{}'", escape_for_display(preview(name, 80))),
          "name one of the tools that there are", "unknown_tool"};
}

std::string capped(const std::string& message) {
  const size_t chars = count_chars(message);
  if (chars <= kMaxMessageChars) return message;
  return fmt::format("{}…[truncated, {} more chars]", first_chars(message, kMaxMessageChars),
                     chars - kMaxMessageChars);
}

// Wrong arguments and a rule against the tool read as they do elsewhere.
Error inner_error(const Calls::Answer& answer, const std::string& name, const Context& context) {
  if (!answer.tool) return unknown_tool(name);
  Error error = *answer.error;
  const std::string type(error.type_name());
  const std::string_view shown = context.other_tool(answer.tool->spec.name);
  error.message = capped(fmt::format("{}: {}", shown, error.message));
  if (type == "invalid_input" || type == "invalid_json" || type == "forbidden_tool") return error;
  error.details = JsonObject{{"tool", shown}, {"error_type", type}};
  error.type = "inner_tool_error";
  return error;
}

// What is stored: of a command all that it wrote, which is read where it lies, without remarks on
// it; of others what they answer.
struct Stored {
  std::unique_ptr<const LongText> written;
  std::string text = {};

  std::string beginning_bytes() const {
    std::string begin = text.substr(0, kPreviewBytes + 1);
    if (written)
      written->read([&](std::string_view piece) {
        begin += piece.substr(0, kPreviewBytes + 1 - begin.size());
        return begin.size() <= kPreviewBytes;
      });
    return begin;
  }
  std::string beginning() const {
    return preview(shown_content(cut_utf8(beginning_bytes(), kPreviewBytes)).text, kPreviewChars);
  }
};

Stored stored_of(Product& product, PipeFormat format) {
  if (format == PipeFormat::json && !product.json.empty()) return {{}, std::move(product.json)};
  if (product.written) return {std::move(product.written)};
  return {{}, text_of(product.content)};
}

// A page, a notebook or a PDF becomes text, as kb_add makes it, unless it is too large for that.
void convert(Stored& stored, store::DocumentVersion& version, const Context& context,
             KbPipeOutput& out, std::vector<std::string>& notes) {
  if (!is_converted_kind(stored.beginning_bytes(), version.path)) return;
  std::string whole = std::move(stored.text);
  if (stored.written)
    stored.written->read([&](std::string_view piece) {
      whole += piece;
      return whole.size() <= store::kMaxDocumentBytes;
    });
  Text text = take_in_text(std::move(whole), version.path, context);
  std::ranges::move(text.notes, std::back_inserter(notes));
  out.is_partial = text.is_cut;
  version.mime_type = std::move(text.mime_type);
  stored = {{}, std::move(text.content)};
}

// What the tool itself says besides, such as that something is missing.
void add_notes_of(const Product& product, std::vector<std::string>& notes) {
  const auto may_have = [&](std::string_view key) {
    return product.json.find(key) != product.json.npos;
  };
  if (!may_have("\"notes\"") && !may_have("\"timed_out\"")) return;
  const Result<Json> value = parse_json(product.json, {.bytes = product.json.size()});
  const Json* timed_out = value ? find(*value, "timed_out") : nullptr;
  if (timed_out && *timed_out == Json(true))
    notes.emplace_back("it was ended because its time was up: this is what it wrote until then");
  const Json* said = value ? find(*value, "notes") : nullptr;
  if (!said || !said->is_array()) return;
  for (const Json& note : said->get_array()) {
    if (note.is_string()) notes.emplace_back(note.get_string());
  }
}

Result<KbPipeOutput> kb_pipe(const KbPipeInput& in, Context& context) {
  if (!context.calls || context.caller == Caller::pipe)
    return forbidden("a tool that is piped cannot pipe another one");
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  const std::string path = TRY(store::document_path(in.path));
  const Tool* const tool = context.calls->find(in.tool_name);
  if (!tool) return unknown_tool(in.tool_name);
  if (tool->spec.name == context.tool)
    return forbidden(fmt::format("{} cannot pipe itself", context.other_tool(context.tool)));
  if (tool->spec.terminal)
    return forbidden(fmt::format("'{}' ends the task: its answer is not for a document",
                                 context.other_tool(tool->spec.name)));
  Calls::Answer answer = context.calls->call(
      in.tool_name, in.tool_input,
      in.format == PipeFormat::text ? Calls::Want::written : Calls::Want::answer);
  if (answer.error) return inner_error(answer, in.tool_name, context);
  const int status = answer.product.shell_status;
  add_notes_of(answer.product, answer.notes);
  Stored stored = stored_of(answer.product, in.format);
  store::DocumentVersion version = version_by(
      context, path, {.kind = "pipe", .from = tool->spec.name + " " + to_text(in.tool_input)},
      in.change_note);
  version.mime_type =
      in.format == PipeFormat::json ? "application/json" : knowledge::mime_type_of(version.path);
  KbPipeOutput out;
  if (in.format == PipeFormat::text) convert(stored, version, context, out, answer.notes);
  Result<store::DocumentVersion> written =
      store::write_document(*documents, {version, stored.text, {}, stored.written.get()});
  if (!written) {
    written.error().type = "write_failed";
    return std::move(written).error();
  }
  out.path = written->path;
  out.version = static_cast<std::int64_t>(written->number);
  out.bytes_written = static_cast<std::int64_t>(written->bytes);
  out.preview = stored.beginning();
  if (status != 0) out.exit_code = status;
  if (!answer.notes.empty()) out.notes = std::move(answer.notes);
  return out;
}

}  // namespace

Tool tool_kb_pipe() {
  return make_tool(
      {.name = "kb_pipe",
       .group = "kb",
       .title = "Store what a tool answers",
       .effect = Effect::write,
       .delegates = true,
       .open_world = true,
       .examples = {{"A long log", R"({"tool_name": "exec", "tool_input": {"command": "git log"},
                    "path": "logs/git.txt"})"},
                    {"A structured value", R"({"tool_name": "glob", "tool_input":
                    {"pattern": "**/*.h"}, "path": "files.json", "format": "json"})"}}},
      kb_pipe);
}

}  // namespace helve::tools
