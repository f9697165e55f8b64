/* SHA-256, as FIPS 180-4 has it. */
#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

static const uint32_t sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void sha_blocks(uint32_t h[8], const uint8_t *p, int64_t blocks)
{
	for (; blocks > 0; blocks--, p += 64) {
		uint32_t w[64];
		for (int i = 0; i < 16; i++) {
			uint32_t x;
			memcpy(&x, p + 4 * i, 4);
			w[i] = __builtin_bswap32(x);
		}
		for (int i = 16; i < 64; i++) {
			uint32_t a = w[i - 15], b = w[i - 2];
			w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
			       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
		}
		uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
		for (int i = 0; i < 64; i++) {
			uint32_t t1 = last + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[i] + w[i];
			uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			last = g, g = f, f = e, e = d + t1;
			d = c, c = b, b = a, a = t1 + t2;
		}
		h[0] += a, h[1] += b, h[2] += c, h[3] += d;
		h[4] += e, h[5] += f, h[6] += g, h[7] += last;
	}
}

#ifdef __x86_64__
/* The same with the processor's own instructions, which hold a, b, e, f and c, d, g, h
 * in two registers. */
__attribute__((target("sha,sse4.1,ssse3"))) static void sha_blocks_fast(uint32_t h[8], const uint8_t *p,
									 int64_t blocks)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
	__m128i abef = _mm_set_epi32(h[0], h[1], h[4], h[5]);
	__m128i cdgh = _mm_set_epi32(h[2], h[3], h[6], h[7]);
	for (; blocks > 0; blocks--, p += 64) {
		__m128i w[4], x = abef, y = cdgh;
		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), swap);
#pragma clang loop unroll(full)
		for (int i = 0; i < 16; i++) {
			__m128i next = w[i % 4];
			if (i >= 4) { /* words 4i to 4i+3 of the schedule */
				__m128i a = w[(i + 1) % 4], b = w[(i + 2) % 4], c = w[(i + 3) % 4];
				next = _mm_add_epi32(_mm_sha256msg1_epu32(next, a), _mm_alignr_epi8(c, b, 4));
				next = w[i % 4] = _mm_sha256msg2_epu32(next, c);
			}
			__m128i k = _mm_add_epi32(next, _mm_loadu_si128((const __m128i *)(sha_k + 4 * i)));
			y = _mm_sha256rnds2_epu32(y, x, k);
			x = _mm_sha256rnds2_epu32(x, y, _mm_shuffle_epi32(k, 0x0e));
		}
		abef = _mm_add_epi32(abef, x);
		cdgh = _mm_add_epi32(cdgh, y);
	}
	h[0] = _mm_extract_epi32(abef, 3), h[1] = _mm_extract_epi32(abef, 2);
	h[4] = _mm_extract_epi32(abef, 1), h[5] = _mm_extract_epi32(abef, 0);
	h[2] = _mm_extract_epi32(cdgh, 3), h[3] = _mm_extract_epi32(cdgh, 2);
	h[6] = _mm_extract_epi32(cdgh, 1), h[7] = _mm_extract_epi32(cdgh, 0);
}

static int has_sha(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(1, &a, &b, &c, &d) && c >> 19 & 1 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
}
#else
#define has_sha() 0
#define sha_blocks_fast sha_blocks
#endif

static void sha256(const uint8_t *p, int64_t bytes, uint8_t sum[32], int fast)
{
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	void (*blocks)(uint32_t *, const uint8_t *, int64_t) = fast && has_sha() ? sha_blocks_fast : sha_blocks;
	uint8_t end[128] = {0};
	int64_t rest = bytes % 64, ends = rest < 56 ? 1 : 2;
	uint64_t bits = __builtin_bswap64(8 * (uint64_t)bytes);
	blocks(h, p, bytes / 64);
	memcpy(end, p + bytes - rest, rest);
	end[rest] = 0x80;
	memcpy(end + 64 * ends - 8, &bits, 8);
	blocks(h, end, ends);
	for (int i = 0; i < 8; i++) {
		uint32_t x = __builtin_bswap32(h[i]);
		memcpy(sum + 4 * i, &x, 4);
	}
}
