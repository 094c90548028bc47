// SPDX-License-Identifier: Apache-2.0
// Which group is where, without a device: the index arithmetic of both families, walked as the kernels walk it. Each
// element is visited once, no word leaves its row, and who visits what does not depend on alignment.
#include <onepass/launch.cuh>

#include <cstdint>
#include <random>
#include <vector>

#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using op::access;
using std::int64_t;
using std::uint64_t;

namespace {

// A pointer as a number: nothing here is read or written.
template <class T>
T *at_address(uint64_t address) {
  return reinterpret_cast<T *>(static_cast<std::uintptr_t>(address));
}
constexpr uint64_t base = uint64_t{1} << 40;

template <class P>
onepass_plan_t plan_of(const P &p, onepass_extent_t extent) {
  const onepass_geometry_t geometry = detail::geometry_of<P>();
  onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
  onepass_plan_t plan{};
  const int count = detail::write_leaves(p.inner, leaves);
  REQUIRE(onepass_plan(&geometry, extent, leaves, count, ONEPASS_ROW_AUTO, nullptr, &plan) == ONEPASS_SUCCESS);
  return plan;
}

// What is wrong with a position, as bits; 0 if nothing is. `smallest` is the least size of an element in the pipeline.
template <int N, access A>
int faults_of(const op::position<N, A> &at, const detail::shape &s, unsigned smallest) {
  int faults = 0;
  if (at.count < 0 || at.count > N) faults |= 1;
  if (A == access::whole && at.count != N) faults |= 2;
  if (at.count <= 0) return faults;
  if (at.row < 0 || at.row >= s.rows) faults |= 4;
  if (at.column < 0 || at.column + at.count > s.columns) faults |= 8;
  if (at.index != at.row * s.columns + at.column) faults |= 16;
  if (A != access::any && at.column % N != 0) faults |= 32;
  // The words of a group of small elements, at every misalignment of its row.
  if (A == access::any && at.full() && !at.edge) {
    for (int64_t skew = 0; skew < 4; skew += smallest) {
      const int64_t first = skew + at.column * smallest, end = first + N * static_cast<int64_t>(smallest);
      if (first / 4 * 4 < skew || (end + 3) / 4 * 4 > skew + s.columns * smallest) faults |= 64;
    }
  }
  return faults;
}

// By how many lanes a row starts inside a word of the sink: of its address, or the same everywhere.
template <int N, class Sink>
struct lead_of_sink {
  Sink sink;
  int64_t columns;
  __host__ __device__ std::int32_t operator()(int64_t row) const {
    constexpr std::uintptr_t bytes = sizeof(typename Sink::element), word = detail::word_bytes(N * bytes);
    return static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(sink.row_start(row, columns)) % word / bytes);
  }
};
struct constant_lead {
  std::int32_t lanes;
  __host__ __device__ std::int32_t operator()(int64_t) const { return lanes; }
};

// Every position of a map, as map_kernel finds them.
template <class P, class F>
void each_of_map(const P &p, onepass_extent_t extent, const F &f) {
  constexpr int N = detail::lanes_v<P>;
  constexpr bool by_row = detail::any_by_row<P>::value;
  const onepass_plan_t plan = plan_of(p, extent);
  const detail::shape s = detail::shape_of<P>(plan, extent);
  const lead_of_sink<N, detail::sink_t<P>> lead{p.sink(), s.columns};
  constexpr unsigned tile = detail::map_threads * detail::map_packs;
  for (int64_t block = 0; block < plan.blocks; ++block) {
    const int64_t first = block * tile;
    for (unsigned own = 0; own < tile; ++own) {
      if (!plan.aligned) f(s, detail::locate_any<N, by_row>(s, first, own, lead));
      else if (first + tile <= s.whole_groups) f(s, detail::locate<N, access::whole, by_row>(s, first, own));
      else f(s, detail::locate<N, access::aligned, by_row>(s, first, own));
    }
  }
}

// Every position of a reduction in the order of reduce_kernel: f(shape, part, thread, position).
template <class P, class F>
void each_of_reduce(const P &p, onepass_extent_t extent, const F &f) {
  constexpr int N = detail::lanes_v<P>;
  constexpr bool by_row = detail::any_by_row<P>::value;
  const onepass_plan_t plan = plan_of(p, extent);
  const detail::shape s = detail::shape_of<P>(plan, extent);
  const auto threads = static_cast<unsigned>(plan.threads), tile = threads * detail::reduce_packs;
  for (int64_t part = 0; part < plan.blocks; ++part) {
    for (int64_t first = part * tile; first < s.groups; first += plan.blocks * tile) {
      for (unsigned own = 0; own < tile; ++own) {
        const auto visit = [&](const auto &at) { f(s, part, own % threads, at); };
        if (!plan.aligned) visit(detail::locate_any<N, by_row>(s, first, own, constant_lead{0}));
        else if (first + tile <= s.whole_groups) visit(detail::locate<N, access::whole, by_row>(s, first, own));
        else visit(detail::locate<N, access::aligned, by_row>(s, first, own));
      }
    }
  }
}

template <class P>
void check_map(const P &p, onepass_extent_t extent, unsigned smallest) {
  std::vector<int> visits(static_cast<std::size_t>(onepass_elements(extent)));
  int faults = 0;
  each_of_map(p, extent, [&](const detail::shape &s, const auto &at) {
    faults |= faults_of(at, s, smallest);
    if (faults == 0)
      for (int i = 0; i < at.count; ++i) ++visits[static_cast<std::size_t>(at.index + i)];
  });
  std::size_t wrong = 0;
  for (const int n : visits) wrong += n != 1;
  if (faults != 0 || wrong != 0) {
    CAPTURE(extent.rows, extent.columns, faults);
    CHECK(wrong == 0);
    CHECK(faults == 0);
  }
}

constexpr int64_t columns_near[] = {1,  2,  3,  4,  5,  7,  8,  9,  15, 16, 17, 18, 19,  20,  23,
                                    31, 32, 33, 34, 35, 36, 47, 48, 50, 63, 64, 65, 127, 128, 257};

// Every misalignment of the sink against several of the source, dense, pitched and flat.
template <class In, class Out>
void check_maps() {
  constexpr unsigned smallest = sizeof(In) < sizeof(Out) ? sizeof(In) : sizeof(Out);
  for (const int64_t columns : columns_near) {
    for (uint64_t skew = 0; skew < 16 / sizeof(Out); ++skew) {
      const In *const x = at_address<In>(base + skew % 3 * sizeof(In));
      Out *const y = at_address<Out>(base + (uint64_t{1} << 36) + skew * sizeof(Out));
      check_map(op::load(x) | op::store(y), op::extent(columns), smallest);
      for (const int64_t rows : {1, 2, 37}) {
        check_map(op::load(x) | op::add(op::row()) | op::store(y), op::extent(rows, columns), smallest);
        for (const int64_t gap : {0, 1, 2, 3, 8, 16})
          check_map(op::load(x, columns + gap) | op::store(y, columns + gap / 2), op::extent(rows, columns), smallest);
      }
    }
  }
}

// Visits of a reduction: (part, thread, index, count), in order.
struct visit {
  int64_t part;
  unsigned thread;
  int64_t index;
  std::int32_t count;
  bool operator==(const visit &v) const {
    return part == v.part && thread == v.thread && index == v.index && count == v.count;
  }
};
template <class P>
std::vector<visit> visits_of(const P &p, onepass_extent_t extent) {
  std::vector<visit> visits;
  int faults = 0;
  each_of_reduce(p, extent, [&](const detail::shape &s, int64_t part, unsigned thread, const auto &at) {
    faults |= faults_of(at, s, 1);
    if (at.has(0)) visits.push_back({part, thread, at.index, at.count});
  });
  CAPTURE(extent.rows, extent.columns);
  CHECK(faults == 0);
  return visits;
}

}  // namespace

TEST_CASE("a map visits each element once, and no word leaves its row") {
  check_maps<float, float>();
  check_maps<unsigned char, unsigned char>();
  check_maps<unsigned char, float>();
  check_maps<double, unsigned char>();  // 8 lanes: words of 8 bytes in the sink
  check_maps<float, unsigned short>();
  check_maps<short, double>();
}

TEST_CASE("a reduction visits each element once, in an order that alignment does not change") {
  float *const out = at_address<float>(base);
  const auto check = [&](onepass_extent_t extent, const auto &build) {
    const std::vector<visit> aligned = visits_of(build(base), extent);
    std::vector<int> visits(static_cast<std::size_t>(onepass_elements(extent)));
    for (const visit &v : aligned)
      for (int i = 0; i < v.count; ++i) ++visits[static_cast<std::size_t>(v.index + i)];
    std::size_t wrong = 0;
    for (const int n : visits) wrong += n != 1;
    CAPTURE(extent.rows, extent.columns);
    CHECK(wrong == 0);
    for (uint64_t skew = 4; skew < 16; skew += 4) CHECK(visits_of(build(base + skew), extent) == aligned);
  };
  const auto flat = [&](uint64_t x) { return op::load(at_address<float>(x)) | op::reduce(op::sum, out); };
  for (int64_t n = 0; n < 40; ++n) check(op::extent(n), flat);
  for (const int64_t n : {2047, 2048, 8191, 8193, 16384, 16385, 65537, 300001}) check(op::extent(n), flat);
  const auto by_row = [&](uint64_t x) {
    return op::load(at_address<float>(x)) | op::add(op::row()) | op::reduce(op::sum, out);
  };
  for (const int64_t columns : columns_near)
    for (const int64_t rows : {0, 1, 3, 300}) check(op::extent(rows, columns), by_row);
}

// Where counts come close to 32 bits: samples of the groups, against division.
TEST_CASE("rows and columns near 2^31") {
  constexpr int64_t most = ONEPASS_MAX_SMALL_GROUPS, two31 = int64_t{1} << 31;
  std::mt19937_64 random(1);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const auto check = [&](auto lanes, access mode, int64_t rows, int64_t columns, int64_t groups_per_row,
                         unsigned tile) {
    constexpr int N = decltype(lanes)::value;
    onepass_plan_t plan{};
    plan.groups_per_row = groups_per_row;
    plan.groups = rows * groups_per_row;
    using P = decltype(op::load(at_address<float>(0)) | op::add(op::row()) | op::store(at_address<float>(0)));
    const detail::shape s = detail::shape_of<P>(plan, op::extent(rows, columns));
    const int64_t last = (s.groups - 1) / tile * tile;
    for (int i = 0; i < 3000; ++i) {
      int64_t first = below(s.groups) / tile * tile;
      if (i % 3 == 0) first = last;
      if (i % 3 == 1) first = groups_per_row * below(rows) / tile * tile;
      const auto offset = i == 0 ? tile - 1 : static_cast<unsigned>(random() % tile);
      const int64_t group = first + offset, row = group / groups_per_row, in_row = group % groups_per_row;
      const std::int32_t lead = mode == access::any ? static_cast<std::int32_t>(random() % N) : 0;
      const int64_t start = in_row * N - lead, column = start < 0 ? 0 : start;
      const int64_t end = row >= rows ? 0 : start + N < columns ? start + N : columns;
      const int64_t count = end > column ? end - column : 0;
      const auto same = [&](const auto &at) {
        const bool right = at.count == count && (count == 0 || (at.row == row && at.column == column &&
                                                                at.index == row * columns + column));
        if (!right || faults_of(at, s, 1) != 0) {
          CAPTURE(N, rows, columns, groups_per_row, group, lead, at.row, at.column, at.index, at.count, count);
          CHECK(right);
          CHECK(faults_of(at, s, 1) == 0);
        }
      };
      if (mode == access::any) same(detail::locate_any<N, true>(s, first, offset, constant_lead{lead}));
      else same(detail::locate<N, access::aligned, true>(s, first, offset));
    }
  };
  const auto check_lanes = [&](auto lanes) {
    constexpr int64_t N = decltype(lanes)::value;
    for (const unsigned tile : {256u, 2048u}) {
      for (const int64_t near : {most - 1, most, most + 1, two31 - 1, two31, two31 + 1, 2 * two31 - 1, 2 * two31 + 1}) {
        for (const int64_t few : {1, 2, 3, 7}) {
          // Groups along the sink, and groups at multiples of N.
          const auto per_row = [&](int64_t columns) { return onepass_ceil_div(columns - 1, N) + 1; };
          check(lanes, access::any, few, near, per_row(near), tile);
          check(lanes, access::any, near, few, per_row(few), tile);
          check(lanes, access::any, few, near / few * N, per_row(near / few * N), tile);
          check(lanes, access::any, few, near, onepass_ceil_div(near, N), tile);
          check(lanes, access::any, near / few, few * N, few, tile);
          if (near / few * few <= most) {  // what onepass_is_aligned lets through
            check(lanes, access::aligned, few, near / few * N, near / few, tile);
            check(lanes, access::aligned, near / few, few * N, few, tile);
          }
        }
      }
      for (const int64_t columns : {most * N + 1, most * N + N - 1})  // one row more than `most` groups, aligned
        check(lanes, access::aligned, 1, columns, most + 1, tile);
    }
  };
  check_lanes(std::integral_constant<int, 1>{});
  check_lanes(std::integral_constant<int, 4>{});
  check_lanes(std::integral_constant<int, 16>{});
}

TEST_CASE("row_of_group is a division") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const auto wide = i < 1000 ? static_cast<uint64_t>(i) + 1 : (random() >> (32 + i % 32)) | 1;
    const auto divisor = static_cast<std::uint32_t>(wide);
    detail::shape s{};
    s.magic = divisor > 1 ? ~uint64_t{0} / divisor + 1 : 0;
    const auto multiple = static_cast<std::uint32_t>(random() % (uint64_t{0xffffffff} / divisor + 1)) * divisor;
    const auto any = static_cast<std::uint32_t>(random());
    for (const std::uint32_t group : {0u, 0xffffffffu, multiple, multiple - 1, any})
      if (detail::row_of_group(s, group) != group / divisor) FAIL_CHECK(group << " / " << divisor);
  }
}
