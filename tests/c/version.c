// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the version's forms agree, in C and in C++ (version.cpp), and the preprocessor can compare.
#include "onepass/version.h"

#include <string.h>

#include "check.h"

// 1 if C++ says so too.
int version_in_cpp(const char *text);

#if ONEPASS_VERSION < 1
#error "ONEPASS_VERSION is no number for the preprocessor"
#endif

// Each step down is at least itself, each step up is not; whole expressions may stand for the numbers.
#define MAJOR ONEPASS_VERSION_MAJOR
#define MINOR ONEPASS_VERSION_MINOR
#define PATCH ONEPASS_VERSION_PATCH
#if !ONEPASS_VERSION_AT_LEAST(MAJOR, MINOR, PATCH) || !ONEPASS_VERSION_AT_LEAST(0, 0, 1)
#error "this version is at least itself"
#endif
#if ONEPASS_VERSION_AT_LEAST(MAJOR, MINOR, PATCH + 1) || ONEPASS_VERSION_AT_LEAST(MAJOR, MINOR + 1, 0) || \
    ONEPASS_VERSION_AT_LEAST(MAJOR + 1, 0, 0) || ONEPASS_VERSION_AT_LEAST(99, 0, 0)
#error "this version is not a later one"
#endif
#if ONEPASS_VERSION_AT_LEAST(0, 1, 1) && !ONEPASS_VERSION_AT_LEAST(0, 1, 0)
#error "versions are not in order"
#endif

int main(void) {
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", ONEPASS_VERSION_MAJOR, ONEPASS_VERSION_MINOR, ONEPASS_VERSION_PATCH);
  CHECK(strcmp(text, ONEPASS_VERSION_STRING) == 0);
  CHECK(strcmp(onepass_version_string(), ONEPASS_VERSION_STRING) == 0);
  CHECK(version_in_cpp(text) == (ONEPASS_VERSION_AT_LEAST(MAJOR, MINOR, PATCH) ? 1 : 0));
  CHECK(ONEPASS_VERSION / 10000 == ONEPASS_VERSION_MAJOR);
  CHECK(ONEPASS_VERSION / 100 % 100 == ONEPASS_VERSION_MINOR);  // fails for a minor or a patch over 99
  CHECK(ONEPASS_VERSION % 100 == ONEPASS_VERSION_PATCH);
  return check_result();
}
