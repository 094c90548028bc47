// SPDX-License-Identifier: Apache-2.0
// The sum of absolute values in one kernel, beside the same in two: abs into a temporary array, then the sum of that.
//
//   onepass_demo                 2^28 floats on the GPU; where there is none, 2^22 on the host
//   onepass_demo --elements N    N floats
//   onepass_demo FILE.npy        an array of float16, float32 or float64 that NumPy has saved
//
// Prints the result and its check against float64, the bytes that each form moves, and how long each takes. Returns
// nonzero if a result is wrong.
#include <onepass/onepass.cuh>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "npy.h"

namespace op = onepass;

static int on_gpu;  // whether there is a GPU; else everything runs on the host, and "device" memory is host memory

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

// Zeroed memory where the pipelines run.
static void *allocate(size_t bytes) {
  void *p = NULL;
  if (on_gpu) {
    must(cudaMalloc(&p, bytes));
    must(cudaMemset(p, 0, bytes));
  } else if ((p = calloc(bytes, 1)) == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return p;
}

static void release(void *p) {
  if (on_gpu) must(cudaFree(p));
  else free(p);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median time of `call` in seconds.
template <class Call>
static double time_of(const Call &call) {
  enum { warm_up = 3, samples = 20 };
  double seconds[samples];
  cudaEvent_t start = NULL, stop = NULL;
  if (on_gpu) must(cudaEventCreate(&start));
  if (on_gpu) must(cudaEventCreate(&stop));
  for (int i = -warm_up; i < samples; ++i) {
    double took;
    if (on_gpu) {
      float milliseconds = 0;
      must(cudaEventRecord(start));
      call();
      must(cudaEventRecord(stop));
      must(cudaEventSynchronize(stop));
      must(cudaEventElapsedTime(&milliseconds, start, stop));
      took = milliseconds * 1e-3;
    } else {
      struct timespec before, after;
      timespec_get(&before, TIME_UTC);
      call();
      timespec_get(&after, TIME_UTC);
      took = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    }
    if (i >= 0) seconds[i] = took;
  }
  if (on_gpu) must(cudaEventDestroy(start));
  if (on_gpu) must(cudaEventDestroy(stop));
  qsort(seconds, samples, sizeof(double), compare);
  return (seconds[samples / 2 - 1] + seconds[samples / 2]) / 2;
}

static double wide(double x) { return x; }
static double wide(__half x) { return __half2float(x); }

// The sum of |x| in float64, by halves, so that its error grows with the logarithm of n.
template <class T>
static double exact_sum(const T *x, int64_t n) {
  double sum = 0;
  if (n > 64) return exact_sum(x, n / 2) + exact_sum(x + n / 2, n - n / 2);
  for (int64_t i = 0; i < n; ++i) sum += fabs(wide(x[i]));
  return sum;
}

static double result_in(const double *out) {
  double result = 0;
  if (!on_gpu) return *out;
  must(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));  // waits for the launches
  return result;
}

static void print_form(const char *name, onepass_traffic_t moved, double seconds) {
  const double rate = (double)(moved.bytes_read + moved.bytes_written) / seconds;
  printf("%-14s %8d %14lld %14lld %14lld %9.1f us %8.3g %s\n", name, moved.kernels, (long long)moved.bytes_read,
         (long long)moved.bytes_written, (long long)moved.intermediate_bytes, seconds * 1e6,
         rate * (on_gpu ? 1e-12 : 1e-9), on_gpu ? "TB/s" : "GB/s");
}

template <class T>
static int demonstrate(const npy_array_t &input) {
  const int64_t n = input.elements;
  const size_t bytes = (size_t)(n > 0 ? n : 1) * sizeof(T);
  const T *x = (const T *)input.data;
  T *on_device = NULL, *temporary = (T *)allocate(bytes);
  double *out = (double *)allocate(sizeof(double));
  if (on_gpu) {
    x = on_device = (T *)allocate(bytes);
    must(cudaMemcpy(on_device, input.data, (size_t)n * sizeof(T), cudaMemcpyHostToDevice));
  }

  // One pass: absolute values live in registers only.
  const auto sum_abs = op::load(x) | op::abs | op::reduce(op::sum, out);
  onepass_exec_t exec = {};
  exec.where = on_gpu ? ONEPASS_DEVICE : ONEPASS_HOST;
  exec.workspace_bytes = op::workspace_bytes(sum_abs, op::extent(n));
  exec.workspace = on_gpu && exec.workspace_bytes > 0 ? allocate(exec.workspace_bytes) : NULL;
  const double one_pass = time_of([&] { must(op::launch(sum_abs, op::extent(n), exec)); });
  const double result = result_in(out);

  // Two: every absolute value is written to memory and read again.
  const double two_passes = time_of([&] {
    must(op::launch(op::load(x) | op::abs | op::store(temporary), op::extent(n), exec));
    must(op::launch(op::load((const T *)temporary) | op::reduce(op::sum, out), op::extent(n), exec));
  });
  const double result_of_two = result_in(out);

  // f16 and f32 are added up in f32. A thread adds one value in some 2^19 after the other, the rest is a tree.
  const double exact = exact_sum((const T *)input.data, n), unit = sizeof(T) == 8 ? ldexp(1, -53) : ldexp(1, -24);
  const double expected = sizeof(T) == 8 ? exact : (double)(float)exact;  // more than a float holds is infinite
  const double error = result == expected ? 0 : fabs(result - exact) / exact;
  const int right = (isnan(result) && isnan(exact)) || error <= unit * (64 + (double)n * ldexp(1, -19));
  const int same = memcmp(&result, &result_of_two, sizeof result) == 0;

  struct cudaDeviceProp device;
  if (on_gpu) must(cudaGetDeviceProperties(&device, 0));
  printf("sum of |x| over %lld values of f%d, on %s\n", (long long)n, 8 * (int)sizeof(T),
         on_gpu ? device.name : "the host, as there is no GPU");
  printf("result %.9g, in float64 %.15g, relative error %.1e: %s\n", result, exact, error, right ? "right" : "WRONG");
  printf("two kernels give %s\n\n", same ? "the same bits" : "ANOTHER RESULT");

  const onepass_traffic_t moved = op::traffic_of(sum_abs, op::extent(n));
  printf("%23s %14s %14s %14s %12s %13s\n", "kernels", "bytes read", "written", "intermediate", "time", "rate");
  print_form("one pass", moved, one_pass);
  print_form("abs, then sum", op::unfused_traffic_of(sum_abs, op::extent(n)), two_passes);
  printf("\nthe two kernels take %.2f times as long\n", two_passes / one_pass);

  if (exec.workspace != NULL) release(exec.workspace);
  if (on_gpu) release(on_device);
  release(out);
  release(temporary);
  return right && same && moved.kernels == 1 && moved.intermediate_bytes == 0 ? 0 : 1;
}

// n floats in [-1, 1).
static npy_array_t make_input(int64_t n) {
  float *x = n > INT64_MAX / 4 ? NULL : (float *)malloc((size_t)n * sizeof(float));
  if (x == NULL) {
    fprintf(stderr, "no memory for %lld elements\n", (long long)n);
    exit(1);
  }
  uint64_t state = 1;
  for (int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = (float)(int32_t)(state >> 32) * 0x1p-31f;
  }
  const npy_array_t array = {x, n, sizeof(float)};
  return array;
}

int main(int argc, char **argv) {
  int devices = 0;
  on_gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;

  npy_array_t input;
  if (argc == 1) {
    input = make_input(on_gpu ? 1 << 28 : 1 << 22);
  } else if (argc == 3 && strcmp(argv[1], "--elements") == 0) {
    char *end = argv[2];
    const long long n = strtoll(argv[2], &end, 10);
    if (end == argv[2] || *end != '\0' || n < 1) {
      fprintf(stderr, "--elements %s: not a number of elements\n", argv[2]);
      return 1;
    }
    input = make_input(n);
  } else if (argc == 2 && argv[1][0] != '-') {
    const char *fault = npy_read(argv[1], &input);
    if (fault != NULL) {
      fprintf(stderr, "%s: %s\n", argv[1], fault);
      return 1;
    }
  } else {
    fprintf(stderr, "usage: %s [--elements N | FILE.npy]\n", argv[0]);
    return 1;
  }

  const int status = input.element_bytes == 2   ? demonstrate<__half>(input)
                     : input.element_bytes == 4 ? demonstrate<float>(input)
                                                : demonstrate<double>(input);
  free(input.data);
  return status;
}
