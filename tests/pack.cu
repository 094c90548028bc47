// SPDX-License-Identifier: Apache-2.0
// Lanes and places: every count of a partial group, every misalignment, and nothing touched beside it.
#include <onepass/pack.cuh>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;

// An element without arithmetic.
struct rgba {
  unsigned char r, g, b, a;
};

static_assert(std::is_trivially_copyable_v<op::pack<double, 4>>);
static_assert(sizeof(op::pack<unsigned char, 16>) == 16 && sizeof(op::pack<double, 8>) == 64);
static_assert(std::is_trivially_copyable_v<op::position<4>>);

TEST_CASE("place says which lanes of a group exist") {
  constexpr int N = 4;
  for (std::int64_t rows = 0; rows < 4; ++rows) {
    for (std::int64_t columns = 0; columns < 14; ++columns) {
      for (std::int64_t row = 0; row < rows + 2; ++row) {
        for (std::int64_t column = 0; column < columns + 9; ++column) {
          const auto at = op::place<N>(row, column, rows, columns);
          INFO(rows << " x " << columns << " at " << row << ", " << column);
          CHECK(at.row == row);
          CHECK(at.column == column);
          CHECK(at.index == row * columns + column);
          int exist = 0;
          for (int i = 0; i < N; ++i) {
            const bool inside = row < rows && column + i < columns;
            exist += inside;
            CHECK(at.has(i) == inside);
          }
          CHECK(at.full() == (exist == N));
          // Words that reach beyond a group are inside its row where it touches neither end.
          if (!at.edge) CHECK((column > 0 && column + N < columns));
        }
      }
    }
  }
}

TEST_CASE("a lane knows its coordinate") {
  const auto at = op::place<4>(2, 5, 3, 100);
  const op::coordinate c = at.lane(3);
  CHECK(c.row == 2);
  CHECK(c.column == 8);
  CHECK(c.index == 208);
}

TEST_CASE("places are 64-bit") {
  const std::int64_t rows = INT64_C(1) << 31, columns = (INT64_C(1) << 31) + 7;
  const auto at = op::place<8>(rows - 1, columns - 3, rows, columns);
  CHECK(at.index == rows * columns - 3);
  CHECK(at.count == 3);
  // Far behind the end is still behind the end, however far.
  for (const std::int64_t beyond :
       {INT64_C(0), INT64_C(1), (INT64_C(1) << 32) - 3, INT64_C(1) << 32, INT64_C(1) << 62}) {
    const auto none = op::place<8>(0, 5 + beyond, 1, 5);
    INFO(beyond);
    for (int i = 0; i < 8; ++i) CHECK_FALSE(none.has(i));
    CHECK_FALSE(none.full());
  }
}

TEST_CASE("a whole place has all lanes at compile time") {
  const auto at = op::place_whole<4>(3, 8, 12);
  CHECK(decltype(at)::mode == op::access::whole);
  CHECK(at.index == 44);
  CHECK(at.full());
  for (int i = 0; i < 4; ++i) CHECK(at.has(i));
}

TEST_CASE("places are constants where their arguments are") {
  constexpr auto at = op::place<4>(1, 2, 2, 5);
  static_assert(at.count == 3 && at.index == 7 && at.lane(1).column == 3);
}

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

namespace {

struct sum_of_two {
  ONEPASS_HD double operator()(int x, double y) const { return x + y; }
};

}  // namespace

TEST_CASE("each_lane lifts a functor of several packs") {
  const op::pack<int, 4> a{{1, 2, 3, 4}};
  const op::pack<double, 4> b{{0.5, 0.25, -1, 8}};
  const auto sum = detail::each_lane(sum_of_two{}, a, b);
  static_assert(std::is_same_v<decltype(sum), const op::pack<double, 4>>);
  for (int i = 0; i < 4; ++i) CHECK(sum[i] == a[i] + b[i]);

  const auto ones = detail::broadcast<8>(1.5f);
  for (int i = 0; i < 8; ++i) CHECK(ones[i] == 1.5f);
}

TEST_CASE("bit_copy keeps every bit, NaN payloads too") {
  const std::uint32_t bits = 0x7fa12345u;
  CHECK(detail::bit_copy<std::uint32_t>(detail::bit_copy<rgba>(bits)) == bits);
}
