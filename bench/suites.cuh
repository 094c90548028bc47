// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: the families of workloads, one file each.
#ifndef ONEPASS_BENCH_SUITES_CUH
#define ONEPASS_BENCH_SUITES_CUH

#include "harness.cuh"

namespace bench {

void add_reductions(suite &all);  // reduce.cu
void add_maps(suite &all);        // map.cu
void add_launches(suite &all);    // launch.cu
void add_words(suite &all);       // words.cu
void add_softmax(suite &all);     // softmax.cu
void add_norms(suite &all);       // norm.cu
void add_rows(suite &all);        // row.cu
void add_losses(suite &all);      // cross_entropy.cu

}  // namespace bench

#endif
