// SPDX-License-Identifier: Apache-2.0
// Two translation units that include everything and use the same kernels make one program, and each launches its own:
// on the host, and on the device where there is one.
#include <cstdio>

#include "shared.cuh"

ONEPASS_EXPORT(map_of_a, link_args, op::load(args.x) | op::multiply(2) | op::abs | op::store(args.y));

static constexpr int64_t n = 1000;

static bool is_right(const char *what, onepass_status_t status, const onepass_exec_t &exec, link_args &args,
                     bool sums) {
  bool right = status == ONEPASS_SUCCESS;
  if (exec.where == ONEPASS_DEVICE) right = cudaDeviceSynchronize() == cudaSuccess && right;
  for (int64_t i = 0; i < n; ++i) right = right && args.y[i] == 2.0f * static_cast<float>(i);
  if (sums) right = right && *args.sum == static_cast<float>(n * (n - 1));
  if (!right) std::printf("%s: %s\n", what, onepass_status_string(status));
  for (int64_t i = 0; i < n; ++i) args.y[i] = -1.0f;
  *args.sum = -1.0f;
  return right;
}

static bool run(float *memory, const onepass_exec_t &exec) {
  for (int64_t i = 0; i < n; ++i) memory[i] = i % 2 == 0 ? static_cast<float>(i) : -static_cast<float>(i);
  link_args args{memory, memory + n, memory + 2 * n};
  bool right = is_right("a", launch_both(args, n, exec), exec, args, true);
  right = is_right("b", launch_both_in_b(args, n, exec), exec, args, true) && right;
  right =
      is_right("map_of_a", onepass_launch(&map_of_a, onepass_extent_1d(n), &args, &exec), exec, args, false) && right;
  return is_right("map_of_b", onepass_launch(&map_of_b, onepass_extent_1d(n), &args, &exec), exec, args, false) &&
         right;
}

int main() {
  static float memory[2 * n + 1];
  onepass_exec_t exec{};
  exec.where = ONEPASS_HOST;
  bool right = run(memory, exec);

  float *managed = nullptr;
  if (cudaMallocManaged(&managed, sizeof(memory)) == cudaSuccess) {
    exec.where = ONEPASS_DEVICE;
    right = run(managed, exec) && right;
    cudaFree(managed);
  } else {
    std::puts("no device: the host alone");
  }
  return right ? 0 : 1;
}
