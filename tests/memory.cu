// SPDX-License-Identifier: Apache-2.0
// Reading and writing groups: every count of a partial group, every misalignment, and nothing touched beside it.
#include <onepass/memory.cuh>

#include <cstdint>
#include <cstring>
#include <vector>

#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;

// An element without arithmetic.
struct rgba {
  unsigned char r, g, b, a;
};

namespace {

template <class T>
T numbered(int i) {
  T x;
  unsigned char bytes[sizeof(T)];
  for (std::size_t k = 0; k < sizeof(T); ++k)
    bytes[k] = static_cast<unsigned char>(i * 7 + static_cast<int>(k) * 31 + 1);
  std::memcpy(&x, bytes, sizeof(T));
  return x;
}
template <class T>
bool equal_bytes(const T &a, const T &b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Groups of N at every offset in an array, cut short to every count.
template <class T, int N, op::access A>
void read_and_write() {
  constexpr int room = 3 * N + 16;
  for (int offset = N; offset < 2 * N + 8; ++offset) {
    for (int count = 0; count <= N; ++count) {
      std::vector<T> array(room);
      for (int i = 0; i < room; ++i) array[static_cast<std::size_t>(i)] = numbered<T>(i);
      const op::position<N, A> at{0, 0, 0, count, true, true};
      T *p = array.data() + offset;

      const op::pack<T, N> read = detail::settle(detail::read<N>(static_cast<const T *>(p), at));
      for (int i = 0; i < N; ++i) CHECK(equal_bytes(read[i], i < count ? numbered<T>(offset + i) : T{}));
      const op::pack<T, N> filled = detail::filled(read, at);  // what a functor meets
      const bool no_value = count == 0 || std::is_floating_point_v<T>;
      for (int i = 0; i < N; ++i)
        CHECK(equal_bytes(filled[i], i < count ? numbered<T>(offset + i) : no_value ? T{} : numbered<T>(offset)));

      op::pack<T, N> values;
      for (int i = 0; i < N; ++i) values[i] = numbered<T>(1000 + i);
      detail::write(p, values, at);
      for (int i = 0; i < room; ++i) {
        const bool inside = i >= offset && i < offset + count;
        CHECK(equal_bytes(array[static_cast<std::size_t>(i)], numbered<T>(inside ? 1000 + i - offset : i)));
      }
    }
  }
}

}  // namespace

TEST_CASE("partial groups read and write their existing lanes alone") {
  read_and_write<unsigned char, 16, op::access::any>();
  read_and_write<unsigned char, 1, op::access::any>();
  read_and_write<short, 8, op::access::aligned>();
  read_and_write<float, 4, op::access::any>();
  read_and_write<double, 2, op::access::any>();
  read_and_write<double, 8, op::access::any>();
  read_and_write<rgba, 4, op::access::any>();
}

TEST_CASE("a word is aligned to its own size, at most 16 bytes") {
  alignas(64) const float x[32] = {};
  for (int i = 0; i < 16; ++i) {
    CHECK(detail::is_word_aligned<1>(x + i));
    CHECK(detail::is_word_aligned<2>(x + i) == (i % 2 == 0));
    CHECK(detail::is_word_aligned<4>(x + i) == (i % 4 == 0));
    CHECK(detail::is_word_aligned<16>(x + i) == (i % 4 == 0));
  }
}

TEST_CASE("bit_copy keeps every bit, NaN payloads too") {
  const std::uint32_t bits = 0x7fa12345u;
  CHECK(detail::bit_copy<std::uint32_t>(detail::bit_copy<rgba>(bits)) == bits);
}
