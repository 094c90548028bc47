// SPDX-License-Identifier: Apache-2.0
// Row pipelines on a device: every strategy that can hold the row, misaligned and pitched rows, in place, extreme rows,
// what is kept on the way; and the same bits whatever the batch and the alignment.
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
  for (const std::int64_t n : {1, 7, 8, 31, 64, 100, 255, 256, 300, 500, 512, 1000, 1001, 1024, 2000, 4096, 4097, 4100, 6001, 8000, 9001, 12289, 15001, 16384, 20001, 32768, 40000, 50257, 131071, 131072}) {
    if (reduced() && n > 5000) continue;
    for (const auto strategy : {ONEPASS_ROW_AUTO, ONEPASS_ROW_WARP, ONEPASS_ROW_BLOCK, ONEPASS_ROW_CLUSTER, ONEPASS_ROW_SHARED, ONEPASS_ROW_STREAM}) {
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
  CHECK(refused > (reduced() ? 2 : 5));
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

TEST_CASE("rows that cannot be held in one pass, where that is required") {
  const device_array<float> x(2000000), y(2000000);
  onepass_exec_t exec{};
  exec.require_one_pass = 1;
  CHECK(op::launch(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent(1, 2000000), exec) == ONEPASS_ERROR_PASSES);
  CHECK(op::traffic_of(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent(1, 2000000)).passes == 2);
  CHECK(touched(y, 0, 0) == 0);
}

TEST_CASE("extreme rows: constant, far from zero, -inf before and behind, NaN, infinities") {
  const std::int64_t rows = 8;
  for (const std::int64_t n : {5000, 5001}) {  // whole groups, and single elements
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
    for (const auto strategy : {ONEPASS_ROW_BLOCK, ONEPASS_ROW_CLUSTER, ONEPASS_ROW_SHARED, ONEPASS_ROW_STREAM}) {
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
}
