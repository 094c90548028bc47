// SPDX-License-Identifier: Apache-2.0
// Every element type on a device, by every count and misalignment: the bits that the host executor gives. And a
// reduction as a tee beside a store, likewise.
#include <cuda/std/complex>

#include <cstring>
#include <memory>
#include <type_traits>

#include "gpu.hpp"

namespace {

using f16 = __half;
using bf16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
using complex = cuda::std::complex<float>;

// Any bits but NaN, of which only the being is defined.
template <class T>
std::unique_ptr<T[]> random_bits(std::int64_t n) {  // (a vector of bool has no array)
  std::unique_ptr<T[]> x(new T[static_cast<std::size_t>(n)]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    T &v = x[i];
    if constexpr (std::is_same_v<T, bool>) {
      v = generator()() % 2 == 0;
    } else if constexpr (std::is_same_v<T, complex>) {
      const auto part = [] { return static_cast<float>(static_cast<int>(generator()() % 4001) - 2000) / 16; };
      v = complex(part(), part());
    } else {
      do {
        const std::uint64_t bits = generator()();
        std::memcpy(static_cast<void *>(&v), &bits, sizeof v);
      } while (op::detail::widen(v) != op::detail::widen(v));
    }
  }
  return x;
}

template <class T>
void upload(const device_array<T> &to, const T *from, std::int64_t n) {
  CUDA_CHECK(cudaMemcpy(to.at(), from, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyHostToDevice));
}

// y = stages(x): exact or rounded once, so that host and device agree to the bit.
template <class In, class Out, class Stages>
void check_type(const Stages &stages) {
  constexpr std::int64_t tile = 128 * 2 * (16 / (sizeof(In) < sizeof(Out) ? sizeof(In) : sizeof(Out))), most = tile + 3;
  const auto v = random_bits<In>(most + 8);
  const device_array<In> x(most + 8);
  const device_array<Out> y(most + 8), expected(most + 8);
  upload(x, v.get(), most + 8);
  const error_counter errors;
  for (std::int64_t skip_in : {0, 1, 3})
    for (std::int64_t skip_out : {0, 1, 7}) {
      std::unique_ptr<Out[]> host(new Out[static_cast<std::size_t>(most)]);
      OP_CHECK(op::launch(op::load(v.get() + skip_in) | stages | op::store(host.get()), op::extent(most), on_host()));
      upload(expected, host.get(), most);
      for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{15}, std::int64_t{16}, std::int64_t{17}, std::int64_t{33}, tile / 2 - 1, tile / 2, tile - 1, tile, tile + 1, most}) {
        y.fill(0xA5);
        OP_CHECK(op::launch(op::load(x.at(skip_in)) | stages | op::store(y.at(skip_out)), op::extent(n)));
        errors.check(y, skip_out, expected.at(), n);
      }
    }
  CHECK(errors.get() == 0);
}

}  // namespace

TEST_CASE("8-bit floats") {
  check_type<e4m3, e4m3>(op::multiply(1.5f));
  check_type<e5m2, e5m2>(op::multiply(0.75f));
  check_type<bf16, e4m3>(op::negate);
  check_type<float, e5m2>(op::negate);
  check_type<e4m3, float>(op::multiply(3));
  check_type<e5m2, f16>(op::abs);
  check_type<double, e4m3>(op::multiply(0.1));
}

TEST_CASE("integers") {
  check_type<std::int8_t, std::int8_t>(op::subtract(7));
  check_type<std::int16_t, std::int16_t>(op::multiply(3));
  check_type<std::uint16_t, std::int8_t>(op::add(1));
  check_type<std::uint32_t, std::uint32_t>(op::multiply(2654435761u) | op::bit_xor(0x5bd1e995u));
  check_type<std::uint64_t, std::uint64_t>(op::shift_right(3));
  check_type<std::uint64_t, float>(op::negate);
  check_type<std::int64_t, bf16>(op::bit_not);
  check_type<std::uint64_t, e5m2>(op::shift_right(40));
  check_type<float, std::int8_t>(op::multiply(0.5f));
  check_type<float, std::uint16_t>(op::multiply(0.5f));
  check_type<float, std::uint32_t>(op::multiply(0.5f));
  check_type<float, std::int64_t>(op::multiply(0.5f));
  check_type<double, std::uint64_t>(op::multiply(0.5));
  check_type<std::int8_t, float>(op::cast<float>() | op::multiply(0.25f));
  check_type<std::uint16_t, bf16>(op::cast<float>());
}

TEST_CASE("bool and complex") {
  check_type<bool, bool>(op::logical_not);
  check_type<float, bool>(op::greater(0));
  check_type<bool, std::uint8_t>(op::add(1));
  check_type<bool, f16>(op::cast<float>());
  check_type<complex, complex>(op::negate);
  check_type<complex, complex>(op::add(op::value(complex(1, -2))));
}

TEST_CASE("sums and magnitudes of complex numbers") {
  const workspace w;
  const std::int64_t n = 100003;
  const auto v = random_bits<complex>(n);
  const device_array<complex> x(n), sum(1);
  upload(x, v.get(), n);
  const device_array<float> size(n);
  OP_CHECK(op::launch(op::load(x.at()) | op::tee(op::reduce(op::sum, sum.at())) | op::abs | op::store(size.at()),
                      op::extent(n), w.exec()));
  cuda::std::complex<double> exact(0, 0);
  const auto sizes = size.get(n);
  double worst = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    exact += cuda::std::complex<double>(v[i].real(), v[i].imag());
    const double right = std::hypot(static_cast<double>(v[i].real()), static_cast<double>(v[i].imag()));
    if (right > 0) worst = std::max(worst, std::fabs(static_cast<double>(sizes[i]) - right) / right);
  }
  CHECK(static_cast<double>(sum.one().real()) == Approx(exact.real()).margin(1));
  CHECK(static_cast<double>(sum.one().imag()) == Approx(exact.imag()).margin(1));
  CHECK(worst < 3 * 0x1p-23);
}

TEST_CASE("a reduction beside a store: every count and misalignment, with the sums of the reduction alone") {
  const workspace w;
  const std::int64_t most = 66000;
  const auto v = random_values<bf16>(most + 8);
  const device_array<bf16> x(v), y(most + 8), expected(most + 8);
  const device_array<float> both(2), alone(2);
  const error_counter errors;
  for (const std::int64_t n : counts_up_to(most, 70, 4096))
    for (const std::int64_t skip_in : {0, 1})
      for (const std::int64_t skip_out : {0, 3}) {
        const auto stages = op::load(x.at(skip_in)) | op::multiply(0.5f);
        y.fill(0xA5);
        both.fill(0xA5);
        OP_CHECK(op::launch(stages | op::tee(op::reduce(op::several(op::sum, op::maximum), both.at(), both.at(1))) |
                                op::relu | op::store(y.at(skip_out)),
                            op::extent(n), w.exec()));
        OP_CHECK(op::launch(stages | op::reduce(op::several(op::sum, op::maximum), alone.at(), alone.at(1)),
                            op::extent(n), w.exec()));
        OP_CHECK(op::launch(stages | op::relu | op::store(expected.at()), op::extent(n)));
        errors.check(y, skip_out, expected.at(), n);
        count_different<0><<<1, 32>>>(reinterpret_cast<const unsigned char *>(both.at()),
                                      reinterpret_cast<const unsigned char *>(alone.at()), 8, errors.pointer());
      }
  CHECK(errors.get() == 0);
}
