// SPDX-License-Identifier: Apache-2.0
// Row pipelines on a device: every strategy that can hold the row, misaligned and pitched rows, in place, what is kept on
// the way; and the same bits whatever the batch and the alignment.
#include <algorithm>
#include <cmath>

#include "row.hpp"

TEST_CASE("every strategy where it can hold the row, and the bits of a row alone, in a batch and misaligned") {
  const std::int64_t rows = 5;
  const device_array<bf16> gamma(random_values<bf16>(vector_length)), beta(random_values<bf16>(vector_length));
  const std::int64_t most = rows * 200000 + 64;
  const auto v = random_values<bf16>(most);
  const device_array<bf16> x(v), y(most), alone(most), shifted(most);
  int runs = 0, refused = 0;
  for (const std::int64_t n : {1, 7, 8, 31, 64, 100, 255, 256, 500, 512, 1000, 1024, 2000, 4096, 4100, 8000, 16384, 20001, 32768, 40000, 131072}) {
    if (reduced() && n > 5000) continue;
    for (const auto strategy : {ONEPASS_ROW_AUTO, ONEPASS_ROW_WARP, ONEPASS_ROW_BLOCK, ONEPASS_ROW_STREAM}) {
      const auto exec = forced(strategy);
      const auto stages = op::layer_norm(gamma.at(), beta.at(), 1e-5) | op::gelu_tanh | op::softmax;
      y.fill(0xA5);
      const auto status = op::launch(op::load(x.at()) | stages | op::store(y.at()), op::extent(rows, n), exec);
      if (status == ONEPASS_ERROR_STRATEGY) {
        ++refused;
        CHECK(touched(y, 0, 0) == 0);
        continue;
      }
      OP_CHECK(status);
      ++runs;
      const error_counter errors;
      for (std::int64_t row = 0; row < rows; ++row) {
        alone.fill(0xA5);
        OP_CHECK(op::launch(op::load(x.at(row * n)) | stages | op::store(alone.at(row * n)), op::extent(1, n), exec));
        errors.check(alone, row * n, y.at(row * n), n);
      }
      for (const std::int64_t skip : {1, 5}) {
        shifted.fill(0);
        CUDA_CHECK(cudaMemcpy(shifted.at(skip), x.at(), static_cast<std::size_t>(rows * n) * 2, cudaMemcpyDeviceToDevice));
        alone.fill(0xA5);
        OP_CHECK(op::launch(op::load(shifted.at(skip)) | stages | op::store(alone.at(3)), op::extent(rows, n), exec));
        errors.check(alone, 3, y.at(), rows * n);
        OP_CHECK(op::launch(op::load(shifted.at(skip)) | stages | op::store(shifted.at(skip)), op::extent(rows, n), exec));
        errors.check(alone, 3, shifted.at(skip), rows * n);  // in place
      }
      CHECK(errors.get() == 0);
    }
  }
  CHECK(runs > 20);
  CHECK(refused > 5);
}

TEST_CASE("rows with a pitch, residual kept in place, results of rows on the way") {
  const std::int64_t rows = 7;
  for (const std::int64_t n : {1, 5, 46, 100, 257, 1000, 4096, 5003, 40000}) {
    if (reduced() && n > 5000) continue;
    const std::int64_t px = n + 3, pr = n + 8, py = n + 12;
    const auto a = random_values<bf16>(rows * px), b = random_values<bf16>(rows * pr);
    const device_array<bf16> x(a), r(b), y(rows * py);
    const device_array<float> mean(rows), rstd(rows), sums(rows), lse(rows), most(rows);
    const device_array<std::int64_t> place(rows);
    std::vector<bf16> added(b);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t c = 0; c < n; ++c) {
        auto &e = added[static_cast<std::size_t>(row * pr + c)];
        e = op::detail::narrow<bf16>(op::detail::widen(e) + op::detail::widen(a[static_cast<std::size_t>(row * px + c)]));
      }
    const device_array<bf16> sum(added);
    // cast: the statistics are then those of the stored sum, which the truth is computed from.
    OP_CHECK(op::launch(op::load(x.at(), px) | op::add(op::load(r.at(), pr)) | op::cast<bf16>() |
                            op::tee(op::store(r.at(), pr)) | op::tee(op::reduce_rows(op::sum, sums.at())) |
                            op::layer_norm(1e-5, op::keep(mean.at(), rstd.at())) |
                            op::tee(op::reduce_rows(op::argmax, most.at(), place.at())) | op::store(y.at(), py),
                        op::extent(rows, n)));
    CHECK(wrong_in_rows(sum.at(), pr, y.at(), py, rows, n, layer_norm_truth<float, float>{nullptr, nullptr, 1e-5}) == 0);
    const error_counter errors;
    errors.check(r, 0, sum.at(), rows * pr);  // what lies between the rows too
    CHECK(errors.get() == 0);
    const auto s = sums.get(rows), m = mean.get(rows), d = rstd.get(rows), top = most.get(rows);
    const auto where = place.get(rows);
    const auto out = y.get(rows * py);
    for (std::int64_t row = 0; row < rows; ++row) {
      double total = 0, squares = 0, size = 0;
      for (std::int64_t c = 0; c < n; ++c) {
        const auto e = static_cast<double>(op::detail::widen(added[static_cast<std::size_t>(row * pr + c)]));
        total += e;
        size += std::fabs(e);
      }
      for (std::int64_t c = 0; c < n; ++c) {
        const double e = static_cast<double>(op::detail::widen(added[static_cast<std::size_t>(row * pr + c)])) - total / static_cast<double>(n);
        squares += e * e;
      }
      const auto i = static_cast<std::size_t>(row);
      CHECK(std::fabs(static_cast<double>(s[i]) - total) <= 1e-6 * size);
      CHECK(std::fabs(static_cast<double>(m[i]) - total / static_cast<double>(n)) <= 1e-6 * size / static_cast<double>(n));
      CHECK(static_cast<double>(d[i]) == Approx(1 / std::sqrt(squares / static_cast<double>(n) + 1e-5)).epsilon(1e-6));
      // The greatest value is where it is said to be (equal f32 values may differ in their bf16).
      REQUIRE((where[i] >= row * n && where[i] < (row + 1) * n));
      CHECK(op::detail::widen(out[static_cast<std::size_t>(row * py + where[i] - row * n)]) ==
            op::detail::widen(op::detail::narrow<bf16>(top[i])));
      for (std::int64_t c = n; c < py && row + 1 < rows; ++c)
        CHECK(op::detail::bit_copy<std::uint16_t>(out[static_cast<std::size_t>(row * py + c)]) == 0xA5A5);
    }
  }
}

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

TEST_CASE("rows that cannot be held in one pass, where that is required") {
  const device_array<float> x(300000), y(300000);
  onepass_exec_t exec{};
  exec.require_one_pass = 1;
  CHECK(op::launch(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent(1, 300000), exec) == ONEPASS_ERROR_PASSES);
  CHECK(op::traffic_of(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent(1, 300000)).passes == 2);
  CHECK(touched(y, 0, 0) == 0);
}

TEST_CASE("extreme rows: constant, far from zero, -inf before and behind, NaN, infinities") {
  const std::int64_t n = 5000, rows = 8;
  std::vector<float> v = random_values<float>(rows * n);
  const auto row = [&](std::int64_t r) { return v.begin() + r * n; };
  std::fill(row(0), row(1), 10000.1f);
  for (auto i = row(1); i != row(2); ++i) *i += 1e6f;
  std::fill(row(2), row(2) + 4000, -INFINITY);
  std::fill(row(3) + 100, row(4), -INFINITY);
  std::fill(row(4), row(5), -INFINITY);
  row(5)[4321] = NAN;
  row(6)[77] = INFINITY;
  std::fill(row(7), row(8) - 1, -INFINITY);
  const device_array<float> x(v), y(rows * n), z(rows * n), mean(rows), rstd(rows);
  for (const auto strategy : {ONEPASS_ROW_BLOCK, ONEPASS_ROW_STREAM}) {
    OP_CHECK(op::launch(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent(rows, n), forced(strategy)));
    const auto p = y.get(rows * n);
    const auto is_nan = [&](std::int64_t r) {
      return std::all_of(p.begin() + r * n, p.begin() + (r + 1) * n, [](float f) { return std::isnan(f); });
    };
    for (const std::int64_t r : {0, 1, 2, 3, 7}) CHECK(wrong_in_rows(x.at(r * n), n, y.at(r * n), n, 1, n, softmax_truth{}) == 0);
    for (const std::int64_t r : {4, 5, 6}) CHECK(is_nan(r));
    CHECK(p[static_cast<std::size_t>(8 * n - 1)] == 1.0f);
    OP_CHECK(op::launch(op::load(x.at()) | op::layer_norm(1e-5, op::keep(mean.at(), rstd.at())) | op::store(z.at()),
                        op::extent(2, n), forced(strategy)));
    for (const float f : z.get(n)) REQUIRE(f == 0.0f);
    CHECK(rstd.one() == Approx(1 / std::sqrt(1e-5)).epsilon(1e-6));
    CHECK(wrong_in_rows(x.at(n), n, z.at(n), n, 1, n, layer_norm_truth<float, float>{nullptr, nullptr, 1e-5}, 1e-5) == 0);
  }
}
