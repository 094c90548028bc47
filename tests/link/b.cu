// SPDX-License-Identifier: Apache-2.0
// The half without main.
#include "shared.cuh"

onepass_status_t launch_both_in_b(const link_args &args, int64_t n, const onepass_exec_t &exec) {
  return launch_both(args, n, exec);
}

ONEPASS_EXPORT(map_of_b, link_args, op::load(args.x) | op::multiply(2) | op::abs | op::store(args.y));
