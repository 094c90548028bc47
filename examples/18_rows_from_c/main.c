/* SPDX-License-Identifier: Apache-2.0
   A pipeline of rows launched from C11: where a row of a given width would live while it is reduced, then residual add,
   RMSNorm and an 8-bit store with a scale per row. Runs on the host where there is no GPU; returns nonzero if a result is
   wrong. */
#include "device_memory.h"
#include "norm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 100, columns = 1000, n = rows * columns };
static float x[n], residual[n], was[n], gamma_[columns], scale[rows];
static int8_t q[n];

static void must(onepass_status_t status) {
  if (status == ONEPASS_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", norm_i8.text, onepass_status_string(status));
  exit(1);
}

static void *copied(const void *host, size_t bytes) {
  void *device = to_device(host, bytes);
  if (device == NULL) {
    fprintf(stderr, "no device memory for %zu bytes\n", bytes);
    exit(1);
  }
  return device;
}

static void run_on_device(void) {
  float *residual_there = copied(residual, sizeof residual), *scale_there = copied(NULL, sizeof scale);
  const norm_args args = {copied(x, sizeof x), copied(gamma_, sizeof gamma_), residual_there, copied(NULL, sizeof q),
                          scale_there};
  const onepass_exec_t exec = {.where = ONEPASS_DEVICE};
  must(onepass_launch(&norm_i8, onepass_extent_2d(rows, columns), &args, &exec));
  if (to_host(q, args.q, sizeof q) != 0 || to_host(scale, scale_there, sizeof scale) != 0 ||
      to_host(residual, residual_there, sizeof residual) != 0) {
    fprintf(stderr, "the launch or the copies failed\n");
    exit(1);
  }
  device_free((void *)args.x);
  device_free((void *)args.gamma);
  device_free(args.q);
  device_free(residual_there);
  device_free(scale_there);
}

int main(void) {
  for (int i = 0; i < n; ++i) {
    x[i] = (float)(i * 37 % 2001) * 0.001f - 1;
    was[i] = residual[i] = (float)(i * 11 % 101) * 0.02f - 1;
  }
  for (int c = 0; c < columns; ++c) gamma_[c] = 1 + (float)(c % 7) * 0.1f;

  for (int64_t width = 100; width <= 100000000; width *= 100) {
    onepass_plan_t plan;
    must(onepass_plan(&norm_i8.geometry, onepass_extent_2d(rows, width), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan));
    printf("a row of %lld: strategy %s, %d threads, %d blocks, read %d times\n", (long long)width,
           onepass_row_strategy_string(plan.strategy), plan.threads, plan.cluster, plan.passes);
  }

  const norm_args args = {x, gamma_, residual, q, scale};
  const onepass_exec_t host = {.where = ONEPASS_HOST};
  if (device_count() > 0) run_on_device();
  else must(onepass_launch(&norm_i8, onepass_extent_2d(rows, columns), &args, &host));

  double worst = 0; /* in steps of the row */
  for (int r = 0; r < rows; ++r) {
    double squares = 0;
    for (int i = r * columns; i < (r + 1) * columns; ++i) squares += pow((double)x[i] + was[i], 2) / columns;
    for (int i = r * columns; i < (r + 1) * columns; ++i) {
      const double exact = ((double)x[i] + was[i]) / sqrt(squares + 1e-6) * gamma_[i % columns];
      worst = fmax(worst, fabs(q[i] - exact / scale[r]));
      worst = fmax(worst, fabs((double)x[i] + was[i] - residual[i]) * 1e5);
    }
  }
  printf("%s\nthe worst element is %.4f steps off\n", norm_i8.text, worst);
  return worst < 0.5002 ? 0 : 1;
}
