/* SPDX-License-Identifier: Apache-2.0
   Fused kernels launched from C11: no CUDA header, no C++. chain.h declares what chain.cu compiles; everything here is
   as it would be in any C program. Runs on the host where there is no GPU; returns nonzero if a result is wrong. */
#include "chain.h"
#include "device_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 100003 };
static float x[n], r[n], y[n], mean, variance;

static void must(onepass_status_t status, const char *what) {
  if (status == ONEPASS_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, onepass_status_string(status));
  exit(1);
}

/* A failed copy ends the program. */
static void *copied(const void *host, size_t bytes) {
  void *device = to_device(host, bytes);
  if (device == NULL) {
    fprintf(stderr, "no device memory for %zu bytes\n", bytes);
    exit(1);
  }
  return device;
}

static void run_on_host(float scale, float bias) {
  const onepass_exec_t exec = {.where = ONEPASS_HOST};
  const chain_args chain = {x, r, y, scale, bias};
  const moments_args moments = {x, &mean, &variance, scale, bias};
  must(onepass_launch(&chain_f32, onepass_extent_1d(n), &chain, &exec), chain_f32.text);
  must(onepass_launch(&moments_f32, onepass_extent_1d(n), &moments, &exec), moments_f32.text);
}

static void run_on_device(float scale, float bias) {
  float *on_device = copied(x, sizeof x), *results = copied(NULL, 2 * sizeof(float));
  const chain_args chain = {on_device, copied(r, sizeof r), copied(NULL, sizeof y), scale, bias};
  const moments_args moments = {on_device, results, results + 1, scale, bias};

  onepass_exec_t exec = {.where = ONEPASS_DEVICE}; /* the default stream */
  must(onepass_launch(&chain_f32, onepass_extent_1d(n), &chain, &exec), chain_f32.text);

  /* A reduction needs a workspace: zeroed once, then good for every launch in this stream. */
  exec.workspace_bytes = onepass_workspace_bytes(&moments_f32, onepass_extent_1d(n));
  exec.workspace = copied(NULL, exec.workspace_bytes);
  must(onepass_launch(&moments_f32, onepass_extent_1d(n), &moments, &exec), moments_f32.text);

  if (to_host(y, chain.y, sizeof y) != 0 || to_host(&mean, results, sizeof mean) != 0 ||
      to_host(&variance, results + 1, sizeof variance) != 0) {
    fprintf(stderr, "the launches or the copies failed\n");
    exit(1);
  }
  device_free(exec.workspace);
  device_free(chain.y);
  device_free((void *)chain.r);
  device_free(results);
  device_free(on_device);
}

int main(void) {
  const float scale = 1.25f, bias = 0.5f;
  for (int i = 0; i < n; ++i) {
    x[i] = (float)(i % 1999) * 0.01f - 10;
    r[i] = (float)(i % 13) * 0.5f - 3;
  }
  if (device_count() > 0) run_on_device(scale, bias);
  else run_on_host(scale, bias);

  double worst = 0, sum = 0, squares = 0; /* worst: in units of 2^-24 of the values that went into the element */
  for (int i = 0; i < n; ++i) {
    const double t = (double)x[i] * scale + bias, gelu = 0.5 * t * erfc(-t * sqrt(0.5));
    const double exact = fmin(fmax(gelu + r[i], -1), 6), unit = (1 + fabs(t) + fabs(r[i])) * 0x1p-24;
    worst = fmax(worst, fabs(y[i] - exact) / unit);
    sum += t;
  }
  for (int i = 0; i < n; ++i) squares += pow((double)x[i] * scale + bias - sum / n, 2);
  const int right = worst < 4 && fabs(mean - sum / n) < 1e-5 && fabs(variance / (squares / n) - 1) < 1e-5;

  const onepass_traffic_t moved = onepass_traffic_of(&chain_f32, onepass_extent_1d(n));
  printf("%s\n  %d kernel, %lld bytes read, %lld written; largest error %.2f units of 2^-24\n", chain_f32.text,
         moved.kernels, (long long)moved.bytes_read, (long long)moved.bytes_written, worst);
  printf("%s\n  mean %g, in float64 %.9g; variance %g, in float64 %.9g\n", moments_f32.text, mean, sum / n, variance,
         squares / n);
  printf("%s, %s\n", device_count() > 0 ? "on the GPU" : "on the host, as there is no GPU", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
