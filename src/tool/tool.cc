#include "tool/tool.h"

#include <fmt/format.h>

#include "schema/schema.h"
#include "tool/make.h"
#include "tool/services.h"

namespace helve {

std::string_view name_of(Effect effect) {
  static constexpr std::string_view kNames[] = {"read", "write", "execute", "network"};
  return kNames[static_cast<size_t>(effect)];
}

std::string_view name_of(Caller caller) {
  static constexpr std::string_view kNames[] = {"cli", "mcp", "model", "pipe", "test"};
  return kNames[static_cast<size_t>(caller)];
}

std::string_view name_of(Level level) {
  static constexpr std::string_view kNames[] = {"debug", "info", "notice", "warning", "error"};
  return kNames[static_cast<size_t>(level)];
}

Result<void> Context::checkpoint() const {
  if (deadline && std::chrono::steady_clock::now() >= *deadline) {
    return Error{Code::timeout, "the call ran out of time", "ask for less, or allow more time"};
  }
  if (stop.stop_requested()) return Error{Code::cancelled, "the call was cancelled"};
  return {};
}

std::int64_t Context::as_caller_counts(std::string_view parameter, std::int64_t value) const {
  if (!dialect) return value;
  const auto found = std::ranges::find(dialect->parameters, parameter, &Dialect::Parameter::ours);
  return found == dialect->parameters.end() ? value : value + found->shift;
}

std::string text_of(const std::vector<Content>& content) {
  struct Visitor {
    std::string operator()(const TextContent& block) const { return block.text; }
    std::string operator()(const ImageContent& block) const {
      return fmt::format("[image {}, {} bytes of base64]", block.mime_type, block.data.size());
    }
    std::string operator()(const AudioContent& block) const {
      return fmt::format("[audio {}, {} bytes of base64]", block.mime_type, block.data.size());
    }
    std::string operator()(const ResourceContent& block) const {
      return block.blob.empty() ? block.text
                                : fmt::format("[resource {} {}]", block.uri, block.mime_type);
    }
    std::string operator()(const ResourceLink& block) const {
      return fmt::format("[{}: {}]", block.name, block.uri);
    }
  };
  std::string out;
  for (bool first = true; const Content& block : content) {
    if (!std::exchange(first, false)) out += '\n';
    out += std::visit(Visitor{}, block);
  }
  return out;
}

std::vector<Content> text_content(std::string text) {
  std::vector<Content> content;
  content.emplace_back(TextContent{std::move(text)});
  return content;
}

JsonObject Tool::input_schema() const {
  return input ? schema::json_schema(*input, schema::Direction::input) : input_schema_json;
}
JsonObject Tool::output_schema() const {
  return output ? schema::json_schema(*output, schema::Direction::output) : output_schema_json;
}

namespace detail {

Result<Product> encode_product(const schema::Type& type, const void* output,
                               std::vector<Content> content) {
  std::vector<schema::Problem> problems;
  schema::check(type, output, problems);
  if (!problems.empty()) {
    Error error = schema::to_error(problems);
    return Error{Code::internal, "the output breaks its own schema: " + error.message,
                 "this is a fault of the tool", "invalid_output", std::move(error.details)};
  }
  Product product;
  schema::encode(type, output, product.json);
  product.content = std::move(content);
  if (product.content.empty()) product.content.push_back(TextContent{product.json});
  return product;
}

namespace {

class TypedBound final : public Bound {
 public:
  TypedBound(const Erased& erased, Effect effect)
      : erased_(erased), effect_(effect), input_(erased.input.operations.construct()) {}
  ~TypedBound() override { erased_.input.operations.destroy(input_); }
  TypedBound(const TypedBound&) = delete;

  void* input() { return input_; }
  Effect effect() const override {
    return erased_.effect_function ? erased_.effect(erased_.effect_function, input_) : effect_;
  }
  Demand demand(const Context& context) const override {
    return erased_.demand ? erased_.demand(input_, context) : Demand{};
  }
  Result<Product> run(Context& context) override {
    return erased_.run(erased_.function, input_, context);
  }
  std::string arguments() const override {
    std::string json;
    schema::encode(erased_.input, input_, json);
    return json;
  }

 private:
  const Erased erased_;
  const Effect effect_;
  void* const input_;
};

}  // namespace

Tool make_tool(Spec spec, const Erased& erased) {
  if (spec.description.empty()) spec.description = erased.input.description;
  spec.effect_varies = erased.effect_function != nullptr;
  Tool tool;
  tool.spec = std::move(spec);
  tool.input = &erased.input;
  tool.output = &erased.output;
  tool.bind = [erased,
               effect = tool.spec.effect](const Json& json) -> Result<std::unique_ptr<Bound>> {
    auto bound = std::make_unique<TypedBound>(erased, effect);
    std::vector<schema::Problem> problems;
    schema::decode(erased.input, json, bound->input(), problems);
    if (!problems.empty()) return schema::to_error(problems);
    if (erased.check) TRY(erased.check(bound->input()));
    return bound;
  };
  return tool;
}

}  // namespace detail
}  // namespace helve
