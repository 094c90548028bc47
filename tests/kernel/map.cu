// SPDX-License-Identifier: Apache-2.0
// The map family on a device: every count, every misalignment of each pointer, every type, pitched rows, in place.
#include "gpu.hpp"

namespace {

// The bits of an aligned launch over the largest count are the expected ones: they are compared with the host executor
// first, and every other launch with them.
template <class In, class Out, class Build>
void check_every_count(std::int64_t tile, const Build &build) {
  const std::int64_t most = 2 * tile + 1;
  const auto x_host = random_values<In>(most);
  std::vector<Out> y_host(static_cast<std::size_t>(most));
  OP_CHECK(op::launch(build(x_host.data(), y_host.data()), op::extent(most), on_host()));

  device_array<In> x(most);
  device_array<Out> y(most), expected(most);
  x.put(x_host);
  OP_CHECK(op::launch(build(x.at(), expected.at()), op::extent(most)));
  const auto got = expected.get(most);
  int worse = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double a = static_cast<double>(op::detail::widen(got[i])), b = static_cast<double>(op::detail::widen(y_host[i]));
    const double tolerance = op::detail::is_float16<Out> ? (op::detail::is_half<Out> ? 1e-3 : 8e-3) : 1e-6;
    worse += !(std::fabs(a - b) <= tolerance * (1e-2 + std::fabs(b)));
  }
  CHECK(worse == 0);

  const error_counter errors;
  const auto skew_in = static_cast<std::int64_t>(16 / sizeof(In)), skew_out = static_cast<std::int64_t>(16 / sizeof(Out));
  std::vector<std::int64_t> counts = counts_up_to(most, sizeof(In) == 4 ? most : tile / 4 + 1, tile);
  for (std::int64_t skew = 0; skew < skew_in + skew_out; ++skew) {
    const std::int64_t in = skew < skew_in ? skew : 0, out = skew < skew_in ? 0 : skew - skew_in;
    x.put(x_host, in);
    for (const std::int64_t n : counts) {
      y.fill(0xA5);
      OP_CHECK(op::launch(build(x.at(in), y.at(out)), op::extent(n)));
      errors.check(y, out, expected.at(), n);
    }
  }
  // Both at once, each by its own distance.
  for (std::int64_t skew = 1; skew < skew_in; ++skew) {
    x.put(x_host, skew);
    for (const std::int64_t n : {std::int64_t{7}, tile - 1, tile, most}) {
      y.fill(0xA5);
      OP_CHECK(op::launch(build(x.at(skew), y.at((3 * skew) % skew_out)), op::extent(n)));
      errors.check(y, (3 * skew) % skew_out, expected.at(), n);
    }
  }
  CHECK(errors.get() == 0);
}

}  // namespace

TEST_CASE("every count and misalignment: f32, gelu") {
  check_every_count<float, float>(1024, [](const float *x, float *y) {
    return op::load(x) | op::multiply(0.5f) | op::gelu | op::clamp(-1, 6) | op::store(y);
  });
}
TEST_CASE("every count and misalignment: bf16, gelu") {
  check_every_count<__nv_bfloat16, __nv_bfloat16>(2048, [](const __nv_bfloat16 *x, __nv_bfloat16 *y) {
    return op::load(x) | op::gelu | op::store(y);
  });
}
TEST_CASE("every count and misalignment: f16 to f32") {
  check_every_count<__half, float>(2048, [](const __half *x, float *y) {
    return op::load(x) | op::silu | op::store(y);
  });
}
TEST_CASE("every count and misalignment: f32 to f16") {
  check_every_count<float, __half>(2048, [](const float *x, __half *y) {
    return op::load(x) | op::gelu_tanh | op::store(y);
  });
}
TEST_CASE("every count and misalignment: f64") {
  check_every_count<double, double>(512, [](const double *x, double *y) {
    return op::load(x) | op::square | op::add(1) | op::sqrt | op::store(y);
  });
}
TEST_CASE("every count and misalignment: u8") {
  check_every_count<std::uint8_t, std::uint8_t>(4096, [](const std::uint8_t *x, std::uint8_t *y) {
    return op::load(x) | op::multiply(3) | op::add(1) | op::store(y);
  });
}
TEST_CASE("every count and misalignment: u8 to f32") {
  check_every_count<std::uint8_t, float>(4096, [](const std::uint8_t *x, float *y) {
    return op::load(x) | op::cast<float>() | op::multiply(1.0f / 255) | op::store(y);
  });
}
TEST_CASE("every count and misalignment: i32 to i64") {
  check_every_count<std::int32_t, std::int64_t>(1024, [](const std::int32_t *x, std::int64_t *y) {
    return op::load(x) | op::abs | op::multiply(std::int64_t{1} << 40) | op::store(y);
  });
}
TEST_CASE("every count and misalignment: i64 to f64") {
  check_every_count<std::int64_t, double>(512, [](const std::int64_t *x, double *y) {
    return op::load(x) | op::cast<double>() | op::divide(3) | op::store(y);
  });
}
TEST_CASE("every count and misalignment: a wide mix of bf16 and f64") {
  check_every_count<__nv_bfloat16, double>(2048, [](const __nv_bfloat16 *x, double *y) {
    return op::load(x) | op::cast<double>() | op::store(y);
  });
}
TEST_CASE("every count: the coordinate") {
  check_every_count<float, std::int64_t>(1024, [](const float *x, std::int64_t *y) {
    return op::load(x) | op::cast<std::int64_t>() | op::add(op::index()) | op::store(y);
  });
}

namespace {

// Rows with pitches of their own, each pointer misaligned on its own, vectors along both sides, a tee.
template <class T>
void check_rows() {
  const error_counter errors;
  for (const std::int64_t rows : {1, 2, 3, 17}) {
    for (std::int64_t columns : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 100, 255, 257, 1000, 1024, 1025}) {
      if (reduced() && columns > 70) continue;
      for (int which = 0; which < 8; ++which) {
        const std::int64_t px = columns + (which % 3) * 5, py = columns + (which % 2) * 8, pr = columns + 3 * (which / 4);
        const auto x = random_values<T>(rows * px), r = random_values<T>(rows * pr), bias = random_values<T>(columns);
        const auto scale = random_values<float>(rows);
        const auto poison = op::detail::bit_copy<T>(std::vector<T>(1, T{})[0]);
        std::vector<T> y(static_cast<std::size_t>(rows * py), poison), kept(static_cast<std::size_t>(rows * columns));
        const auto build = [&](const T *x_, const T *r_, const T *bias_, const float *scale_, T *kept_, T *y_) {
          return op::load(x_, px) | op::add(op::per_column(bias_)) | op::multiply(op::per_row(scale_)) |
                 op::tee(op::store(kept_)) | op::add(op::load(r_, pr)) | op::maximum(-1.0f) | op::store(y_, py);
        };
        OP_CHECK(op::launch(build(x.data(), r.data(), bias.data(), scale.data(), kept.data(), y.data()),
                            op::extent(rows, columns), on_host()));
        device_array<T> dx(rows * px), dr(rows * pr), db(columns), dk(rows * columns), dy(rows * py), ey(rows * py),
            ek(rows * columns);
        device_array<float> ds(rows);
        const std::int64_t ox = which == 1, orr = which == 2, ob = which == 3, ok = which == 4, oy = which == 5 ? 3 : 0,
                           os = which == 6;
        dx.put(x, ox);
        dr.put(r, orr);
        db.put(bias, ob);
        ds.put(scale, os);
        OP_CHECK(op::launch(build(dx.at(ox), dr.at(orr), db.at(ob), ds.at(os), dk.at(ok), dy.at(oy)),
                            op::extent(rows, columns)));
        ek.put(kept);
        errors.check(dk, ok, ek.at(), rows * columns);
        // Rows as expected, gaps untouched: in the expected array the gaps hold the guard's bytes.
        ey.fill(0xA5);
        for (std::int64_t row = 0; row < rows; ++row)
          CUDA_CHECK(cudaMemcpy(ey.at(row * py), &y[static_cast<std::size_t>(row * py)],
                                static_cast<std::size_t>(columns) * sizeof(T), cudaMemcpyHostToDevice));
        errors.check(dy, oy, ey.at(), rows * py);
      }
    }
  }
  CHECK(errors.get() == 0);
}

}  // namespace

TEST_CASE("rows: f32") { check_rows<float>(); }
TEST_CASE("rows: bf16") { check_rows<__nv_bfloat16>(); }
TEST_CASE("rows: f16") { check_rows<__half>(); }

TEST_CASE("bias per column over a dense matrix of every width") {
  const error_counter errors;
  using T = __nv_bfloat16;
  for (std::int64_t columns = 1; columns <= (reduced() ? 20 : 300); ++columns) {
    const std::int64_t rows = 1 + 4000 / columns, n = rows * columns;
    const auto x = random_values<T>(n), bias = random_values<T>(columns);
    std::vector<T> y(static_cast<std::size_t>(n));
    const auto build = [](const T *x_, const T *b_, T *y_) {
      return op::load(x_) | op::add(op::per_column(b_)) | op::store(y_);
    };
    OP_CHECK(op::launch(build(x.data(), bias.data(), y.data()), op::extent(rows, columns), on_host()));
    const device_array<T> dx(x), db(bias), dy(n), expected(y);
    OP_CHECK(op::launch(build(dx.at(), db.at(), dy.at()), op::extent(rows, columns)));
    errors.check(dy, 0, expected.at(), n);
    for (const std::int64_t skew : {1, 3}) {
      dx.put(x, skew);
      dy.fill(0xA5);
      OP_CHECK(op::launch(build(dx.at(skew), db.at(), dy.at(8 - skew)), op::extent(rows, columns)));
      errors.check(dy, 8 - skew, expected.at(), n);
    }
  }
  CHECK(errors.get() == 0);
}

TEST_CASE("in place, at every misalignment") {
  const error_counter errors;
  const std::int64_t n = 5003;
  const auto x = random_values<__half>(n);
  const device_array<__half> expected(n), y(n);
  const device_array<__half> dx(x);
  OP_CHECK(op::launch(op::load(dx.at()) | op::gelu | op::store(expected.at()), op::extent(n)));
  for (std::int64_t skew = 0; skew < 8; ++skew) {
    y.fill(0xA5);
    y.put(x, skew);
    OP_CHECK(op::launch(op::load(y.at(skew)) | op::gelu | op::store(y.at(skew)), op::extent(n)));
    errors.check(y, skew, expected.at(), n);
  }
  CHECK(errors.get() == 0);
}

namespace {

struct device_only_functor {
  static constexpr bool device_only = true;
  __device__ float operator()(float x) const { return __int_as_float(__float_as_int(x) ^ 1); }
};

__global__ void count_not_incremented(const std::uint8_t *x, const std::uint8_t *y, std::int64_t n,
                                      unsigned long long *errors) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    if (y[i] != static_cast<std::uint8_t>((x[i] & 0x7f) + 1)) atomicAdd(errors, 1ull);
}

struct low_bits {
  __host__ __device__ int operator()(int x) const { return x & 0x7f; }
};

__global__ void fill_pattern(std::uint8_t *x, std::int64_t n) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    x[i] = static_cast<std::uint8_t>((i * 2654435761ll) >> 13);
}

}  // namespace

TEST_CASE("over 2^32 one-byte elements, flat and by rows, aligned and not") {
  if (reduced()) return;
  const std::int64_t n = (std::int64_t{1} << 32) + 4099;
  const device_array<std::uint8_t> x(n), y(n);
  const error_counter errors;
  fill_pattern<<<4096, 256>>>(x.at(), n);
  const device_array<std::uint8_t> zero(std::vector<std::uint8_t>(1 << 16));
  for (const int skew : {0, 1}) {
    y.fill(0xA5);
    OP_CHECK(op::launch(op::load(x.at()) | op::fn(low_bits{}) | op::add(1) | op::store(y.at(skew)), op::extent(n)));
    count_not_incremented<<<4096, 256>>>(x.at(), y.at(skew), n, errors.pointer());
    // 2^20 + 1 rows of 4096 by rows
    const std::int64_t rows = (std::int64_t{1} << 20) + 1, columns = 4096;
    y.fill(0xA5);
    OP_CHECK(op::launch(op::load(x.at()) | op::fn(low_bits{}) | op::add(op::per_column(zero.at())) | op::add(1) |
                            op::store(y.at(skew)),
                        op::extent(rows, columns)));
    count_not_incremented<<<4096, 256>>>(x.at(), y.at(skew), rows * columns, errors.pointer());
    // narrow rows: more groups than 2^32
    y.fill(0xA5);
    OP_CHECK(op::launch(op::load(x.at()) | op::fn(low_bits{}) | op::add(op::per_column(zero.at())) | op::add(1) |
                            op::store(y.at(skew)),
                        op::extent(n, 1)));
    count_not_incremented<<<4096, 256>>>(x.at(), y.at(skew), n, errors.pointer());
  }
  CHECK(errors.get() == 0);
}

TEST_CASE("a functor that exists on the device only") {
  const std::vector<float> x(100, 1.0f);
  const device_array<float> dx(x), dy(100);
  const auto p = op::load(dx.at()) | op::fn(device_only_functor{}) | op::store(dy.at());
  OP_CHECK(op::launch(p, op::extent(100)));
  CHECK(dy.one(99) == std::nextafterf(1.0f, 2.0f));
  std::vector<float> y(100);
  CHECK(op::launch(op::load(x.data()) | op::fn(device_only_functor{}) | op::store(y.data()), op::extent(100), on_host()) ==
        ONEPASS_ERROR_DEVICE_ONLY);
}
