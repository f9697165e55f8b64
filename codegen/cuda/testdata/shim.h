// Enough of CUDA to compile emitted kernels as C++: threads of a block are
// fibers, which run in order from barrier to barrier; blocks run one after the
// other. Shared memory is filled with ones, which is no number, before each block.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__ static
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("shim_shared")))
#define __syncthreads() barrier(__LINE__)
#define __syncwarp() barrier(-10 - __LINE__)

struct dim3 { unsigned x, y, z; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(4) ushort2 { unsigned short x, y; };
struct alignas(8) ushort4 { unsigned short x, y, z, w; };
struct alignas(4) short2 { short x, y; };
struct alignas(8) short4 { short x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };

template <typename To, typename From> static To bits_as(From x) {
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
static float __int_as_float(int x) { return bits_as<float>(x); }
static int __float_as_int(float x) { return bits_as<int>(x); }
static long long __double_as_longlong(double x) { return bits_as<long long>(x); }
static double __longlong_as_double(long long x) { return bits_as<double>(x); }
static float rsqrtf(float x) { return 1 / std::sqrt(x); }
static double rsqrt(double x) { return 1 / std::sqrt(x); }

static float half_to_float(unsigned short x) {
  int e = x >> 10 & 31, m = x & 1023;
  float v = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(1024.0f + m, e - 25) : std::ldexp((float)m, -24);
  return x >> 15 ? -v : v;
}
static unsigned short double_to_half(double x) {
  unsigned short sign = std::signbit(x) << 15;
  double a = std::fabs(x);
  if (a != a) return sign | 0x7e00;
  if (a >= 65520) return sign | 0x7c00;
  int e = 0;
  std::frexp(a, &e);
  if (e < -13) e = -13;
  double units = std::nearbyint(std::ldexp(a, 11 - e)); // of the last place
  return sign | (unsigned short)((units >= 1024 ? (e + 13) << 10 : 0) + (int)units);
}
static unsigned short float_to_half(float x) { return double_to_half(x); }

// An asynchronous copy that its thread has not waited for. Until then ones are there.
struct Copy { char *to; std::vector<char> what; };
static std::vector<std::vector<Copy>> copies; // by thread
static size_t current;
template <int bytes> static void copy_async(void *to, const void *from) {
  if ((size_t)to % bytes || (size_t)from % bytes) {
    fprintf(stderr, "an asynchronous copy of %d bytes is not aligned\n", bytes);
    exit(3);
  }
  copies[current].push_back({(char *)to, std::vector<char>((const char *)from, (const char *)from + bytes)});
  memset(to, 0xff, bytes);
}
static void wait_async() {
  for (const Copy &c : copies[current]) memcpy(c.to, c.what.data(), c.what.size());
  copies[current].clear();
}

static dim3 threadIdx, blockIdx;
static ucontext_t scheduler;
static std::vector<ucontext_t> fibers;
static std::vector<char *> stacks;
static std::vector<int> state; // 0 running, -1 ended, at_product, else the line of a barrier, less than 0 of a warp's
static std::function<void()> body;
static bool backwards;
extern char __start_shim_shared[] __attribute__((weak)), __stop_shim_shared[] __attribute__((weak));

static void barrier(int line) {
  dim3 self = threadIdx;
  state[current] = line;
  size_t me = current;
  swapcontext(&fibers[me], &scheduler);
  threadIdx = self;
}

// A product of tiles: each lane of a warp gives its fragments, and goes on when all have. The
// fragments of two products are kept, since one lane may be at the next one before another
// has computed.
struct Fragments { unsigned a[4], b[2]; };
static std::vector<Fragments> fragments[2]; // by thread
static std::vector<int> products;           // of each thread so far
static const int at_product = -2;

// part returns a 16-bit element of a register, the lower one first.
static unsigned short part(unsigned pair, int which) { return pair >> 16 * which; }

// multiply multiplies tiles of which each register has so many elements; element returns one.
template <int each, typename F> static void multiply(F element, float *c, const Fragments &mine) {
  const size_t me = current;
  const int slot = products[me]++ & 1, warp = me / 32 * 32, lane = me % 32;
  dim3 self = threadIdx;
  fragments[slot][me] = mine;
  state[me] = at_product;
  swapcontext(&fibers[me], &scheduler);
  threadIdx = self;
  for (int e = 0; e < 4; ++e) {
    const int row = lane / 4 + e / 2 * 8, col = lane % 4 * 2 + e % 2;
    for (int k = 0; k < 8 * each; ++k) {
      const int owner = k % (4 * each) / each, half = k / (4 * each); // of four lanes, and of two halves of the tile
      const Fragments &x = fragments[slot][warp + row % 8 * 4 + owner], &y = fragments[slot][warp + col * 4 + owner];
      c[e] += element(x.a[row / 8 + half * 2], k % each) * element(y.b[half], k % each);
    }
  }
}
static void mma_half(float *c, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  multiply<2>([](unsigned x, int which) { return half_to_float(part(x, which)); }, c, {{a0, a1, a2, a3}, {b0, b1}});
}
static void mma_bfloat(float *c, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  multiply<2>([](unsigned x, int which) { return bits_as<float>((unsigned)part(x, which) << 16); }, c, {{a0, a1, a2, a3}, {b0, b1}});
}
// to_tf32 rounds to 11 significant bits, halves away from zero.
static unsigned to_tf32(float x) {
  int e = 0;
  float m = std::frexp(x, &e);
  return bits_as<unsigned>(std::ldexp(std::round(std::ldexp(m, 11)), e - 11));
}
static void mma_tf32(float *c, float a0, float a1, float a2, float a3, float b0, float b1) {
  multiply<1>([](unsigned x, int) { return bits_as<float>(x); }, c, {{to_tf32(a0), to_tf32(a1), to_tf32(a2), to_tf32(a3)}, {to_tf32(b0), to_tf32(b1)}});
}

static void enter() {
  body();
  state[current] = -1;
}

// run_warp runs the threads of a warp until they wait, and reports whether that is for each other alone: then the warp
// goes on.
static bool run_warp(size_t first, size_t lanes, dim3 block) {
  size_t waiting = 0;
  for (size_t k = 0; k < lanes; ++k) {
    current = first + (backwards ? lanes - 1 - k : k);
    const size_t row = current / block.x;
    threadIdx = {(unsigned)(current % block.x), (unsigned)(row % block.y), (unsigned)(row / block.y)};
    swapcontext(&scheduler, &fibers[current]);
    waiting += state[current] < -1;
    if (waiting && (waiting != k + 1 || state[current] != state[first + (backwards ? lanes - 1 : 0)])) {
      fprintf(stderr, "some lanes of a warp wait for each other, others do not\n");
      exit(3);
    }
  }
  return waiting > 0;
}

static void run_block(dim3 block) {
  if (__start_shim_shared) memset(__start_shim_shared, 0xff, __stop_shim_shared - __start_shim_shared);
  const size_t n = (size_t)block.x * block.y * block.z, stack = 128 << 10;
  fibers.resize(n);
  state.assign(n, 0);
  copies.assign(n, {});
  products.assign(n, 0);
  for (auto &f : fragments) f.resize(n);
  while (stacks.size() < n) stacks.push_back((char *)malloc(stack));
  for (size_t i = 0; i < n; ++i) {
    getcontext(&fibers[i]);
    fibers[i].uc_stack.ss_sp = stacks[i];
    fibers[i].uc_stack.ss_size = stack;
    fibers[i].uc_link = &scheduler;
    makecontext(&fibers[i], enter, 0);
  }
  for (;;) {
    size_t ended = 0;
    int line = 0;
    for (size_t k = 0, warps = (n + 31) / 32; k < warps; ++k) {
      const size_t first = 32 * (backwards ? warps - 1 - k : k), lanes = std::min<size_t>(32, n - first);
      while (run_warp(first, lanes, block)) {
      }
      for (size_t t = first; t < first + lanes; ++t) {
        if (state[t] < 0) {
          ++ended;
        } else if (line == 0) {
          line = state[t];
        } else if (line != state[t]) {
          fprintf(stderr, "threads wait at different barriers\n");
          exit(3);
        }
      }
    }
    if (ended == n) return;
    if (ended > 0) {
      fprintf(stderr, "%zu of %zu threads end while others wait at a barrier\n", ended, n);
      exit(3);
    }
  }
}

static void launch(dim3 grid, dim3 block, std::function<void()> kernel) {
  body = kernel;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        run_block(block);
      }
}

// take returns memory of a tensor: from a file, or for nobody knows what.
static char *take(size_t bytes, FILE *from) {
  char *p = (char *)aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(p, 0xff, bytes);
  if (from && fread(p, 1, bytes, from) != bytes) exit(4);
  return p;
}
