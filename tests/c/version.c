// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the version's three forms agree, and the preprocessor can read the numbers.
#include "onepass/version.h"

#include <string.h>

#include "check.h"

#if ONEPASS_VERSION < 1
#error "ONEPASS_VERSION is no number for the preprocessor"
#endif

int main(void) {
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", ONEPASS_VERSION_MAJOR, ONEPASS_VERSION_MINOR, ONEPASS_VERSION_PATCH);
  CHECK(strcmp(text, ONEPASS_VERSION_STRING) == 0);
  CHECK(ONEPASS_VERSION / 10000 == ONEPASS_VERSION_MAJOR);
  CHECK(ONEPASS_VERSION / 100 % 100 == ONEPASS_VERSION_MINOR);  // fails for a minor or a patch over 99
  CHECK(ONEPASS_VERSION % 100 == ONEPASS_VERSION_PATCH);
  return check_result();
}
