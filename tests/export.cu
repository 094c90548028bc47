// SPDX-License-Identifier: Apache-2.0
// ONEPASS_EXPORT and ONEPASS_DECLARE: constants that exist before any code runs, launched as C would.
#include <onepass/export.cuh>

#include <cstdint>
#include <cstring>

#include "catch.hpp"
#include "util.hpp"

// What a header that both sides read would hold.
struct scale_args {
  const float *x;
  float *y;
  std::int64_t x_pitch;
  float scale;
};
struct sum_args {
  const std::uint8_t *x;
  std::int64_t *sum;
};
ONEPASS_DECLARE(scale_f32);
ONEPASS_DECLARE(sum_u8);
ONEPASS_DECLARE(on_device_f32);

// A copy made while the program starts, by an initialiser that stands before the constant: dynamic initialisation of
// the constant would come too late for it.
const onepass_kernel_t early = scale_f32;

namespace {

struct on_device {
  static constexpr bool device_only = true;
  static constexpr int capability = 90;
  template <class T>
  __device__ T operator()(T x) const {
    return x;
  }
};
struct tripled {
  ONEPASS_HD float operator()(float x) const { return 3 * x; }
};

}  // namespace

ONEPASS_EXPORT(scale_f32, scale_args,
               op::load(args.x, args.x_pitch) | op::multiply(args.scale) | op::fn(tripled{}) | op::store(args.y));
ONEPASS_EXPORT(sum_u8, sum_args, op::load(args.x) | op::reduce(op::sum, args.sum));
ONEPASS_EXPORT(on_device_f32, scale_args, op::load(args.x) | op::exact(op::fn(on_device{})) | op::store(args.y));

TEST_CASE("an exported pipeline is a constant before any code runs") {
  CHECK(std::memcmp(&early, &scale_f32, sizeof(early)) == 0);
  CHECK(early.host != nullptr);
}

TEST_CASE("the constant says what the pipeline is") {
  CHECK(std::string(scale_f32.text) ==
        "op::load(args.x, args.x_pitch) | op::multiply(args.scale) | op::fn(tripled{}) | op::store(args.y)");
  CHECK(scale_f32.args_bytes == sizeof(scale_args));
  CHECK(scale_f32.geometry.family == ONEPASS_MAP);
  CHECK(scale_f32.geometry.lanes == 4);
  CHECK(scale_f32.geometry.by_row == 1);
  CHECK(scale_f32.capability == 75);
  CHECK(sum_u8.geometry.family == ONEPASS_REDUCE);
  CHECK(sum_u8.geometry.lanes == 16);
  CHECK(sum_u8.geometry.state_bytes == 8);

  const onepass_traffic_t traffic = onepass_traffic_of(&scale_f32, onepass_extent_2d(10, 20));
  CHECK(traffic.bytes_read == 800);
  CHECK(traffic.bytes_written == 800);
  CHECK(traffic.intermediate_bytes == 0);
  CHECK(traffic.kernels == 1);
  CHECK(traffic.passes == 1);
  const onepass_traffic_t unfused = onepass_unfused_traffic_of(&scale_f32, onepass_extent_2d(10, 20));
  CHECK(unfused.bytes_read == 1600);
  CHECK(unfused.bytes_written == 1600);
  CHECK(unfused.kernels == 2);
  CHECK(onepass_traffic_of(&sum_u8, onepass_extent_1d(100)).bytes_written == 8);
}

TEST_CASE("a launch reads its arguments from the struct") {
  const float x[] = {1, 2, 3, -1, 4, 5, 6, -1};
  float y[6] = {};
  const onepass_exec_t exec = test::host();
  scale_args args = {x, y, 4, 2};
  REQUIRE(onepass_launch(&scale_f32, onepass_extent_2d(2, 3), &args, &exec) == ONEPASS_SUCCESS);
  for (int i = 0; i < 6; ++i) CHECK(y[i] == 6 * static_cast<float>(i + 1));
  args.scale = 10;
  REQUIRE(onepass_launch(&scale_f32, onepass_extent_2d(1, 3), &args, &exec) == ONEPASS_SUCCESS);
  CHECK(y[2] == 90);
  CHECK(y[3] == 24);

  args.x_pitch = 2;
  CHECK(onepass_launch(&scale_f32, onepass_extent_2d(2, 3), &args, &exec) == ONEPASS_ERROR_PITCH);
  args = {x, nullptr, 4, 2};
  CHECK(onepass_launch(&scale_f32, onepass_extent_2d(2, 3), &args, &exec) == ONEPASS_ERROR_NULL);
  CHECK(onepass_launch(&scale_f32, onepass_extent_2d(2, 3), nullptr, &exec) == ONEPASS_ERROR_ARGUMENT);
  CHECK(onepass_launch(nullptr, onepass_extent_2d(2, 3), &args, &exec) == ONEPASS_ERROR_ARGUMENT);
}

TEST_CASE("an exported reduction") {
  const std::vector<std::uint8_t> x(1000, 255);
  std::int64_t sum = -1;
  const sum_args args = {x.data(), &sum};
  const onepass_exec_t exec = test::host();
  REQUIRE(onepass_launch(&sum_u8, onepass_extent_1d(1000), &args, &exec) == ONEPASS_SUCCESS);
  CHECK(sum == 255000);
  REQUIRE(onepass_launch(&sum_u8, onepass_extent_1d(0), &args, &exec) == ONEPASS_SUCCESS);
  CHECK(sum == 0);
}

TEST_CASE("a functor that exists on the device only leaves the host entry empty, and may ask for a capability") {
  float x[4] = {}, y[4] = {7, 7, 7, 7};
  const scale_args args = {x, y, 4, 1};
  const onepass_exec_t exec = test::host();
  CHECK(on_device_f32.host == nullptr);
  CHECK(on_device_f32.capability == 90);
  CHECK(onepass_launch(&on_device_f32, onepass_extent_1d(4), &args, &exec) == ONEPASS_ERROR_DEVICE_ONLY);
  CHECK(y[0] == 7);
}

namespace {

struct capable_sum : onepass::detail::sum_statistic {
  static constexpr int capability = 103;
};

}  // namespace

TEST_CASE("the capability of a statistic counts, alone and among several") {
  namespace op = onepass;
  const auto capability = [](const auto &p) { return op::detail::capability_of<std::decay_t<decltype(p)>>::value; };
  const float *x = nullptr;
  float *y = nullptr;
  const auto alone = op::load(x) | op::reduce(capable_sum{}, y);
  const auto among = op::load(x) | op::reduce(op::several(op::maximum, capable_sum{}), y, y);
  const auto kept = op::load(x) | op::tee(op::reduce(op::with_initial(capable_sum{}, 1), y)) | op::store(y);
  CHECK(capability(alone) == 103);
  CHECK(capability(among) == 103);
  CHECK(capability(kept) == 103);
}
