/* SPDX-License-Identifier: Apache-2.0
   The smallest program that uses the C side alone; C and C++. */
#include <onepass/onepass.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  const onepass_extent_t extent = onepass_extent_1d(3);
  printf("onepass %s: %s\n", ONEPASS_VERSION_STRING, onepass_status_string(ONEPASS_SUCCESS));
  return extent.rows == 1 && extent.columns == 3 && strcmp(ONEPASS_VERSION_STRING, EXPECTED_VERSION) == 0 ? 0 : 1;
}
