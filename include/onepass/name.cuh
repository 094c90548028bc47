// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a pipeline's type as text, for a profiler: its parts without their namespaces.
#ifndef ONEPASS_NAME_CUH
#define ONEPASS_NAME_CUH

#include "config.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct piece {
  const char *first, *last;
};

constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What the compiler says for T in its own name of this function.
template <class T>
constexpr piece raw_name() {
#ifdef _MSC_VER
  const char *first = __FUNCSIG__;
#else
  const char *first = __PRETTY_FUNCTION__;
#endif
  const char *last = first;
  while (*last != 0) ++last;
  while (*first != 0 && *first != '=') ++first;
  if (*first == 0) return {last, last};
  for (++first; *first == ' '; ++first) {
  }
  return {first, last - 1};  // the closing bracket
}

template <unsigned Capacity>
struct text {
  char letters[Capacity];
};

template <class T>
constexpr auto make_name() {
  constexpr piece raw = raw_name<T>();
  text<static_cast<unsigned>(raw.last - raw.first) + 1> name{};
  char *end = name.letters, *word = end;  // word: where the last identifier began
  for (const char *c = raw.first; c != raw.last; ++c) {
    if (*c == ':') {
      end = word;  // "::" ends a qualifier
    } else {
      *end++ = *c;
      if (!is_name_character(*c)) word = end;
    }
  }
  *end = 0;
  return name;
}
template <class T>
inline constexpr auto name_of = make_name<T>();

}  // namespace detail
}  // namespace onepass

#endif
