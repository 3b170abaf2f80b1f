// JsonWriter: values as JSON text, as JavaScript's JSON.stringify writes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "jsonata/fallible.h"

namespace helve::jsonata {

class Evaluator;

struct WriteOptions {
  size_t at_most = SIZE_MAX;                // bytes, about: then the rest is left out
  bool pretty = false;                      // indented by two spaces
  bool for_string = false;                  // as $string has it: 15 digits, functions are ""
  std::function<bool(std::string&)> flush;  // takes what was written, when it is much
};

class JsonWriter {
 public:
  JsonWriter(Evaluator& evaluator, std::string& out, WriteOptions options)
      : evaluator_(evaluator), out_(out), options_(std::move(options)) {}

  // Functions and undefined values are left out of objects and null in arrays.
  Fallible<void> write(Value value);

 private:
  static constexpr size_t kFlushBytes = 64u << 10;

  Fallible<void> write_array(Value array);
  Fallible<void> write_object(Value object);
  Fallible<void> write_number(double number);
  bool is_left_out(Value value) const;
  void new_line();

  Evaluator& evaluator_;
  std::string& out_;
  WriteOptions options_;
  size_t indentation_ = 0;
};

// With quotes; a surrogate that stands alone is escaped.
void append_quoted(std::string& out, std::string_view text);

}  // namespace helve::jsonata
