package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// HostInstructions is a text of the system, the architecture and the processor's instruction sets: part of the keys of
// cached kernels, because caches can be shared by machines.
func HostInstructions() string {
	return runtime.GOOS + "/" + runtime.GOARCH + " " + strings.Join(cpuid.CPU.FeatureSet(), " ")
}

// HostModel is the name of the processor's model, for people.
func HostModel() string { return cpuid.CPU.BrandName }

// A CacheLevel is one cache of the processor, as the system or the processor says.
type CacheLevel struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// HostCaches reads the data and unified caches from sysfs, which knows about virtual
// machines and arm64, and falls back to the processor's own word.
func HostCaches() []CacheLevel {
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

// PrivateCaches are the bytes of the largest cache of the first two levels among some, and whether they have
// one behind them, which virtual machines may hide.
func PrivateCaches(list []CacheLevel) (bytes int64, hasLast bool) {
	for _, c := range list {
		if c.Name == "L3" || c.Name == "L4" {
			hasLast = true
		} else {
			bytes = max(bytes, c.Bytes)
		}
	}
	return bytes, hasLast
}
