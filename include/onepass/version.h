// SPDX-License-Identifier: Apache-2.0
// Part of onepass: which version this is. For the preprocessor, C and C++.
//
// The one place where the version is written: the build reads the three numbers from here. Until 1.0 a new minor
// version may change the interface, a new patch version does not.
#ifndef ONEPASS_VERSION_H
#define ONEPASS_VERSION_H

#include "status.h"  // ONEPASS_INLINE

#define ONEPASS_VERSION_MAJOR 0
#define ONEPASS_VERSION_MINOR 1
#define ONEPASS_VERSION_PATCH 0

// One number, for comparison: 102 is 0.1.2, 10203 is 1.2.3.
#define ONEPASS_VERSION (ONEPASS_VERSION_MAJOR * 10000 + ONEPASS_VERSION_MINOR * 100 + ONEPASS_VERSION_PATCH)

// Whether this is that version or a newer one: #if ONEPASS_VERSION_AT_LEAST(0, 2, 0). A minor or patch is below 100.
#define ONEPASS_VERSION_AT_LEAST(major, minor, patch) \
  (ONEPASS_VERSION >= (major) * 10000 + (minor) * 100 + (patch))

// "major.minor.patch". Two steps, so that the arguments are expanded before they become text.
#define ONEPASS_VERSION_STRING \
  ONEPASS_VERSION_TEXT_(ONEPASS_VERSION_MAJOR, ONEPASS_VERSION_MINOR, ONEPASS_VERSION_PATCH)
#define ONEPASS_VERSION_TEXT_(major, minor, patch) ONEPASS_VERSION_JOIN_(major, minor, patch)
#define ONEPASS_VERSION_JOIN_(major, minor, patch) #major "." #minor "." #patch

// The same as a function, for a language binding; the string is static.
ONEPASS_INLINE const char *onepass_version_string(void) { return ONEPASS_VERSION_STRING; }

#endif
