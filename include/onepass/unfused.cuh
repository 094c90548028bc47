// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what a program would cost with one kernel per stage.
#ifndef ONEPASS_UNFUSED_CUH
#define ONEPASS_UNFUSED_CUH

#include "describe.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

// The same program with one kernel per stage: every stage reads what the one before it wrote.
struct unfused_walk {
  onepass_cost_t total{};
  onepass_cost_t input{};  // what the next kernel reads
  int bytes = 0;           // of the value in memory: as wide as the widest array that it came from
  bool stored = false;     // a kernel has written the value already

  ONEPASS_HD constexpr void read(const onepass_cost_t &cost) {
    for (int i = 0; i < 5; ++i) total.read[i] += cost.read[i];
    total.group = cost.group > total.group ? cost.group : total.group;
  }
  // A kernel that reads the input and writes `width` bytes per element, to be read by the next.
  ONEPASS_HD constexpr void kernel(int width) {
    read(input);
    input = {};
    bytes = width;
    input.read[ONEPASS_PER_ELEMENT] = width;
    total.written[ONEPASS_PER_ELEMENT] += width;
    total.intermediate += width;
    total.kernels += 1;
    stored = true;
  }
  // The value is wanted in an array of `width` bytes per element: the last kernel writes it there.
  ONEPASS_HD constexpr void keep(int width) {
    if (!stored) kernel(bytes);
    total.written[ONEPASS_PER_ELEMENT] += width - bytes;
    total.intermediate -= bytes;
    input.read[ONEPASS_PER_ELEMENT] = bytes = width;
    stored = false;
  }
};

template <class Value>
ONEPASS_HD constexpr int stored_bytes(int widest_input) {
  if (cs::is_same_v<Value, float> || cs::is_same_v<Value, unknown>) return widest_input == 2 ? 2 : 4;
  return static_cast<int>(sizeof(Value));
}

template <class Value, class Part>
ONEPASS_HD constexpr void walk_part(unfused_walk &walk);

template <class Value>
ONEPASS_HD constexpr void walk_parts(unfused_walk &, list<> *) {}
template <class Value, class Head, class... Tail>
ONEPASS_HD constexpr void walk_parts(unfused_walk &walk, list<Head, Tail...> *) {
  walk_part<Value, Head>(walk);
  if constexpr (Head::part != kind::sink)
    walk_parts<typename stage_value<Value, Head>::type>(walk, static_cast<list<Tail...> *>(nullptr));
  else walk_parts<Value>(walk, static_cast<list<Tail...> *>(nullptr));
}

// A source, with its own stages as kernels before.
template <class Source>
ONEPASS_HD constexpr unfused_walk walk_source() {
  unfused_walk walk;
  walk.input = leaf_cost_of<Source>();
  walk.bytes = static_cast<int>(sizeof(typename source_value<Source>::type));
  if constexpr (is_leaf<Source>::value) walk.bytes = static_cast<int>(sizeof(typename Source::element));
  return walk;
}
template <class... Parts>
ONEPASS_HD constexpr unfused_walk walk_pipeline(pipeline<Parts...> *);
template <class Source>
ONEPASS_HD constexpr unfused_walk walk_any(Source *) {
  return walk_source<Source>();
}
template <class Source, class... Stages>
ONEPASS_HD constexpr unfused_walk walk_any(pipeline<Source, Stages...> *) {
  unfused_walk walk = walk_any(static_cast<Source *>(nullptr));
  walk_parts<typename source_value<Source>::type>(walk, static_cast<list<Stages...> *>(nullptr));
  return walk;
}

// A gather is one kernel with what reads its values; the stages of its index are kernels before.
template <class Table, class Index>
ONEPASS_HD constexpr unfused_walk walk_any(gather_source<Table, Index> *) {
  unfused_walk walk;
  if constexpr (is_part<Index>) walk = walk_any(static_cast<Index *>(nullptr));
  walk.bytes = static_cast<int>(sizeof(typename Table::element));
  walk.input.read[ONEPASS_PER_ELEMENT] += walk.bytes;
  walk.stored = false;
  return walk;
}

template <class Operand>
ONEPASS_HD constexpr int walk_operand(unfused_walk &walk, Operand *operand) {
  if constexpr (own_written<Operand>::value) {  // beside the value
    walk.total.written[Operand::span] += static_cast<int>(sizeof(typename Operand::element));
    walk.total.group = own_group<Operand>::value;
    return 0;
  } else {
    const unfused_walk own = walk_any(operand);
    walk.read(own.total);
    walk.read(own.input);
    walk.total.written[ONEPASS_PER_ELEMENT] += own.total.written[ONEPASS_PER_ELEMENT];
    walk.total.intermediate += own.total.intermediate;
    walk.total.kernels += own.total.kernels;
    return is_leaf<Operand>::value || own.total.kernels > 0 ? own.bytes : 0;
  }
}
template <class T>
ONEPASS_HD constexpr int walk_operand(unfused_walk &, number<T> *) {
  return 0;
}

template <class... Operands>
ONEPASS_HD constexpr int walk_operands(unfused_walk &walk, list<Operands...> *) {
  int widest = walk.bytes;
  for (const int bytes : {0, walk_operand(walk, static_cast<Operands *>(nullptr))...})
    widest = bytes > widest ? bytes : widest;
  return widest;
}

template <class Value, class Part>
ONEPASS_HD constexpr void walk_part(unfused_walk &walk) {
  if constexpr (Part::part == kind::pointwise) {
    const int widest = walk_operands(walk, static_cast<typename inner_of<Part>::type *>(nullptr));
    using target = typename cast_target<Part>::type;
    if constexpr (cs::is_void_v<target>) walk.kernel(stored_bytes<typename stage_value<Value, Part>::type>(widest));
    else walk.kernel(static_cast<int>(sizeof(target)));
  } else if constexpr (Part::part == kind::row) {  // a kernel that holds the row, whatever its width
    const onepass_cost_t own = leaf_cost_of<Part>();
    const int widest = walk_operands(walk, inner_in<decltype(Part::inner.head)>);
    walk.kernel(stored_bytes<typename stage_value<Value, Part>::type>(widest));
    walk.total.written[ONEPASS_PER_ROW] += own.written[ONEPASS_PER_ROW];
  } else {
    const onepass_cost_t own = leaf_cost_of<Part>();
    if (own.written[ONEPASS_PER_ELEMENT] > 0) {
      walk.keep(own.written[ONEPASS_PER_ELEMENT]);
    } else {  // a reduction reads what is there
      walk.read(walk.input);
      walk.total.written[ONEPASS_ONCE] += own.written[ONEPASS_ONCE];
      walk.total.written[ONEPASS_PER_ROW] += own.written[ONEPASS_PER_ROW];
      walk.total.kernels += 1;
    }
  }
}

template <class P>
ONEPASS_HD constexpr onepass_cost_t unfused_cost_of() {
  return walk_any(static_cast<P *>(nullptr)).total;
}

}  // namespace detail
}  // namespace onepass

#endif
