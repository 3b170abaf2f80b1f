#include "sandbox/policy.h"

#include <charconv>
#include <optional>

#include "base/text.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxEncoded = 1u << 20;  // bytes
constexpr size_t kMaxPaths = 4096;        // in all lists together
constexpr size_t kMaxPathLength = 4096;   // as the kernel
constexpr std::string_view kHeader = "helve-policy 1\n";
constexpr std::string_view kEnd = "end\n";  // a policy that was cut must not say less

// One field per line, "name length:bytes", so that a path may hold anything but NUL.
void add(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(" ").append(std::to_string(value.size())).append(":");
  out.append(value).append("\n");
}

void add(std::string& out, std::string_view name, std::uint64_t value) {
  add(out, name, std::to_string(value));
}

void add(std::string& out, std::string_view name, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(out, name, value);
}

struct Field {
  std::string_view name;
  std::string_view value;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes the first field off `text`.
std::optional<Field> next_field(std::string_view& text) {
  const size_t space = text.find(' ');
  const size_t colon = text.find(':', space == text.npos ? text.size() : space);
  if (colon == text.npos) return std::nullopt;
  const auto length = number(text.substr(space + 1, colon - space - 1));
  const std::string_view rest = text.substr(colon + 1);
  if (!length || *length >= rest.size() || rest[*length] != '\n') return std::nullopt;
  const Field field{text.substr(0, space), rest.substr(0, *length)};
  text = rest.substr(*length + 1);
  return field;
}

Error malformed(std::string_view what) {
  return {.code = Code::invalid_argument,
          .message = "the sandbox policy is malformed: " + escape_for_display(what),
          .hint = "helve and its helper program must be of the same version"};
}

template <class T>
bool store(T& target, std::string_view value, std::uint64_t largest) {
  const auto parsed = number(value);
  if (!parsed || *parsed > largest) return false;
  target = static_cast<T>(*parsed);
  return true;
}

std::vector<std::string>* list_named(Policy& policy, std::string_view name) {
  if (name == "root") return &policy.roots;
  if (name == "read_only_root") return &policy.read_only_roots;
  if (name == "protected_name") return &policy.protected_names;
  if (name == "protected_path") return &policy.protected_paths;
  if (name == "protected_file") return &policy.protected_files;
  if (name == "hidden") return &policy.hidden;
  if (name == "home") return &policy.homes;
  if (name == "visible") return &policy.visible;
  return nullptr;
}

// Whether ".." or an empty part would make the path mean another place.
bool plain(std::string_view path) {
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool good_path(std::string_view name, std::string_view value) {
  if (value.size() > kMaxPathLength || value.find('\0') != value.npos) return false;
  if (name == "protected_name") return plain(value);
  // Whatever these mean, it is covered.
  if (name == "hidden" || name == "home" || name == "visible") return value.starts_with('/');
  return value == "/" || (value.starts_with('/') && plain(value.substr(1)));
}

bool store_scalar(Policy& policy, const Field& field) {
  Limits& limits = policy.limits;
  const auto& [name, value] = field;
  if (name == "level") return store(policy.level, value, static_cast<int>(Level::full));
  if (name == "backend") return store(policy.backend, value, static_cast<int>(Backend::bubblewrap));
  if (name == "network") return store(policy.network, value, 1);
  if (name == "processes") return store(limits.processes, value, UINT32_MAX);
  if (name == "memory_bytes") return store(limits.memory_bytes, value, UINT64_MAX);
  if (name == "file_bytes") return store(limits.file_bytes, value, UINT64_MAX);
  if (name == "tmp_bytes") return store(limits.tmp_bytes, value, UINT64_MAX);
  if (name == "cpu_seconds") return store(limits.cpu_seconds, value, UINT32_MAX);
  if (name == "open_files") return store(limits.open_files, value, UINT32_MAX);
  return false;
}

}  // namespace

std::vector<std::string> default_protected_names() {
  return {".git/hooks", ".git/config", ".git/info", ".helve"};
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::read_only:
      return "read_only";
    case Level::workspace_write:
      return "workspace_write";
    case Level::full:
      return "full";
  }
  return "unknown";
}

std::string_view name_of(Backend backend) {
  switch (backend) {
    case Backend::automatic:
      return "auto";
    case Backend::own:
      return "own";
    case Backend::bubblewrap:
      return "bubblewrap";
  }
  return "unknown";
}

std::string encode(const Policy& policy) {
  std::string out(kHeader);
  add(out, "level", static_cast<std::uint64_t>(policy.level));
  add(out, "backend", static_cast<std::uint64_t>(policy.backend));
  add(out, "network", std::uint64_t{policy.network});
  add(out, "root", policy.roots);
  add(out, "read_only_root", policy.read_only_roots);
  add(out, "protected_name", policy.protected_names);
  add(out, "protected_path", policy.protected_paths);
  add(out, "protected_file", policy.protected_files);
  add(out, "hidden", policy.hidden);
  add(out, "home", policy.homes);
  add(out, "visible", policy.visible);
  if (!policy.scratch.empty()) add(out, "scratch", policy.scratch);
  add(out, "processes", policy.limits.processes);
  add(out, "memory_bytes", policy.limits.memory_bytes);
  add(out, "file_bytes", policy.limits.file_bytes);
  add(out, "tmp_bytes", policy.limits.tmp_bytes);
  add(out, "cpu_seconds", policy.limits.cpu_seconds);
  add(out, "open_files", policy.limits.open_files);
  return out.append(kEnd);
}

Result<Policy> decode(std::string_view text) {
  if (text.size() > kMaxEncoded) return malformed("too long");
  if (!text.starts_with(kHeader)) return malformed("no header");
  text.remove_prefix(kHeader.size());
  if (!text.ends_with(kEnd)) return malformed("no end");
  text.remove_suffix(kEnd.size());
  Policy policy;
  size_t paths = 0;
  while (!text.empty()) {
    const auto field = next_field(text);
    if (!field) return malformed("a field without a length");
    if (auto* list = list_named(policy, field->name)) {
      if (++paths > kMaxPaths) return malformed("too many paths");
      if (!good_path(field->name, field->value)) return malformed(field->value);
      list->emplace_back(field->value);
    } else if (field->name == "scratch") {
      if (!good_path(field->name, field->value)) return malformed(field->value);
      policy.scratch = field->value;
    } else if (!store_scalar(policy, *field)) {
      return malformed(field->name);
    }
  }
  return policy;
}

}  // namespace helve::sandbox
