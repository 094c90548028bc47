// SPDX-License-Identifier: Apache-2.0
// Part of onepass: C and C++ see the same structs and numbers, and C launches a kernel that C++ exports. To be linked
// with layout.cpp.
#include "layout.h"

#include <string.h>

#include "check.h"

static const layout_t in_c[] = LAYOUT_TABLE;

int main(void) {
  size_t count = 0;
  const layout_t *in_cpp = layout_in_cpp(&count);
  CHECK(count == sizeof in_c / sizeof in_c[0]);
  for (size_t i = 0; i < count && i < sizeof in_c / sizeof in_c[0]; ++i) {
    const int equal = strcmp(in_c[i].what, in_cpp[i].what) == 0 && in_c[i].value == in_cpp[i].value;
    CHECK(equal);
    if (!equal) printf("  %s: %zu in C, %zu in C++\n", in_c[i].what, in_c[i].value, in_cpp[i].value);
  }

  const int args = 0;
  const onepass_exec_t exec = {0};
  CHECK(onepass_launch(&layout_kernel, onepass_extent_2d(3, 5), &args, &exec) == ONEPASS_ERROR_LAUNCH);
  CHECK(onepass_launch(&layout_kernel, onepass_extent_2d(5, 3), &args, &exec) == ONEPASS_ERROR_CAPABILITY);
  return check_result();
}
