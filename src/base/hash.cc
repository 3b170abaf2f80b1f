#include "base/hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace helve {
namespace {

// FIPS 180-4: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr size_t kBlock = 64;
using State = std::array<std::uint32_t, 8>;

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void compress(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> words;
  for (size_t i = 0; i < 16; ++i) words[i] = big_endian(block + 4 * i);
  for (size_t i = 16; i < 64; ++i) {
    const std::uint32_t near = words[i - 2], far = words[i - 15];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3)) +
               (std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRound[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

// FIPS 180-4, too.
using Sha1State = std::array<std::uint32_t, 5>;
void compress(Sha1State& state, const unsigned char* block) {
  std::array<std::uint32_t, 80> words;
  for (size_t i = 0; i < 16; ++i) words[i] = big_endian(block + 4 * i);
  for (size_t i = 16; i < 80; ++i)
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = b ^ c ^ d, constant = i < 40 ? 0x6ed9eba1 : 0xca62c1d6;
    if (i < 20) mixed = (b & c) | (~b & d), constant = 0x5a827999;
    if (i >= 40 && i < 60) mixed = (b & c) | (b & d) | (c & d), constant = 0x8f1bbcdc;
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + words[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  const Sha1State mixed = {a, b, c, d, e};
  for (size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

// Both take blocks of the same size, and end in the same way.
template <typename Words>
std::string_view compress_blocks(Words& state, std::string_view content) {
  for (; content.size() >= kBlock; content.remove_prefix(kBlock))
    compress(state, reinterpret_cast<const unsigned char*>(content.data()));
  return content;
}

// The rest, a 1 bit, zeros, and the length in bits fill one block or two.
template <typename Words>
Words ended(Words state, std::string_view rest, std::uint64_t bytes) {
  std::array<unsigned char, 2 * kBlock> tail{};
  std::ranges::copy(rest, tail.begin());
  tail[rest.size()] = 0x80;
  const size_t tail_size = rest.size() + 9 <= kBlock ? kBlock : 2 * kBlock;
  const std::uint64_t bits = bytes * 8;
  for (size_t i = 0; i < 8; ++i)
    tail[tail_size - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  for (size_t i = 0; i < tail_size; i += kBlock) compress(state, tail.data() + i);
  return state;
}

template <typename Words>
Words digest(Words state, std::string_view content) {
  const std::string_view rest = compress_blocks(state, content);
  return ended(state, rest, content.size());
}

constexpr State kSha256Start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

State sha256(std::string_view content) { return digest(kSha256Start, content); }

// A key of one block, each byte with this mask.
std::string masked(std::string_view key, unsigned char mask) {
  std::string out(kBlock, static_cast<char>(mask));
  for (size_t i = 0; i < key.size(); ++i) out[i] = static_cast<char>(key[i] ^ out[i]);
  return out;
}

template <typename Words>
std::string hex(const Words& state) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string digits;
  for (std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) digits += kHex[(word >> shift) & 15];
  }
  return digits;
}

std::string raw(const State& state) {
  std::string bytes;
  for (std::uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
  }
  return bytes;
}

}  // namespace

std::string sha256_hex(std::string_view content) { return hex(sha256(content)); }

Sha256::Sha256() : state_(kSha256Start) {}

void Sha256::add(std::string_view piece) {
  bytes_ += piece.size();
  if (!rest_.empty()) {
    const std::string_view head = piece.substr(0, kBlock - rest_.size());
    rest_ += head;
    piece.remove_prefix(head.size());
    if (rest_.size() < kBlock) return;
    compress_blocks(state_, rest_);
  }
  rest_ = compress_blocks(state_, piece);
}

std::string Sha256::hex() const { return helve::hex(ended(state_, rest_, bytes_)); }

std::string sha1_hex(std::string_view content) {
  return hex(
      digest(Sha1State{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, content));
}

// RFC 2104.
std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  const std::string block = key.size() > kBlock ? raw(sha256(key)) : std::string(key);
  const std::string inner = raw(sha256(masked(block, 0x36).append(message)));
  return hex(sha256(masked(block, 0x5c) + inner));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace helve
