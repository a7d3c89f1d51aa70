package machine

import (
	"runtime"
	"slices"
)

// A InstructionLevel is a set of instructions that many processors share: what a kernel is kept to, and for what a library has a
// kernel of its own. Targets say in tables of their own how compilers are told of one.
type InstructionLevel struct {
	Name            string
	VectorBytes     int
	VectorRegisters int
	Features        []string // by the names of Processor
	Architecture    string   // in Go's words; empty: any that has no level of its own
}

// InstructionLevels lists all levels, each after those whose features it has, too. Of AVX512-FP16 and AMX a
// processor may have one without the other, as virtual machines that hide one do.
func InstructionLevels() []InstructionLevel {
	with := func(features []string, more ...string) []string { return append(slices.Clone(features), more...) }
	avx2 := []string{"sse2", "avx", "avx2", "fma"}
	avx512 := with(avx2, "avx512f", "avx512bw")
	vnni := with(avx512, "avx512vnni")
	bfloat16 := with(vnni, "avx512bf16")
	tiles := []string{"amx_int8", "amx_bf16"}
	return []InstructionLevel{
		{"plain", 16, 16, []string{"sse2"}, ""},
		{"neon", 16, 32, []string{"asimd"}, "arm64"},
		{"avx2", 32, 16, avx2, "amd64"},
		{"avx512", 64, 32, avx512, "amd64"},
		{"avx512vnni", 64, 32, vnni, "amd64"},
		{"avx512bf16", 64, 32, bfloat16, "amd64"},
		{"avx512fp16", 64, 32, with(bfloat16, "avx512fp16"), "amd64"},
		{"amx", 64, 32, with(bfloat16, tiles...), "amd64"},
		{"amx_avx512fp16", 64, 32, with(with(bfloat16, "avx512fp16"), tiles...), "amd64"}, // both, with nothing of its own
	}
}

// InstructionLevelOf returns the best level whose features a machine has; those of different architectures have none in
// common.
func InstructionLevelOf(features []string) InstructionLevel {
	levels := InstructionLevels()
	best := levels[0]
	for _, l := range levels {
		if l.Architecture != "" && l.isAmong(features) {
			best = l
		}
	}
	return best
}

// InstructionLevel is the best level whose instructions a processor has. Where nobody has said which it has, the width of its
// vectors tells: the first level of the architecture that Ricci runs on with vectors as long.
func (p *Processor) InstructionLevel() InstructionLevel {
	if len(p.Features) > 0 && p.Grid == nil {
		return InstructionLevelOf(p.Features)
	}
	levels := slices.DeleteFunc(InstructionLevels(), func(l InstructionLevel) bool { return !l.IsHere() })
	if at := slices.IndexFunc(levels, func(l InstructionLevel) bool { return l.VectorBytes >= p.VectorBytes }); at >= 0 {
		return levels[at]
	}
	return levels[len(levels)-1]
}

// Within returns the same machine without instructions, and with no longer vectors nor more registers, than a level has;
// what is known of those that it has stays known.
func (p *Processor) Within(l InstructionLevel) *Processor {
	other := *p
	other.Features = slices.DeleteFunc(slices.Clone(p.Features), func(f string) bool { return !slices.Contains(l.Features, f) && !isOfDevices(f) })
	other.VectorBytes, other.VectorRegisters = min(p.VectorBytes, l.VectorBytes), min(p.VectorRegisters, l.VectorRegisters)
	return &other
}

// InstructionLevelNamed finds a level by its name.
func InstructionLevelNamed(name string) (InstructionLevel, bool) {
	levels := InstructionLevels()
	if at := slices.IndexFunc(levels, func(l InstructionLevel) bool { return l.Name == name }); at >= 0 {
		return levels[at], true
	}
	return InstructionLevel{}, false
}

// IsHere reports whether code for the level can be made for the architecture that Ricci runs on.
func (l InstructionLevel) IsHere() bool {
	return l.Architecture == "" || l.Architecture == runtime.GOARCH
}

// isAmong reports whether all features of a level are in a list.
func (l InstructionLevel) isAmong(features []string) bool {
	return !slices.ContainsFunc(l.Features, func(feature string) bool { return !slices.Contains(features, feature) })
}

// Below lists a level and those whose instructions it has, too.
func (l InstructionLevel) Below() []InstructionLevel {
	return slices.DeleteFunc(InstructionLevels(), func(other InstructionLevel) bool {
		return other.Architecture != l.Architecture || !other.isAmong(l.Features)
	})
}

// Has reports whether a machine of a level can run what is made for another one.
func (l InstructionLevel) Has(other InstructionLevel) bool {
	return other.Architecture == "" || slices.ContainsFunc(l.Below(), func(below InstructionLevel) bool { return below.Name == other.Name })
}
