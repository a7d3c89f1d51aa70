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

// A Processor is the abstract system model of the host, as data: its layers of
// memory and of cores. Schedules depend on nothing else of the machine.
type Processor struct {
	VectorBytes     int   // of one vector register
	VectorRegisters int   // per core
	L1, L2, L3      int64 // bytes of the data caches that one core sees
	Cores           int   // threads that run at the same time
	Features        []string
	// Peaks are the measured speeds; nil where nobody has measured.
	Peaks *Peaks
}

// vectorLevels lists what vector units there are, best first.
var vectorLevels = []struct {
	feature          cpuid.FeatureID
	name             string
	bytes, registers int
}{
	{cpuid.AVX512F, "avx512f", 64, 32},
	{cpuid.AVX2, "avx2", 32, 16},
	{cpuid.AVX, "avx", 32, 16},
	{cpuid.SSE2, "sse2", 16, 16},
	{cpuid.ASIMD, "asimd", 16, 32},
}

// Gathers reports whether one instruction that loads from everywhere is faster than a load for
// each lane: it is where there is 16-bit float arithmetic. Before that came a microcode against
// gather data sampling.
func (m *Processor) Gathers() bool { return slices.Contains(m.Features, "avx512fp16") }

// Host describes the machine that the program runs on, from feature bits and
// cache sizes; the name of the processor says nothing on virtual machines.
func Host() *Processor {
	m := &Processor{VectorBytes: 16, VectorRegisters: 16, Cores: runtime.NumCPU()}
	for i := len(vectorLevels) - 1; i >= 0; i-- {
		if v := vectorLevels[i]; cpuid.CPU.Supports(v.feature) {
			m.VectorBytes, m.VectorRegisters = v.bytes, v.registers
			m.Features = append(m.Features, v.name)
		}
	}
	for _, extra := range []struct {
		feature cpuid.FeatureID
		name    string
	}{{cpuid.FMA3, "fma"}, {cpuid.AVX512BW, "avx512bw"}, {cpuid.AVX512VNNI, "avx512vnni"}, {cpuid.AVX512BF16, "avx512bf16"}, {cpuid.AVX512FP16, "avx512fp16"}} {
		if cpuid.CPU.Supports(extra.feature) {
			m.Features = append(m.Features, extra.name)
		}
	}
	m.Features = append(m.Features, matrixFeatures()...)
	m.L1 = firstPositive(cacheSize(1), int64(cpuid.CPU.Cache.L1D), 32<<10)
	m.L2 = firstPositive(cacheSize(2), int64(cpuid.CPU.Cache.L2), 512<<10)
	m.L3 = firstPositive(cacheSize(3), int64(cpuid.CPU.Cache.L3), m.L2)
	return m
}

// With returns the same machine with other vector registers and instructions, as it would be
// scheduled for. What was measured of its arithmetic units is taken to follow the length of
// the registers, where they remain; that of matrix units is their own.
func (m *Processor) With(vectorBytes, vectorRegisters int, features []string) *Processor {
	other := *m
	other.VectorBytes, other.VectorRegisters, other.Features = vectorBytes, vectorRegisters, features
	if m.Peaks == nil {
		return &other
	}
	peaks := *m.Peaks
	peaks.Rates = nil
	scale := float64(vectorBytes) / float64(m.VectorBytes)
	for _, r := range m.Peaks.Rates {
		if r.Type.Compute() == r.Type && (r.Unit == VectorUnit || r.Unit == PlainUnit) {
			r.One, r.All = r.One*scale, r.All*scale
			peaks.Rates = append(peaks.Rates, r)
		} else if r.Unit == MatrixUnit && other.MultipliesMatrices(r.Type) {
			peaks.Rates = append(peaks.Rates, r)
		}
	}
	other.Peaks = &peaks
	return &other
}

// Shared guesses how many bytes the cores that one sees may count on in the last cache: a
// virtual machine is told the size of all of it, where its neighbours have the most.
func (m *Processor) Shared() int64 {
	const usual = 32 << 20 // for one core, at most
	return min(m.L3, max(m.L2, usual)*int64(max(m.Cores, 1)))
}

func firstPositive(candidates ...int64) int64 {
	for _, n := range candidates {
		if n > 0 {
			return n
		}
	}
	return 0
}

// cacheSize reads the size of a data cache of the first core from sysfs, 0 where
// there is none.
func cacheSize(level int) int64 {
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, dir := range dirs {
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			return strings.TrimSpace(string(text))
		}
		if read("level") != strconv.Itoa(level) || read("type") == "Instruction" {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSuffix(read("size"), "K"), 10, 64)
		if err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
