// A driver and a run-time compiler of CUDA without a card, for tests: a text is compiled by g++ behind the shim of CUDA's words (a fibre for each
// thread), what that gives is the code of the "card", and a launch runs it on the processor. It is built as libcuda.so.1 and libnvrtc.so.12.
//
// What is queued in a stream runs when somebody waits for it, and not before, as late as on a card that is busy: copies from memory of the host that has changed
// meanwhile, and results that are looked at too early, are wrong for sure. What a kernel does wrong is told to whoever waits, and ends the context.
//
// The variable FAKE_CARD says what goes wrong, in words with the number of the launch in the process from which on it does:
//   hang 3      a launch does not end          crash 3   the driver crashes
//   lost 3      the card is gone               full 100  there are so many KiB of memory
//   none        there is no card               slow 50   a launch takes so many milliseconds more
//   registers 255                              threads take so many of them, for want of which blocks have few threads
//   shared 48                                  a block has so many KiB of shared memory, of 163
//   spills 16                                  threads have so many bytes in memory
//   fail 30 700                                call 30 of the driver fails with code 700
//   old                                        the driver has no memory in streams, and waits for nothing where some is given back
//   compiler-hang, compiler-crash              the compiler does, for texts with the word "bad"
#include <dlfcn.h>
#include <deque>
#include <errno.h>
#include <functional>
#include <mutex>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#ifndef SHIM
#error "-DSHIM is the path of the shim"
#endif

static std::mutex mutex;
static int launches;
static size_t taken;

static bool wants(const char *what, long *number) {
  const char *text = getenv("FAKE_CARD");
  size_t n = strlen(what);
  if (!text || strncmp(text, what, n)) return false;
  if (number) *number = atol(text + n);
  return text[n] == 0 || text[n] == ' ';
}

// gone says that the launch of a number, or what comes behind it, fails so.
static bool since(const char *what) {
  long from = 0;
  return wants(what, &from) && launches >= from;
}

static double now(void) {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// What tests in the same process set: the n-th call of the driver fails with a code, or the n-th thing that is queued when it runs; each from now on.
// Codes of contexts that are lost stay. 0 is never. fake_calls says how many calls there were.
static int calls, fail_at, fail_code, late, late_at, late_code;
struct context;
static void restart(void);
extern "C" void fake_fail(int n, int code) { calls = 0; fail_at = n; fail_code = code; }
extern "C" void fake_late(int n, int code) { late = 0; late_at = n; late_code = code; }
extern "C" int fake_calls(void) { return calls; }
extern "C" void fake_restart(void) { restart(); }
static bool stays(int code) { return code == 46 || code == 100 || code >= 700; }
static int called(void) {
  std::lock_guard<std::mutex> hold(mutex);
  calls++;
  long from = 0;
  if (!fail_at && wants("fail", &from)) {
    fail_at = (int)from;
    fail_code = atoi(strrchr(getenv("FAKE_CARD"), ' '));
  }
  return fail_at && (calls == fail_at || (calls > fail_at && stays(fail_code))) ? fail_code : 0;
}
#define CALLED do { if (int code = called()) return code; } while (0)

#define API extern "C" int
API cuInit(unsigned flags) { CALLED; return wants("none", nullptr) ? 100 : flags ? 1 : 0; }
API cuDriverGetVersion(int *v) { CALLED; *v = 12040; return 0; }
API cuDeviceGetCount(int *n) { CALLED; *n = 2; return 0; }
API cuDeviceGet(int *d, int n) { CALLED; *d = n; return n < 0 || n > 1 ? 101 : 0; }
API cuDeviceGetName(char *name, int room, int) { CALLED; snprintf(name, (size_t)room, "Fibres"); return 0; }
API cuDeviceTotalMem_v2(size_t *n, int) { CALLED; *n = (size_t)1 << 30; return 0; }
static int most_shared(void) { long n = 0; return (int)(wants("shared", &n) ? n : 163) << 10; }
API cuDeviceGetAttribute(int *v, int what, int) {
  CALLED;
  switch (what) {
  case 1: *v = 1024; break;               // threads of a block
  case 2: case 3: *v = 1024; break;       // along x and y
  case 4: *v = 64; break;                 // along z
  case 5: *v = 2147483647; break;         // blocks along x
  case 6: case 7: *v = 65535; break;      // along y and z
  case 8: *v = 48 << 10; break;           // shared memory of a block
  case 10: *v = 32; break;                // threads of a warp
  case 12: *v = 65536; break;             // registers of a block
  case 13: *v = 1000000; break;           // kHz
  case 16: *v = 4; break;                 // multiprocessors
  case 36: *v = 1000000; break;           // kHz of memory
  case 37: *v = 256; break;               // bits of its bus
  case 38: *v = 4 << 20; break;           // bytes of the last cache
  case 39: *v = 2048; break;              // threads of a multiprocessor
  case 81: *v = 164 << 10; break;         // its shared memory
  case 82: *v = 65536; break;             // its registers
  case 97: *v = most_shared(); break;     // shared memory of a block that launches give
  case 75: *v = 8; break;
  case 76: *v = 0; break;
  default: *v = 0;
  }
  return 0;
}

// A context has a stream of its own, and another one, with a queue each; broken is the error of everything in it once a kernel has failed.
struct context { std::recursive_mutex mutex; std::deque<std::function<int()>> queue[2]; int broken; };
static context contexts[2];
static thread_local context *current;
API cuDevicePrimaryCtxRetain(context **c, int d) { CALLED; *c = &contexts[d]; return 0; }
API cuDevicePrimaryCtxRelease_v2(int) { return 0; } // the collector of Go calls it, at any time
API cuCtxSetCurrent(context *c) { CALLED; current = c; return 0; }
static thread_local std::vector<context *> left; // the contexts below the current one
API cuCtxGetCurrent(context **c) { CALLED; *c = current; return 0; }
API cuCtxPushCurrent_v2(context *c) { CALLED; left.push_back(current); current = c; return 0; }
API cuCtxPopCurrent_v2(context **c) { *c = current; if (left.empty()) return 201; current = left.back(); left.pop_back(); return 0; }
API cuCtxGetId(context *c, unsigned long long *id) { CALLED; *id = (unsigned long long)(c - contexts) + 1; return c ? 0 : 201; }
API cuGetErrorName(int code, const char **name) { *name = code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr; return *name ? 0 : 1; }
#define ON do { CALLED; if (!current) return 201; if (since("lost")) return 719; if (current->broken) return current->broken; } while (0)

API cuCtxGetDevice(int *d) { ON; *d = (int)(current - contexts); return 0; }
// next runs what is first in a queue.
static int next(int which) {
  std::function<int()> f = current->queue[which].front();
  current->queue[which].pop_front();
  int code = f();
  if (++late == late_at) code = late_code;
  if (code && !stays(code)) return code;
  return current->broken = code;
}
// drain runs all that is in a queue, and finish what is in both.
static int drain(int which = 0) {
  std::lock_guard<std::recursive_mutex> hold(current->mutex);
  while (!current->queue[which].empty() && !current->broken)
    if (int code = next(which)) return code;
  return current->broken;
}
static int finish(void) {
  int code = drain(0);
  return code ? code : drain(1);
}
static void restart(void) {
  fake_fail(0, 0);
  fake_late(0, 0);
  for (context &c : contexts) c.queue[0].clear(), c.queue[1].clear(), c.broken = 0;
}
static int later(std::function<int()> f, void *stream = nullptr) {
  std::lock_guard<std::recursive_mutex> hold(current->mutex);
  current->queue[stream ? 1 : 0].push_back(f);
  return 0;
}
API cuCtxSynchronize(void) { ON; return finish(); }
API cuStreamSynchronize(void *stream) { ON; return drain(stream ? 1 : 0); }
API cuStreamDestroy_v2(void *) { return 0; }
API cuMemFreeHost(void *p) { free(p); return 0; }
API cuStreamCreate(void **stream, unsigned flags) { ON; *stream = current; return flags == 1 ? 0 : 1; }
API cuMemAlloc_v2(char **at, size_t n) {
  ON;
  long room = 0;
  std::lock_guard<std::mutex> hold(mutex);
  if (n > (size_t)1 << 30 || (wants("full", &room) && taken + n > (size_t)room << 10)) return 2;
  char *p = (char *)aligned_alloc(256, (n + 511) / 256 * 256);
  if (!p) return 2;
  memcpy(p, &n, sizeof n);
  *at = p + 256;
  memset(*at, 0x55, n);
  taken += n;
  return 0;
}
static void give(char *at) {
  std::lock_guard<std::mutex> hold(mutex);
  size_t n;
  memcpy(&n, at - 256, sizeof n);
  taken -= n;
  memset(at, 0x55, n); // who reads it later has garbage for sure
  free(at - 256);
}
API cuMemFree_v2(char *at) {
  ON;
  if (!wants("old", nullptr))
    if (int code = finish()) return code;
  give(at);
  return 0;
}
API cuMemAllocAsync(char **at, size_t n, void *) { return wants("old", nullptr) ? 801 : cuMemAlloc_v2(at, n); }
API cuMemFreeAsync(char *at, void *stream) { ON; return later([=] { give(at); return 0; }, stream); }
API cuMemcpyDtoDAsync_v2(char *to, const char *from, size_t n, void *stream) { ON; return later([=] { memcpy(to, from, n); return 0; }, stream); }
API cuMemcpyDtoHAsync_v2(char *to, const char *from, size_t n, void *stream) { ON; return later([=] { memcpy(to, from, n); return 0; }, stream); }
API cuMemsetD16Async(char *at, unsigned short v, size_t n, void *stream) { ON; return later([=] { memcpy(at, &v, 2); return n == 1 ? 0 : 1; }, stream); }
API cuMemsetD32Async(char *at, unsigned v, size_t n, void *stream) { ON; return later([=] { memcpy(at, &v, 4); return n == 1 ? 0 : 1; }, stream); }
API cuMemsetD8Async(char *at, unsigned char b, size_t n, void *stream) { ON; return later([=] { memset(at, b, n); return 0; }, stream); }
API cuMemHostAlloc(void **at, size_t n, unsigned) { ON; *at = malloc(n); return *at ? 0 : 2; }
API cuMemcpyHtoDAsync_v2(char *to, const char *from, size_t n, void *stream) { ON; return later([=] { memcpy(to, from, n); return 0; }, stream); }
API cuMemcpyHtoD_v2(char *to, const char *from, size_t n) { ON; int code = drain(); if (!code) memcpy(to, from, n); return code; }
API cuMemcpyDtoH_v2(char *to, const char *from, size_t n) { ON; int code = drain(); if (!code) memcpy(to, from, n); return code; }
API cuMemGetInfo_v2(size_t *free_, size_t *all) { ON; *all = (size_t)1 << 30; *free_ = *all - taken; return 0; }

struct event { double at; int which; bool reached; };
// reach runs what is in a queue up to an event.
static int reach(event *e) {
  std::lock_guard<std::recursive_mutex> hold(current->mutex);
  while (!e->reached && !current->queue[e->which].empty() && !current->broken)
    if (int code = next(e->which)) return code;
  return current->broken;
}
API cuEventCreate(event **e, unsigned) { ON; *e = new event{0, 0, true}; return 0; }
API cuEventDestroy_v2(event *) { ON; return 0; } // it may be in a queue yet
API cuEventRecord(event *e, void *stream) {
  ON;
  e->which = stream ? 1 : 0;
  e->reached = false;
  return later([=] { e->at = now(); e->reached = true; return 0; }, stream);
}
API cuEventSynchronize(event *e) { ON; return reach(e); }
API cuStreamWaitEvent(void *stream, event *e, unsigned) { ON; return later([=] { return reach(e); }, stream); }
API cuEventElapsedTime(float *ms, event *from, event *to) { ON; int code = reach(to); *ms = (float)(to->at - from->at); return code; }

// An image begins with these words, and its length.
static const char magic[8] = {'f', 'i', 'b', 'r', 'e', 's', '1', '\n'};

API cuModuleLoadData(void **module, const char *image) {
  ON;
  if (memcmp(image, magic, sizeof magic)) return 200;
  uint64_t n;
  memcpy(&n, image + sizeof magic, sizeof n);
  char path[] = "/tmp/fibres-XXXXXX"; // the loader knows libraries by their names: each has one of its own
  int file = mkstemp(path);
  if (file < 0) return 304;
  bool written = write(file, image + 16, n) == (ssize_t)n;
  close(file);
  *module = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!*module) fprintf(stderr, "%s\n", dlerror());
  unlink(path);
  return *module ? 0 : 200;
}
API cuModuleUnload(void *module) { ON; if (int code = finish()) return code; return dlclose(module) ? 400 : 0; }
struct function { int (*enter)(void **, const int64_t *, const int64_t *, int64_t); long parameters, given; };
API cuModuleGetFunction(function **f, void *module, const char *name) {
  ON;
  void *enter = dlsym(module, (std::string("enter_") + name).c_str()), *count = dlsym(module, (std::string("count_") + name).c_str());
  if (!enter || !count) return 500;
  *f = new function{(int (*)(void **, const int64_t *, const int64_t *, int64_t))enter, *(long *)count, 48 << 10};
  return 0;
}
// threads is how many a block may have, of 65536 registers.
static long registers(void) { long n = 0; return wants("registers", &n) ? n : 32; }
static long threads(void) { long n = 65536 / registers(); return n > 1024 ? 1024 : n; }
API cuFuncSetAttribute(function *f, int what, int value) {
  ON;
  if (what != 8 || value < 0 || value > most_shared()) return 1;
  f->given = value;
  return 0;
}
API cuFuncGetAttribute(int *v, int what, function *) {
  ON;
  long spilled = 0;
  if (!wants("spills", &spilled)) spilled = 0;
  *v = (int)(what == 0 ? threads() : what == 3 ? spilled : what == 4 ? registers() : 0);
  return 0;
}
API cuLaunchKernel(function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments, void **) {
  {
    std::lock_guard<std::mutex> hold(mutex);
    launches++;
  }
  ON;
  if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || bx * by * bz > 1024 || !bx || !by || !bz || bz > 64) return 1;
  if (bx * by * bz > threads()) return 701;
  if (shared > f->given) return 1;
  std::vector<uint64_t> values; // arguments are taken now, whatever is with them later; all have 64 bits
  for (long i = 0; i < f->parameters; i++) values.push_back(*(uint64_t *)arguments[i]);
  return later([=]() mutable {
    while (since("hang")) pause();
    if (since("crash")) raise(SIGSEGV);
    long more = 0;
    if (wants("slow", &more)) usleep((useconds_t)more * 1000);
    std::vector<void *> places;
    for (uint64_t &v : values) places.push_back(&v);
    int64_t groups[3] = {gx, gy, gz}, items[3] = {bx, by, bz};
    return f->enter(places.data(), groups, items, shared) ? 719 : 0;
  }, stream);
}

struct program { std::string text, log, code; };
API nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 4; return 0; }
API nvrtcCreateProgram(program **p, const char *text, const char *, int, const char **, const char **) { *p = new program{text, "", ""}; return 0; }
API nvrtcDestroyProgram(program **p) { delete *p; *p = nullptr; return 0; }

// entries are functions that call the kernels of a text.
static std::string entries(const std::string &text) {
  std::string all;
  const char *word = "__global__ void ";
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    at += strlen(word);
    if (text.compare(at, 17, "__launch_bounds__") == 0) at = text.find(' ', at) + 1;
    std::string name = text.substr(at, text.find('(', at) - at);
    all += "static void run_" + name + "(void) { shim_apply(" + name + ", shim_arguments); }\n";
    all += "extern \"C\" int enter_" + name + "(void **p, const int64_t *groups, const int64_t *items, int64_t dynamic) { shim_arguments = p; return shim_launch(run_" + name + ", groups, items, dynamic); }\n";
    all += "extern \"C\" const long count_" + name + " = shim_parameters(" + name + ");\n";
  }
  return all;
}

static const char *apply =
    "template <typename... A> static constexpr long shim_parameters(void (*)(A...)) { return sizeof...(A); }\n"
    "#include <utility>\nstatic void **shim_arguments;\n"
    "template <typename... A, size_t... N> static void shim_apply(void (*k)(A...), void **p, std::index_sequence<N...>) { k(*(A *)p[N]...); }\n"
    "template <typename... A> static void shim_apply(void (*k)(A...), void **p) { shim_apply(k, p, std::index_sequence_for<A...>()); }\n";

static std::string contents(const std::string &path) {
  std::string all;
  FILE *f = fopen(path.c_str(), "rb");
  char piece[4096];
  for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;) all.append(piece, n);
  if (f) fclose(f);
  return all;
}

API nvrtcCompileProgram(program *p, int, const char **) {
  if (p->text.find("bad") != std::string::npos) {
    while (wants("compiler-hang", nullptr)) pause();
    if (wants("compiler-crash", nullptr)) raise(SIGSEGV);
  }
  char dir[] = "/tmp/fibres-XXXXXX";
  if (!mkdtemp(dir)) return 1;
  std::string base = dir, source = base + "/k.cpp", object = base + "/k.so", log = base + "/log";
  FILE *f = fopen(source.c_str(), "wb");
  std::string all = std::string("#include \"") + SHIM + "\"\n" + apply + "#line 1 \"kernel.cu\"\n" + p->text + "\n" + entries(p->text);
  fwrite(all.data(), 1, all.size(), f);
  fclose(f);
  std::string command = "g++ -shared -fPIC -O1 -w -ffp-contract=off -fno-strict-aliasing -o " + object + " " + source + " >" + log + " 2>&1";
  bool failed = system(command.c_str()) != 0;
  p->log = contents(log);
  if (!failed) {
    std::string code = contents(object);
    uint64_t n = code.size();
    p->code = std::string(magic, sizeof magic) + std::string((const char *)&n, sizeof n) + code;
  }
  (void)!system((std::string("rm -rf ") + dir).c_str());
  return failed ? 6 : 0;
}
API nvrtcGetProgramLogSize(program *p, size_t *n) { *n = p->log.size() + 1; return 0; }
API nvrtcGetProgramLog(program *p, char *into) { memcpy(into, p->log.c_str(), p->log.size() + 1); return 0; }
API nvrtcGetPTXSize(program *p, size_t *n) { *n = p->code.size(); return 0; }
API nvrtcGetPTX(program *p, char *into) { memcpy(into, p->code.data(), p->code.size()); return 0; }
API nvrtcGetCUBINSize(program *p, size_t *n) { *n = p->code.size(); return 0; }
API nvrtcGetCUBIN(program *p, char *into) { memcpy(into, p->code.data(), p->code.size()); return 0; }

// What stands for cuBLAS knows a product of matrices that are not transposed; of one of 16 bits it only looks at the arguments.
API cublasGemmEx(void *handle, int ta, int tb, int m, int n, int k, const float *alpha, const void *a, int ta_, int lda, const void *b, int tb_, int ldb, const float *beta, float *c, int tc, int ldc, int sums, int algorithm) {
  if (handle != &launches || ta || tb || !current || finish() || !a || !b || (ta_ != 2 && ta_ != 14) || tb_ != ta_ || tc != 0 || lda < m || ldb < k || ldc < m || sums != 68 || algorithm != -1 || *alpha != 1) return 7;
  for (int i = 0; i < n * ldc; i++) c[i] = *beta * c[i];
  return 0;
}
API cublasCreate_v2(void **handle) { *handle = (void *)&launches; return current ? 0 : 1; }
API cublasSgemm_v2(void *handle, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  if (handle != &launches || ta || tb || !current || finish()) return 7;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      float sum = 0;
      for (int l = 0; l < k; l++) sum += a[i + (size_t)l * lda] * b[l + (size_t)j * ldb];
      c[i + (size_t)j * ldc] = *alpha * sum + (*beta ? *beta * c[i + (size_t)j * ldc] : 0);
    }
  return 0;
}
