// SPDX-License-Identifier: Apache-2.0
// The fuzz test: runs generated pipelines (make.py) over random shapes, alignments, pitches and values, on the host, or
// with ONEPASS_FUZZ_DEVICE on a device, and compares every result with the reference.
//
//   fuzz <seed> <seconds>               all pipelines in turn, until the time is over
//   fuzz <seed> 0 <pipeline> <run>      one run again, as a failure names it
//
// Everything lies in one block of memory with poison between the arrays. A run leaves the block as it was but for the
// results: this finds a store beside its array, and an input that was changed.
#ifndef ONEPASS_TESTS_FUZZ_HPP
#define ONEPASS_TESTS_FUZZ_HPP

#ifdef ONEPASS_FUZZ_DEVICE
#include <onepass/onepass.cuh>
#endif

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reference.hpp"

namespace fuzz {

struct difference {  // functors of the user's own, of one rounding each
  ONEPASS_HD float operator()(float a, float b) const { return a - b; }
};
struct sum_of_three {
  ONEPASS_HD float operator()(float a, float b, float c) const { return op::detail::plus(op::detail::plus(a, b), c); }
};

struct place {
  i64 row, column;
};

// An array: where the pipeline finds it, and what lies there before the run.
template <class T>
struct array {
  T *p;
  i64 pitch, step;  // elements from row to row, from column to column
  const unsigned char *before;

  near element(i64 i) const {
    T x;
    std::memcpy(static_cast<void *>(&x), before + i * static_cast<i64>(sizeof(T)), sizeof(T));
    return exact(number_in(x));
  }
  near operator()(const place &at) const { return element(at.row * pitch + at.column * step); }
};
template <class T>
struct array_of_pairs {
  T *p;
  array<T> gate, up;
};

struct pipeline {
  const char *text;
  void (*function)(class run &);
};

// What all runs share.
struct totals {
  u64 runs = 0, stored = 0, results = 0, skipped_stored = 0, skipped_results = 0, vague = 0;
};

inline unsigned long long ull(u64 x) { return x; }  // for printf
inline long long ll(i64 x) { return x; }
inline void require(bool success, const char *what) {
  if (success) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

class memory {
 public:
  static constexpr std::size_t capacity = std::size_t{16} << 20, workspace_bytes = std::size_t{1} << 20;
  std::vector<unsigned char> before, after, again;
  unsigned char *base, *workspace = nullptr;  // where pipelines see the block

  memory() : before(capacity), after(capacity), again(capacity), base(after.data()) {
#ifdef ONEPASS_FUZZ_DEVICE
    require(cudaMalloc(&base, capacity) == cudaSuccess && cudaMalloc(&workspace, workspace_bytes) == cudaSuccess &&
                cudaMemset(workspace, 0, workspace_bytes) == cudaSuccess,
            "memory of the device");
#endif
  }
  void send(std::size_t bytes) {
#ifdef ONEPASS_FUZZ_DEVICE
    require(cudaMemcpy(base, before.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess, "copy to the device");
#else
    std::memcpy(base, before.data(), bytes);
#endif
  }
  void receive([[maybe_unused]] std::size_t bytes) {
#ifdef ONEPASS_FUZZ_DEVICE
    require(cudaMemcpy(after.data(), base, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "the kernel");
#endif
  }
};

class run {
 public:
  i64 rows = 1, columns = 0;

  run(memory &m, totals &t, const pipeline &p, const char *source, u64 seed, u64 number, u64 index)
      : m_(m), t_(t), p_(p) {
    std::seed_seq words{seed, number, index};
    random_.seed(words);
    aligned_ = one_in(2);
    specials_ = one_in(4) ? 16 : one_in(8) ? 2 : 0;
    const i64 most = one_in(2) ? 70 : one_in(2) ? 2000 : 20000;
    if (one_in(2)) rows = one_in(16) ? 0 : between(1, one_in(2) ? 9 : most / 8);
    columns = one_in(16) ? between(0, 3) : between(1, std::max<i64>(1, most / std::max<i64>(rows, 1)));
    if (aligned_ && one_in(2)) columns = (columns + 15) / 16 * 16;
    counted_ = rows == 1 && one_in(8) ? between(-1, columns + 1) : columns;
    std::snprintf(command_, sizeof command_, "(%s) fuzz %llu 0 %llu %llu", source, ull(seed), ull(number), ull(index));
  }

  // Inputs.
  template <class T>
  array<T> dense() {
    return filled<T>(columns, 1);
  }
  template <class T>
  array<T> pitched() {
    return filled<T>(pitch(), 1);
  }
  template <class T>
  array<T> strided() {
    const i64 step = between(-3, 3), across = std::abs(step) * columns + between(0, 3);
    return one_in(4) ? filled<T>(between(-1, 1), rows) : filled<T>(one_in(2) ? across : -across, step);
  }
  template <class T>
  array<T> strided_flat() {
    const i64 step = between(-3, 3);
    return filled<T>(step * columns, step);
  }
  template <class T>
  array<T> column_vector() {
    return filled<T>(0, 1);
  }
  template <class T>
  array<T> row_vector() {
    return filled<T>(1, 0);
  }
  template <class T>
  array<T> scalar() {
    return filled<T>(0, 0);
  }
  template <class T>
  array<T> table(i64 size) {
    const array<T> a = place_array<T>(size, 0, 0, 1);
    fill(a, size, 0);
    return a;
  }
  template <class T>
  array<T> indices(i64 low, i64 high) {  // in [low, high)
    const array<T> a = place_array<T>(rows * columns, 0, columns, 1);
    for (i64 i = 0; i < rows * columns; ++i) put(a, i, static_cast<T>(between(low, high - 1)));
    return a;
  }
  template <class T>
  array_of_pairs<T> halves() {
    const array<T> a = filled<T>(2 * columns, 1, columns);
    return {a.p, a, moved(a, columns)};
  }
  template <class T>
  array_of_pairs<T> pairs() {
    const array<T> a = filled<T>(2 * columns, 2, 1, 2);
    return {a.p, a, moved(a, 1)};
  }

  // Outputs.
  template <class T>
  array<T> output() {
    return place_array<T>(rows * columns, 0, columns, 1);
  }
  template <class T>
  array<T> output_pitched() {
    const i64 between_rows = pitch();
    return place_array<T>(rows * between_rows, 0, between_rows, 1);
  }
  template <class T>
  array<T> result() {
    return place_array<T>(1, 0, 0, 0);
  }

  // Runs the pipeline.
  template <class P>
  void go(const P &p) {
    onepass_extent_t extent = onepass_extent_2d(rows, columns);
    if (counted_ != columns) {
      const array<i64> count = place_array<i64>(1, 0, 0, 0);
      put(count, 0, counted_);
      extent = onepass_extent_at(count.p, columns);
      counted_ = std::min(std::max<i64>(counted_, 0), columns);
    }
    onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
    const int n = op::detail::write_leaves(p.inner, leaves);
    require(onepass_check_leaves(leaves, n, extent) == ONEPASS_SUCCESS, p_.text);
    m_.send(used_);
#ifdef ONEPASS_FUZZ_DEVICE
    for (int i = 0; i < 2; ++i) {  // twice, with the same bits
      onepass_exec_t exec{};
      exec.workspace = m_.workspace;
      exec.workspace_bytes = memory::workspace_bytes;
      exec.max_blocks = i == 0 ? 0 : static_cast<std::int32_t>(between(1, 5));
      exec.dependent_launch = one_in(2);
      if (i == 1) m_.again.swap(m_.after), m_.send(used_);
      require(op::launch(p, extent, exec) == ONEPASS_SUCCESS, "the launch");
      m_.receive(used_);
    }
    if (std::memcmp(m_.again.data(), m_.after.data(), used_) != 0) fail("a second launch had other bits");
#else
    on_host(p, onepass_extent_now(extent));
#endif
    ++t_.runs;
  }

  // f(place) for every element, in order.
  template <class F>
  void each(const F &f) const {
    for (i64 row = 0; row < rows; ++row)
      for (i64 column = 0; column < counted_; ++column) f(place{row, column});
  }
  template <class T>
  void stored(const array<T> &out, const place &at, const near &expected) {
    ++t_.stored;
    compare(out, at, expected, t_.skipped_stored);
  }
  template <class T>
  void reduced(const array<T> &out, const near &expected) {
    ++t_.results;
    compare(out, place{0, 0}, expected, t_.skipped_results);
  }
  // The results are checked: nothing else has changed.
  void done() {
    const auto *a = m_.after.data(), *b = m_.before.data();
    if (std::memcmp(a, b, used_) == 0) return;
    const auto at = static_cast<std::size_t>(std::mismatch(a, a + used_, b).first - a);
    fail("something beside the results changed: byte " + std::to_string(at) + " of the block");
  }

 private:
  i64 between(i64 low, i64 high) {  // inclusive
    return low + static_cast<i64>(random_() % static_cast<u64>(high - low + 1));
  }
  bool one_in(i64 n) { return between(1, n) == 1; }
  i64 pitch() { return aligned_ ? (columns + 15) / 16 * 16 + 16 * between(0, 1) : columns + between(0, 9); }
  template <class T>
  static array<T> moved(const array<T> &a, i64 by) {
    return {a.p + by, a.pitch, a.step, a.before + by * static_cast<i64>(sizeof(T))};
  }

  // `above` elements from the first on and `below` before it, a random number of units from a boundary of 256 bytes.
  template <class T>
  array<T> place_array(i64 above, i64 below, i64 pitch, i64 step, std::size_t unit = 1) {
    constexpr std::size_t size = sizeof(T), gap = 256;
    const std::size_t offset = unit * static_cast<std::size_t>(aligned_ ? 0 : between(0, 15));
    const std::size_t first = (used_ + gap + static_cast<std::size_t>(below) * size + 255) / 256 * 256 + offset * size;
    const std::size_t end = first + static_cast<std::size_t>(above) * size + gap;
    require(end <= memory::capacity, "the block is too small");
    std::memset(m_.before.data() + used_, 0xA5, end - used_);
    used_ = end;
    char line[160];
    std::snprintf(line, sizeof line, "  array %d: at byte %zu (offset %zu), element %zu, pitch %lld, step %lld\n", n_++,
                  first, offset, size, ll(pitch), ll(step));
    arrays_ += line;
    return {reinterpret_cast<T *>(m_.base + first), pitch, step, m_.before.data() + first};
  }
  // An input of the run's shape with `more` elements behind each.
  template <class T>
  array<T> filled(i64 pitch, i64 step, i64 more = 0, std::size_t unit = 1) {
    i64 above = more, below = 0;
    for (const i64 reach : {(rows - 1) * pitch, (columns - 1) * step})
      if (rows > 0 && columns > 0) (reach < 0 ? below : above) += std::abs(reach);
    if (rows > 0 && columns > 0) ++above;
    const array<T> a = place_array<T>(above, below, pitch, step, unit);
    fill(a, above, below);
    return a;
  }
  template <class T>
  void put(const array<T> &a, i64 i, const T &x) {
    auto *to = m_.before.data() + (a.before - m_.before.data()) + i * static_cast<i64>(sizeof(T));
    std::memcpy(to, &x, sizeof(T));
  }
  template <class T>
  void fill(const array<T> &a, i64 above, i64 below) {
    const i64 kind = between(0, 4);
    const T one = random_value<T>(kind);
    for (i64 i = -below; i < above; ++i) {
      const bool special = specials_ > 0 && one_in(specials_ * 8);
      put(a, i, special ? special_value<T>() : kind == 4 ? one : random_value<T>(kind));
    }
  }
  template <class T>
  T random_value(i64 kind) {
    const double u = static_cast<double>(random_() >> 11) * 0x1p-53;
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(kind == 0 ? between(-4, 4) : static_cast<i64>(random_() >> between(0, 32)));
    } else if constexpr (sizeof(T) == 1) {  // up to 8 in size
      const i64 most = std::is_same_v<T, e4m3> ? 0x50 : 0x48;
      return bits_of<T>(static_cast<u8>(between(kind == 0 ? 0 : most - 24, most) | (one_in(2) ? 0x80 : 0)));
    } else {
      const double sign = one_in(2) ? 1 : -1;
      return nearest<T>(kind == 0   ? static_cast<double>(between(-4, 4))
                        : kind == 1 ? sign * std::exp2(18 * u - 12)
                        : kind == 2 ? u
                                    : 8 * u - 4);
    }
  }
  template <class T>
  T special_value() {
    if constexpr (!std::is_integral_v<T> && sizeof(T) > 1) {
      static const std::vector<T> all = specials<T>();
      if (!one_in(3)) return all[static_cast<std::size_t>(between(0, static_cast<i64>(all.size()) - 1))];
    }
    const u64 word = random_();
    T x;
    std::memcpy(static_cast<void *>(&x), &word, sizeof(T));
    return x;
  }

  template <class T>
  void compare(const array<T> &out, const place &at, const near &expected, u64 &skipped) {
    const i64 i = at.row * out.pitch + at.column * out.step, size = static_cast<i64>(sizeof(T));
    auto *where = m_.after.data() + (out.before - m_.before.data()) + i * size;
    T x;
    std::memcpy(static_cast<void *>(&x), where, sizeof(T));
    std::memcpy(where, out.before + i * size, sizeof(T));
    const double got = number_in(x);
    const double low = fuzz::stored<T>(expected.low), high = fuzz::stored<T>(expected.high);
    if (!is_known(expected) || (low == -infinity && high == infinity)) {
      ++skipped;
      return;
    }
    t_.vague += high - low > 0.1 * std::max(std::fabs(low), std::fabs(high));
    const bool nan = std::isnan(low);
    const bool good = nan ? std::isnan(got) : low <= got && got <= high;
    const bool sign =
        low != 0 || high != 0 || std::signbit(low) != std::signbit(high) || std::signbit(got) == std::signbit(low);
    if (good && (sign || std::is_integral_v<T>)) return;
    char text[300];
    std::snprintf(text, sizeof text,
                  "row %lld, column %lld: %.9g, expected %.9g in [%.9g, %.9g] (before the store [%.12g, %.12g])",
                  ll(at.row), ll(at.column), got, fuzz::stored<T>(expected.value), low, high, expected.low,
                  expected.high);
    fail(text);
  }
  [[noreturn]] void fail(const std::string &what) const {
    std::printf("FAILED: %s\n  %s\n  extent %lld x %lld (%lld), %s\n%s  again: %s\n", what.c_str(), p_.text, ll(rows),
                ll(columns), ll(counted_), aligned_ ? "aligned" : "misaligned", arrays_.c_str(), command_);
    std::exit(1);
  }

  memory &m_;
  totals &t_;
  const pipeline &p_;
  std::mt19937_64 random_;
  bool aligned_;
  i64 specials_, counted_;  // one in 8 * specials_ values is special, or none is
  std::size_t used_ = 0;
  int n_ = 0;
  std::string arrays_;
  char command_[160];
};

template <std::size_t N>
int run_all(const pipeline (&all)[N], const char *source, int argc, char **argv) {
  if (argc != 3 && argc != 5) return std::printf("fuzz <seed> <seconds> [<pipeline> <run>]\n"), 2;
#ifdef ONEPASS_FUZZ_DEVICE
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::printf("skipped: no CUDA device\n"), 77;
#endif
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  const u64 seed = number(1), first = argc == 5 ? number(3) : 0, last = argc == 5 ? first + 1 : N;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(number(2));
  std::printf("%s: %zu pipelines, seed %llu\n", source, N, ull(seed));
  memory m;
  totals t;
  u64 index = argc == 5 ? number(4) : 0;
  do {
    for (u64 i = first; i < last && (i == first || std::chrono::steady_clock::now() < end); ++i) {
      run r(m, t, all[i], source, seed, i, index);
      all[i].function(r);
      r.done();
    }
    ++index;
  } while (std::chrono::steady_clock::now() < end);
  const auto share = [](u64 part, u64 all_of_them) {
    return 100 * static_cast<double>(part) / static_cast<double>(std::max<u64>(all_of_them, 1));
  };
  std::printf("%llu runs, %llu elements (%.2f %% skipped), %llu results of reductions (%.2f %% skipped); ", ull(t.runs),
              ull(t.stored), share(t.skipped_stored, t.stored), ull(t.results), share(t.skipped_results, t.results));
  std::printf("%.2f %% known to less than a tenth\n", share(t.vague, t.stored + t.results));
  const bool enough = argc == 5 || (share(t.skipped_stored, t.stored) < 5 && share(t.skipped_results, t.results) < 10);
  if (!enough) std::printf("FAILED: too many values of which nothing is known\n");
  return enough ? 0 : 1;
}

}  // namespace fuzz

#endif
