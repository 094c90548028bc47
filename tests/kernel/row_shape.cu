// SPDX-License-Identifier: Apache-2.0
// Row pipelines on a device: statistics of rows, many rows and none, more than 2^32 elements, counts in device memory.
#include <algorithm>
#include <cmath>

#include "row.hpp"

TEST_CASE("statistics of rows: the values of the host, and of one row those of any batch") {
  const std::int64_t rows = 65;
  for (const std::int64_t n : {1, 2, 31, 33, 257, 1000, 2048, 5000, 70001}) {
    if (reduced() && n > 3000) continue;
    const auto v = random_values<float>(rows * n);
    const device_array<float> x(v), mean(rows), variance(rows), least(rows), norm(rows), lse(rows), two(2);
    const device_array<std::int64_t> place(rows), zeros(rows);
    std::vector<float> h_mean(rows), h_variance(rows), h_least(rows), h_norm(rows), h_lse(rows);
    std::vector<std::int64_t> h_place(rows), h_zeros(rows);
    const auto all = op::several(op::mean_variance, op::argmin, op::norm2, op::log_sum_exp, op::count);
    OP_CHECK(op::launch(op::load(x.at()) | op::reduce_rows(all, mean.at(), variance.at(), least.at(), place.at(), norm.at(), lse.at(), zeros.at()),
                        op::extent(rows, n)));
    OP_CHECK(op::launch(op::load(v.data()) | op::reduce_rows(all, h_mean.data(), h_variance.data(), h_least.data(), h_place.data(), h_norm.data(),
                                                             h_lse.data(), h_zeros.data()),
                        op::extent(rows, n), on_host()));
    const auto close = [&](const device_array<float> &d, const std::vector<float> &h, float margin) {
      const auto got = d.get(rows);
      for (std::size_t i = 0; i < h.size(); ++i)
        if (!(std::fabs(got[i] - h[i]) <= margin * (1 + std::fabs(h[i])))) return false;
      return true;
    };
    CHECK(close(mean, h_mean, 2e-6f));
    CHECK(close(variance, h_variance, 3e-6f));
    CHECK(least.get(rows) == h_least);
    CHECK(place.get(rows) == h_place);
    CHECK(close(norm, h_norm, 2e-6f));
    CHECK(close(lse, h_lse, 2e-6f));
    CHECK(zeros.get(rows) == h_zeros);
  }
}

TEST_CASE("blocks that stay take row after row") {
  const device_array<bf16> gamma(random_values<bf16>(vector_length)), beta(random_values<bf16>(vector_length));
  for (const std::int64_t n : {5000, 5001, 40000, 40003})
    for (const std::int64_t rows : {1, 67, 131, 133, reduced() ? 140 : 1000}) {
      const std::int64_t skip = n % 2;
      if (reduced() && n > 10000) continue;
      const device_array<bf16> x(random_values<bf16>(rows * n + 1)), y(rows * n + 1);
      const device_array<float> sums(rows), most(rows);
      OP_CHECK(op::launch(op::load(x.at(skip)) | op::layer_norm(gamma.at(), beta.at(), 1e-5) | op::store(y.at(skip)), op::extent(rows, n),
                          forced(ONEPASS_ROW_CLUSTER)));
      CHECK(wrong_in_rows(x.at(skip), n, y.at(skip), n, rows, n, layer_norm_truth<bf16, bf16>{gamma.at(), beta.at(), 1e-5}) == 0);
      CHECK(touched(y, skip, rows * n) == 0);
      y.fill(0xA5);
      OP_CHECK(op::launch(op::load(x.at(skip)) | op::tee(op::reduce_rows(op::maximum, most.at())) | op::rms_norm(1e-6) | op::store(y.at(skip)),
                          op::extent(rows, n), forced(ONEPASS_ROW_CLUSTER)));
      CHECK(wrong_in_rows(x.at(skip), n, y.at(skip), n, rows, n, rms_norm_truth<bf16>{nullptr, 1e-6}) == 0);
      const auto got = most.get(rows);
      const auto v = x.get(rows * n, skip);
      for (std::int64_t r = 0; r < rows; ++r) {
        float greatest = -INFINITY;
        for (std::int64_t c = 0; c < n; ++c) greatest = std::max(greatest, op::detail::widen(v[static_cast<std::size_t>(r * n + c)]));
        REQUIRE(got[static_cast<std::size_t>(r)] == greatest);
      }
    }
}

TEST_CASE("blocks that stay draw row after row, with the same bits, and leave the workspace as it was") {
  const workspace space;
  const auto numbered = forced(ONEPASS_ROW_CLUSTER);
  auto drawn = space.exec();
  drawn.row_strategy = ONEPASS_ROW_CLUSTER;
  for (const std::int64_t n : {500, 501, 33000, 33003})
    for (const std::int64_t rows : {397, 1000, 3001}) {
      if (reduced() && (rows > (n < 1000 ? 1000 : 397) || n % 2 != 0)) continue;
      const std::int64_t skip = n % 2;
      const device_array<bf16> x(random_values<bf16>(rows * n + 1)), y(rows * n + 1), expected(rows * n + 1);
      const device_array<float> sums(rows);
      const auto into = [&](const device_array<bf16> &to) {
        return op::load(x.at(skip)) | op::tee(op::reduce_rows(op::sum, sums.at())) | op::softmax | op::store(to.at(skip));
      };
      onepass_report_t report{};
      OP_CHECK(op::report(into(y), op::extent(rows, n), &report, ONEPASS_ROW_CLUSTER));
      CHECK((report.plan.workspace_bytes > 0) == (rows > ONEPASS_CLUSTER_NUMBERED * report.plan.resident));
      CHECK(report.blocks_per_sm >= 1);  // also before the first launch
      OP_CHECK(op::launch(into(expected), op::extent(rows, n), numbered));
      const auto first_sums = sums.get(rows);
      const error_counter errors;
      for (int again = 0; again < 3; ++again) {
        y.fill(0xA5);
        OP_CHECK(op::launch(into(y), op::extent(rows, n), drawn));
        errors.check(expected, skip, y.at(skip), rows * n);
        CHECK(sums.get(rows) == first_sums);
        CHECK(touched(y, skip, rows * n) == 0);
      }
      CHECK(errors.get() == 0);
      CHECK(space.tickets_are_zero());
    }
}

// (Of floats, rows that are not whole groups go element by element, whatever their width.)
template <class T>
void check_segments() {
  const workspace space;
  const std::int64_t rows = reduced() ? 450 : 2500, most = reduced() ? 600 : 40000;
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t r = 0; r < rows; ++r) offsets.push_back(offsets.back() + (r % 5 == 0 ? 0 : (r * 7919) % (most + 1)));
  const std::int64_t total = offsets.back();
  const device_array<std::int64_t> at(offsets);
  const device_array<T> x(random_values<T>(total)), y(total), expected(total);
  const device_array<float> sums(rows);
  auto drawn = space.exec();
  drawn.row_strategy = ONEPASS_ROW_CLUSTER;
  const auto into = [&](const device_array<T> &to) {
    return op::load(x.at()) | op::tee(op::reduce_rows(op::sum, sums.at())) | op::softmax | op::store(to.at());
  };
  OP_CHECK(op::launch(into(expected), op::segments(at.at(), rows, most), forced(ONEPASS_ROW_CLUSTER)));
  OP_CHECK(op::launch(into(y), op::segments(at.at(), rows, most), drawn));
  const error_counter errors;
  errors.check(expected, 0, y.at(), total);
  CHECK(errors.get() == 0);
  CHECK(space.tickets_are_zero());
  for (std::int64_t r = 0; r < rows; r += rows / 40) {
    const std::int64_t first = offsets[static_cast<std::size_t>(r)], n = offsets[static_cast<std::size_t>(r) + 1] - first;
    CHECK(wrong_in_rows(x.at(first), n, y.at(first), n, 1, n, softmax_truth{}) == 0);
  }
}
TEST_CASE("blocks that stay draw segments of any length") {
  check_segments<bf16>();
  check_segments<float>();
}

// Two arrays and three vectors of other widths, in front of a row stage and behind it, each at a distance of its own
// from a word; whatever of it has landed in shared memory, a row is what it is by itself.
void check_landing(std::int64_t n, std::int64_t rows) {
  const workspace space;
  const std::int64_t pitch = n + 5, all = rows * pitch;
  const device_array<float> x(random_values<float>(all + 1)), y(rows * n + 3), alone(rows * n + 3);
  const device_array<bf16> r(random_values<bf16>(all + 3)), gamma(random_values<bf16>(n + 1));
  const device_array<float> scale(random_values<float>(n + 3)), sums(rows), sum(rows);
  const device_array<std::int8_t> shift(random_values<std::int8_t>(n + 9));
  auto exec = space.exec();
  exec.row_strategy = ONEPASS_ROW_CLUSTER;
  const auto of_rows = [&](std::int64_t first, const device_array<float> &to, const device_array<float> &sums_to) {
    return op::load(x.at(1 + first * pitch), pitch) | op::multiply(op::per_column(scale.at(3))) | op::add(op::load(r.at(3 + first * pitch), pitch)) |
           op::tee(op::reduce_rows(op::sum, sums_to.at(first))) | op::rms_norm(gamma.at(1), 1e-6) | op::add(op::per_column(shift.at(9))) |
           op::softmax | op::store(to.at(3 + first * n));
  };
  onepass_report_t report{};
  OP_CHECK(op::report(of_rows(0, y, sums), op::extent(rows, n), &report, ONEPASS_ROW_CLUSTER));
  CHECK(report.plan.single == 1);
  for (const auto how : {exec, forced(ONEPASS_ROW_CLUSTER)}) {
    y.fill(0xA5);
    OP_CHECK(op::launch(of_rows(0, y, sums), op::extent(rows, n), how));
    CHECK(touched(y, 3, rows * n) == 0);
    const error_counter errors;
    for (std::int64_t row = 0; row < rows; row += 1 + rows / 25) {
      alone.fill(0xA5);
      sum.fill(0xA5);
      OP_CHECK(op::launch(of_rows(row, alone, sum), op::extent(1, n), how));
      errors.check(alone, 3 + row * n, y.at(3 + row * n), n);
      errors.check(sum, row, sums.at(row), 1);
    }
    CHECK(errors.get() == 0);
  }
  CHECK(space.tickets_are_zero());
  // Against another strategy, whose sums are of another order.
  OP_CHECK(op::launch(of_rows(0, alone, sum), op::extent(rows, n), forced(ONEPASS_ROW_STREAM)));
  const auto got = y.get(rows * n, 3), want = alone.get(rows * n, 3);
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double a = got[i], b = want[i];
    worst = std::max(worst, std::fabs(a - b) / (b + 1e-9));
  }
  CHECK(worst < 2e-5);
}
TEST_CASE("rows land in shared memory while those before are reduced") {
  for (const std::int64_t n : {9, 77, 501, 4099, 20001, 60001}) {
    if (reduced() && n > 501) continue;
    check_landing(n, reduced() ? 450 : n < 5000 ? 3001 : 700);
  }
}

TEST_CASE("many rows, no rows, rows of nothing") {
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{65537}}) {
    if (reduced() && rows > 3) continue;
    for (const std::int64_t n : {0, 1, 9, 130}) {
      const device_array<bf16> x(random_values<bf16>(rows * n + 1)), y(rows * n + 1);
      const device_array<float> sums(rows + 1);
      OP_CHECK(op::launch(op::load(x.at()) | op::tee(op::reduce_rows(op::sum, sums.at())) | op::softmax | op::store(y.at()), op::extent(rows, n)));
      CUDA_CHECK(cudaDeviceSynchronize());
      CHECK(wrong_in_rows(x.at(), n, y.at(), n, rows, n, softmax_truth{}) == 0);
      CHECK(touched(y, 0, rows * n) == 0);
      CHECK(touched(sums, 0, rows) == 0);
      if (n == 0)
        for (const float s : sums.get(rows)) REQUIRE(s == 0.0f);
    }
  }
}

// An array at the end of its allocation, `skip` elements from the start: memcheck knows no neighbours there.
template <class T>
class last_in_memory {
 public:
  last_in_memory(const std::vector<T> &values, std::size_t skip) : skip_(skip) {
    CUDA_CHECK(cudaMalloc(&base_, (skip + values.size()) * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(base_ + skip, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~last_in_memory() { cudaFree(base_); }
  last_in_memory(const last_in_memory &) = delete;
  last_in_memory &operator=(const last_in_memory &) = delete;
  T *at() const { return base_ + skip_; }

 private:
  T *base_ = nullptr;
  std::size_t skip_;
};

TEST_CASE("nothing is read beyond an array, however narrow its rows") {
  for (const std::int64_t n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 33, 255, 1001, 4097, 33000})
    for (const std::int64_t rows : {1, 2, n < 64 ? 40 : 5})
      for (const std::size_t skip : {0u, 1u, 7u}) {
        const last_in_memory<bf16> x(random_values<bf16>(rows * n), skip), gamma(random_values<bf16>(n), skip / 2), beta(random_values<bf16>(n), skip);
        const device_array<bf16> y(rows * n);
        for (const onepass_row_strategy_t strategy : {ONEPASS_ROW_AUTO, ONEPASS_ROW_CLUSTER}) {
          OP_CHECK(op::launch(op::load(x.at()) | op::layer_norm(gamma.at(), beta.at(), 1e-5) | op::store(y.at()), op::extent(rows, n), forced(strategy)));
          CHECK(wrong_in_rows(x.at(), n, y.at(), n, rows, n, layer_norm_truth<bf16, bf16>{gamma.at(), beta.at(), 1e-5}) == 0);
          CHECK(touched(y, 0, rows * n) == 0);
          y.fill(0xA5);
        }
      }
}

TEST_CASE("nothing is read beyond segments that are shorter than a block's part") {
  const std::int64_t rows = 300, most = 50001;
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t r = 0; r < rows; ++r) offsets.push_back(offsets.back() + (r == 7 ? most : 1 + r * 37 % 61));
  const std::int64_t total = offsets.back();
  const device_array<std::int64_t> at(offsets);
  const last_in_memory<float> x(random_values<float>(total), 1);
  const device_array<float> y(total);
  OP_CHECK(op::launch(op::load(x.at()) | op::softmax | op::store(y.at()), op::segments(at.at(), rows, most), forced(ONEPASS_ROW_CLUSTER)));
  CHECK(touched(y, 0, total) == 0);
  for (const std::int64_t r : {std::int64_t{0}, std::int64_t{6}, std::int64_t{7}, std::int64_t{8}, rows - 2, rows - 1}) {
    const std::int64_t first = offsets[static_cast<std::size_t>(r)], n = offsets[static_cast<std::size_t>(r) + 1] - first;
    CHECK(wrong_in_rows(x.at() + first, n, y.at(first), n, 1, n, softmax_truth{}) == 0);
  }
}

TEST_CASE("more than 2^31 elements, more than 2^32, a pitch above 2^31") {
  if (reduced()) return;
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (free < std::size_t{24} << 30) {
    WARN("skipped: needs 24 GiB");
    return;
  }
  const std::int64_t n = 4096;
  const device_array<f16> first(random_values<f16>(n)), expected(n);
  OP_CHECK(op::launch(op::load(first.at()) | op::rms_norm(1e-6) | op::store(expected.at()), op::extent(1, n)));
  CHECK(wrong_in_rows(first.at(), n, expected.at(), n, 1, n, rms_norm_truth<f16>{nullptr, 1e-6}) == 0);
  for (const std::int64_t rows : {std::int64_t{524289}, std::int64_t{1048577}}) {
    const device_array<f16> x(rows * n);
    OP_CHECK(op::launch(op::load(first.at(), 0 * n + n) | op::store(x.at()), op::extent(1, n)));
    for (std::int64_t done = 1; done < rows; done *= 2)
      CUDA_CHECK(cudaMemcpy(x.at(done * n), x.at(), static_cast<std::size_t>(std::min(done, rows - done) * n) * 2, cudaMemcpyDeviceToDevice));
    OP_CHECK(op::launch(op::load(x.at()) | op::rms_norm(1e-6) | op::store(x.at()), op::extent(rows, n)));
    const error_counter errors;
    for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 2, rows - 1}) {
      count_different<0><<<64, 256>>>(reinterpret_cast<const unsigned char *>(x.at(row * n)),
                                      reinterpret_cast<const unsigned char *>(expected.at()), n * 2, errors.pointer());
      CUDA_CHECK(cudaGetLastError());
    }
    CHECK(errors.get() == 0);
  }
  const std::int64_t pitch = (std::int64_t{1} << 31) + 16;
  const device_array<f16> x(2 * pitch + n), y(2 * n);
  CUDA_CHECK(cudaMemcpy(x.at(pitch), first.at(), static_cast<std::size_t>(n) * 2, cudaMemcpyDeviceToDevice));
  OP_CHECK(op::launch(op::load(x.at(), pitch) | op::rms_norm(1e-6) | op::store(y.at()), op::extent(2, n)));
  const error_counter errors;
  count_different<0><<<64, 256>>>(reinterpret_cast<const unsigned char *>(y.at(n)),
                                  reinterpret_cast<const unsigned char *>(expected.at()), n * 2, errors.pointer());
  CHECK(errors.get() == 0);
}

TEST_CASE("a count in device memory, and one kernel node") {
  const std::int64_t most = 3000;
  const device_array<float> x(random_values<float>(most)), y(most);
  const device_array<std::int64_t> n(std::vector<std::int64_t>{0});
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  onepass_exec_t exec{};
  exec.stream = stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OP_CHECK(op::launch(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent_at(n.at(), most), exec));
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  CUDA_CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (const std::int64_t now : {std::int64_t{1}, std::int64_t{5}, std::int64_t{1024}, most, most + 1, std::int64_t{-1}, std::int64_t{0}}) {
    n.put({now});
    y.fill(0xA5);
    CUDA_CHECK(cudaGraphLaunch(instance, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const std::int64_t count = now < 0 ? 0 : now < most ? now : most;
    CHECK(wrong_in_rows(x.at(), count, y.at(), count, 1, count, softmax_truth{}) == 0);
    CHECK(touched(y, 0, count) == 0);
  }
  CUDA_CHECK(cudaGraphExecDestroy(instance));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}
