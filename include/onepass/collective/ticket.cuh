// SPDX-License-Identifier: Apache-2.0
// Part of onepass: tickets, numbers in global memory by which the blocks of a grid learn who comes when.
#ifndef ONEPASS_COLLECTIVE_TICKET_CUH
#define ONEPASS_COLLECTIVE_TICKET_CUH

#include "../config.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// Counts a ticket on, from `most` to 0, and returns what it was. Whoever takes one sees what was written before those
// that others have taken.
__device__ __forceinline__ unsigned take_ticket(unsigned *ticket, unsigned most) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(ticket)), "r"(most)
               : "memory");
  return before;
}
// The same where nobody looks at what was written before.
__device__ __forceinline__ unsigned draw_ticket(unsigned *ticket, unsigned most) {
  unsigned before;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(ticket)), "r"(most)
               : "memory");
  return before;
}
// Waits until at least `least` have been taken, and sees what was written before.
__device__ __forceinline__ void wait_for_ticket(const unsigned *ticket, unsigned least) {
  unsigned taken;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(taken)
                 : "l"(__cvta_generic_to_global(ticket))
                 : "memory");
  } while (taken < least);
}

}  // namespace detail
}  // namespace onepass

#endif
