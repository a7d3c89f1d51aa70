// A driver and a compiler without a card: what they are asked is written down, memory is the host's, and the one kernel that they know is
// the function k below, which a launch calls for each of its threads.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[1 << 16];
static size_t end;
#define SAY(...) (end += (size_t)snprintf(said + end, sizeof said - end, __VA_ARGS__))

// What tests read, and set.
const char *fake_said(void) { return said; }
void fake_forget(void) { said[end = 0] = 0; }
static int fails, launched, clock_; // how launches end, and how many there were
void fake_fail(int code) { fails = code; }
static int capability = 80;
void fake_capability(int n) { capability = n; }

int cuInit(unsigned flags) { return flags ? 1 : 0; }
int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
int cuDeviceGetCount(int *n) { *n = 2; return 0; }
int cuDeviceGet(int *d, int n) { *d = n + 7; return n < 0 || n > 1 ? 101 : 0; }
int cuDeviceGetName(char *name, int room, int d) { snprintf(name, (size_t)room, "Fake %d", d); return 0; }
static int attributes[128];
void fake_attribute(int what, int value) { attributes[what] = value; }
int cuDeviceGetAttribute(int *v, int what, int d) { *v = what == 75 ? capability / 10 : what == 76 ? capability % 10 : attributes[what]; return d < 7; }
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = 1 << 30; return d < 7; }

static void *current;
static int context;
int cuDevicePrimaryCtxRetain(void **c, int d) { SAY("retain %d\n", d); *c = &context; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { SAY("release %d\n", d); return 0; }
int cuCtxSetCurrent(void *c) { current = c; return 0; }
#define ON if (current != &context) return 201
int cuCtxSynchronize(void) { ON; SAY("synchronize\n"); int code = launched ? fails : 0; launched = 0; return code; }
int cuMemAlloc_v2(char **at, size_t n) {
  ON;
  SAY("allocate %zu\n", n);
  if (n > 1 << 20) return 2;
  *at = aligned_alloc(256, (n + 255) / 256 * 256);
  memset(*at, 0x55, n);
  return 0;
}
int cuMemFree_v2(char *at) { ON; SAY("free\n"); free(at); return 0; }
static int copies; // the stream of copies
static int held;   // streams and pinned memory that nobody has given back
int fake_held(void) { return held; }
int cuStreamCreate(int **s, unsigned flags) { ON; held++; SAY("stream\n"); *s = &copies; return flags != 1; }
int cuStreamDestroy_v2(void *s) { held--; return s != &copies; }
int cuMemFreeHost(void *p) { held--; free(p); return 0; }
int cuStreamWaitEvent(void *stream, void *e, unsigned flags) { ON; SAY("join\n"); return stream || !e || flags; }
int cuMemsetD8Async(char *at, unsigned char b, size_t n, void *stream) { ON; SAY("set %zu\n", n); memset(at, b, n); return stream != &copies; }
int cuMemHostAlloc(void **at, size_t n, unsigned flags) { ON; held++; SAY("pinned %zu\n", n); *at = calloc(1, n); return flags; }
int cuMemcpyHtoDAsync_v2(char *to, const char *from, size_t n, void *stream) { ON; SAY("send %zu%s\n", n, stream ? " ahead" : ""); memcpy(to, from, n); return stream && stream != &copies; }
int cuMemcpyHtoD_v2(char *to, const char *from, size_t n) { ON; SAY("write %zu\n", n); memcpy(to, from, n); return 0; }
int cuMemcpyDtoH_v2(char *to, const char *from, size_t n) { ON; SAY("read %zu\n", n); memcpy(to, from, n); return 0; }

int cuModuleLoadData(void **m, const char *image) { ON; SAY("load %s\n", image); *m = &said; return strstr(image, "rubbish") ? 200 : 0; }
int cuModuleUnload(void *m) { ON; SAY("unload\n"); return m != &said; }
int cuModuleGetFunction(void **f, void *m, const char *name) { ON; SAY("function %s\n", name); *f = &end; return strcmp(name, "k") ? 500 : m != &said; }

static int given; // the most bytes of shared memory that launches of k may give
int cuFuncSetAttribute(void *f, int what, int value) { ON; SAY("give %d\n", value); given = value; return f != &end || what != 8 || value > attributes[97]; }
int cuFuncGetAttribute(int *v, int what, void *f) { ON; *v = what == 0 ? 1024 : what == 4 ? 16 : 0; return f != &end; }

// k doubles what each thread has of X, and reports a fault where that is more than 100.
static void k(char *workspace, int *fault, const float *x, float *y, int64_t n, int64_t i) {
  if (i >= n) return;
  if (x[i] > 100 && !fault[0]) {
    fault[0] = 1;
    memcpy(fault + 2, &i, sizeof i);
    return;
  }
  y[i] = 2 * x[i] + (workspace ? 1 : 0);
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **p, void **extra) {
  ON;
  SAY("launch %u %u %u, %u %u %u", gx, gy, gz, bx, by, bz);
  if (shared) SAY(", %u bytes", shared);
  SAY("\n");
  launched = 1;
  clock_++;
  if (f != &end || (shared > 48 << 10 && shared > (unsigned)given) || stream || extra) return 1;
  for (int64_t i = 0; i < (int64_t)gx * bx; i++) k(*(char **)p[0], *(int **)p[1], *(const float **)p[2], *(float **)p[3], *(int64_t *)p[4], i);
  return 0;
}

// Events count what is launched: a kernel takes a quarter of a second.
static int events[2], made;
int cuEventCreate(int **e, unsigned flags) { ON; SAY("event\n"); *e = &events[made++ % 2]; return flags & ~2u; }
int cuEventDestroy_v2(int *e) { ON; SAY("destroy event\n"); return !e; }
int cuEventRecord(int *e, void *stream) { ON; SAY("record %d%s\n", (int)(e - events), stream ? " ahead" : ""); *e = clock_; return stream && stream != &copies; }
int cuEventSynchronize(int *e) { ON; SAY("wait %d\n", (int)(e - events)); int code = launched ? fails : 0; launched = 0; return code; }
int cuEventElapsedTime(float *ms, int *from, int *to) { ON; *ms = 250.0f * (float)(*to - *from); return 0; }

struct program { char text[1000], log[1000], architecture[100]; };
int nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 4; return 0; }
int nvrtcCreateProgram(struct program **p, const char *text, const char *name, int headers, const char **h, const char **n) {
  *p = calloc(1, sizeof **p);
  SAY("create %s\n", name);
  snprintf((*p)->text, sizeof (*p)->text, "%s", text);
  return headers || h || n;
}
int nvrtcDestroyProgram(struct program **p) { SAY("destroy\n"); free(*p); *p = 0; return 0; }
int nvrtcCompileProgram(struct program *p, int n, const char **options) {
  SAY("compile");
  for (int i = 0; i < n; i++) {
    SAY(" %s", options[i]);
    if (sscanf(options[i], "--gpu-architecture=%99s", p->architecture) == 1 && !strcmp(p->architecture, "sm_99")) { SAY("\n"); return 5; }
    int number = 0;
    if (sscanf(options[i], "--gpu-architecture=compute_%d", &number) == 1 && number > 86 && strstr(p->text, "old compiler")) { SAY("\n"); return 5; }
  }
  SAY("\n");
  if (strstr(p->text, "told")) strcpy(p->log, "ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas info    : Used 3 registers, 16 bytes smem\n");
  if (!strstr(p->text, "wrong")) return 0;
  strcpy(p->log, "k.cu(1): error: wrong");
  return 6;
}
int nvrtcGetProgramLogSize(struct program *p, size_t *n) { *n = strlen(p->log) + 1; return 0; }
int nvrtcGetProgramLog(struct program *p, char *into) { strcpy(into, p->log); return 0; }
int nvrtcGetPTXSize(struct program *p, size_t *n) { (void)p; *n = 4; return 0; }
int nvrtcGetPTX(struct program *p, char *into) { (void)p; strcpy(into, "ptx"); return 0; }
int nvrtcGetCUBINSize(struct program *p, size_t *n) { (void)p; *n = 6; return 0; }
int nvrtcGetCUBIN(struct program *p, char *into) { (void)p; strcpy(into, "cubin"); return 0; }
