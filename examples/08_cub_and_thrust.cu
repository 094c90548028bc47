// SPDX-License-Identifier: Apache-2.0
// To the algorithms of CUB and Thrust and back. What a pipeline computes goes into a sum, a scan and a selection as an
// iterator, without an array for it; the indices that they return come back as the source of a launch. Picks the values
// of a signal that are large, in order, and halves them. Without a GPU everything runs on the host. Returns nonzero if
// a result is wrong.
#include <onepass/iterator.cuh>
#include <onepass/onepass.cuh>

#include <cub/device/device_reduce.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/scan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <numeric>

namespace op = onepass;

static const int n = 100003;

static void must(onepass_status_t status) {
  if (status == ONEPASS_SUCCESS) return;
  fprintf(stderr, "onepass: %s\n", onepass_status_string(status));
  exit(1);
}

static void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  exit(1);
}

struct above {
  double threshold;
  __host__ __device__ bool operator()(double x) const { return x > threshold; }
};

// CUB's sum over an iterator, which says first how much memory it needs.
template <class Iterator>
static double sum_on_device(Iterator first) {
  thrust::device_vector<double> sum(1);
  size_t bytes = 0;
  must(cub::DeviceReduce::Sum(NULL, bytes, first, sum.begin(), n));
  thrust::device_vector<char> memory(bytes);
  must(cub::DeviceReduce::Sum(thrust::raw_pointer_cast(memory.data()), bytes, first, sum.begin(), n));
  return sum[0];
}

// The same program for vectors on the device and on the host. Returns how many results are wrong.
template <class Floats, class Doubles, class Indices, class Policy>
static int run(const thrust::host_vector<float> &input, const Policy &policy, onepass_exec_t exec) {
  const Floats x = input;
  Doubles energy(n);
  Indices where(n);
  Floats picked(n);

  // To: the energy of each value is computed where an algorithm asks for it.
  const auto squares = op::from(x.begin()) | op::cast<double>() | op::square;  // from a vector's iterator: a load
  const auto first = op::as_iterator(squares);
  const double total = exec.where == ONEPASS_HOST ? std::accumulate(first, first + n, 0.0) : sum_on_device(first);
  thrust::inclusive_scan(policy, first, first + n, energy.begin());
  const auto places = op::as_iterator(op::index());
  const int64_t count = thrust::copy_if(policy, places, places + n, first, where.begin(), above{4}) - where.begin();

  // From: the indices of the selection are the source of a launch.
  const float *values = thrust::raw_pointer_cast(x.data());
  must(op::launch(op::gather(values, op::from(where.begin()), n) | op::multiply(0.5f) |
                      op::store(thrust::raw_pointer_cast(picked.data())),
                  op::extent(count), exec));

  const thrust::host_vector<double> running = energy;
  const thrust::host_vector<float> result = picked;  // waits for the launch
  double sum = 0;
  int64_t wrong = 0, found = 0;
  for (int i = 0; i < n; ++i) {
    const double square = (double)input[(size_t)i] * input[(size_t)i];
    sum += square;
    wrong += fabs(running[(size_t)i] - sum) > 1e-9 * sum;
    if (square > 4) wrong += found >= count || result[(size_t)found] != 0.5f * input[(size_t)i];
    found += square > 4;
  }
  wrong += fabs(total - sum) > 1e-9 * sum || found != count;
  printf("energy %.3f, %d of %d values picked: %s\n", total, (int)count, n, wrong == 0 ? "right" : "WRONG");
  return (int)wrong;
}

int main() {
  thrust::host_vector<float> x(n);
  for (int i = 0; i < n; ++i) x[(size_t)i] = 3 * sinf((float)i * 0.37f) * cosf((float)i * 0.011f);
  int devices = 0;
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
    return run<thrust::device_vector<float>, thrust::device_vector<double>, thrust::device_vector<int64_t>>(
               x, thrust::device, exec) != 0;
  printf("there is no GPU: on the host\n");
  exec.where = ONEPASS_HOST;
  return run<thrust::host_vector<float>, thrust::host_vector<double>, thrust::host_vector<int64_t>>(x, thrust::host,
                                                                                                    exec) != 0;
}
