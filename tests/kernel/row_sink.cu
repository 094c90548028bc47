// SPDX-License-Identifier: Apache-2.0
// On a device: cross-entropy and quantised stores of rows of any width and alignment, against float64 and the host's
// values; segments against the same rows one by one; widths known when the program is compiled.
#include <cmath>
#include <limits>

#include "row.hpp"

namespace {

struct entropy {
  double loss, lse;
};
template <class T>
entropy entropy_of(const std::vector<T> &x, std::int64_t first, std::int64_t n, std::int64_t label) {
  double most = -INFINITY, sum = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::fmax(most, op::detail::widen(x[static_cast<std::size_t>(first + i)]));
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(op::detail::widen(x[static_cast<std::size_t>(first + i)]) - most);
  const double lse = most + std::log(sum);
  if (label == -100) return {0, lse};
  if (label < 0 || label >= n) return {NAN, lse};
  return {lse - op::detail::widen(x[static_cast<std::size_t>(first + label)]), lse};
}
bool close(double got, double want) {
  return std::isnan(want) ? std::isnan(got) : std::fabs(got - want) <= 2e-6 * (1 + std::fabs(want));
}

template <class T>
void check_cross_entropy(onepass_row_strategy_t strategy, const std::vector<std::int64_t> &columns) {
  const std::int64_t rows = 6;
  for (const std::int64_t n : columns)
    for (const std::int64_t skip : {0, 1}) {
      const auto v = random_values<T>(rows * n + 2);
      const std::vector<std::int64_t> label = {0, n - 1, n / 2, -100, n, std::int64_t{1} << 40};
      const device_array<T> x(v);
      const device_array<std::int64_t> labels(label);
      const device_array<float> loss(rows), lse(rows), smooth(rows);
      OP_CHECK(op::launch(op::load(x.at(skip)) | op::cross_entropy(labels.at(), loss.at(), lse.at()), op::extent(rows, n),
                          forced(strategy)));
      op::cross_entropy_options options;
      options.smoothing = 0.25;
      options.z_loss = 0.5;
      options.columns = n - n / 8;
      OP_CHECK(op::launch(op::load(x.at(skip)) | op::cross_entropy(labels.at(), options, smooth.at()), op::extent(rows, n),
                          forced(strategy)));
      const auto got = loss.get(rows), got_lse = lse.get(rows), got_smooth = smooth.get(rows);
      bool right = true;
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto i = static_cast<std::size_t>(r);
        const entropy want = entropy_of(v, skip + r * n, n, label[i]);
        right = right && close(got[i], want.loss) && close(got_lse[i], want.lse);
        const entropy part = entropy_of(v, skip + r * n, options.columns, label[i]);
        double mean = 0;
        for (std::int64_t c = 0; c < options.columns; ++c)
          mean += op::detail::widen(v[static_cast<std::size_t>(skip + r * n + c)]) / static_cast<double>(options.columns);
        const double smoothed = 0.75 * part.loss + 0.25 * (part.lse - mean) + 0.5 * part.lse * part.lse;
        right = right && close(got_smooth[i], label[i] == -100 ? 0 : smoothed);
      }
      if (!right) WARN("width " << n << ", skip " << skip);
      CHECK(right);
      CHECK(touched(loss, 0, rows) == 0);
      CHECK(touched(lse, 0, rows) == 0);
    }
}

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T> &v) {
  std::vector<unsigned char> all(v.size() * sizeof(T));
  memcpy(all.data(), v.data(), all.size());
  return all;
}

// Scales and values have the bits of the host's.
template <class In, class Q, class Scale, int Group>
void check_quantised(const std::vector<std::int64_t> &columns) {
  const std::int64_t rows = 5;
  for (const std::int64_t n : columns)
    for (const std::int64_t skip : {0, 1, 3}) {
      auto v = random_values<In>(rows * n + 4);
      for (std::int64_t i = 0; i < n; ++i) v[static_cast<std::size_t>(skip + i)] = In(0.0f);  // a row of zeros
      const std::int64_t groups = (n + Group - 1) / Group;
      const device_array<In> x(v);
      const device_array<Q> q(rows * n + 4), by_groups(rows * n + 4);
      const device_array<float> scale(rows);
      const device_array<Scale> scales(rows * (groups + 1));
      std::vector<Q> h_q(static_cast<std::size_t>(rows * n)), h_by_groups(h_q.size());
      std::vector<float> h_scale(static_cast<std::size_t>(rows));
      std::vector<Scale> h_scales(static_cast<std::size_t>(rows * (groups + 1)));
      const auto extent = op::extent(rows, n);
      OP_CHECK(op::launch(op::load(x.at(skip)) | op::quantize_rows(op::store(q.at(skip)), scale.at()), extent));
      OP_CHECK(op::launch(op::load(x.at(skip)) | op::quantize_groups<Group>(op::store(by_groups.at(skip)), scales.at(), groups + 1), extent));
      OP_CHECK(op::launch(op::load(static_cast<const In *>(v.data()) + skip) | op::quantize_rows(op::store(h_q.data()), h_scale.data()), extent, on_host()));
      OP_CHECK(op::launch(op::load(static_cast<const In *>(v.data()) + skip) | op::quantize_groups<Group>(op::store(h_by_groups.data()), h_scales.data(), groups + 1), extent, on_host()));
      CHECK(scale.get(rows) == h_scale);
      CHECK(bytes_of(q.get(rows * n, skip)) == bytes_of(h_q));
      CHECK(bytes_of(by_groups.get(rows * n, skip)) == bytes_of(h_by_groups));
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto first = static_cast<std::ptrdiff_t>(r * (groups + 1));
        const std::vector<Scale> want(h_scales.begin() + first, h_scales.begin() + first + groups);
        CHECK(bytes_of(scales.get(groups, first)) == bytes_of(want));
        CHECK(bytes_of(scales.get(1, first + groups))[0] == 0xA5);
      }
      CHECK(touched(q, skip, rows * n) == 0);
      CHECK(touched(by_groups, skip, rows * n) == 0);
    }
}

}  // namespace

TEST_CASE("cross-entropy of any width") {
  std::vector<std::int64_t> some = {1, 7, 8, 63, 64, 257, 1000, 4096, 4097, 12289};
  check_cross_entropy<float>(ONEPASS_ROW_AUTO, some);
  if (!reduced()) some.insert(some.end(), {32768, 50257, 131072, 128257});
  check_cross_entropy<bf16>(ONEPASS_ROW_AUTO, some);
  for (const auto strategy : {ONEPASS_ROW_CLUSTER, ONEPASS_ROW_SHARED, ONEPASS_ROW_STREAM}) check_cross_entropy<bf16>(strategy, {1, 9, 4096, 5001});
}

TEST_CASE("quantised rows and groups have the host's bits") {
  const std::vector<std::int64_t> some =
      reduced() ? std::vector<std::int64_t>{1, 130, 1000} : std::vector<std::int64_t>{1, 31, 64, 100, 128, 130, 256, 512, 1000, 2049, 4096, 9000};
  check_quantised<bf16, __nv_fp8_e4m3, float, 128>(some);
  check_quantised<float, std::int8_t, __nv_fp8_e8m0, 32>(some);
  check_quantised<f16, __nv_fp8_e5m2, __nv_fp8_e8m0, 256>(some);
}

TEST_CASE("groups are quantised alike by every strategy") {
  for (const std::int64_t n : {1, 100, 128, 1000, 4096}) {
    const std::int64_t rows = 3, groups = (n + 127) / 128;
    const device_array<bf16> x(random_values<bf16>(rows * n)), kept(rows * n);
    const device_array<__nv_fp8_e4m3> q(rows * n), other(rows * n);
    const device_array<float> scales(rows * groups), others(rows * groups), most(rows), more(rows);
    const auto pipeline = [&](const device_array<__nv_fp8_e4m3> &to, const device_array<float> &of, const device_array<float> &greatest) {
      return op::load(x.at()) | op::multiply(2) | op::tee(op::store(kept.at())) | op::rms_norm(1e-6) | op::tee(op::reduce_rows(op::maximum, greatest.at())) |
             op::quantize_groups<128>(op::store(to.at()), of.at(), groups);
    };
    OP_CHECK(op::launch(pipeline(q, scales, most), op::extent(rows, n)));
    for (const auto strategy : {ONEPASS_ROW_CLUSTER, ONEPASS_ROW_SHARED, ONEPASS_ROW_STREAM}) {
      other.fill(0xA5);
      OP_CHECK(op::launch(pipeline(other, others, more), op::extent(rows, n), forced(strategy)));
      // The sums of squares are added in another order: scales agree to a few roundings, values to a step.
      const auto a = scales.get(rows * groups), b = others.get(rows * groups), c = most.get(rows), d = more.get(rows);
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::fabs(a[i] - b[i]) <= 1e-6f * a[i]);
      for (std::size_t i = 0; i < c.size(); ++i) CHECK(std::fabs(c[i] - d[i]) <= 1e-6f * (1 + std::fabs(c[i])));
      CHECK(touched(other, 0, rows * n) == 0);
    }
  }
}

TEST_CASE("segments are the same rows one by one") {
  for (const std::int64_t most : {20, 300, 5000, 40000}) {
    if (reduced() && most > 300) continue;
    const std::int64_t rows = 37;
    std::vector<std::int32_t> offsets = {3};
    for (std::int64_t r = 0; r < rows; ++r) offsets.push_back(offsets.back() + static_cast<std::int32_t>(r % 5 == 0 ? 0 : (r * 7919) % most + 1));
    const std::vector<std::int64_t> wide_offsets(offsets.begin(), offsets.end());
    const std::int64_t n = offsets.back();
    const device_array<std::int32_t> at(offsets);
    const device_array<std::int64_t> wide_at(wide_offsets);
    const device_array<bf16> x(random_values<bf16>(n + 1)), y(n + 1), z(n + 1), gamma(random_values<bf16>(most));
    const device_array<float> sums(rows), others(rows);
    for (const auto strategy : {ONEPASS_ROW_AUTO, ONEPASS_ROW_CLUSTER, ONEPASS_ROW_SHARED, ONEPASS_ROW_STREAM})
      for (const std::int64_t skip : {0, 1}) {
        y.fill(0xA5);
        z.fill(0xA5);
        const auto launched = op::launch(op::load(x.at(skip)) | op::layer_norm(gamma.at(), 1e-5) | op::tee(op::reduce_rows(op::sum, sums.at())) | op::store(y.at(skip)),
                            op::segments(at.at(), rows, most), forced(strategy));
        if (launched == ONEPASS_ERROR_STRATEGY) continue;
        OP_CHECK(launched);
        OP_CHECK(op::launch(op::load(x.at(skip)) | op::layer_norm(gamma.at(), 1e-5) | op::tee(op::reduce_rows(op::sum, others.at())) | op::store(z.at(skip)),
                            op::segments(wide_at.at(), rows, most), forced(strategy)));
        const error_counter errors;
        errors.check(y, skip + 3, z.at(skip + 3), n - 3);
        CHECK(errors.get() == 0);
        CHECK(sums.get(rows) == others.get(rows));
        unsigned long long wrong = 0;
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::int64_t first = skip + wide_offsets[static_cast<std::size_t>(r)], length = wide_offsets[static_cast<std::size_t>(r) + 1] + skip - first;
          wrong += wrong_in_rows(x.at(first), length, y.at(first), length, 1, length, layer_norm_truth<bf16, bf16>{gamma.at(), nullptr, 1e-5});
        }
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("a width known when the program is compiled gives the bits of any other") {
  const std::int64_t rows = 17;
  const device_array<bf16> x(random_values<bf16>(rows * 4096 + 1)), y(rows * 4096 + 1), z(rows * 4096 + 1);
  const auto check = [&](auto columns, std::int64_t skip) {
    const std::int64_t n = columns;
    const auto pipeline = [&](const device_array<bf16> &to) { return op::load(x.at(skip)) | op::softmax | op::store(to.at(skip)); };
    y.fill(0xA5);
    OP_CHECK(op::launch(pipeline(y), op::extent(rows, columns)));
    OP_CHECK(op::launch(pipeline(z), op::extent(rows, n)));
    const error_counter errors;
    errors.check(y, skip, z.at(skip), rows * n);
    CHECK(errors.get() == 0);
  };
  for (const std::int64_t skip : {0, 1}) {
    check(op::constant<4096>, skip);
    check(op::constant<1001>, skip);
    check(op::constant<24>, skip);
  }
  CHECK(op::launch(op::load(x.at()) | op::softmax | op::store(y.at()), op::extent(rows, op::constant<4096>), forced(ONEPASS_ROW_STREAM)) == ONEPASS_ERROR_STRATEGY);
}
