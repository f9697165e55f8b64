// A compiler of CUDA C that compiles nothing: what it makes of a text is the text,
// which the fake driver understands. It says that every kernel takes 32 registers.
#include <cstdio>
#include <cstring>
#include <string>

#ifndef VERSION
#define VERSION 12
#define ARCHS "70 75 80 86 89 90 100 120"
#endif

struct Program { std::string text, log; };

extern "C" {
const char *nvrtcGetErrorString(int code) { return code ? "NVRTC_ERROR" : "NVRTC_SUCCESS"; }
int nvrtcVersion(int *major, int *minor) { return *major = VERSION, *minor = 9, 0; }
int nvrtcCreateProgram(Program **p, const char *text, const char *, int, void *, void *) { return *p = new Program{text, ""}, 0; }
int nvrtcDestroyProgram(Program **p) { return delete *p, 0; }
int nvrtcCompileProgram(Program *p, int n, const char **options) {
  std::string arch;
  for (int i = 0; i < n; ++i)
    if (strncmp(options[i], "--gpu-architecture=", 19) == 0) arch = options[i] + 19;
  if (std::string(" " ARCHS " ").find(" " + arch.substr(3) + " ") == std::string::npos) {
    p->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)";
    return 5;
  }
  for (size_t at = 0; (at = p->text.find("__launch_bounds__(", at)) != std::string::npos;) {
    size_t name = p->text.find_first_not_of(" \n", p->text.find(')', at) + 1);
    at = p->text.find('(', name);
    p->log += "ptxas info    : Compiling entry function '" + p->text.substr(name, at - name) + "' for '" + arch + "'\n" +
              "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 32 registers\n";
  }
  return 0;
}
int nvrtcGetProgramLogSize(Program *p, size_t *n) { return *n = p->log.size() + 1, 0; }
int nvrtcGetProgramLog(Program *p, char *to) { return memcpy(to, p->log.c_str(), p->log.size() + 1), 0; }
int nvrtcGetCUBINSize(Program *p, size_t *n) { return *n = p->text.size(), 0; }
int nvrtcGetCUBIN(Program *p, char *to) { return memcpy(to, p->text.data(), p->text.size()), 0; }
int nvrtcGetPTXSize(Program *p, size_t *n) { return *n = 1, 0; }
int nvrtcGetPTX(Program *, char *to) { return *to = 0, 0; }
}
