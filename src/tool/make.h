// make_tool: from a typed function to a Tool. This is all a tool's file needs to include, besides
// what it works with.
#pragma once

#include "schema/schema.h"
#include "tool/context.h"
#include "tool/tool.h"

namespace helve {

using schema::arg;
using schema::object;
using schema::opt;

namespace detail {

using AnyFunction = void (*)();

// A typed function behind addresses. The templates below only cast; everything else compiles once.
struct Erased {
  const schema::Type& input;
  const schema::Type& output;
  AnyFunction function;
  Result<Product> (*run)(AnyFunction function, const void* input, Context& context);
  AnyFunction effect_function;  // null: the spec's effect
  Effect (*effect)(AnyFunction function, const void* input);
  Demand (*demand)(const void* input, const Context& context);  // null: it has none
  Result<void> (*check)(const void* input);                     // null: the schema says it all
};
Tool make_tool(Spec spec, const Erased& erased);
Result<Product> encode_product(const schema::Type& type, const void* output,
                               std::vector<Content> content);

// How people and models read an output: its content(), else its text(), else its JSON (an empty
// list stands for that).
template <class Output>
std::vector<Content> content_of(const Output& output) {
  if constexpr (requires { output.content(); })
    return output.content();
  else if constexpr (requires { output.text(); })
    return text_content(output.text());
  else
    return {};
}

template <class Input>
constexpr auto demand_of() -> Demand (*)(const void*, const Context&) {
  if constexpr (requires(const Input& input, const Context& context) { input.demand(context); })
    return [](const void* input, const Context& context) {
      return static_cast<const Input*>(input)->demand(context);
    };
  else
    return nullptr;
}

// What a schema cannot say: arguments that do not go together are wrong before anybody is asked.
template <class Input>
constexpr auto check_of() -> Result<void> (*)(const void*) {
  if constexpr (requires(const Input& input) { input.check(); })
    return [](const void* input) { return static_cast<const Input*>(input)->check(); };
  else
    return nullptr;
}

}  // namespace detail

// What an input says of itself: demand(context) is what it wants besides, check() what is wrong
// with arguments that are right one by one, told before anybody is asked about the call.
// `effect_of` tells the effect of these very arguments; without it every call has the spec's
// effect.
template <class Input, class Output>
Tool make_tool(Spec spec, Result<Output> (*run)(const Input&, Context&),
               std::type_identity_t<Effect (*)(const Input&)> effect_of = nullptr) {
  using detail::AnyFunction;
  return detail::make_tool(
      std::move(spec),
      {schema::kType<Input>, schema::kType<Output>, reinterpret_cast<AnyFunction>(run),
       [](AnyFunction function, const void* input, Context& context) -> Result<Product> {
         auto typed = reinterpret_cast<Result<Output> (*)(const Input&, Context&)>(function);
         Result<Output> output = typed(*static_cast<const Input*>(input), context);
         if (!output) return std::move(output).error();
         Result<Product> product =
             detail::encode_product(schema::kType<Output>, &*output, detail::content_of(*output));
         if constexpr (requires { output->is_partial; }) {
           if (product) product->is_partial = output->is_partial;
         }
         if constexpr (requires { output->shell_status; }) {
           if (product) product->shell_status = output->shell_status;
         }
         if constexpr (requires { output->told_bytes; }) {
           if (product) product->told_bytes = output->told_bytes;
         }
         if constexpr (requires { product->written = std::move(output->written); }) {
           if (product) product->written = std::move(output->written);
         }
         return product;
       },
       reinterpret_cast<AnyFunction>(effect_of),
       [](AnyFunction function, const void* input) {
         return reinterpret_cast<Effect (*)(const Input&)>(function)(
             *static_cast<const Input*>(input));
       },
       detail::demand_of<Input>(), detail::check_of<Input>()});
}

}  // namespace helve
