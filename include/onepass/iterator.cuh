// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the way to and from CUB and Thrust: as_iterator(source) for their algorithms, from(iterator) as a
// source. Include it beside onepass.cuh: it brings Thrust's iterator traits with it.
#ifndef ONEPASS_ITERATOR_CUH
#define ONEPASS_ITERATOR_CUH

#include <thrust/iterator/iterator_facade.h>                // the category of an iterator for any system
#include <thrust/iterator/iterator_traits.h>                // the system of an iterator
#include <thrust/type_traits/unwrap_contiguous_iterator.h>  // an iterator that is a pointer in disguise

#include "pipeline.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// ---- to: a source as an iterator

template <class P, bool ByRow>
class source_iterator {
 public:
  using value_type =
      cs::decay_t<decltype(cs::declval<const P &>().template get<1>(cs::declval<position<1, access::whole>>())[0])>;
  using reference = value_type;  // a value: there is no place that it could refer to
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category =
      typename thrust::detail::iterator_facade_category<thrust::any_system_tag, thrust::random_access_traversal_tag,
                                                        value_type, reference>::type;

  source_iterator() = default;
  ONEPASS_HD source_iterator(const P &source, int64_t columns) : source_(source), columns_(columns) {}

  ONEPASS_NO_EXEC_CHECK
  ONEPASS_HD value_type operator[](int64_t n) const {
    const int64_t index = index_ + n, row = ByRow ? index / columns_ : 0;
    const position<1, access::whole> at{row, index - row * columns_, index, 1, false, false};
    return source_.template get<1>(at)[0];
  }
  ONEPASS_HD value_type operator*() const { return (*this)[0]; }

  ONEPASS_HD source_iterator &operator+=(int64_t n) {
    index_ += n;
    return *this;
  }
  ONEPASS_HD source_iterator &operator-=(int64_t n) { return *this += -n; }
  ONEPASS_HD source_iterator &operator++() { return *this += 1; }
  ONEPASS_HD source_iterator &operator--() { return *this += -1; }
  ONEPASS_HD source_iterator operator++(int) {
    const source_iterator before = *this;
    ++*this;
    return before;
  }
  ONEPASS_HD source_iterator operator--(int) {
    const source_iterator before = *this;
    --*this;
    return before;
  }
  ONEPASS_HD friend source_iterator operator+(source_iterator it, int64_t n) { return it += n; }
  ONEPASS_HD friend source_iterator operator+(int64_t n, source_iterator it) { return it += n; }
  ONEPASS_HD friend source_iterator operator-(source_iterator it, int64_t n) { return it -= n; }
  ONEPASS_HD friend int64_t operator-(const source_iterator &a, const source_iterator &b) {
    return a.index_ - b.index_;
  }
  ONEPASS_HD friend bool operator==(const source_iterator &a, const source_iterator &b) { return a.index_ == b.index_; }
  ONEPASS_HD friend bool operator!=(const source_iterator &a, const source_iterator &b) { return a.index_ != b.index_; }
  ONEPASS_HD friend bool operator<(const source_iterator &a, const source_iterator &b) { return a.index_ < b.index_; }
  ONEPASS_HD friend bool operator>(const source_iterator &a, const source_iterator &b) { return a.index_ > b.index_; }
  ONEPASS_HD friend bool operator<=(const source_iterator &a, const source_iterator &b) { return a.index_ <= b.index_; }
  ONEPASS_HD friend bool operator>=(const source_iterator &a, const source_iterator &b) { return a.index_ >= b.index_; }

 private:
  P source_;
  int64_t columns_, index_ = 0;
};

// ---- from: an iterator as a source

template <class It>
using iterator_value_t = cs::remove_cv_t<typename cs::iterator_traits<It>::value_type>;

template <class It, class = void>
struct is_random_access : cs::false_type {};
template <class It>
struct is_random_access<It, cs::void_t<decltype(static_cast<iterator_value_t<It>>(
                                *(cs::declval<const It &>() + typename cs::iterator_traits<It>::difference_type{})))>>
    : cs::true_type {};

// Whether Thrust counts an iterator to its device system; one for any system converts to every tag.
template <class It, class = void>
struct is_on_device : cs::false_type {};
template <class It>
struct is_on_device<It, cs::void_t<typename thrust::iterator_system<It>::type>>
    : cs::bool_constant<cs::is_convertible_v<typename thrust::iterator_system<It>::type, thrust::device_system_tag> &&
                        !cs::is_convertible_v<typename thrust::iterator_system<It>::type, thrust::host_system_tag>> {};

// A value as it is computed with, a tuple by its elements.
template <class T>
ONEPASS_HD auto widen_value(const T &x) {
  return detail::widen(x);
}
template <class... T>
ONEPASS_HD auto widen_value(const cs::tuple<T...> &x) {
  return cs::apply([](const T &...e) { return tuple_of_lanes{}(detail::widen(e)...); }, x);
}

// What an iterator does on the device is compiled for it: a part of it that exists on the host only is no warning but
// an error.
#ifdef __CUDA_ARCH__
#pragma nv_diagnostic push
#pragma nv_diag_error 20011, 20013, 20014, 20015
#endif
// The iterator as bytes, which is how a kernel gets it: iterators copy like bytes, and yet many of them, Thrust's among
// them, have an assignment of their own.
template <class It>
struct iterator_source {
  static_assert(cs::is_trivially_destructible_v<It>,
                "onepass: from takes an iterator that can be copied byte by byte, and this one owns something");
  using value_type = iterator_value_t<It>;
  static constexpr kind part = kind::source;
  static constexpr bool device_only = is_on_device<It>::value;
  alignas(It) unsigned char bytes[sizeof(It)];

  ONEPASS_NO_EXEC_CHECK
  template <int N, access A>
  ONEPASS_HD pack<value_type, N> fetch(const position<N, A> &at) const {
    using difference = typename cs::iterator_traits<It>::difference_type;
    const It &it = *reinterpret_cast<const It *>(bytes);
    pack<value_type, N> v;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i)
      v[i] = at.has(i) ? static_cast<value_type>(*(it + static_cast<difference>(at.index + i))) : value_type{};
    return v;
  }
  template <int N, access A>
  ONEPASS_HD auto view(const pack<value_type, N> &raw, const position<N, A> &) const {
    return each_lane([](const auto &x) { return widen_value(x); }, raw);
  }
};
#ifdef __CUDA_ARCH__
#pragma nv_diagnostic pop
#endif

}  // namespace detail

// The values of a source with its own stages, for any algorithm of CUB, Thrust or the standard library: *(it + i) is
// the value at index i of one row. Nothing is stored; the value is computed where it is asked for, one at a time and in
// the full form of every stage that no cast follows. Arrays are aligned to the size of their elements, and are not
// checked.
template <class Source>
ONEPASS_HD auto as_iterator(const Source &source) {
  static_assert(detail::is_kind<Source, kind::source>(),
                "onepass: as_iterator takes a source with pointwise stages, such as load(p) | abs");
  const auto p = as_pipeline(source);
  return detail::source_iterator<cuda::std::decay_t<decltype(p)>, false>{p, 1};
}

// The same of a matrix, row by row: index = row * columns + column, columns > 0.
template <class Source>
ONEPASS_HD auto as_iterator(const Source &source, int64_t columns) {
  static_assert(detail::is_kind<Source, kind::source>(),
                "onepass: as_iterator takes a source with pointwise stages, such as load(p) | abs");
  const auto p = as_pipeline(source);
  using P = cuda::std::decay_t<decltype(p)>;
  return detail::source_iterator<P, detail::any_by_row<P>::value>{p, columns};
}

// it[index] of a random-access iterator, in the type of a load of its value type; of a zip_iterator the tuple. One that
// is a pointer in disguise (thrust::device_ptr, the iterators of device_vector, host_vector and std::vector) is the
// load of that pointer. What any other reads is its own affair: it is neither checked nor counted. One of Thrust's
// device system (over device_vector, or one of CUB's that read by themselves) has no host launch.
#pragma nv_exec_check_disable
template <class It>
ONEPASS_HD auto from(It it) {
  constexpr bool random_access = detail::is_random_access<It>::value;
  static_assert(random_access, "onepass: from takes a random-access iterator: *(it + n) gives its value type");
  if constexpr (!random_access) {
    return value(0);
  } else if constexpr (thrust::is_contiguous_iterator_v<It>) {
    const cuda::std::remove_pointer_t<thrust::unwrap_contiguous_iterator_t<It>> *p =
        thrust::unwrap_contiguous_iterator(it);
    return load(p);
  } else {
    detail::iterator_source<It> source{};
    memcpy(source.bytes, &it, sizeof it);
    return source;
  }
}

}  // namespace onepass

#endif
