// SPDX-License-Identifier: Apache-2.0
// Every word of the grammar over every type that it takes, instantiated for the host and for the device: to be compiled
// in each dialect and by each host compiler, not to be run.
#include <onepass/collective/block.cuh>
#include <onepass/collective/warp.cuh>
#include <onepass/iterator.cuh>
#include <onepass/onepass.cuh>

#include <cstdint>
#include <type_traits>

namespace op = onepass;

namespace {

struct first {
  template <class A, class B>
  __host__ __device__ A operator()(A a, B) const {
    return a;
  }
};

// Two lanes of a pipeline that ends in a store, on both sides.
template <class P>
__host__ __device__ void evaluate(const P &p) {
  op::detail::list<> none;
  const auto at = op::place<2>(0, 2, 1, 16);
  p.consume(p.template fetch<2>(at), at, none);
}
template <class... P>
__global__ void evaluate_on_device(const P... p) {
  (evaluate(p), ...);
}
template <class... P>
void each(const P &...pipelines) {
  (evaluate(pipelines), ...);
  evaluate_on_device<<<1, 1>>>(pipelines...);
}

// The sum of what stages make of a value.
template <class V, class... Stage>
__host__ __device__ double each_of(V x, Stage... stages) {
  const auto at = op::place<2>(0, 2, 1, 16);
  const op::pack<V, 2> v{{x, x}};
  return (0.0 + ... + op::detail::narrow<double>(op::as_pipeline(stages).template apply<2>(v, at)[1]));
}

template <class V>
__host__ __device__ double words(V x) {
  const V b(3);
  return each_of(x, op::add(b), op::subtract(op::value(b)), op::multiply(b), op::divide(b), op::remainder(b),
                 op::multiply_add(b, 2), op::minimum(b), op::maximum(op::value(b)), op::clamp(b, b), op::power(b),
                 op::where(op::index() | op::less(2), b), op::less(b), op::less_equal(op::value(b)), op::greater(b),
                 op::greater_equal(b), op::equal(b), op::not_equal(b), op::logical_and(b), op::logical_or(b),
                 op::logical_xor(b), op::negate, op::abs, op::sign, op::square, op::floor, op::ceil, op::trunc,
                 op::round, op::relu, op::squared_relu, op::relu6, op::is_nan, op::is_inf, op::is_finite,
                 op::logical_not);
}
// Real functions: of integers in f64.
template <class V>
__host__ __device__ double functions(V x) {
  return each_of(x, op::reciprocal, op::sqrt, op::rsqrt, op::exp, op::exp2, op::expm1, op::log, op::log2, op::log10,
                 op::log1p, op::tanh, op::sigmoid, op::erf, op::sin, op::cos, op::real, op::imag, op::conjugate);
}
template <class V>
__host__ __device__ double activations(V x) {
  return each_of(x, op::leaky_relu(0.25), op::hardtanh, op::hardsigmoid, op::hardswish, op::softsign, op::elu(1.5),
                 op::selu, op::celu(2.0), op::softplus, op::log_sigmoid, op::silu, op::mish, op::gelu, op::gelu_tanh,
                 op::quick_gelu, op::swiglu(op::value(x)), op::geglu(op::value(x)), op::geglu_tanh(op::value(x)),
                 op::reglu(op::value(x)), op::swiglu_clamped(1.702, 7)(op::value(x)), op::prelu(op::value(x)),
                 op::dropout(0.5, 7));
}
template <class V>
__host__ __device__ double bits(V x) {
  return each_of(x, op::bit_and(x), op::bit_or(1), op::bit_xor(op::value(x)), op::bit_not, op::shift_left(1),
                 op::shift_right(2));
}
__host__ __device__ double every_word() {
  return words(true) + words(std::uint8_t{2}) + words(-2) + words(std::uint64_t{2}) + words(2.0f) + words(2.0) +
         functions(2) + functions(2.0f) + functions(2.0) + activations(2.0f) + activations(2.0) + bits(true) +
         bits(std::uint8_t{2}) + bits(-2) + bits(std::uint64_t{2});
}
__global__ void every_word_on_device(double *y) { *y = every_word(); }

// Every array of an element, and its conversions.
template <class T>
void elements() {
  const T *x = nullptr;
  T *y = nullptr;
  each(op::load(x) | op::add(op::load(x, 32)) | op::add(op::per_column(x)) | op::cast<T>() | op::store(y, 16),
       op::strided(x, 3) | op::add(op::per_row(x)) | op::add(op::gather(x, op::row())) | op::tee(op::store(y)) |
           op::cast<float>() | op::store(y));
}

// Every other source.
template <class T>
void sources() {
  const T *x = nullptr;
  float *y = nullptr;
  each(op::zip(op::load(x), op::column()) | op::fn(first{}) | op::store(y),
       op::halves(x, 16) | op::swiglu | op::store(y), op::pairs(x) | op::geglu | op::store(y),
       op::strided(x, 16, 1) | op::add(op::value_at(x)) | op::add(op::random(3)) | op::store(y),
       op::gather(x, op::load(x) | op::cast<int>(), 8) | op::add(op::random_normal(3, 1)) | op::store(y),
       op::from(op::as_iterator(op::load(x) | op::abs)) | op::store(y),
       op::value(x != nullptr) | op::multiply(op::index()) | op::exact(op::exp) | op::store(y));
}

// Every statistic of a value.
template <class V, class... S>
__host__ __device__ double each_statistic(V x, S... statistics) {
  const auto at = op::place<2>(0, 2, 1, 16);
  const op::pack<V, 2> v{{x, x}};
  const auto result = [&](const auto &s) {
    const auto state = op::detail::fold(s, s.template identity<V>(), v, at);
    const auto results = op::detail::as_tuple(s.finish(s.combine(state, s.lift(x, at.lane(0))), 3));
    return op::detail::narrow<double>(cuda::std::get<0>(results));
  };
  return (0.0 + ... + result(statistics));
}
template <class V>
__host__ __device__ double statistics(V x) {
  return each_statistic(x, op::sum, op::sum_of_squares, op::product, op::minimum, op::maximum, op::argmin, op::argmax,
                        op::mean, op::variance, op::standard_deviation, op::mean_variance, op::norm2, op::log_sum_exp,
                        op::count, op::any, op::all, op::with_initial(op::sum, 1));
}
__host__ __device__ double every_statistic() {
  return statistics(true) + statistics(std::int8_t{2}) + statistics(2u) + statistics(std::int64_t{2}) +
         statistics(2.0f) + statistics(2.0);
}
__global__ void every_statistic_on_device(double *y) { *y = every_statistic(); }

// Every row stage, and reductions of rows: held by a part of a warp, by a block, and streamed.
struct spread {
  template <class T>
  __host__ __device__ T operator()(T x, T least, T greatest) const {
    return (x - least) / (greatest - least);
  }
};
template <class P>
void rows(const P &p) {
  op::detail::run_on_host(p, op::extent(2, 9));
  op::detail::row_shape shape{};
  shape.rows = 2;
  shape.columns = 9;
  shape.inverse = 1.0f / 9;
  op::detail::row_kernel<P, 8, 2, op::access::entire><<<1, 128>>>(p, shape);
  op::detail::row_kernel<P, 64, 2, op::access::image><<<2, 64>>>(p, shape);
  op::detail::row_stream_kernel<P, false><<<2, (op::detail::stream_threads<P>)>>>(p, shape, {nullptr, 0, 1});
}
void every_row(const __half *x, __half *y, const float *gamma, double *z, op::int64_t *n) {
  float *kept = nullptr;
  const auto two = op::several(op::mean_variance, op::argmax);
  rows(op::load(x) | op::softmax(op::keep(kept)) | op::tee(op::reduce_rows(two, kept, z, y, n)) | op::store(y, 16));
  rows(op::load(gamma) | op::layer_norm(gamma, x, 1e-5f, op::keep(kept, z)) | op::gelu | op::log_softmax |
       op::store(y));
  rows(op::load(static_cast<const double *>(z)) | op::rms_norm(op::per_column(x) | op::add(1), 1e-6) |
       op::l2_normalize(1e-12, op::keep(kept)) | op::by_row(op::several(op::minimum, op::maximum), spread{}) |
       op::store(z));
  rows(op::load(static_cast<const op::int64_t *>(n)) | op::softmax | op::l2_normalize | op::tee(op::store(y)) |
       op::reduce_rows(op::log_sum_exp, z));
}

// The collectives.
__global__ void every_collective(const float *x, float *y) {
  const auto statistic = op::several(op::sum, op::mean_variance, op::argmax);
  const auto at = op::place<2>(0, 2, 1, 16);
  const auto own = statistic.fold(statistic.identity<float>(), (op::load(x) | op::abs).get<2>(at), at);
  __shared__ op::block_storage<std::remove_const_t<decltype(own)>> storage;
  const auto all = op::block_reduce(statistic, op::warp_reduce(statistic, own), storage);
  *y = cuda::std::get<1>(statistic.finish(all, 3));
}

struct arguments {
  const __half *x;
  const float *bias;
  __half *y;
  float *results;
  op::int64_t *n;
};

}  // namespace

// The doors, each family.
ONEPASS_EXPORT(every_map, arguments,
               op::load(args.x, 32) | op::add(op::per_column(args.bias)) | op::gelu | op::tee(op::store(args.y, 32)) |
                   op::clamp(-1, 6) | op::store(args.y));
ONEPASS_EXPORT(every_reduction, arguments,
               op::load(args.x) | op::tee(op::reduce(op::with_initial(op::sum, 1.0f), args.results)) | op::abs |
                   op::reduce(op::several(op::mean_variance, op::argmax), args.results + 1, args.results + 2,
                              args.results + 3, args.n));

ONEPASS_EXPORT(every_row_export, arguments,
               op::load(args.x, 32) | op::add(op::per_column(args.bias)) |
                   op::rms_norm(args.bias, 1e-5, op::keep(args.results)) | op::silu | op::store(args.y));

onepass_status_t every_door(const arguments &args, onepass_exec_t exec, onepass_report_t *report) {
  const auto map = op::load(args.bias) | op::silu | op::store(args.y);
  const auto dot = op::zip(op::load(args.x), op::load(args.bias)) | op::reduce(op::dot, args.results);
  exec.workspace_bytes = op::workspace_bytes(dot, op::extent_at(args.n, 99));
  if (op::traffic_of(map, op::extent(3, 5)).kernels < op::unfused_traffic_of(dot, op::extent(7)).kernels)
    return op::report(map, op::extent(7), report);
  const onepass_status_t status = op::launch(map, op::extent(7), exec);
  return status != ONEPASS_SUCCESS ? status : op::launch(dot, op::extent(7), exec);
}

double every_one(const float *x, float *y, double *z) {
  every_word_on_device<<<1, 1>>>(z);
  every_statistic_on_device<<<1, 1>>>(z);
  every_collective<<<1, 32>>>(x, y);
  sources<float>();
  sources<__half>();
  every_row(nullptr, nullptr, x, z, nullptr);
  return every_word() + every_statistic();
}

void every_element() {
  elements<bool>();
  elements<std::int8_t>();
  elements<std::uint8_t>();
  elements<std::int16_t>();
  elements<std::uint16_t>();
  elements<std::int32_t>();
  elements<std::uint32_t>();
  elements<std::int64_t>();
  elements<std::uint64_t>();
  elements<__nv_fp8_e4m3>();
  elements<__nv_fp8_e5m2>();
  elements<__half>();
  elements<__nv_bfloat16>();
  elements<float>();
  elements<double>();
}
