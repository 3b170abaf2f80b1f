#include "schema/flags.h"

#include <fmt/format.h>

#include "base/text.h"
#include "schema/schema.h"

namespace helve::schema {
namespace {

using ReadStdin = std::function<Result<std::string>()>;

Error usage(std::string message, std::string hint = {}) {
  return Error{Code::invalid_argument, std::move(message), std::move(hint), "usage"};
}

bool is_scalar(const Type& type) {
  return type.kind != Kind::object && type.kind != Kind::array && type.kind != Kind::map &&
         type.kind != Kind::json;
}

// Words have dashes where names have underscores: json-tags is json_tags.
std::string enumerator_of(const Type& type, std::string_view word) {
  std::string name(word);
  std::replace(name.begin(), name.end(), '-', '_');
  const bool exists = std::find(type.names.begin(), type.names.end(), name) != type.names.end();
  return exists ? name : std::string(word);
}

// The JSON a word stands for. What does not fit the type stays a string: decoding knows how to say
// so.
Json from_word(const Type& type, std::string_view word) {
  switch (plain(type).kind) {
    case Kind::boolean:
      if (word == "true" || word == "yes" || word == "1") return true;
      if (word == "false" || word == "no" || word == "0") return false;
      return Json(word);
    case Kind::string:
      return Json(word);
    case Kind::enumeration:
      return Json(enumerator_of(plain(type), word));
    case Kind::integer:
    case Kind::number: {
      Result<Json> number = parse_json(word);
      return number && number->is_number() ? *number : Json(word);
    }
    default: {  // objects, arrays, maps and free JSON come as JSON text
      Result<Json> value = parse_json(word);
      if (value) return *value;
      return Json(word);
    }
  }
}

class Parser {
 public:
  Parser(const Type& object, std::span<const std::string> words, const ReadStdin& read_stdin)
      : object_(object), words_(words), read_stdin_(read_stdin) {}

  Result<JsonObject> parse() {
    bool flags_ended = false;
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (!flags_ended && word == "--")
        flags_ended = true;
      else if (!flags_ended && word.starts_with("--"))
        TRY(long_flag(std::string_view(word).substr(2)));
      else if (!flags_ended && word.size() > 1 && word[0] == '-' && !is_number(word))
        TRY(short_flag(word));
      else
        TRY(positional(word));
    }
    return std::move(out_);
  }

 private:
  // "-5" and "-.5e3" are values; "-e" is a flag.
  static bool is_number(std::string_view word) {
    return word.find_first_not_of("-.0123456789eE+") == word.npos &&
           word.find_first_of("0123456789") != word.npos;
  }

  Result<void> long_flag(std::string_view text) {
    const size_t equals = text.find('=');
    std::string name(text.substr(0, equals));
    std::replace(name.begin(), name.end(), '-', '_');
    const Field* field = find_field(name);
    bool negated = false;
    if (!field && name.starts_with("no_")) {
      field = find_field(name.substr(3));
      negated = field && plain(*field->type).kind == Kind::boolean;
      if (!negated) field = nullptr;
    }
    if (!field) return unknown_flag(text.substr(0, equals));
    if (negated && equals != text.npos)
      return usage(fmt::format("--{} takes no value", text.substr(0, equals)));
    if (equals != text.npos && !negated) return assign(*field, text.substr(equals + 1));
    if (plain(*field->type).kind == Kind::boolean) {
      out_[field->name] = !negated;
      return {};
    }
    return assign(*field, TRY(value_of(*field)));
  }

  // "-n20", or letters that need no value in one word.
  Result<void> short_flag(std::string_view word) {
    for (size_t at = 1; at < word.size(); ++at) {
      const Field* field = find_letter(word[at]);
      if (field && plain(*field->type).kind == Kind::boolean && !starts_value(word, at + 1)) {
        out_[field->name] = true;
      } else if (field) {
        return assign(*field, at + 1 < word.size() ? std::string(word.substr(at + 1))
                                                   : TRY(value_of(*field)));
      } else if (!TRY(turn_on(word[at]))) {
        return unknown_flag(at == 1 ? word : fmt::format("-{}", word[at]));
      }
    }
    return {};
  }

  // Whether the letters that follow are the value of a switch, as in -atrue.
  static bool starts_value(std::string_view word, size_t at) {
    return at < word.size() && from_word(Type{.kind = Kind::boolean}, word.substr(at)).is_bool();
  }

  // Whether there is such a switch.
  Result<bool> turn_on(char letter) {
    for (const Field& field : object_.fields) {
      for (const Switch& each : field.switches) {
        if (each.letter != letter || letter == 0) continue;
        if (!each.value.empty()) TRY(assign(field, each.value));
        return true;
      }
    }
    return false;
  }

  Result<std::string> value_of(const Field& field) {
    if (next_ >= words_.size())
      return usage(fmt::format("{} needs a value", flag_name(field.name)), hint_of(field));
    return words_[next_++];
  }

  Result<void> positional(std::string_view word) {
    for (const Field& field : object_.fields) {
      if (field.place != Place::positional) continue;
      const bool repeats = plain(*field.type).kind == Kind::array;
      if (out_.contains(field.name) && !repeats) continue;
      return assign(field, word);
    }
    return Error{Code::invalid_argument,
                 fmt::format("unexpected argument '{}'", escape_for_display(word)),
                 "quote it if it belongs to the value before", std::string(kUnexpectedArgument)};
  }

  Result<void> assign(const Field& field, std::string_view word) {
    std::string piped;
    if (field.takes_stdin && word == "-") {
      piped = TRY(read_stdin_());
      word = piped;
    }
    const Type& type = plain(*field.type);
    if (type.kind == Kind::map && !word.starts_with('{')) {
      const size_t equals = word.find('=');
      if (equals == word.npos)
        return usage(fmt::format("{} takes KEY=VALUE, got '{}'", flag_name(field.name),
                                 escape_for_display(word)));
      if (out_.contains(field.name) && !out_[field.name].is_object()) return given_twice(field);
      member_object(field)[word.substr(0, equals)] =
          from_word(*type.inner, word.substr(equals + 1));
    } else if (type.kind == Kind::array &&
               !(word.starts_with('[') && !is_scalar(plain(*type.inner))) && !whole_array(word)) {
      if (!out_.contains(field.name)) out_[field.name] = JsonArray();
      if (!out_[field.name].is_array()) return given_twice(field);
      out_[field.name].as_array().push_back(from_word(*type.inner, word));
    } else {
      if (out_.contains(field.name)) return given_twice(field);
      out_[field.name] = from_word(type, word);
    }
    return {};
  }

  static Error given_twice(const Field& field) {
    return usage(fmt::format("{} is given twice", flag_name(field.name)));
  }

  // --edits '[{…}]': the whole list as JSON text.
  static bool whole_array(std::string_view word) {
    if (!word.starts_with('[')) return false;
    Result<Json> value = parse_json(word);
    return value && value->is_array();
  }

  JsonObject& member_object(const Field& field) {
    if (!out_.contains(field.name)) out_[field.name] = JsonObject();
    return out_[field.name].as_object();
  }

  const Field* find_field(std::string_view name) const {
    for (const Field& field : object_.fields)
      if (field.name == name) return &field;
    return nullptr;
  }

  const Field* find_letter(char letter) const {
    for (const Field& field : object_.fields)
      if (field.letter == letter && letter != 0) return &field;
    return nullptr;
  }

  Error unknown_flag(std::string_view flag) const {
    std::vector<std::string> names;
    for (const Field& field : object_.fields) names.push_back(flag_name(field.name));
    std::vector<std::string_view> views(names.begin(), names.end());
    std::string written = flag.starts_with('-') ? std::string(flag) : "--" + std::string(flag);
    std::string hint = did_you_mean(written, views);
    if (hint.empty() && flag.find_first_of(" \n") != flag.npos)
      hint = "if it is a text: -- before it says so, and - reads it from standard input";
    if (hint.empty() && !names.empty()) hint = "flags: " + join(names, " ");
    return usage(fmt::format("unknown flag '{}'", escape_for_display(written)), hint);
  }

  const Type& object_;
  std::span<const std::string> words_;
  const ReadStdin& read_stdin_;
  size_t next_ = 0;
  JsonObject out_;
};

// --limit=20, or -n20.
std::string with_value(const Field& field, std::string_view value) {
  return fmt::format("{}{}{}", flag_name(field.name), field.name.starts_with('-') ? "" : "=",
                     value);
}

std::string word_of(const Json& value) {
  return value.is_string() ? std::string(value.get_string()) : to_text(value);
}

// A value that would be read as a flag must follow `--` or an equals sign; one that reads as
// another type cannot be told apart.
Result<void> check_expressible(const Field& field, const Json& value, const Type& type) {
  const Kind kind = plain(type).kind;
  const bool text = kind == Kind::string || kind == Kind::enumeration;
  if (text != value.is_string() && is_scalar(plain(type)))
    return usage(fmt::format("flags cannot express {} as {}", field.name, type_name(value)));
  if (field.takes_stdin && value.is_string() && value.get_string() == "-")
    return usage("flags cannot express a plain '-' here");
  if (value.is_string() && value.get_string().find('\0') != boost::json::string::npos)
    return usage("a word cannot hold a NUL");
  return {};
}

}  // namespace

std::string hint_of(const Field& field) {
  std::string hint(field.description);
  // "JSON text" does not begin with a word that could be small.
  const bool is_word = hint.size() > 1 && !std::isupper(static_cast<unsigned char>(hint[1]));
  if (is_word) hint[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(hint[0])));
  return hint;
}

std::string flag_name(std::string_view field) {
  if (field.starts_with('-')) return std::string(field);
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

const Type& plain(const Type& type) {
  return type.kind == Kind::optional ? plain(*type.inner) : type;
}

Result<JsonObject> parse_flags(const Type& object, std::span<const std::string> words,
                               const ReadStdin& read_stdin) {
  return Parser(object, words, read_stdin).parse();
}

Result<std::vector<std::string>> to_flags(const Type& object, const JsonObject& arguments) {
  std::vector<std::string> flags, positionals;
  bool gap = false;  // a positional was left out: those behind it must come as flags
  for (const Field& field : object.fields) {
    const Json* value = arguments.if_contains(field.name);
    const Type& type = plain(*field.type);
    if (!value || value->is_null()) {
      gap = gap || field.place == Place::positional;
      continue;
    }
    if (type.kind == Kind::array && value->is_array()) {
      if (value->get_array().empty())
        return usage(fmt::format("flags cannot express an empty {}", field.name));
      for (const Json& item : value->get_array()) {
        TRY(check_expressible(field, item, *type.inner));
        flags.push_back(with_value(field, word_of(item)));
      }
    } else if (type.kind == Kind::map && value->is_object()) {
      if (value->get_object().empty())
        return usage(fmt::format("flags cannot express an empty {}", field.name));
      for (const auto& member : value->get_object()) {
        TRY(check_expressible(field, member.value(), *type.inner));
        flags.push_back(flag_name(field.name) + "=" + std::string(member.key()) + "=" +
                        word_of(member.value()));
      }
    } else {
      TRY(check_expressible(field, *value, type));
      if (type.kind == Kind::boolean && value->is_bool()) {
        if (field.name.starts_with('-') && !value->get_bool())
          return usage(fmt::format("flags cannot express {} as false", field.name));
        flags.push_back(value->get_bool() ? flag_name(field.name)
                                          : "--no-" + flag_name(field.name).substr(2));
      } else if (field.place == Place::positional && !gap) {
        positionals.push_back(word_of(*value));
      } else {
        flags.push_back(with_value(field, word_of(*value)));
      }
    }
  }
  for (const auto& member : arguments) {
    const bool known = std::ranges::any_of(
        object.fields, [&](const Field& field) { return field.name == member.key(); });
    if (!known)
      return usage(fmt::format("there is no flag for '{}'", escape_for_display(member.key())));
  }
  const bool dashed =
      std::any_of(positionals.begin(), positionals.end(),
                  [](const std::string& word) { return word.starts_with('-') && word != "-"; });
  std::vector<std::string> words;
  if (dashed) {
    words = std::move(flags);
    words.push_back("--");
    words.insert(words.end(), positionals.begin(), positionals.end());
  } else {
    words = std::move(positionals);
    words.insert(words.end(), flags.begin(), flags.end());
  }
  return words;
}

}  // namespace helve::schema
