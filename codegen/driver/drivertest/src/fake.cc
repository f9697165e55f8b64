// A driver without a GPU: kernels run on the processor, when they are launched. What
// is loaded is CUDA C text, which g++ compiles with the shim of codegen/cuda: threads
// are fibers. As with the real driver, what a kernel does wrong is the error of the
// next call, and poisons all later ones.
//
// A line "// fake: WHAT CODE" of the text has the driver fail with a code: WHAT is
// load, copy (what is copied to the GPU next), launch, or run (the kernel runs into
// it); -1 at a launch has it abort. "// fake: run 999 lost" has the GPU lost for every
// process from then on. FAKE_GPU, a list of words NAME=VALUE, describes the GPU:
// arch=86 count=1 version=13000 memory=BYTES fail=FUNCTION:CODE trace=FILE (of launches, events and
// memory that is set) first=MS (of the first launch of a function, whose code is loaded
// then).
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

typedef int Result;
typedef unsigned long long Pointer;

static std::string option(const char *name) {
  const char *all = getenv("FAKE_GPU");
  if (!all) return "";
  std::string text = std::string(" ") + all + " ", key = std::string(" ") + name + "=";
  size_t at = text.find(key);
  if (at == std::string::npos) return "";
  at += key.size();
  return text.substr(at, text.find(' ', at) - at);
}
static long long number(const char *name, long long otherwise) {
  std::string v = option(name);
  return v.empty() ? otherwise : atoll(v.c_str());
}
static bool exists(const std::string &path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0;
}
static const std::string lost_mark = std::string(FOLDER) + "/lost";

static int poisoned, entered, copying; // copying: how the next copy to the GPU fails
static long long used;
static std::map<Pointer, size_t> allocated;

// trace writes a line to the file that FAKE_GPU names.
static void trace(const char *what, long long n) {
  std::string path = option("trace");
  if (path.empty()) return;
  if (FILE *f = fopen(path.c_str(), "a")) {
    fprintf(f, "%s %lld\n", what, n);
    fclose(f);
  }
}

// enter begins a call: it fails if the context is poisoned, or if it shall.
static Result enter(const char *name) {
  if (poisoned) return poisoned;
  std::string f = option("fail");
  size_t colon = f.find(':');
  if (colon != std::string::npos && f.substr(0, colon) == name) return atoi(f.c_str() + colon + 1);
  return 0;
}
#define ENTER(name)                  \
  do {                               \
    if (Result r = enter(name)) return r; \
  } while (0)

struct Code { int code; const char *name, *text; };
static const Code codes[] = {
  {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}, {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
  {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"}, {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
  {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}, {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
  {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}, {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
  {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}, {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
  {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"}, {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
  {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"}, {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
  {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}, {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

extern "C" {

Result cuGetErrorName(int code, const char **text) {
  for (auto &c : codes)
    if (c.code == code) return *text = c.name, 0;
  return *text = nullptr, 1;
}
Result cuGetErrorString(int code, const char **text) {
  for (auto &c : codes)
    if (c.code == code) return *text = c.text, 0;
  return *text = nullptr, 1;
}

Result cuInit(unsigned) { ENTER("cuInit"); return exists(lost_mark) ? 999 : 0; }
Result cuDriverGetVersion(int *v) { *v = number("version", 13000); return 0; }
Result cuDeviceGetCount(int *n) { ENTER("cuDeviceGetCount"); *n = number("count", 1); return 0; }
Result cuDeviceGet(int *d, int i) { ENTER("cuDeviceGet"); *d = i; return i < number("count", 1) ? 0 : 101; }
Result cuDeviceGetName(char *name, int n, int d) { ENTER("cuDeviceGetName"); snprintf(name, n, "Fake %d", d); return 0; }
Result cuDeviceTotalMem_v2(size_t *bytes, int) { ENTER("cuDeviceTotalMem"); *bytes = number("memory", 1 << 30); return 0; }
Result cuDeviceGetPCIBusId(char *id, int n, int d) {
  ENTER("cuDeviceGetPCIBusId");
  snprintf(id, n, "FA4E:%02X:00.0", d + 1);
  return 0;
}
Result cuDeviceGetAttribute(int *v, int a, int d) {
  ENTER("cuDeviceGetAttribute");
  int arch = number("arch", 86) + 3 * d;
  *v = a == 75 ? arch / 10 : a == 76 ? arch % 10 : a == 16 ? 10 : a == 38 ? 1 << 20 : a == 13 ? 1500000 : -1;
  return 0;
}

Result cuDevicePrimaryCtxRetain(void **ctx, int) { ENTER("cuDevicePrimaryCtxRetain"); *ctx = &entered; return 0; }
Result cuDevicePrimaryCtxRelease_v2(int) { ENTER("cuDevicePrimaryCtxRelease"); return 0; }
Result cuCtxSetCurrent(void *ctx) { return ctx == &entered ? 0 : 201; }
Result cuCtxSynchronize() { ENTER("cuCtxSynchronize"); return 0; }

Result cuMemGetInfo_v2(size_t *available, size_t *all) {
  ENTER("cuMemGetInfo");
  *all = number("memory", 1 << 30), *available = *all - used;
  return 0;
}

// Memory lies at the end of pages, with others that fault around them.
static const size_t page = 4096;
Result cuMemAlloc_v2(Pointer *p, size_t n) {
  ENTER("cuMemAlloc");
  if (n == 0) return 1;
  if (used + (long long)n > number("memory", 1 << 30)) return 2;
  size_t whole = (n + page - 1) / page * page;
  char *at = (char *)mmap(nullptr, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 2;
  mprotect(at + page, whole, PROT_READ | PROT_WRITE);
  *p = (Pointer)(at + page + (whole - (n + 255) / 256 * 256));
  allocated[*p] = n, used += n;
  return 0;
}
Result cuMemFree_v2(Pointer p) {
  ENTER("cuMemFree");
  auto a = allocated.find(p);
  if (a == allocated.end()) return 1;
  size_t whole = (a->second + page - 1) / page * page;
  munmap((char *)(p / page * page) - page, whole + 2 * page);
  used -= a->second, allocated.erase(a);
  return 0;
}
// owned reports whether an allocation holds all of n bytes.
static bool owned(Pointer p, size_t n) {
  auto a = allocated.upper_bound(p);
  return a != allocated.begin() && (--a, p + n <= a->first + a->second);
}
Result cuMemcpyHtoD_v2(Pointer to, const void *from, size_t n) {
  if (copying) poisoned = copying, copying = 0;
  ENTER("cuMemcpyHtoD");
  return owned(to, n) ? memcpy((void *)to, from, n), 0 : 1;
}
Result cuMemcpyDtoH_v2(void *to, Pointer from, size_t n) { ENTER("cuMemcpyDtoH"); return owned(from, n) ? memcpy(to, (void *)from, n), 0 : 1; }
Result cuMemsetD8_v2(Pointer to, unsigned char v, size_t n) { ENTER("cuMemsetD8"); trace("set", n); return owned(to, n) ? memset((void *)to, v, n), 0 : 1; }

struct Event { timespec at; bool recorded; };
Result cuEventCreate(Event **e, unsigned) { ENTER("cuEventCreate"); *e = new Event(); return 0; }
Result cuEventDestroy_v2(Event *e) { delete e; return 0; }
Result cuEventRecord(Event *e, void *) { ENTER("cuEventRecord"); trace("record", 0); clock_gettime(CLOCK_MONOTONIC, &e->at); e->recorded = true; return 0; }
Result cuEventSynchronize(Event *) { ENTER("cuEventSynchronize"); return 0; }
Result cuEventElapsedTime(float *ms, Event *from, Event *to) {
  ENTER("cuEventElapsedTime");
  if (!from->recorded || !to->recorded) return 400;
  *ms = (to->at.tv_sec - from->at.tv_sec) * 1e3 + (to->at.tv_nsec - from->at.tv_nsec) * 1e-6;
  return 0;
}

} // extern "C"

struct Module { void *code; std::string text; };
struct Function { Module *module; void (*run)(const unsigned *, void **); bool loaded; };

// injected returns the code that a line "// fake: what CODE" asks for, or 0.
static int injected(const std::string &text, const char *what, bool *lost = nullptr) {
  size_t at = text.find(std::string("// fake: ") + what + " ");
  if (at == std::string::npos) return 0;
  at += 10 + strlen(what);
  if (lost) *lost = text.compare(at, text.find('\n', at) - at, "999 lost") == 0;
  return atoi(text.c_str() + at);
}

// hostText returns the text as C++, with a function for each kernel that launches it.
static std::string hostText(std::string text) {
  std::string calls;
  for (size_t at = 0; (at = text.find("extern \"C\" __global__", at)) != std::string::npos;) {
    text.erase(at, 11); // extern "C", which static excludes
    size_t name = text.find("__launch_bounds__(", at);
    name = text.find_first_not_of(" \n", text.find(')', name) + 1);
    size_t open = text.find('(', name), close = text.find(')', open);
    std::string called = text.substr(name, open - name), args;
    int n = 0;
    for (size_t p = open + 1; p < close; ++n) {
      size_t end = std::min(text.find(',', p), close);
      std::string type = text.substr(p, text.find("__restrict__", p) - p);
      args += (n ? ", *(" : "*(") + type + "*)args[" + std::to_string(n) + "]";
      p = end + 1;
    }
    calls += "extern \"C\" void run_" + called + "(const unsigned *d, void **args) {\n  launch({d[0], d[1], d[2]}, {d[3], d[4], d[5]}, [=] { " +
             called + "(" + args + "); });\n}\n";
    at = close;
  }
  return "#include \"" FOLDER "/shim.h\"\n" + text + "\n" + calls;
}

// compile has g++ compile a text, once; it returns the path of the library, or "".
static std::string compile(const std::string &text) {
  uint64_t h = 14695981039346656037u;
  for (unsigned char c : text) h = (h ^ c) * 1099511628211u;
  std::string base = std::string(FOLDER) + "/" + std::to_string(h), lib = base + ".so", own = base + "." + std::to_string(getpid());
  if (exists(lib)) return lib;
  FILE *f = fopen((own + ".cc").c_str(), "w");
  if (!f) return "";
  std::string host = hostText(text);
  fwrite(host.data(), 1, host.size(), f);
  fclose(f);
  std::string command = "g++ " FLAGS " -shared -Wl,-Bsymbolic -o " + own + ".so " + own + ".cc >&2";
  if (system(command.c_str()) != 0 || rename((own + ".so").c_str(), lib.c_str()) != 0) return "";
  return lib;
}

extern "C" {

Result cuModuleLoadData(Module **m, const char *image) {
  ENTER("cuModuleLoadData");
  if (strstr(image, "__global__") == nullptr) return 200;
  if (int code = injected(image, "load")) return code;
  std::string lib = compile(image);
  if (lib.empty()) return 218;
  void *code = dlopen(lib.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!code) return fprintf(stderr, "%s\n", dlerror()), 200;
  *m = new Module{code, image};
  copying = injected(image, "copy");
  return 0;
}
Result cuModuleUnload(Module *m) {
  ENTER("cuModuleUnload");
  dlclose(m->code);
  delete m;
  return 0;
}
Result cuModuleGetFunction(Function **f, Module *m, const char *name) {
  ENTER("cuModuleGetFunction");
  void *run = dlsym(m->code, (std::string("run_") + name).c_str());
  if (!run) return 500;
  *f = new Function{m, (void (*)(const unsigned *, void **))run};
  return 0;
}

static sigjmp_buf escape;
static void caught(int signal) { siglongjmp(escape, signal); }

Result cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *, void **params, void **extra) {
  ENTER("cuLaunchKernel");
  if (!gx || !gy || !gz || !bx || !by || !bz || (unsigned long long)bx * by * bz > 1024 || extra) return 1;
  if (shared > 48 << 10) return 1;
  if (int code = injected(f->module->text, "launch")) return code < 0 ? abort(), 0 : code;
  trace("launch", gx);
  if (!f->loaded) usleep(1000 * number("first", 0));
  f->loaded = true;
  const unsigned dims[] = {gx, gy, gz, bx, by, bz};
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  struct sigaction before[4], catching = {};
  catching.sa_handler = caught;
  catching.sa_flags = SA_NODEFER;
  for (int i = 0; i < 4; ++i) sigaction(signals[i], &catching, &before[i]);
  int signal = sigsetjmp(escape, 1);
  if (signal == 0) f->run(dims, params);
  for (int i = 0; i < 4; ++i) sigaction(signals[i], &before[i], nullptr);
  bool lost = false;
  poisoned = signal == 0 ? injected(f->module->text, "run", &lost) : signal == SIGILL ? 716 : signal == SIGFPE ? 719 : 700;
  if (lost) fclose(fopen(lost_mark.c_str(), "w"));
  return 0;
}

struct KernelNode { Function *f; unsigned gx, gy, gz, bx, by, bz, shared; void **params, **extra; };
struct Node { KernelNode k; std::vector<unsigned long long> values; };
struct Graph { std::vector<Node *> nodes; };
Result cuGraphCreate(Graph **g, unsigned) { ENTER("cuGraphCreate"); *g = new Graph(); return 0; }
Result cuGraphAddKernelNode(Node **n, Graph *g, Node **waits, size_t count, const KernelNode *k) {
  ENTER("cuGraphAddKernelNode");
  trace("node", g->nodes.size());
  if (count != !g->nodes.empty() || (count && *waits != g->nodes.back())) return 1; // a sequence
  *n = new Node{*k, {}};
  for (void **p = k->params; *p; ++p) (*n)->values.push_back(*(unsigned long long *)*p);
  g->nodes.push_back(*n);
  return 0;
}
Result cuGraphInstantiateWithFlags(Graph **exec, Graph *g, unsigned long long) { ENTER("cuGraphInstantiateWithFlags"); *exec = new Graph(*g); return 0; }
Result cuGraphLaunch(Graph *exec, void *) {
  ENTER("cuGraphLaunch");
  trace("graph", exec->nodes.size());
  for (Node *n : exec->nodes) {
    std::vector<void *> params;
    for (auto &v : n->values) params.push_back(&v);
    params.push_back(nullptr);
    const KernelNode &k = n->k;
    if (Result r = cuLaunchKernel(k.f, k.gx, k.gy, k.gz, k.bx, k.by, k.bz, k.shared, nullptr, params.data(), k.extra)) return r;
  }
  return 0;
}
Result cuGraphExecDestroy(Graph *exec) { delete exec; return 0; }
Result cuGraphDestroy(Graph *g) {
  for (Node *n : g->nodes) delete n;
  delete g;
  return 0;
}

} // extern "C"
