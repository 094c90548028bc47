// SPDX-License-Identifier: Apache-2.0
// Catch2 under one name, for tests in any folder: `#include "catch.hpp"`. Version 2 is one header, version 3 many.
// What differs is avoided: say Approx without its namespace, and no matchers but those for floating point.
// A file that brings its own main defines CATCH_CONFIG_RUNNER first.
#ifndef ONEPASS_TESTS_CATCH_HPP
#define ONEPASS_TESTS_CATCH_HPP

#if ONEPASS_CATCH2_MAJOR >= 3
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#ifdef CATCH_CONFIG_RUNNER
#include <catch2/catch_session.hpp>
#endif
using Catch::Approx;  // version 2 says so itself
#else
#include <catch2/catch.hpp>
#endif

#endif
