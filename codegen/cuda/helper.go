package cuda

import "slices"

// helpers are device functions that stand before the kernels that call them.
var helpers = []struct{ name, text string }{
	{"min_of", `// The smaller one, a NaN if one is.
template <typename T> static __device__ __forceinline__ T min_of(T x, T y) { return x < y || x != x ? x : y; }
`},
	{"max_of", `// The greater one, a NaN if one is.
template <typename T> static __device__ __forceinline__ T max_of(T x, T y) { return x > y || x != x ? x : y; }
`},
	{"floor_div", `// The quotient by y > 0, rounded down.
template <typename T> static __device__ __forceinline__ T floor_div(T x, T y) { return x / y - (x % y < 0); }
`},
	{"floor_mod", `// The remainder by y > 0, which is not negative.
template <typename T> static __device__ __forceinline__ T floor_mod(T x, T y) { return x % y + (x % y < 0 ? y : 0); }
`},
	{"shift_left", `// By any number of bits.
template <typename T> static __device__ __forceinline__ T shift_left(T x, T y) {
  return (unsigned long long)y < 8 * sizeof(T) ? (T)((unsigned long long)x << y) : 0;
}
`},
	{"shift_right", `// By any number of bits.
template <typename T> static __device__ __forceinline__ T shift_right(T x, T y) {
  return (unsigned long long)y < 8 * sizeof(T) ? x >> y : x >> (8 * sizeof(T) - 1) >> 1;
}
`},
	{"float_to_u64", `// Rounded toward zero; negative numbers wrap around.
template <typename T> static __device__ __forceinline__ unsigned long long float_to_u64(T x) {
  return x < (T)9223372036854775808.0 ? (unsigned long long)(long long)x : (unsigned long long)x;
}
`},
	{"half_to_float", `static __device__ __forceinline__ float half_to_float(unsigned short x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
`},
	{"float_to_half", `static __device__ __forceinline__ unsigned short float_to_half(float x) {
  unsigned short y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
`},
	{"double_to_half", `static __device__ __forceinline__ unsigned short double_to_half(double x) {
  unsigned short y;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(y) : "d"(x));
  return y;
}
`},
	{"copy_async", `// Copies from global to shared memory until the thread waits.
template <int bytes> static __device__ __forceinline__ void copy_async(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
      :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(bytes) : "memory");
}
`},
	{"wait_async", `static __device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
`},
	{"mma_half", `// Adds the product of two tiles that the threads of a warp hold together.
static __device__ __forceinline__ void mma_half(float *c, unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                                unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
`},
	{"mma_bfloat", `// Adds the product of two tiles that the threads of a warp hold together.
static __device__ __forceinline__ void mma_bfloat(float *c, unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                                unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
`},
	{"mma_tf32", `// Adds the product of two tiles that the threads of a warp hold together, rounded to 10 bits
// of mantissa.
static __device__ __forceinline__ unsigned to_tf32(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}
static __device__ __forceinline__ void mma_tf32(float *c, float a0, float a1, float a2, float a3, float b0, float b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(to_tf32(a0)), "r"(to_tf32(a1)), "r"(to_tf32(a2)), "r"(to_tf32(a3)), "r"(to_tf32(b0)), "r"(to_tf32(b1)));
}
`},
	{"bfloat_to_float", `static __device__ __forceinline__ float bfloat_to_float(unsigned short x) {
  return __int_as_float((int)x << 16);
}
`},
	{"float_to_bfloat", `// To the nearest, ties to even.
static __device__ __forceinline__ unsigned short float_to_bfloat(float x) {
  unsigned bits = (unsigned)__float_as_int(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return (unsigned short)((bits | 0x400000) >> 16);
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
`},
}

// need says that the text calls a helper, and returns its name.
func (m *module) need(name string) string {
	if !slices.ContainsFunc(helpers, func(h struct{ name, text string }) bool { return h.name == name }) {
		panic("BUG: cuda: no helper " + name)
	}
	m.needed[name] = true
	return name
}
