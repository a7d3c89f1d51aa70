package host

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// A Report says what was found on this machine.
type Report struct {
	System       string         `json:"system"` // such as linux/amd64
	Go           string         `json:"go"`
	Processor    string         `json:"processor"`
	Cores        int            `json:"cores"`   // physical; 0 when unknown
	Threads      int            `json:"threads"` // that this process may use at once
	Instructions []string       `json:"instructions"`
	Caches       []CacheLevel   `json:"caches"`
	Native       bool           `json:"native"` // compiled code can be loaded here
	Compilers    []CompilerInfo `json:"compilers"`
	CompilerNote string         `json:"compiler_note,omitempty"` // why there is none
	Libraries    []LibraryInfo  `json:"libraries"`
}

// A CacheLevel is one cache of the processor, as the system or the processor says.
type CacheLevel struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// KnownCaches are the bytes of the largest cache of the first two levels, and whether the system
// tells of one behind them, which virtual machines may hide.
func (r *Report) KnownCaches() (bytes int64, hasLast bool) {
	for _, c := range r.Caches {
		if c.Name == "L3" || c.Name == "L4" {
			hasLast = true
		} else {
			bytes = max(bytes, c.Bytes)
		}
	}
	return bytes, hasLast
}

// A CompilerInfo describes a usable compiler; the first one is used.
type CompilerInfo struct {
	Command string   `json:"command"`
	Family  Family   `json:"family"`
	Version string   `json:"version"`
	Flags   []string `json:"flags"`
}

// A LibraryInfo is a library that Ricci looks for.
type LibraryInfo struct {
	Name string `json:"name"`
	Use  string `json:"use"`
	Path string `json:"path,omitempty"` // empty when it was not found
}

// libraries are looked for by the names that loaders know, newest first.
var libraries = []struct {
	name, use string
	files     []string
}{
	{"isl", "only Ricci's own tests compare with it", []string{"libisl.so.23", "libisl.so.22", "libisl.so", "libisl.dylib"}},
	{"OpenCL", "not used yet: for the OpenCL target that is to come", []string{"libOpenCL.so.1", "libOpenCL.so", "/System/Library/Frameworks/OpenCL.framework/OpenCL"}},
	{"CUDA driver", "not used yet: for the CUDA target that is to come", []string{"libcuda.so.1", "libcuda.so"}},
	{"NVRTC", "not used yet: for the CUDA target that is to come", []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}},
}

// Inspect looks at the machine for `ricci doctor`.
func Inspect(ctx context.Context) Report {
	cpu := cpuid.CPU
	r := Report{
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Processor: Processor(), Cores: cpu.PhysicalCores, Threads: runtime.GOMAXPROCS(0),
		Instructions: cpu.FeatureSet(), Caches: caches(), Native: Supported,
		Compilers: []CompilerInfo{}, Libraries: []LibraryInfo{},
	}
	compilers, err := Find(ctx)
	if err != nil {
		r.CompilerNote = err.Error()
	}
	for _, c := range compilers {
		r.Compilers = append(r.Compilers, CompilerInfo{strings.Join(c.Command, " "), c.Family, c.Version, c.Flags()})
	}
	for _, l := range libraries {
		r.Libraries = append(r.Libraries, LibraryInfo{Name: l.name, Use: l.use, Path: FindLibrary(l.files)})
	}
	return r
}

// Features is a text of the processor's instruction sets: part of the keys of
// cached kernels, because caches can be shared by machines.
func Features() string {
	return runtime.GOOS + "/" + runtime.GOARCH + " " + strings.Join(cpuid.CPU.FeatureSet(), " ")
}

// Processor is the name of the processor's model.
func Processor() string { return cpuid.CPU.BrandName }

// caches reads the data and unified caches from sysfs, which knows about virtual
// machines and arm64, and falls back to the processor's own word.
func caches() []CacheLevel {
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	var list []CacheLevel
	for _, dir := range dirs {
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			return strings.TrimSpace(string(text))
		}
		name := map[string]string{"Data": "L" + read("level") + "d", "Unified": "L" + read("level")}[read("type")]
		kib, err := strconv.ParseInt(strings.TrimSuffix(read("size"), "K"), 10, 64)
		if name != "" && err == nil {
			list = append(list, CacheLevel{name, kib << 10})
		}
	}
	if list != nil {
		return list
	}
	c := cpuid.CPU.Cache
	for _, level := range []CacheLevel{{"L1d", int64(c.L1D)}, {"L2", int64(c.L2)}, {"L3", int64(c.L3)}} {
		if level.Bytes > 0 {
			list = append(list, level)
		}
	}
	return list
}

// FindLibrary returns the first of the files that the system's loader accepts,
// with its directory where that is known.
func FindLibrary(files []string) string {
	for _, file := range files {
		// Not closed again: a library that started threads must not be unmapped
		// under them.
		if _, err := Open(file); err != nil {
			continue
		}
		path := file
		for _, dir := range libraryDirs() {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil && !filepath.IsAbs(file) {
				path = filepath.Join(dir, file)
				break
			}
		}
		return path
	}
	return ""
}

// libraryDirs are the usual places, only used to show a full path.
func libraryDirs() []string {
	multiarch := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	return append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")),
		"/usr/local/lib", "/usr/lib/"+multiarch, "/usr/lib64", "/usr/lib", "/usr/local/cuda/lib64", "/opt/homebrew/lib")
}
