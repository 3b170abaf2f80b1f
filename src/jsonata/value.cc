#include "jsonata/value.h"

#include <algorithm>
#include <bit>

namespace helve::jsonata {

bool is_index_key(std::string_view key) {
  if (key.empty() || key.size() > 10 || (key[0] == '0' && key.size() > 1)) return false;
  std::uint64_t number = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number < 0xFFFFFFFF;
}

bool index_key_less(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = text.size() * kFactor;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (std::rotl(hash, 23) ^ word) * kFactor;
    hash ^= hash >> 29;
  };
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  if (i < text.size()) std::memcpy(&rest, text.data() + i, text.size() - i);
  mix(rest);
  return hash ^ (hash >> 32);
}

std::uint32_t Object::find_place(std::string_view key) const {
  if (!index) {
    for (std::uint32_t i = 0; i < size; ++i)
      if (members[i].key == key) return i;
    return size;
  }
  for (std::uint64_t at = hash_of(key);; ++at) {
    const std::uint32_t entry = index[at & (index_size - 1)];
    if (entry == 0) return size;
    if (members[entry - 1].key == key) return entry - 1;
  }
}

const Value* Object::find(std::string_view key) const {
  const std::uint32_t place = find_place(key);
  return place < size ? &members[place].value : nullptr;
}

void Object::add_to_index(std::uint32_t place) {
  std::uint64_t at = hash_of(members[place].key);
  while (index[at & (index_size - 1)] != 0) ++at;
  index[at & (index_size - 1)] = place + 1;
}

void Object::fill_index() {
  std::fill_n(index, index_size, 0);
  for (std::uint32_t i = 0; i < size; ++i) add_to_index(i);
}

void Object::set(std::string_view key, Value value, Arena& arena) {
  const std::uint32_t place = find_place(key);
  if (place < size) {
    members[place].value = value;
    return;
  }
  const bool grows = size == capacity;
  if (grows) {
    const std::uint32_t more = capacity == 0 ? 4 : capacity * 2;
    members =
        static_cast<Member*>(arena.grow(members, capacity * sizeof(Member), more * sizeof(Member)));
    capacity = more;
  }
  if (size > 0 && is_index_key(key)) {
    const std::string_view last = members[size - 1].key;
    if (!is_index_key(last) || index_key_less(key, last)) disordered = true;
  }
  members[size++] = {key, value};
  if (size <= kScanned) return;
  if (!index || grows) {
    index_size = std::bit_ceil(capacity) * 2;
    index = arena.array<std::uint32_t>(index_size);
    fill_index();
  } else {
    add_to_index(size - 1);
  }
}

void Object::erase(std::string_view key) {
  const std::uint32_t place = find_place(key);
  if (place == size) return;
  std::copy(members + place + 1, members + size, members + place);
  --size;
  if (index) fill_index();
}

void Object::put_in_order() {
  Member* const names = std::stable_partition(
      members, members + size, [](const Member& member) { return is_index_key(member.key); });
  std::sort(members, names,
            [](const Member& a, const Member& b) { return index_key_less(a.key, b.key); });
  disordered = false;
  if (index) fill_index();
}

}  // namespace helve::jsonata
