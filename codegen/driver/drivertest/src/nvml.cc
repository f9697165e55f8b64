// NVML without a GPU. FAKE_CLOCK is "MHZ BITS", the clock and why it is held; BITS of -1 have
// the GPU not tell.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int mhz = 1500, bits = 0;

extern "C" {
const char *nvmlErrorString(int code) { return code == 6 ? "Not Found" : code == 3 ? "Not Supported" : "Unknown Error"; }
int nvmlInit_v2() {
  if (const char *c = getenv("FAKE_CLOCK")) sscanf(c, "%d %d", &mhz, &bits);
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, const void **d) {
  return *d = &mhz, strncmp(id, "FA4E:0", 6) == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(const void *d, int type, unsigned *v) { return *v = mhz, d == &mhz && type == 1 && mhz > 0 ? 0 : 3; }
int nvmlDeviceGetCurrentClocksThrottleReasons(const void *, unsigned long long *v) { return *v = bits, bits < 0 ? (*v = 0, 3) : 0; }
}
