package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// vectorUnits lists what vector units there are, the best first.
var vectorUnits = []struct {
	feature          cpuid.FeatureID
	name             string
	bytes, registers int64
}{
	{cpuid.AVX512F, "avx512f", 64, 32},
	{cpuid.AVX2, "avx2", 32, 16},
	{cpuid.AVX, "avx", 32, 16},
	{cpuid.SSE2, "sse2", 16, 16},
	{cpuid.ASIMD, "asimd", 16, 32},
}

// furtherInstructions are those that make vectors better and not longer.
var furtherInstructions = []struct {
	feature cpuid.FeatureID
	name    string
}{
	{cpuid.FMA3, "fma"},
	{cpuid.AVX512BW, "avx512bw"},
	{cpuid.AVX512VNNI, "avx512vnni"},
	{cpuid.AVX512BF16, "avx512bf16"},
	{cpuid.AVX512FP16, "avx512fp16"},
}

// Detect describes the machine that the program runs on, from feature bits and
// cache sizes; the name of the processor says nothing on virtual machines. Speeds are not known
// before they are measured (WithPeaks).
func Detect() *Machine {
	lanes := core(LaneLayer)
	lanes.Width, lanes.Registers = 16, 16
	lanes.Origins = map[string]Origin{"width": Assumed, "registers": Assumed, "instructions": System}
	for i := len(vectorUnits) - 1; i >= 0; i-- {
		if v := vectorUnits[i]; cpuid.CPU.Supports(v.feature) {
			lanes.Width, lanes.Registers = v.bytes, v.registers
			lanes.Origins["width"], lanes.Origins["registers"] = System, System
			lanes.Instructions = append(lanes.Instructions, v.name)
		}
	}
	for _, extra := range furtherInstructions {
		if cpuid.CPU.Supports(extra.feature) {
			lanes.Instructions = append(lanes.Instructions, extra.name)
		}
	}
	lanes.Instructions = append(lanes.Instructions, matrixFeatures()...)
	lanes.assume()
	cores := core(CoreLayer)
	cores.Units, cores.Origins = int64(runtime.NumCPU()), map[string]Origin{"count": System}

	l1, o1 := cache(1, cpuid.CPU.Cache.L1D, 32<<10)
	l2, o2 := cache(2, cpuid.CPU.Cache.L2, 512<<10)
	l3, o3 := cache(3, cpuid.CPU.Cache.L3, 0)
	m := withTrees(HostName, []Layer{l1.layer("L1", CoreLayer, o1), l2.layer("L2", CoreLayer, o2), l3.layer("L3", "", o3)}, cores, lanes)
	m.know(Page, int64(os.Getpagesize()))
	m.know(Line, cacheFact(1, "coherency_line_size"))
	m.know(Ways, cacheFact(1, "ways_of_associativity"))
	m.assumeUsual()
	return m
}

// HostName is the name of the machine that the program runs on, and in the texts of MDH's
// parameters of that for which schedules are made.
const HostName = "host"

// A capacity is what a cache holds, in bytes; 0 for a cache that is not there.
type capacity int64

// layer describes a cache. One that is private to a core is filled by copies.
func (c capacity) layer(name, privateTo string, o Origin) Layer {
	return Layer{Name: name, Region: name, Copied: privateTo != "", PrivateTo: privateTo, Bytes: int64(c), Origins: map[string]Origin{"capacity": o}}
}

// withTrees makes a machine whose programs are schedule trees from its caches, the fastest first. A cache that is no larger
// than the one before it is left out.
func withTrees(name string, caches []Layer, cores, lanes Layer) *Machine {
	m := &Machine{Name: name, Trees: true, Layers: []Layer{memory(MainMemory, MainMemory)}}
	for i, c := range slices.Backward(caches) {
		if i == 0 || c.Bytes > caches[i-1].Bytes {
			m.Layers = append(m.Layers, c)
		}
	}
	registers := copied(RegisterLayer, "RM", CoreLayer, lanes.Width*lanes.Registers)
	registers.Origins = map[string]Origin{"capacity": lanes.Origins["registers"]}
	m.Layers = append(m.Layers, registers, cores, lanes)
	return m
}

// cache finds the size of a data cache of the first core: what the system says, what the
// processor says, or a guess.
func cache(level int, processor int, guess capacity) (capacity, Origin) {
	if n := cacheSize(level); n > 0 {
		return capacity(n), System
	}
	if processor > 0 {
		return capacity(processor), System
	}
	return guess, Assumed
}

// know notes a quantity that the system says; 0 is not known.
func (m *Machine) know(q Quantity, value int64) {
	row := quantityRows[q]
	if n := m.Find(row.layer); n > 0 && value > 0 {
		m.Layer(n).setQuantity(q, float64(value))
		m.Layer(n).note(row.name, System)
	}
}

// cacheSize is the size of a data cache of the first core, 0 where nothing is known.
func cacheSize(level int) int64 { return cacheFact(level, "size") << 10 }

// cacheFact reads a number about a data cache of the first core from sysfs, in kilobytes where it is one of
// them, 0 where there is none.
func cacheFact(level int, name string) int64 {
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, dir := range dirs {
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			return strings.TrimSpace(string(text))
		}
		if read("level") != strconv.Itoa(level) || read("type") == "Instruction" {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSuffix(read(name), "K"), 10, 64); err == nil {
			return n
		}
	}
	return 0
}
