// SPDX-License-Identifier: Apache-2.0
// The reduce family on a device: against float64 and the host executor, and the same bits for every alignment, grid
// and run.
#include <cstring>
#include <numeric>

#include "gpu.hpp"

namespace {

template <class T>
unsigned long long bits(T x) {
  unsigned long long b = 0;
  std::memcpy(&b, static_cast<const void *>(&x), sizeof x);
  return b;
}

// The sum of |x| over the first n, for many n: right to the error of a tree, and the same bits at each misalignment.
template <class T>
void check_sums(std::int64_t most, std::int64_t all) {
  const workspace w;
  const auto values = random_values<T>(most + 16);
  std::vector<double> prefix(1, 0);
  for (const T v : values) prefix.push_back(prefix.back() + std::fabs(static_cast<double>(op::detail::widen(v))));
  const device_array<T> x(most + 16);
  const device_array<double> out(1);
  const auto skews = static_cast<std::int64_t>(16 / sizeof(T));
  int wrong = 0, different = 0;
  for (const std::int64_t n : counts_up_to(most, all, 2048)) {
    unsigned long long first = 0;
    for (std::int64_t skew = 0; skew < skews; ++skew) {
      if (n > all && skew > 1) break;
      x.fill(0xFF);  // NaN, and a value that shows in any sum
      x.put(std::vector<T>(values.begin(), values.begin() + n), skew);
      out.fill(0xA5);
      OP_CHECK(op::launch(op::load(x.at(skew)) | op::abs | op::reduce(op::sum, out.at()), op::extent(n), w.exec()));
      const double got = out.one(), right = prefix[static_cast<std::size_t>(n)];
      wrong += !(std::fabs(got - right) <= 2e-6 * right);
      if (skew == 0) first = bits(got);
      different += bits(got) != first;
    }
  }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("sums of every count and misalignment: f32") { check_sums<float>(20000, 700); }
TEST_CASE("sums of every count and misalignment: f64") { check_sums<double>(10000, 300); }
TEST_CASE("sums of every count and misalignment: f16") { check_sums<__half>(40000, 300); }
TEST_CASE("sums of every count and misalignment: bf16") { check_sums<__nv_bfloat16>(40000, 300); }
TEST_CASE("sums of every count and misalignment: i32") { check_sums<std::int32_t>(20000, 300); }
TEST_CASE("sums of every count and misalignment: i64") { check_sums<std::int64_t>(10000, 100); }
TEST_CASE("sums of every count and misalignment: u8") { check_sums<std::uint8_t>(80000, 300); }

TEST_CASE("large sums: against float64, the same bits for each grid, alignment and run") {
  const workspace w;
  for (const std::int64_t n : {(std::int64_t{1} << 18) + 1, (std::int64_t{1} << 20) - 3, (std::int64_t{1} << 22) + 7,
                               (std::int64_t{1} << 24) + 5, (std::int64_t{1} << 26) + 1}) {
    if (reduced() && n > 1 << 20) break;
    const auto values = random_values<float>(n);
    double right = 0;
    for (const float v : values) right += static_cast<double>(v) * static_cast<double>(v);
    const device_array<float> x(n + 4), out(1);
    unsigned long long first = 0;
    for (const std::int64_t skew : {0, 1, 2, 3}) {
      x.put(values, skew);
      for (const int most : {0, 1, 7, 100, 132, 0}) {
        auto exec = w.exec();
        exec.max_blocks = most;
        OP_CHECK(op::launch(op::load(x.at(skew)) | op::square | op::reduce(op::sum, out.at()), op::extent(n), exec));
        const float got = out.one();
        CHECK(std::fabs(static_cast<double>(got) - right) <= 1e-6 * right);
        if (first == 0) first = bits(got);
        CHECK(bits(got) == first);
      }
    }
  }
}

TEST_CASE("whole numbers sum exactly") {
  if (reduced()) return;
  const workspace w;
  const device_array<float> out(1);
  const device_array<double> mean(1), variance(1);
  const auto sum_of = [&](std::int64_t n, float value) {
    const device_array<float> x(std::vector<float>(static_cast<std::size_t>(n), value));
    OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::sum, out.at()), op::extent(n), w.exec()));
    return out.one();
  };
  CHECK(sum_of(16777218, 1.0f) == 16777218.0f);
  CHECK(sum_of(4500 * 4500, -1.0f) == -20250000.0f);
  CHECK(sum_of(1 << 26, 1.0f) == 67108864.0f);
  CHECK(sum_of(1000000, 100.0f) == 100000000.0f);
}

TEST_CASE("counts beyond 2^31 and 2^32 without memory") {
  if (reduced()) return;
  const workspace w;
  const device_array<std::int64_t> out(3);
  for (const std::int64_t n : {(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) - 100, std::int64_t{1} << 31,
                               2 * ((std::int64_t{1} << 31) - 1), (std::int64_t{1} << 32) + 1}) {
    OP_CHECK(op::launch(op::index() | op::reduce(op::several(op::maximum, op::minimum, op::sum), out.at(), out.at(1), out.at(2)),
                        op::extent(n), w.exec()));
    const auto got = out.get(3);
    CHECK(got[0] == n - 1);
    CHECK(got[1] == 0);
    CHECK(static_cast<std::uint64_t>(got[2]) ==
          (n % 2 == 0 ? static_cast<std::uint64_t>(n / 2) * static_cast<std::uint64_t>(n - 1)
                      : static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>((n - 1) / 2)));
  }
}

TEST_CASE("over 2^32 one-byte elements") {
  if (reduced()) return;
  const workspace w;
  const std::int64_t n = (std::int64_t{1} << 32) + 4099;
  const device_array<std::uint8_t> x(n + 1);
  const device_array<std::uint64_t> out(1);
  for (const int skew : {0, 1}) {
    CUDA_CHECK(cudaMemset(x.at(), 3, static_cast<std::size_t>(n + 1)));
    OP_CHECK(op::launch(op::load(x.at(skew)) | op::reduce(op::sum, out.at()), op::extent(n), w.exec()));
    CHECK(out.one() == 3 * static_cast<std::uint64_t>(n));
  }
}

TEST_CASE("argmax: NaN first, ties lowest, everywhere") {
  const workspace w;
  const device_array<float> value(1);
  const device_array<std::int64_t> index(1);
  for (const std::int64_t n : {9, 513, 5000, 100000, 1000000}) {
    if (reduced() && n > 5000) break;
    std::vector<float> v = random_values<float>(n);
    const device_array<float> x(n + 1);
    const auto run = [&](std::int64_t skew) {
      x.put(v, skew);
      OP_CHECK(op::launch(op::load(x.at(skew)) | op::reduce(op::argmax, value.at(), index.at()), op::extent(n), w.exec()));
      return std::make_pair(value.one(), index.one());
    };
    for (const std::int64_t skew : {0, 1}) {
      const auto right = std::max_element(v.begin(), v.end()) - v.begin();
      CHECK(run(skew) == std::make_pair(v[static_cast<std::size_t>(right)], static_cast<std::int64_t>(right)));
      for (const std::int64_t i : {n - 1, n / 2, std::int64_t{3}, std::int64_t{0}}) {
        v[static_cast<std::size_t>(i)] = 100.0f;  // ties: ever lower
        CHECK(run(skew) == std::make_pair(100.0f, i));
      }
      for (const std::int64_t i : {n - 1, n / 2, std::int64_t{3}, std::int64_t{0}}) {
        v[static_cast<std::size_t>(i)] = NAN;
        const auto got = run(skew);
        CHECK((std::isnan(got.first) && got.second == i));
      }
      v.assign(v.size(), -INFINITY);
      CHECK(run(skew) == std::make_pair(-INFINITY, std::int64_t{0}));
      v = random_values<float>(n);
    }
  }
}

TEST_CASE("mean and variance: offsets, constants, against float64") {
  const workspace w;
  const device_array<double> mean(1), variance(1);
  const auto run = [&](const std::vector<float> &v, std::int64_t skew) {
    const auto n = static_cast<std::int64_t>(v.size());
    const device_array<float> x(n + 3);
    x.put(v, skew);
    OP_CHECK(op::launch(op::load(x.at(skew)) | op::reduce(op::mean_variance, mean.at(), variance.at()), op::extent(n), w.exec()));
    return std::make_pair(mean.one(), variance.one());
  };
  for (const std::int64_t n : {1, 2, 3, 5, 16, 1000, 4097, 70001, 1000003}) {
    if (reduced() && n > 5000) break;
    for (const double offset : {0.0, 100.0, 10000.0, 1e6}) {
      auto v = random_values<float>(n);
      double sum = 0, squares = 0;
      for (float &x : v) sum += static_cast<double>(x = static_cast<float>(static_cast<double>(x) + offset));
      const double m = sum / static_cast<double>(n);
      for (const float x : v) squares += (static_cast<double>(x) - m) * (static_cast<double>(x) - m);
      const auto got = run(v, 0);
      CHECK(std::fabs(got.first - m) <= 3e-7 * std::fabs(m) + 1e-5);
      CHECK(got.second == Approx(squares / static_cast<double>(n)).epsilon(1e-4).margin(1e-30));
      CHECK(run(v, 1) == got);
    }
    const auto constant = run(std::vector<float>(static_cast<std::size_t>(n), 10000.1f), n % 4);
    CHECK(constant.first == static_cast<double>(10000.1f));
    CHECK(constant.second == 0.0);
  }
  const auto infinite = run({1.0f, INFINITY, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f}, 0);
  CHECK(infinite.first == INFINITY);
  CHECK(std::isnan(infinite.second));
}

namespace {

// A monoid of the user's own, of 24 bytes: count, least and greatest of the squares.
struct spread {
  struct state {
    std::int64_t n;
    double low, high;
  };
  template <class T>
  __host__ __device__ state identity() const {
    return {0, 1e300, -1e300};
  }
  template <class T>
  __host__ __device__ state lift(T x, const op::coordinate &) const {
    const double y = static_cast<double>(x) * static_cast<double>(x);
    return {1, y, y};
  }
  __host__ __device__ state combine(const state &a, const state &b) const {
    return {a.n + b.n, a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
  __host__ __device__ cuda::std::tuple<std::int64_t, double> finish(const state &s, std::int64_t) const {
    return {s.n, s.high - s.low};
  }
};

}  // namespace

TEST_CASE("several statistics and a user's own, with the host executor's results") {
  const workspace w;
  const device_array<double> out(8);
  for (const std::int64_t n : {0, 1, 33, 3000, 100003, 5000001}) {
    if (reduced() && n > 5000) break;
    const auto v = random_values<float>(n);
    const device_array<float> x(v);
    std::vector<double> host(8);
    const auto build = [](const float *p, double *o) {
      return op::load(p) | op::reduce(op::several(op::sum, op::maximum, op::sum_of_squares, op::with_initial(op::minimum, -7.0f),
                                                  op::argmax, spread{}),
                                      o, o + 1, o + 2, o + 3, o + 4, o + 5, o + 6, o + 7);
    };
    OP_CHECK(op::launch(build(v.data(), host.data()), op::extent(n), on_host()));
    OP_CHECK(op::launch(build(x.at(), out.at()), op::extent(n), w.exec()));
    const auto got = out.get(8);
    for (std::size_t i = 0; i < 8; ++i) {
      if (std::isinf(host[i])) CHECK(got[i] == host[i]);
      else CHECK(got[i] == Approx(host[i]).epsilon(1e-5).margin(0.02));
    }
  }
}

TEST_CASE("a reduction behind a tee, over pitched rows") {
  const workspace w;
  const std::int64_t rows = 37, columns = 129, pitch = 140;
  const auto v = random_values<__half>(rows * pitch);
  const auto bias = random_values<float>(columns);
  const device_array<__half> x(v), y(rows * columns);
  const device_array<float> b(bias), out(1);
  OP_CHECK(op::launch(op::load(x.at(), pitch) | op::add(op::per_column(b.at())) | op::tee(op::store(y.at())) |
                          op::reduce(op::sum, out.at()),
                      op::extent(rows, columns), w.exec()));
  const auto stored = y.get(rows * columns);
  double sum = 0;
  int wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const float value = op::detail::widen(v[static_cast<std::size_t>(r * pitch + c)]) + bias[static_cast<std::size_t>(c)];
      sum += static_cast<double>(value);
      wrong += bits(stored[static_cast<std::size_t>(r * columns + c)]) != bits(op::detail::narrow<__half>(value));
    }
  CHECK(wrong == 0);
  CHECK(static_cast<double>(out.one()) == Approx(sum).margin(1e-2));
}

TEST_CASE("a reduction of nothing writes what it means") {
  const workspace w;
  const device_array<float> out(4);
  const device_array<std::int64_t> index(1);
  out.fill(0xA5);
  const float *none = nullptr;
  OP_CHECK(op::launch(op::load(none) | op::reduce(op::sum, out.at()), op::extent(0), w.exec()));
  CHECK(out.one() == 0.0f);
  OP_CHECK(op::launch(op::load(none) | op::reduce(op::with_initial(op::sum, 5), out.at()), op::extent(0), w.exec()));
  CHECK(out.one() == 5.0f);
  OP_CHECK(op::launch(op::load(none) | op::reduce(op::maximum, out.at()), op::extent(3, 0), w.exec()));
  CHECK(out.one() == -INFINITY);
  OP_CHECK(op::launch(op::load(none) | op::reduce(op::argmax, out.at(), index.at()), op::extent(0, 3), w.exec()));
  CHECK(index.one() == -1);
  OP_CHECK(op::launch(op::load(none) | op::reduce(op::mean_variance, out.at(), out.at(1)), op::extent(0), w.exec()));
  CHECK((std::isnan(out.one()) && std::isnan(out.one(1))));
}

TEST_CASE("a thousand launches on one workspace, two streams with two, a graph replayed") {
  const std::int64_t n = 300007;
  const auto v = random_values<float>(n);
  const device_array<float> x(v), outs(2000);
  const workspace w0, w1;
  cudaStream_t streams[2];
  for (auto &s : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  const int times = reduced() ? 20 : 1000;
  for (int i = 0; i < times; ++i)
    for (int k = 0; k < 2; ++k)
      OP_CHECK(op::launch(op::load(x.at()) | op::abs | op::reduce(op::sum, outs.at(2 * i + k)), op::extent(n),
                          (k ? w1 : w0).exec(streams[k])));
  CUDA_CHECK(cudaDeviceSynchronize());
  const auto got = outs.get(2 * times);
  int different = 0;
  for (const float g : got) different += bits(g) != bits(got[0]);
  CHECK(different == 0);

  // One launch is one kernel node, and nothing else.
  const device_array<float> out(1);
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CUDA_CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  OP_CHECK(op::launch(op::load(x.at()) | op::abs | op::reduce(op::sum, out.at()), op::extent(n), w0.exec(streams[0])));
  CUDA_CHECK(cudaStreamEndCapture(streams[0], &graph));
  std::size_t nodes = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  CUDA_CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (int i = 0; i < 100; ++i) {
    const auto fresh = random_values<float>(reduced() ? 100 : n);
    x.put(fresh);
    double right = 0;
    for (const float f : fresh) right += std::fabs(static_cast<double>(f));
    for (std::size_t k = fresh.size(); k < v.size(); ++k) right += std::fabs(static_cast<double>(v[k]));
    CUDA_CHECK(cudaGraphLaunch(instance, streams[0]));
    CUDA_CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(static_cast<double>(out.one()) == Approx(right).epsilon(1e-5));
  }
  CUDA_CHECK(cudaGraphExecDestroy(instance));
  CUDA_CHECK(cudaGraphDestroy(graph));
  for (auto &s : streams) CUDA_CHECK(cudaStreamDestroy(s));
}

TEST_CASE("dependent launches see what their predecessor wrote") {
  const workspace w;
  const std::int64_t n = 100000;
  const device_array<float> x(std::vector<float>(static_cast<std::size_t>(n), 1.0f)), out(1);
  auto exec = w.exec();
  exec.dependent_launch = 1;
  for (int i = 0; i < 50; ++i)
    OP_CHECK(op::launch(op::load(x.at()) | op::add(1) | op::store(x.at()), op::extent(n), exec));
  OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::sum, out.at()), op::extent(n), exec));
  CHECK(out.one() == 51.0f * static_cast<float>(n));
}
